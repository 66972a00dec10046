import pytest

from confide import Transactions
from confide.core.errors import InputError
from confide.stream.blocks.block_digests import BlockDigests
from confide.stream.blocks.keyed import KeyedNoise

KEYED = KeyedNoise(bytes(32))


def digests(*blocks, known=()):
    made = BlockDigests(KEYED, known, source="records")
    for number, rows in blocks:
        made.add(number, Transactions.from_lists(rows))
    made.close()
    return made.live(0)


def test_the_same_records_have_the_same_digest_however_they_come():
    rows = [["a", "b"], [], ["c"], ["a"]]
    whole = digests((3, rows))
    assert digests((3, rows[:1]), (3, rows[1:])) == whole
    assert digests((3, [["b", "a"], [], ["c"], ["a"]])) == whole  # the order of items in a record is none of its own
    assert digests((3, [rows[1], rows[0], *rows[2:]])) != whole
    assert digests((3, [["a"], ["b"], ["c"], ["a"]])) != whole


def test_other_records_under_a_number_that_was_used_are_refused():
    known = digests((3, [["a"]]), (4, [["b"]]))
    assert digests((3, [["a"]]), (4, [["b"]]), known=known) == known
    with pytest.raises(InputError, match="records: block 4 holds other records than before, and noise used twice"):
        digests((3, [["a"]]), (4, [["c"]]), known=known)


def test_blocks_that_left_the_window_are_forgotten():
    made = BlockDigests(KEYED, digests((3, [["a"]]), (4, [["b"]])))
    assert [number for number, _ in made.live(4)] == [4]


def test_a_stream_that_goes_back_to_blocks_long_gone_is_refused():
    known = BlockDigests(KEYED, digests((3, [["a"]]), (4, [["b"]]))).live(4)
    with pytest.raises(InputError, match="goes back to block 2, but blocks up to 4 were used"):
        digests((2, [["a"]]), known=known)
