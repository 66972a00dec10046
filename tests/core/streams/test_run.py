import json

import pytest

from confide import OutputPrivacy
from confide.core.errors import InputError, UsageError
from confide.core.itemsets.container import Itemsets
from confide.core.streams.header import chained
from confide.core.streams.releases import WindowRelease, release_line
from confide.core.streams.run import StreamRun
from confide.stream import StreamRelease
from confide.stream.pipeline.opening import header_of

REQUIREMENT = OutputPrivacy(epsilon=0.02, delta=0.4, min_support=25, vulnerable=5)
HEADER = header_of(StreamRelease(records="-", min_support=25, epsilon=0.03, window=100, every=10, seed=1))
SETS = Itemsets.from_pairs([("a", 60), (("b", 'q"x'), 40), ("é", 31)], n_transactions=100)


def line(data=SETS, *, number=1, offset=100, until=None, previous=HEADER.sha256):
    return release_line(data.sorted(), run=HEADER.run, number=number, offset=offset, until=until, previous=previous)


def test_a_run_reads_back_as_it_was_written():
    first, digest = line()
    second, _ = line(number=2, offset=200, previous=digest)
    data = HEADER.line + first + second
    run = StreamRun.from_bytes(data)
    assert b"".join(run.lines()) == data
    assert run.header == HEADER
    assert run.releases[0].data == SETS
    assert (run.releases[1].number, run.releases[1].previous) == (2, digest)
    assert run == StreamRun.from_bytes(data)


def test_a_time_stamp_is_kept():
    assert WindowRelease.from_line(line(until=12.5)[0]).until == 12.5


def rewritten(change):
    """A line with a hash of its own that we would never have written."""
    found = json.loads(line()[0])
    del found["sha256"]
    change(found)
    return chained(json.dumps(found, ensure_ascii=False, separators=(",", ":")))[0]


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.update(more=1),
        lambda x: x.pop("offset"),
        lambda x: x.update(offset="100"),
        lambda x: x.update(offset=True),
        lambda x: x.update(release=-1),
        lambda x: x["itemsets"].reverse(),
        lambda x: x["itemsets"][0].append(3),
        lambda x: x["itemsets"][0].__setitem__(1, 60.0),
        lambda x: x["itemsets"][0].__setitem__(0, []),
        lambda x: x["itemsets"][0].__setitem__(0, "a"),
        lambda x: x["itemsets"][0].__setitem__(0, ["a", "a"]),
        lambda x: x["itemsets"][0].__setitem__(0, [" a"]),
        lambda x: x.update(until="now"),
        lambda x: x.update(itemsets=None),
    ],
)
def test_a_line_we_never_write_is_refused(change):
    with pytest.raises(InputError):
        WindowRelease.from_line(rewritten(change))


def test_every_damaged_byte_of_a_line_is_noticed():
    good = line()[0]
    for at in range(len(good)):
        for bit in (1, 32):
            bad = good[:at] + bytes([good[at] ^ bit]) + good[at + 1 :]
            with pytest.raises(InputError):
                WindowRelease.from_line(bad)


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.update(more=1),
        lambda x: x.update(version=1),
        lambda x: x.update(version=3),
        lambda x: x.update(version=True),
        lambda x: x.update(every="100"),
        lambda x: x.update(records=True),
        lambda x: x["requirement"].update(vulnerable=30),
        lambda x: x["requirement"].update(kind="k-anonymity"),
        lambda x: x["noise"]["block"].update(weights=[1, 1.5]),
        lambda x: x["noise"].update(more=1),
        lambda x: x.pop("scheme"),
    ],
)
def test_a_header_we_never_write_is_refused(change):
    found = json.loads(HEADER.line)
    del found["sha256"]
    change(found)
    bad = chained(json.dumps(found, sort_keys=True, ensure_ascii=False, separators=(",", ":")))[0]
    with pytest.raises(InputError):
        StreamRun.from_bytes(bad + line()[0])


@pytest.mark.parametrize("data", [b"", b"\n", b"{}\n", HEADER.line[:-1], HEADER.line + b"\n", HEADER.line + b"{}"])
def test_what_is_no_run_is_refused(data):
    with pytest.raises(InputError):
        StreamRun.from_bytes(data)


def test_a_release_is_chosen_by_its_number_or_is_the_last():
    first, digest = line()
    second, _ = line(number=2, offset=200, previous=digest)
    run = StreamRun.from_bytes(HEADER.line + first + second)
    assert (run.release(1).number, run.release(2).number, run.release().number) == (1, 2, 2)
    for number in (0, 3, -1):
        with pytest.raises(UsageError, match="the run holds 2 releases"):
            run.release(number)
    with pytest.raises(UsageError, match="the run holds 0 releases"):
        StreamRun.from_bytes(HEADER.line).release()
