import json

import numpy as np
import pytest
from tests.stream.streams import asked, records_file, release

from confide import Transactions, verify
from confide.core.errors import InputError, UsageError, VerificationError
from confide.core.streams.run import StreamRun
from confide.mining import SlidingWindow
from confide.stream.pipeline.opening import publisher_of
from confide.stream.sinks.text_sink import FileSink
from confide.stream.sources.batch_source import Batch


def values(run):
    return [release.data.as_dict() for release in run.releases]


def test_a_release_comes_when_the_window_is_full_and_every_so_many_records(tmp_path):
    source = records_file(tmp_path)
    done = release(source, output=tmp_path / "out.jsonl")
    run = StreamRun.read(tmp_path / "out.jsonl")
    assert [release.offset for release in run.releases] == list(range(400, 1201, 50))
    assert done.run.releases == len(run.releases) == 17
    assert verify(tmp_path / "out.jsonl.passport.json").ok


def test_the_owner_is_warned_before_the_run_of_what_its_settings_give_up(tmp_path):
    source, told = records_file(tmp_path), []
    done = release(source, seed=1, output=tmp_path / "a.jsonl", warn=told.append)
    assert told == list(done.notes)
    assert [text.startswith("warning: noise from a seed") for text in told] == [True, False]
    assert "without state= a run that is broken off" in told[1]
    keyed = {"noise_key": tmp_path / "key", "state": tmp_path / "b.state"}
    assert release(source, **keyed, output=tmp_path / "b.jsonl").notes == ()
    fine = {"every": 10, "epsilon": 0.2, "noise_key": tmp_path / "fine", "limit": 400}
    (note,) = release(source, **fine, output=tmp_path / "d.jsonl", state=tmp_path / "d.state").notes
    assert "a window has 40 blocks, so sets of 25 records have about 0.62 in each" in note
    assert note.endswith("use every=20 or more, or promise=stretch")
    fine |= {"every": 20, "noise_key": tmp_path / "less"}
    assert release(source, **fine, output=tmp_path / "e.jsonl", state=tmp_path / "e.state").notes == ()
    paper = release(source, scheme="order", seed=None, output=tmp_path / "c.jsonl", state=tmp_path / "c.state")
    assert paper.notes == ("warning: scheme=order promises nothing: whoever knows its rules undoes its noise",)


@pytest.mark.parametrize("itemsets", ["all", "closed"])
def test_what_is_published_is_the_publisher_s_answer_to_each_window(tmp_path, itemsets):
    source = records_file(tmp_path)
    seen = []
    release(
        source,
        itemsets=itemsets,
        output=tmp_path / "out.jsonl",
        watch=lambda number, true, published: seen.append((true, published)),
    )
    run = StreamRun.read(tmp_path / "out.jsonl")
    rows = list(Transactions.read(source))
    window = SlidingWindow(size=400, min_support=publisher_of(asked()).mining_support)
    window.learn_many(rows[:400])
    publisher = publisher_of(asked())
    for i, (true, published) in enumerate(seen):
        expected = window.frequent() if itemsets == "all" else window.closed()
        assert true == expected
        assert published == publisher.release(expected).data == run.releases[i].data
        window.learn_many(rows[400 + 50 * i : 450 + 50 * i])


def test_a_window_by_time_is_full_after_its_span(tmp_path):
    source = records_file(tmp_path)  # one record a second
    release(source, seconds=300, every=100, scheme="basic", output=tmp_path / "out.jsonl")
    run = StreamRun.read(tmp_path / "out.jsonl")
    assert [release.offset for release in run.releases] == list(range(301, 1201, 100))
    assert [release.until for release in run.releases] == [999.0 + release.offset for release in run.releases]
    assert {release.data.n_transactions for release in run.releases} == {300}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"seconds": 300},
        {"promise": "stretch", "epsilon": 0.1},
        {"scheme": "order"},
        {"scheme": "order", "epoch": 3},
    ],
)
@pytest.mark.parametrize("cuts", [[600, 601, 1000], [100, 399, 401], [850]])
def test_a_run_in_parts_is_the_run_in_one(tmp_path, options, cuts):
    source = records_file(tmp_path)
    for limit in [*cuts, None]:
        done = None
        try:
            done = release(source, **options, output=tmp_path / "out.jsonl", state=tmp_path / "state", limit=limit)
        except VerificationError as error:  # no release yet, so no passport
            assert "holds no release" in str(error)
            assert limit < 400
    run = StreamRun.read(tmp_path / "out.jsonl")
    assert done is not None
    assert done.run.resumed
    seen = []
    release(
        source,
        **options,
        output=tmp_path / "once.jsonl",
        watch=lambda number, true, published: seen.append(true),
    )
    once = StreamRun.read(tmp_path / "once.jsonl")
    assert [r.offset for r in run.releases] == [r.offset for r in once.releases]
    assert verify(tmp_path / "out.jsonl.passport.json").ok
    if "scheme" not in options:
        assert [r.data for r in run.releases] == [r.data for r in once.releases]
    elif "epoch" not in options:  # one value for one support over all parts
        said = {}
        for line, true in zip(run.releases, seen, strict=True):
            truth = true.as_dict()
            for items, value in line.data.as_dict().items():
                assert said.setdefault(truth[items], value) == value


