"""A packed release holds its data and nothing beside it."""

import gzip
import struct
from pathlib import Path

import pyarrow as pa
import pytest

from confide.core.artefacts.packing import unpacked
from confide.core.errors import InputError
from confide.core.files import atomic_write

TEXT = b"a,b\nc\n" * 1000


def packed(tmp_path, name):
    with atomic_write(tmp_path / name) as file:
        file.write(TEXT)
    return (tmp_path / name).read_bytes()


@pytest.mark.parametrize(("name", "kind"), [("t.csv.gz", "gzip"), ("t.csv.zst", "zstd")])
def test_what_we_pack_is_unpacked(tmp_path, name, kind):
    assert unpacked(packed(tmp_path, name), kind, Path(name), most=1 << 20) == TEXT


@pytest.mark.parametrize(("name", "kind"), [("t.csv.gz", "gzip"), ("t.csv.zst", "zstd")])
def test_anything_beside_the_data_is_refused(tmp_path, name, kind):
    data = packed(tmp_path, name)
    skippable = struct.pack("<II", 0x184D2A50, 6) + b"secret"
    further = [data + b"x", data + data, data[:-1], data + skippable, skippable + data, b"", data[:3]]
    if kind == "gzip":
        further += [gzip.compress(TEXT), b"\x1f\x8b\x08\x08\0\0\0\0\x02\xffname\0" + data[10:]]
    for forged in further:
        with pytest.raises(InputError):
            unpacked(forged, kind, Path(name), most=1 << 20)


@pytest.mark.parametrize(("name", "kind"), [("t.csv.gz", "gzip"), ("t.csv.zst", "zstd")])
def test_a_bomb_is_refused(tmp_path, name, kind):
    with pytest.raises(InputError, match="unpacks to more"):
        unpacked(packed(tmp_path, name), kind, Path(name), most=100)


def test_small_and_large_zstd_frames_are_one_frame(tmp_path):
    for size in (0, 1, 255, 256, 65_791, 65_792, 1 << 20):
        data = pa.compress(b"ab" * size, codec="zstd", asbytes=True)
        assert unpacked(data, "zstd", Path("t.zst"), most=1 << 22) == b"ab" * size


@pytest.mark.parametrize(("name", "kind"), [("t.csv.gz", "gzip"), ("t.csv.zst", "zstd")])
def test_a_bomb_is_refused_by_its_ratio_long_before_the_largest_file(tmp_path, name, kind):
    with atomic_write(tmp_path / name) as file:
        file.write(bytes(80 << 20))
    with pytest.raises(InputError, match=r"unpacks to more than 67,108,864 bytes; .*CONFIDE_MAX_UNPACKED"):
        unpacked((tmp_path / name).read_bytes(), kind, Path(name), most=8 << 30)
