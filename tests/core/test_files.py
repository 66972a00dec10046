import os
import signal
import subprocess
import sys
import time

import pytest
from tests.patience import LONG

from confide.core.errors import InputError, UsageError
from confide.core.files import atomic_write, read_bytes, write_text


def test_a_file_appears_only_when_the_block_ends_well(tmp_path):
    target = tmp_path / "out.txt"
    with atomic_write(target) as file:
        file.write(b"whole")
        assert not target.exists()
    assert target.read_bytes() == b"whole"
    assert os.listdir(tmp_path) == ["out.txt"]


def test_an_error_inside_leaves_the_old_file_and_no_trace(tmp_path):
    target = tmp_path / "out.txt"
    target.write_bytes(b"old")
    with pytest.raises(RuntimeError), atomic_write(target, replace=True) as file:
        file.write(b"half")
        raise RuntimeError
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["out.txt"]


def test_nothing_is_overwritten_unasked_even_if_it_appears_meanwhile(tmp_path):
    target = tmp_path / "out.txt"
    with pytest.raises(UsageError, match="appeared"), atomic_write(target) as file:
        file.write(b"ours")
        target.write_bytes(b"theirs")
    assert target.read_bytes() == b"theirs"
    with pytest.raises(UsageError, match="replace=True"), atomic_write(target):
        pass
    assert os.listdir(tmp_path) == ["out.txt"]


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(UsageError, match="does not exist"), atomic_write(tmp_path / "no" / "out.txt"):
        pass


def test_the_users_umask_decides_who_may_read(tmp_path):
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "out.txt", "x")
    finally:
        os.umask(before)
    assert (tmp_path / "out.txt").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "a.txt.zst"])
def test_the_same_text_gives_the_same_bytes(tmp_path, name):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        write_text(tmp_path / folder / name, "grüße\n" * 1000)
    assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert bytes(read_bytes(tmp_path / "one" / name)).decode() == "grüße\n" * 1000


WRITER = """
import sys
from confide.core.files import atomic_write
with atomic_write(sys.argv[1], replace=True) as file:
    for megabyte in range(200):
        file.write(b"n" * (1 << 20))
        if megabyte == 150:
            print("writing", flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_kill_9_during_a_write_of_200_mb_leaves_the_old_file_intact(tmp_path):
    target = tmp_path / "result.csv"
    target.write_bytes(b"old and whole\n")
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(target)], stdout=subprocess.PIPE)
    assert writer.stdout is not None
    assert writer.stdout.readline() == b"writing\n"
    writer.kill()
    writer.wait(LONG)
    writer.stdout.close()
    assert writer.returncode == -signal.SIGKILL
    assert target.read_bytes() == b"old and whole\n"
    # What is left behind is hidden, is named .part, and has no name any reader of ours takes.
    leftovers = [name for name in os.listdir(tmp_path) if name != "result.csv"]
    assert len(leftovers) == 1
    assert all(name.startswith(".confide-") and name.endswith(".part") for name in leftovers)
    write_text(target, "new\n", replace=True)
    assert target.read_text() == "new\n"
    assert os.listdir(tmp_path) == ["result.csv"], "the next run clears it away"


def test_a_reader_sees_the_old_or_the_new_file_never_a_part(tmp_path):
    target = tmp_path / "result.csv"
    old, new = b"o" * 1_000_000, b"n" * 1_000_000
    target.write_bytes(old)
    code = (
        "import sys\nfrom confide.core.files import atomic_write\n"
        "for i in range(60):\n"
        "    with atomic_write(sys.argv[1], replace=True) as f: f.write((b'n' if i % 2 else b'o') * 1_000_000)\n"
    )
    writer = subprocess.Popen([sys.executable, "-c", code, str(target)])
    seen = set()
    deadline = time.monotonic() + 60
    while writer.poll() is None and time.monotonic() < deadline:
        seen.add(target.read_bytes())
    assert writer.wait(LONG) == 0
    assert seen <= {old, new}


@pytest.mark.skipif(os.name != "posix", reason="devices and pipes are a POSIX matter")
def test_only_regular_files_are_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", tmp_path / "pipe", tmp_path):
        with pytest.raises(InputError):
            read_bytes(path)
    os.symlink("/dev/zero", tmp_path / "zeros.csv.gz")
    with pytest.raises(InputError, match="not a regular file"):
        read_bytes(tmp_path / "zeros.csv.gz")


# Reads a file and says how much memory that took at most, in MiB, beyond what was there before.
PEAK = """
import resource, sys
from confide.core.errors import InputError
from confide.core.files import read_array, read_bytes
import numpy, pyarrow
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    (read_array if sys.argv[2] == "array" else read_bytes)(sys.argv[1])
except InputError as error:
    print(error)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.parametrize("how", ["bytes", "array"])
@pytest.mark.parametrize("name", ["bomb.csv.gz", "bomb.csv.zst"])
def test_a_packed_file_that_unpacks_to_a_gigabyte_is_refused_early(tmp_path, name, how):
    with atomic_write(tmp_path / name.replace(".csv", ".part.csv")) as file:
        file.write(bytes(1 << 24))
    (tmp_path / name).write_bytes((tmp_path / name.replace(".csv", ".part.csv")).read_bytes() * 64)
    assert (tmp_path / name).stat().st_size < 2 << 20
    done = subprocess.run([sys.executable, "-c", PEAK, tmp_path / name, how], capture_output=True, text=True)
    refused, peak = done.stdout.splitlines()
    assert "unpacks to more than" in refused
    assert "CONFIDE_MAX_UNPACKED" in refused
    assert int(peak) < 400


def test_what_a_packed_file_may_unpack_to_can_be_raised_and_lowered(tmp_path, monkeypatch):
    with atomic_write(tmp_path / "big.txt.gz") as file:
        file.write(bytes(80 << 20))
    with pytest.raises(InputError, match="unpacks to more than 67,108,864 bytes"):
        read_bytes(tmp_path / "big.txt.gz")
    monkeypatch.setenv("CONFIDE_MAX_UNPACKED", "1G")
    assert len(read_bytes(tmp_path / "big.txt.gz")) == 80 << 20
    monkeypatch.setenv("CONFIDE_MAX_UNPACKED", "10M")
    with pytest.raises(InputError, match="unpacks to more than 10,485,760 bytes"):
        read_bytes(tmp_path / "big.txt.gz")
    monkeypatch.setenv("CONFIDE_MAX_UNPACKED", "plenty")
    with pytest.raises(UsageError, match="CONFIDE_MAX_UNPACKED is not a number of bytes"):
        read_bytes(tmp_path / "big.txt.gz")
