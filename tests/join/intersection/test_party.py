"""Private intersection: right, in an order both know, and silent about everything else."""

import base64
import hashlib
import os
import secrets
import subprocess
import sys
from datetime import date

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from confide.core.errors import CannotMeetError, InputError, MissingExtraError, UsageError
from confide.core.runtime.progress import reporting
from confide.join.intersection import party as intersection
from confide.join.intersection import ristretto
from confide.join.intersection.party import POINT, Answer, IntersectionParty, private_intersection
from confide.join.intersection.size import private_intersection_size
from confide.join.protocol.key_encoding import encode_key

VALUES = st.one_of(
    st.text(max_size=3), st.integers(-3, 3), st.tuples(st.integers(0, 2), st.text("ab", max_size=1)), st.dates()
)


def run(left, right, **options):
    """Both sides and every message that crossed."""
    a, b = IntersectionParty(left, **options), IntersectionParty(right, **options)
    started = a.start()
    answer = b.answer(started)
    finished = a.finish(answer)
    b.conclude(finished)
    return a, b, [started, *answer, finished]


def points(message):
    return [message[i : i + POINT] for i in range(0, len(message), POINT)]


@settings(max_examples=60)
@given(st.lists(VALUES, max_size=12), st.lists(VALUES, max_size=12))
def test_the_intersection_is_that_of_plain_sets(left, right):  # the slow twin: sets of encodings
    a, b, _ = run(left, right)
    expected = {encode_key(v) for v in left} & {encode_key(v) for v in right}
    mine = [encode_key(left[i]) for i in a.shared]
    assert set(mine) == expected
    assert len(mine) == len(expected)
    assert mine == [encode_key(right[i]) for i in b.shared]  # one order, known to both
    assert (a.others, b.others) == (len({encode_key(v) for v in right}), len({encode_key(v) for v in left}))


def test_a_side_that_brings_far_more_values_than_the_other_is_refused_before_it_learns_anything():
    domain, few = range(100), [3, 7, 50]
    victim, lister = IntersectionParty(few, max_ratio=10), IntersectionParty(domain)
    with pytest.raises(CannotMeetError, match="holds 100 values against 3 here, and 30 are allowed"):
        victim.answer(lister.start())
    victim, lister = IntersectionParty(few, max_ratio=10), IntersectionParty(domain)
    with pytest.raises(CannotMeetError, match="the answer holds 100 values"):
        victim.finish(lister.answer(victim.start()))
    assert len(run(few, range(30), max_ratio=10)[0].shared) == 2


def test_several_pieces_on_several_threads_keep_their_places():
    left, right = range(3000), range(1000, 5000)
    a, b, _ = run(left, right, workers=3)
    assert [left[i] for i in a.shared] == [right[i] for i in b.shared]
    assert sorted(left[i] for i in a.shared) == list(range(1000, 3000))
    one = private_intersection(left, right, workers=1)
    assert sorted(one) == list(range(1000, 3000))


def test_shared_values_come_back_as_they_were_given():
    assert sorted(
        private_intersection([("x", date(2020, 1, 1)), ("y", date(2020, 1, 2))], [("x", date(2020, 1, 1))])
    ) == [("x", date(2020, 1, 1))]
    assert private_intersection(np.arange(3), [2, 7]) == [2]


def test_contexts_that_differ_share_nothing():
    a, b = IntersectionParty(["x"], context="orders"), IntersectionParty(["x"], context="calls")
    b.conclude(a.finish(b.answer(a.start())))
    assert len(a.shared) == len(b.shared) == 0


def test_no_message_holds_a_value_its_hash_or_a_part_of_either():
    shared = [secrets.token_hex(16) for _ in range(3)]
    left, right = ([secrets.token_hex(16) for _ in range(5)] + shared for _ in range(2))
    _, _, messages = run(left, right)
    crossed = b"".join(messages)
    sodium = pytest.importorskip("rbcl")
    for value in {*left, *right}:
        encoding = encode_key(value)
        digest = hashlib.sha512(intersection._DOMAIN + bytes(8) + encoding).digest()
        forms = [value.encode(), bytes.fromhex(value), base64.b64encode(value.encode()), encoding, digest]
        forms += [hashlib.new(name, value.encode()).digest() for name in ("md5", "sha1", "sha256", "sha512")]
        forms.append(sodium.crypto_core_ristretto255_from_hash(digest))  # the point before encryption
        for form in forms:
            assert not any(form[i : i + 8] in crossed for i in range(len(form) - 7))


def test_the_canary_search_finds_what_is_not_encrypted(monkeypatch):
    # The same search must be able to fail: with the secret 1 a point crosses as it is.
    sodium = pytest.importorskip("rbcl")
    a = IntersectionParty(["canary"])
    a._secret._number = (1).to_bytes(32, "little")
    digest = hashlib.sha512(intersection._DOMAIN + bytes(8) + encode_key("canary")).digest()
    assert sodium.crypto_core_ristretto255_from_hash(digest) in a.start()


def test_two_runs_over_the_same_values_have_no_point_in_common():
    values = [f"v{i}" for i in range(50)]
    first, second = (run(values, values)[2] for _ in range(2))
    assert not {p for m in first for p in points(m)} & {p for m in second for p in points(m)}