@pytest.mark.parametrize("size", [1000, 4000])
@pytest.mark.parametrize("by_time", [{}, {"seconds": 300, "every_seconds": 50}], ids=["by count", "by time"])
@pytest.mark.parametrize("cuts", [[760, 761, 800], [455, 620, 705, 760, 900], [455, 460, 470, 480, 490, 500, 700]])
def test_a_window_that_is_read_again_in_small_pieces_is_the_same(tmp_path, monkeypatch, size, by_time, cuts):
    monkeypatch.setattr("confide.stream.sources.text_source._BLOCK", size)  # less than a window, as in a long stream
    source, options = records_file(tmp_path), {"noise_key": tmp_path / "key", **by_time}
    release(source, output=tmp_path / "whole.jsonl", **options)
    for limit in [*cuts, None]:
        release(source, output=tmp_path / "out.jsonl", state=tmp_path / "state", limit=limit, **options)
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_a_run_that_is_ended_while_it_catches_up_goes_on_later_as_if_it_had_not_begun(tmp_path):
    source, state = records_file(tmp_path), tmp_path / "state"

    def go(**options):
        return release(source, output=tmp_path / "out.jsonl", state=state, **options)

    whole = [release.offset for release in StreamRun.read(_whole(tmp_path, source)).releases]
    go(limit=700)
    before = state.read_bytes()
    go(stopped=lambda: True)
    assert state.read_bytes() == before
    for questions in range(1, 4):
        left = iter([False] * questions)
        go(stopped=lambda left=left: next(left, True))
    go()
    assert [release.offset for release in StreamRun.read(tmp_path / "out.jsonl").releases] == whole
    assert verify(tmp_path / "out.jsonl.passport.json").ok


def _whole(folder, source):
    release(source, output=folder / "whole.jsonl")
    return folder / "whole.jsonl"


def test_a_file_may_grow_between_two_parts(tmp_path):
    source = records_file(tmp_path)
    lines = source.read_text().splitlines(keepends=True)
    source.write_text("".join(lines[:777]))
    release(source, output=tmp_path / "out.jsonl", state=tmp_path / "state")
    source.write_text("".join(lines))
    release(source, output=tmp_path / "out.jsonl", state=tmp_path / "state")
    assert [r.offset for r in StreamRun.read(tmp_path / "out.jsonl").releases] == list(range(400, 1201, 50))


class Live:
    """A source that cannot go back."""

    name, replayable = "live", False

    def __init__(self, rows):
        self.rows = rows

    def batches(self, place, stopped):
        for start in range(0, len(self.rows), 30):
            yield Batch(rows=Transactions.from_lists(self.rows[start : start + 30]))
            yield None


def test_a_source_that_cannot_go_back_fills_its_window_afresh(tmp_path):
    rows = list(Transactions.read(records_file(tmp_path)))
    for part in (rows[:520], rows[520:]):
        release(Live(part), output=tmp_path / "out.jsonl", state=tmp_path / "state")
    offsets = [r.offset for r in StreamRun.read(tmp_path / "out.jsonl").releases]
    assert offsets == [400, 450, 500, *range(920, 1201, 50)]  # blocks are counted from 550 on
    assert verify(tmp_path / "out.jsonl.passport.json").ok


def test_state_and_output_that_do_not_belong_together_are_refused(tmp_path):
    source = records_file(tmp_path)

    def go(limit, **options):
        return release(source, output=tmp_path / "out.jsonl", state=tmp_path / "state", limit=limit, **options)

    go(700)
    old, output = (tmp_path / "state").read_bytes(), (tmp_path / "out.jsonl").read_bytes()
    go(900)
    (tmp_path / "state").write_bytes(old)
    with pytest.raises(InputError, match=r"is older than .*out.jsonl, which holds release 11; the state knows 7"):
        go(1000)
    go_on = (tmp_path / "out.jsonl").read_bytes()
    (tmp_path / "out.jsonl").write_bytes(b"".join(output.splitlines(keepends=True)[:3]))
    with pytest.raises(InputError, match="ends at release 2, but releases up to 7 have left"):
        go(1000)
    (tmp_path / "out.jsonl").write_bytes(b'{"some": "thing"}\n' + go_on)
    with pytest.raises(InputError, match="is not the output of the run that the state is of"):
        go(1000)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"every": 80}, "every, noise"),
        ({"window": 500}, "noise, records"),
        ({"scheme": "order"}, "depth, noise, requirement, scheme"),
        ({"itemsets": "closed"}, "itemsets"),
        ({"epsilon": 0.06}, "requirement"),
    ],
)
def test_a_state_of_other_parameters_is_refused(tmp_path, options, named):
    source = records_file(tmp_path)
    release(source, output=tmp_path / "out.jsonl", state=tmp_path / "state", limit=600)
    with pytest.raises(InputError, match=rf"state: was made under other parameters \({named}\)"):
        release(source, **options, output=tmp_path / "out.jsonl", state=tmp_path / "state")


