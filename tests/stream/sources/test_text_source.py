import gzip
import io
import os
import threading
import time

import pytest
from tests.patience import LONG, wait_until
from tests.stream.streams import records_file

from confide import Transactions
from confide.core.errors import InputError, UsageError
from confide.stream.sources import text_source
from confide.stream.sources.text_source import FileSource, StdinSource


def rows(source, place=None):
    return [row for batch in source.batches(place, lambda: False) if batch for row in batch.rows]


@pytest.mark.parametrize("name", ["in.dat", "in.jsonl", "in.dat.gz", "in.jsonl.zst"])
@pytest.mark.parametrize("block", [100, 5000, 1 << 19])
def test_blocks_of_any_size_give_the_records_of_the_file(tmp_path, monkeypatch, name, block):
    monkeypatch.setattr(text_source, "_BLOCK", block)
    plain = records_file(tmp_path, 80, name=".".join(name.split(".")[:2]))
    source = tmp_path / name
    if name.endswith(".gz"):
        source.write_bytes(gzip.compress(plain.read_bytes()))
    elif name.endswith(".zst"):
        import pyarrow as pa

        with pa.CompressedOutputStream(str(source), "zstd") as out:
            out.write(plain.read_bytes())
    wanted = [sorted(row) for row in Transactions.read(plain)]
    opened = FileSource(path=source)
    assert [sorted(row) for row in rows(opened)] == wanted
    read = 0
    for batch in opened.batches(None, lambda: False):  # every place leads back to its own record
        assert [sorted(row) for row in rows(opened, batch.place)] == wanted[read:]
        read += len(batch.rows)
        if read > 20:
            break


def test_a_last_line_without_an_end_counts(tmp_path):
    (tmp_path / "in.dat").write_text("a b\nc")
    assert rows(FileSource(path=tmp_path / "in.dat")) == [["a", "b"], ["c"]]


def test_time_stamps_are_seconds_or_iso(tmp_path):
    lines = ['{"items": ["a"], "time": 5}', '{"items": [], "time": "1970-01-01T00:00:06.5Z"}']
    lines.append('{"items": ["b"], "time": "1970-01-01T00:00:07"}')
    (tmp_path / "in.jsonl").write_text("".join(line + "\n" for line in lines))
    batch = next(iter(FileSource(path=tmp_path / "in.jsonl", timed=True).batches(None, lambda: False)))
    assert batch.times.tolist() == [5, 6.5, 7]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (b'["a"]\n"milk"\n', "line 2: a record is not a set of items"),
        (b'["a"]\n7\n', "line 2: a record is not a set of items"),
        (b'["a"]\n{"basket": ["a"]}\n', "line 2: a record is not a set of items"),
        (b'["a"]\n\n["b", 1.5]\n', "line 3: an item is neither text nor a whole number"),
        (b'["a"]\n["b", true]\n', "line 2: an item is neither text nor a whole number"),
        (b'["a"]\n["b", ""]\n', "line 2: an item is neither text nor a whole number"),
        (b'["a"]\n["b", "  "]\n', "line 2: an item is an empty text"),
        (b'["a"]\n["b"\n', "line 2: not JSON"),
        (b'["a"]\n["b"], ["c"]\n', "line 2: not JSON"),
        (b'["a"]\n["\xff"]\n', "line 2: not UTF-8"),
        (b"[" * 100_000, "line 1: not JSON"),
    ],
)
def test_bad_lines_are_named_and_not_repeated(tmp_path, monkeypatch, lines, said):
    (tmp_path / "in.jsonl").write_bytes(lines)
    with pytest.raises(InputError, match=said):
        rows(FileSource(path=tmp_path / "in.jsonl"))
    monkeypatch.setattr(text_source, "_BLOCK", 8)  # the line is counted from the beginning, not from the block
    with pytest.raises(InputError, match=said):
        rows(FileSource(path=tmp_path / "in.jsonl"))


def test_bad_bytes_of_a_dat_file_are_named_by_line(tmp_path, monkeypatch):
    (tmp_path / "in.dat").write_bytes(b"a b\nc d\n\xff\xfe x\n")
    monkeypatch.setattr(text_source, "_BLOCK", 6)
    with pytest.raises(InputError, match=r"in.dat, line 3"):
        rows(FileSource(path=tmp_path / "in.dat"))


def test_missing_times_and_formats_are_refused(tmp_path):
    (tmp_path / "in.jsonl").write_text('{"items": ["a"]}\n')
    with pytest.raises(InputError, match="line 1: no time stamp; a window by time needs"):
        rows(FileSource(path=tmp_path / "in.jsonl", timed=True))
    (tmp_path / "in.jsonl").write_text('{"items": ["a"], "time": "soon"}\n')
    with pytest.raises(InputError, match="line 1: the time stamp is neither seconds nor ISO 8601"):
        rows(FileSource(path=tmp_path / "in.jsonl", timed=True))
    with pytest.raises(UsageError, match="has no time stamps"):
        FileSource(path=tmp_path / "in.dat", timed=True)
    with pytest.raises(UsageError, match="the name does not say the format"):
        FileSource(path=tmp_path / "in.log")
    with pytest.raises(UsageError, match="a packed file does not grow"):
        FileSource(path=tmp_path / "in.dat.gz", follow=True)
    with pytest.raises(InputError, match="no such file"):
        rows(FileSource(path=tmp_path / "absent.dat"))
    with pytest.raises(InputError, match="is shorter than what was read of it before"):
        rows(FileSource(path=tmp_path / "in.jsonl"), {"byte": 1000, "line": 5})


def test_a_line_without_end_does_not_fill_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(text_source, "_LONGEST_LINE", 1000)
    monkeypatch.setattr(text_source, "_BLOCK", 100)
    (tmp_path / "in.jsonl").write_text('["' + "a" * 5000)
    with pytest.raises(InputError, match="line 1: a line is longer than"):
        rows(FileSource(path=tmp_path / "in.jsonl"))


def test_following_a_file_waits_for_whole_lines(tmp_path):
    path = tmp_path / "in.dat"
    path.write_text("a b\n")
    over = threading.Event()
    got = []

    def read():
        for batch in FileSource(path=path, follow=True).batches(None, over.is_set):
            if batch is not None:
                got.extend(batch.rows)

    reader = threading.Thread(target=read)
    reader.start()
    with open(path, "a") as file:
        for text_part in ("c ", "d\n", "e"):
            file.write(text_part)
            file.flush()
            time.sleep(0.15)
    wait_until(lambda: len(got) >= 2)
    over.set()
    reader.join(LONG)
    assert got == [["a", "b"], ["c", "d"]]


def test_standard_input_gives_what_has_come(monkeypatch):
    heard, sent = os.pipe()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(os.fdopen(heard, "rb")))
    os.write(sent, b'["a"]\n["b"')
    batches = StdinSource().batches(None, lambda: False)
    first = next(batches)
    assert list(first.rows) == [["a"]]
    assert first.place is None
    assert next(batches) is None  # nothing yet: a chance to hand out what is ready
    os.write(sent, b', "c"]\n')
    os.close(sent)
    assert [row for batch in batches if batch for row in batch.rows] == [["b", "c"]]