def test_messages_do_not_keep_the_order_of_the_values():
    # With the order kept, position i of A and of B would hold the same value. 40 values: by chance once in 1e5 runs
    # would 8 or more of them stay in place (Poisson with mean 1).
    values = list(range(40))
    a, _, (_, doubled, _, finished) = run(values, values)
    stay = sum(x == y for x, y in zip(points(doubled), points(finished), strict=True))
    assert stay < 8
    assert sum(i == k for k, i in enumerate(a.shared)) < 8


def test_blinded_points_look_like_random_ones():
    # Chi-square over the 256 values of a middle byte, 4,096 points: 255 degrees of freedom; above 380 once in 1e6 runs.
    sent = np.frombuffer(IntersectionParty(range(4096)).start(), dtype=np.uint8).reshape(-1, POINT)
    counts = np.bincount(sent[:, 15], minlength=256)
    assert ((counts - 16) ** 2 / 16).sum() < 380


def test_a_message_tells_the_number_of_values_and_nothing_of_their_length_or_repetition():
    assert len(IntersectionParty(["a"] * 9 + ["b" * 1000]).start()) == 2 * POINT


def no_point():
    """32 bytes that are not a point: a field element that is too large."""
    return b"\xff" * POINT


def second_encoding():
    """The point of a message with the top bit set, which libsodium takes for the same point."""
    point = IntersectionParty(["z"]).start()
    return point[:-1] + bytes([point[-1] | 128])


@pytest.mark.parametrize(
    "bad",
    [no_point(), bytes(POINT), b"\x01" + bytes(31), second_encoding()],
    ids=["no point", "the identity", "a negative number", "a second encoding"],
)
def test_what_is_not_a_point_or_the_identity_is_refused(bad):
    with pytest.raises(InputError, match="not a point of ristretto255"):
        IntersectionParty(["x"]).answer(bad)
    a, b = IntersectionParty(["x"]), IntersectionParty(["x"])
    doubled, blinded = b.answer(a.start())
    for answer in (Answer(bad, blinded), Answer(doubled, bad)):
        fresh = IntersectionParty(["x"])
        fresh.start()
        with pytest.raises(InputError, match="not a point of ristretto255"):
            fresh.finish(answer)
    with pytest.raises(InputError, match="not a point of ristretto255"):
        b.conclude(bad)


def test_a_message_cut_short_is_refused():
    with pytest.raises(InputError, match="middle of a point"):
        IntersectionParty(["x"]).answer(b"\x00" * 33)


def test_a_point_sent_twice_is_refused():
    started = IntersectionParty(["x"]).start()
    with pytest.raises(InputError, match="twice"):
        IntersectionParty(["x"]).answer(started * 2)


def test_points_of_our_own_that_are_sent_back_are_refused():
    # An echo would make every value look shared.
    a, b = IntersectionParty(["x", "y"]), IntersectionParty(["x"])
    started = a.start()
    doubled, _ = b.answer(started)
    with pytest.raises(InputError, match="has sent itself"):
        a.finish(Answer(doubled, started))


def test_a_reply_for_another_number_of_values_is_refused():
    a = IntersectionParty(["x", "y"])
    a.start()
    other = IntersectionParty(["x"]).answer(IntersectionParty(["x"]).start())
    with pytest.raises(InputError, match="1 points of the 2 sent"):
        a.finish(other)


def test_steps_out_of_turn_are_refused():
    a = IntersectionParty(["x"])
    with pytest.raises(UsageError, match="not finished"):
        _ = a.shared
    with pytest.raises(UsageError, match="sent nothing"):
        _ = a.others
    a.start()
    with pytest.raises(UsageError, match="started"):
        a.start()
    with pytest.raises(UsageError, match="answered"):
        a.conclude(b"")


def test_empty_sides_share_nothing():
    assert private_intersection([], []) == []
    assert private_intersection(["x"], []) == []


def test_progress_is_reported():
    heard = []
    with reporting(lambda label, done, total: heard.append((label, done, total))):
        private_intersection(range(5), range(5))
    assert ("encrypting own join values", 5.0, 5) in heard


def test_the_unpacked_library_does_not_stay_behind(tmp_path):
    code = "from confide.join.intersection.party import private_intersection as p; print(p([1, 2], [2, 3]))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[2]"
    assert list(tmp_path.glob("*.so")) == []


def test_without_the_library_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "rbcl", None)
    ristretto.sodium.cache_clear()
    try:
        with pytest.raises(MissingExtraError, match=r"confide\[join\]"):
            IntersectionParty(["x"])
    finally:
        ristretto.sodium.cache_clear()


@pytest.mark.parametrize("wrong", ["ids.csv", b"ids", None, 5, {"ada": 1}, pa.table({"id": ["ada"]}), np.zeros((2, 2))])
def test_only_a_column_of_values_is_compared(wrong):
    for compare in (private_intersection, private_intersection_size):
        with pytest.raises(UsageError, match="a list, or one column of a frame"):
            compare(wrong, ["ada"])
        with pytest.raises(UsageError, match="a list, or one column of a frame"):
            compare(["ada"], wrong)
