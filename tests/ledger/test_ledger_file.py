"""A ledger is read whole, with its own key, as it was written; anything else is one clear line."""

import stat

import pytest
from tests.ledger.series_tables import KEY

from confide.core.errors import InputError, UsageError
from confide.ledger.ledger_file import LedgerFile
from confide.ledger.seal import HEAD


@pytest.fixture
def written(tmp_path):
    file = LedgerFile.new(tmp_path / "a.ledger", KEY)
    for entry in (b"first", b"second", b"third"):
        file = file.append(entry)
    file.write()
    return file


def test_entries_come_back_and_nothing_of_them_can_be_read(written):
    assert LedgerFile.read(written.path, KEY).entries == (b"first", b"second", b"third")
    assert b"second" not in written.path.read_bytes()
    assert stat.S_IMODE(written.path.stat().st_mode) == 0o600


def test_another_key_is_one_clear_line(written):
    with pytest.raises(InputError, match=r"a\.ledger: cannot be opened: it has another key, or is damaged"):
        LedgerFile.read(written.path, bytes(32))
    with pytest.raises(UsageError, match="needs the file with its key"):
        LedgerFile.read(written.path, "a passphrase")


def test_a_passphrase_opens_what_it_closed(tmp_path):
    LedgerFile.new(tmp_path / "p.ledger", "open sesame").append(b"one").write()
    assert LedgerFile.read(tmp_path / "p.ledger", "open sesame").entries == (b"one",)
    with pytest.raises(InputError, match="another key"):
        LedgerFile.read(tmp_path / "p.ledger", "open barley")
    with pytest.raises(UsageError, match="needs a passphrase"):
        LedgerFile.read(tmp_path / "p.ledger", KEY)


def test_every_changed_byte_behind_the_head_is_noticed(written):
    data = written.path.read_bytes()
    for place in range(len(written.seal.head), len(data)):
        written.path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(InputError, match="damaged"):
            LedgerFile.read(written.path, KEY)


def test_every_cut_within_an_entry_is_noticed(written):
    data, ends = written.path.read_bytes(), set()
    at = len(written.seal.head)
    while at < len(data):
        at += 8 + int.from_bytes(data[at : at + 8], "little")
        ends.add(at)
    for length in set(range(len(data))) - ends:
        written.path.write_bytes(data[:length])
        with pytest.raises(InputError):
            LedgerFile.read(written.path, KEY)


def test_entries_cannot_change_places_nor_come_from_a_copy(written):
    """A chain that was forked: the entry fits the key, but stands behind another than it was written behind."""
    head = written.seal.head
    fork = LedgerFile.read(written.path, KEY).append(b"fourth")
    other = LedgerFile.read(written.path, KEY).append(b"another fourth").append(b"fifth")
    last = other.data[len(other.data) - (8 + 12 + 16 + len(b"fifth")) :]
    written.path.write_bytes(fork.data + last)
    with pytest.raises(InputError, match="entry 4 is damaged, or stands behind another"):
        LedgerFile.read(written.path, KEY)
    size = 8 + 12 + 16
    first, second = (head_end := len(head)), len(head) + size + len(b"first")
    third = second + size + len(b"second")
    swapped = (
        fork.data[:head_end] + fork.data[first:second] + fork.data[third : third + size + 5] + fork.data[second:third]
    )
    written.path.write_bytes(swapped)
    with pytest.raises(InputError, match="entry 1 is damaged"):
        LedgerFile.read(written.path, KEY)


@pytest.mark.parametrize("data", [b"", b"id,age\n1,2\n", HEAD, HEAD + b"{}\n", HEAD + b"[" * 5000 + b"\n"])
def test_what_is_no_ledger_is_refused(tmp_path, data):
    (tmp_path / "x.ledger").write_bytes(data)
    with pytest.raises(InputError, match="ledger"):
        LedgerFile.read(tmp_path / "x.ledger", KEY)
