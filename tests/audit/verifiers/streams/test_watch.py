import pytest
from tests.stream.streams import REQUIREMENT, asked

from confide import Randomness
from confide.audit.verifiers.streams.noise_claims import NoiseClaims
from confide.audit.verifiers.streams.watch import StreamWatch
from confide.core.errors import VerificationError
from confide.core.itemsets.container import Itemsets
from confide.core.streams.header import LawWeights
from confide.core.streams.releases import release_line
from confide.stream import Butterfly, PublishedBounds
from confide.stream.paper.biases import SCHEMES
from confide.stream.pipeline.opening import header_of
from confide.stream.setting import Setting

HEADER = header_of(asked(scheme="basic"), "0123456789abcdef")
TRUE = Itemsets.from_pairs([("a", 200), ("b", 90), (("a", "b"), 90), ("c", 40)], n_transactions=400)


def line(pairs, *, number=1, offset=400, previous=HEADER.sha256, run="0123456789abcdef", records=400):
    data = Itemsets.from_pairs(pairs, n_transactions=records)
    return release_line(data.sorted(), run=run, number=number, offset=offset, until=None, previous=previous)[0]


GOOD = [("a", 203), ("b", 88), (("a", "b"), 88), ("c", 41)]


def test_what_fits_may_leave_and_the_next_is_compared_with_it():
    watch = StreamWatch(HEADER)
    watch.check(line(GOOD), TRUE)
    again = line(GOOD, number=2, offset=450, previous=watch.sha256)
    watch.check(again, TRUE)
    assert watch.number == 2
    with pytest.raises(VerificationError, match="a count that was said before has another value"):
        watch.check(line([("a", 204), *GOOD[1:]], number=3, offset=500, previous=watch.sha256), TRUE)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (line([("a", 206), *GOOD[1:]]), "a value that its noise cannot give"),
        (line([*GOOD[:3], ("c", 29)]), "a value that its noise cannot give"),
        (line([("a", 203), ("b", 88), (("a", "b"), 91), ("c", 41)]), "another value"),
        (line([("a", 203), ("b", 88), ("c", 41)]), "one is published and the other is not"),
        (line([*GOOD, ("d", 40)]), "a set that is not frequent"),
        (line([*GOOD, ("c", 41)]), "is there twice"),
        (line(GOOD, records=300), "another window"),
        (line(GOOD, number=2), "another number"),
        (line(GOOD, run="x"), "another number"),
        (line(GOOD, previous="0" * 64), "chain of hashes"),
        (line(GOOD).replace(b"203", b"202"), "chain of hashes"),
    ],
)
def test_what_does_not_fit_stays(wrong, said):
    with pytest.raises(VerificationError, match=said):
        StreamWatch(HEADER).check(wrong, TRUE)


def test_a_value_below_the_threshold_stays():
    true = Itemsets.from_pairs([("a", 27)], n_transactions=400)
    with pytest.raises(VerificationError, match="too small to be published"):
        StreamWatch(HEADER).check(line([("a", 29)]), true)
    StreamWatch(HEADER).check(line([("a", 30)]), true)


def test_a_release_too_soon_stays():
    watch = StreamWatch(HEADER)
    watch.check(line(GOOD), TRUE)
    with pytest.raises(VerificationError, match="too soon"):
        watch.check(line(GOOD, number=2, offset=449, previous=watch.sha256), TRUE)


def test_after_an_epoch_only_what_has_gone_may_change():
    header = header_of(asked(epoch=1, scheme="basic"), "0123456789abcdef")
    watch = StreamWatch(header, said={200: 203, 90: 88, 50: 52}, last=frozenset([200]), number=4)
    watch.check(line([("a", 203), ("b", 91), (("a", "b"), 91), ("c", 41)], number=5, previous=header.sha256), TRUE)
    with pytest.raises(VerificationError, match="another value"):
        StreamWatch(header, said={200: 204}, last=frozenset([200]), number=4).check(
            line(GOOD, number=5, previous=header.sha256), TRUE
        )


def test_a_header_that_cannot_keep_its_promise_begins_no_run():
    from dataclasses import replace

    with pytest.raises(VerificationError, match="the noise hides rare patterns"):
        StreamWatch(replace(HEADER, noise=LawWeights(first=-1, weights=(1, 1, 1))))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_auditor_s_own_arithmetic_gives_the_publisher_s_bounds(scheme):
    header = header_of(asked(scheme=scheme))
    claims, setting = NoiseClaims(header), Setting.of(REQUIREMENT)
    made = Butterfly(REQUIREMENT, scheme=scheme, randomness=Randomness.seeded(1))
    assert claims.threshold == made.threshold
    bounds = PublishedBounds(header)
    for support in range(25, 400):
        assert claims.shifts(support) == ((0, 0) if scheme == "basic" else setting.shifts(support))
    for value in range(claims.threshold, 400):
        # the slow way: every count that some shift and some noise brings to this value
        fitting = [
            t
            for t in range(25, 401)
            if t + claims.shifts(t)[0] + header.noise.first <= value <= t + claims.shifts(t)[1] + claims.last
        ]
        assert claims.counts_behind(value, 400) == (fitting[0], fitting[-1])
        assert bounds.of(value, records=400) == (fitting[0], fitting[-1])