def test_a_shorter_or_another_stream_is_refused(tmp_path):
    source = records_file(tmp_path)
    release(source, output=tmp_path / "out.jsonl", state=tmp_path / "state", limit=600)
    source.write_text("".join(source.read_text().splitlines(keepends=True)[:500]))
    with pytest.raises(InputError, match="fewer records than were read before"):
        release(source, output=tmp_path / "out.jsonl", state=tmp_path / "state")


def test_a_release_that_the_auditor_refuses_does_not_leave(tmp_path, monkeypatch):
    source = records_file(tmp_path)
    from confide.stream.butterfly import Butterfly

    honest = Butterfly.release
    count = 0

    def broken(self, itemsets, **more):
        nonlocal count
        count += 1
        made = honest(self, itemsets, **more)
        if count == 5:
            made.data.supports[0] += 40
        return made

    monkeypatch.setattr(Butterfly, "release", broken)
    with pytest.raises(VerificationError, match="release 5 may not leave"):
        release(source, sync="each", output=tmp_path / "out.jsonl", state=tmp_path / "state")
    assert len(StreamRun.read(tmp_path / "out.jsonl").releases) == 4
    assert not (tmp_path / "out.jsonl.passport.json").exists()


def test_only_as_much_is_read_as_sinks_take(tmp_path):
    """A source that counts, and a sink that looks at the count: no more than a group is ever under way."""
    rows = Transactions.from_lists([["a", "b"] if i % 2 else ["a"] for i in range(500)])
    given, seen = 0, []

    class Counting:
        name, replayable = "counting", False

        def batches(self, place, stopped):
            nonlocal given
            for _ in range(30):
                given += len(rows)
                yield Batch(rows=rows)

    class Slow(FileSink):
        def write(self, lines):
            seen.append(given - json.loads(lines[-1][1])["offset"])
            super().write(lines)

    release(Counting(), every=20, sinks=[Slow(path=tmp_path / "out.jsonl")])
    assert len(seen) > 5
    assert max(seen) <= 500


def test_nothing_is_overwritten_and_no_file_has_two_parts_to_play(tmp_path):
    source = records_file(tmp_path)
    (tmp_path / "out.jsonl").write_text("mine\n")
    with pytest.raises(UsageError, match="exists; say replace=True"):
        release(source, output=tmp_path / "out.jsonl", state=tmp_path / "state")
    assert not (tmp_path / "state").exists()
    release(source, output=tmp_path / "out.jsonl", replace=True)
    with pytest.raises(UsageError):
        release(source, output=source, replace=True)
    with pytest.raises(UsageError, match="say where releases go"):
        release(source)
    with pytest.raises(UsageError, match="a key encrypts the state"):
        release(source, output=tmp_path / "b.jsonl", state_key=tmp_path / "key")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"window": 24}, "window=24 is less than the smallest support, .*; use window=25 or more"),
        ({"window": None}, "give one of window= and seconds="),
        ({"window": 400, "seconds": 9}, "give one of window= and seconds="),
        ({"seconds": -1}, "seconds=-1 is not a duration; use a number above 0"),
        ({"every": 0}, "every=0 is not a number of records; use every=1 or more"),
        ({"itemsets": "some"}, "itemsets='some' is none of: all, closed"),
        ({"sync": "never"}, "sync='never' is none of: group, each, none"),
        ({"scheme": "best"}, "scheme='best' is none of: blocks"),
        ({"owner_key_file": "key"}, "owner_key_file= goes with owner_serve="),
    ],
)
def test_settings_that_make_no_sense_are_refused(options, said):
    with pytest.raises(UsageError, match=said):
        asked(**options)


def test_a_state_under_a_key_shows_nothing(tmp_path):
    source, key = records_file(tmp_path), tmp_path / "key"
    key.write_bytes(bytes(range(32)))
    for limit in (600, None):
        release(source, output=tmp_path / "out.jsonl", state=tmp_path / "state", state_key=key, limit=limit)
    state = (tmp_path / "state").read_bytes()
    assert b"said" not in state
    assert len(values(StreamRun.read(tmp_path / "out.jsonl"))) == 17
    with pytest.raises(InputError, match="is encrypted; give its key"):
        release(source, output=tmp_path / "out.jsonl", state=tmp_path / "state")


