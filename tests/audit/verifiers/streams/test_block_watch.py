import pytest
from tests.oracles import block_noise as oracles
from tests.stream.streams import asked

from confide.audit.verifiers.streams.block_claims import BlockClaims
from confide.audit.verifiers.streams.block_watch import BlockWatch, NoiseAgain
from confide.core.errors import VerificationError
from confide.core.itemsets.container import Itemsets
from confide.core.streams.releases import release_line
from confide.stream.pipeline.opening import header_of, publisher_of

TRUE = Itemsets.from_pairs([("a", 200), ("b", 90), (("a", "b"), 85), ("c", 40), ("d", 18)], n_transactions=400)
RUN = "0123456789abcdef"


def line(header, data, *, number=1, previous=None):
    previous = header.sha256 if previous is None else previous
    return release_line(data.sorted(), run=RUN, number=number, offset=400, until=None, previous=previous)[0]


def watched(promise="run"):
    request = asked(promise=promise, epsilon=0.5)
    header, publisher = header_of(request, RUN), publisher_of(request)
    return header, publisher, BlockWatch(header, key=publisher.secret())


@pytest.mark.parametrize("promise", ["run", "release", "stretch"])
def test_noise_is_drawn_again_as_it_was(promise):
    header, publisher, watch = watched(promise)
    again = NoiseAgain(BlockClaims(header), publisher.secret())
    for block in (7, 8, 12, 1_000_003):
        for items in ("a", "ab", "bcd"):
            wanted = oracles.window_noise(publisher.run_noise, publisher.secret(), items, block)
            assert again.noise(tuple(items), block) == wanted
    watch.check(line(header, publisher.release(TRUE, block=7).data), TRUE, 7)
    assert watch.number == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda pairs: pairs.__setitem__(0, (("a",), 260)), "its noise cannot give"),
        (lambda pairs: pairs.append((("zebra",), 60)), "was not mined"),
        (lambda pairs: pairs.append((("d",), 20)), "may not be published"),
    ],
)
def test_what_does_not_fit_stays(change, said):
    header, publisher, watch = watched()
    pairs = [*publisher.release(TRUE, block=7).data]
    pairs = [pair for pair in pairs if pair[0] != ("d",)]
    change(pairs)
    with pytest.raises(VerificationError, match=said):
        watch.check(line(header, Itemsets.from_pairs(pairs, n_transactions=400)), TRUE, 7)


def test_other_noise_than_that_of_the_key_is_found_within_some_releases():
    header, publisher, watch = watched()
    before = header.sha256
    with pytest.raises(VerificationError, match="other noise than its key gives"):
        for number in range(1, 20):
            pairs = [
                (items, value + (items == ("b",))) for items, value in publisher.release(TRUE, block=6 + number).data
            ]
            text = line(header, Itemsets.from_pairs(pairs, n_transactions=400), number=number, previous=before)
            watch.check(text, TRUE, 6 + number)
            before = watch.sha256


def test_a_block_that_was_used_stays():
    header, publisher, watch = watched()
    data = publisher.release(TRUE, block=7).data
    watch.check(line(header, data), TRUE, 7)
    with pytest.raises(VerificationError, match="its noise was used before"):
        watch.check(line(header, data, number=2, previous=watch.sha256), TRUE, 7)