def test_any_damaged_byte_of_a_state_is_noticed(tmp_path):
    source = records_file(tmp_path)
    release(source, output=tmp_path / "out.jsonl", state=tmp_path / "state", limit=600)
    data = (tmp_path / "state").read_bytes()
    for at in np.linspace(0, len(data) - 1, 60, dtype=int).tolist():
        (tmp_path / "state").write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(InputError, match="state"):
            release(source, output=tmp_path / "out.jsonl", state=tmp_path / "state")


def test_two_runs_cannot_go_on_from_one_state(tmp_path):
    source, state = records_file(tmp_path), tmp_path / "kept.state"
    refused = []

    def meanwhile():
        if not refused:
            with pytest.raises(UsageError, match="in use by another run") as found:
                release(source, output=tmp_path / "second.jsonl", state=state)
            refused.append(str(found.value))
        return False

    release(source, output=tmp_path / "first.jsonl", state=state, stopped=meanwhile)
    assert refused
    assert not (tmp_path / "second.jsonl").exists()
    assert not list(tmp_path.glob(".*.lock"))


def test_one_key_and_the_same_records_give_the_same_file(tmp_path):
    source, key = records_file(tmp_path), tmp_path / "key"
    for name in ("a", "b"):
        release(source, noise_key=key, output=tmp_path / f"{name}.jsonl")
    release(source, noise_key=tmp_path / "other", output=tmp_path / "c.jsonl")
    a, b, c = ((tmp_path / f"{name}.jsonl").read_bytes() for name in "abc")
    assert a == b != c


def test_a_changed_replay_is_refused_and_noise_is_never_used_twice(tmp_path):
    source = records_file(tmp_path)
    lines = source.read_text().splitlines(keepends=True)
    release(source, output=tmp_path / "out.jsonl", state=tmp_path / "state", limit=720)
    for at in (360, 430, 690):  # in the window, and in a complete block
        source.write_text("".join([*lines[:at], f'{{"items": ["zebra"], "time": {1000 + at}}}\n', *lines[at + 1 :]]))
        with pytest.raises(InputError, match=rf"in.jsonl: block {at // 50} holds other records than before"):
            release(source, output=tmp_path / "out.jsonl", state=tmp_path / "state")
    source.write_text("".join([*lines[:710], '["zebra"]\n', *lines[711:]]))  # its block has not been published
    release(source, output=tmp_path / "out.jsonl", state=tmp_path / "state")


def test_a_state_by_blocks_holds_no_support(tmp_path):
    source = records_file(tmp_path)
    release(source, output=tmp_path / "out.jsonl", state=tmp_path / "state", limit=720)
    body = json.loads((tmp_path / "state").read_text())["body"]
    assert body["memory"] == ""
    assert [number for number, _ in body["blocks"]] == list(range(6, 14))  # 14 blocks are complete, 8 in a window


def test_windows_by_time_end_with_their_blocks(tmp_path):
    source = records_file(tmp_path)  # one record a second, from 1000 on
    release(source, seconds=300, every_seconds=100, output=tmp_path / "out.jsonl")
    run = StreamRun.read(tmp_path / "out.jsonl")
    assert [release.until for release in run.releases] == [1400.0 + 100 * i for i in range(8)]
    assert {release.data.n_transactions for release in run.releases} == {300}
    assert [release.offset for release in run.releases] == list(range(400, 1200, 100))


def test_a_live_source_goes_on_with_blocks_that_were_not_used(tmp_path):
    rows = list(Transactions.read(records_file(tmp_path)))
    release(Live(rows[:520]), output=tmp_path / "out.jsonl", state=tmp_path / "state")
    release(Live(rows[520:]), output=tmp_path / "out.jsonl", state=tmp_path / "state")
    body = json.loads((tmp_path / "state").read_text())["body"]
    assert body["lost"] == 30  # of block 10, which nobody will ever see whole
    assert min(number for number, _ in body["blocks"]) > 10


def test_a_record_counts_while_its_block_is_in_the_window_also_where_seconds_are_no_doubles(tmp_path):
    times = [i / 10 for i in range(1400)]
    (tmp_path / "in.jsonl").write_text("".join(f'{{"items": ["a"], "time": {time}}}\n' for time in times))
    release(tmp_path / "in.jsonl", seconds=40, every_seconds=0.1, output=tmp_path / "out.jsonl")
    numbers = np.floor_divide(times, 0.1)
    for one in StreamRun.read(tmp_path / "out.jsonl").releases:
        newest = numbers[one.offset] - 1  # the next record is of a later block
        assert one.data.n_transactions == ((newest - 400 < numbers) & (numbers <= newest)).sum()
