import json
from dataclasses import replace

import pytest
from tests.forged_runs import told
from tests.stream.streams import released

from confide import verify
from confide.audit.verifiers.streams.output_privacy import _apart, verify_output_privacy
from confide.core.itemsets.container import Itemsets
from confide.core.streams.header import LawWeights
from confide.core.streams.releases import WindowRelease, release_line
from confide.core.streams.run import StreamRun


@pytest.fixture(
    scope="module",
    params=[
        {},
        {"seconds": 400},
        {"scheme": "basic"},
        {"scheme": "hybrid"},
        {"seconds": 400, "scheme": "ratio", "epoch": 3},
    ],
)
def made(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    done = released(folder, **request.param)
    return folder / "out.jsonl", StreamRun.read(folder / "out.jsonl"), done.release.passport


def failed(run, passport):
    """Names of the checks that fail, after the passport was told of the changed run."""
    passport = told(passport, b"".join(run.lines()), run)
    return [check.name for check in verify_output_privacy(run, passport) if not check.ok]


def rechained(header, releases, *, keep=False):
    """The releases with hashes that fit, under a header."""
    out, before = [], header.sha256
    for number, one in enumerate(releases, start=1):
        n = one.number if keep else number
        line, digest = release_line(
            one.data.sorted(), run=header.run, number=n, offset=one.offset, until=one.until, previous=before
        )
        out.append(WindowRelease.from_line(line))
        before = digest
    return StreamRun(header=header, releases=tuple(out))


def with_pairs(release, change):
    pairs = [(list(items), value) for items, value in release.data]
    change(pairs)
    return replace(release, data=Itemsets.from_pairs(pairs, n_transactions=release.data.n_transactions))


def changed(run, at, change):
    releases = list(run.releases)
    releases[at] = with_pairs(releases[at], change)
    return rechained(run.header, releases)


def test_a_run_of_ours_holds_by_its_file_alone(made):
    path, run, passport = made
    assert failed(run, passport) == []
    assert verify(f"{path}.passport.json").ok


def test_a_seed_is_named_as_weak(made):
    _, run, passport = made
    weak = [check.name for check in verify_output_privacy(run, passport) if check.weak]
    assert weak == [f"the noise came from {'a key' if run.header.scheme == 'blocks' else 'the operating system'}"]


def test_a_release_that_is_left_out_doubled_or_moved_breaks_the_chain(made):
    _, run, passport = made
    a, b, c, *rest = run.releases
    for releases in ([a, c, *rest], [a, b, b, c, *rest], [b, a, c, *rest]):
        assert failed(StreamRun(header=run.header, releases=tuple(releases)), passport) == [
            "the releases are one chain"
        ]
    assert failed(rechained(run.header, [a, c, *rest], keep=True), passport) == ["the releases are one chain"]
    if run.header.every_seconds is not None:
        sooner = replace(b, until=a.until + 1)
        assert failed(rechained(run.header, [a, sooner, c]), passport) == ["the releases are one chain"]
        return
    sooner = replace(b, offset=a.offset + 1)
    assert failed(rechained(run.header, [a, sooner, c]), passport) == ["the releases are one chain"]
    assert "the releases are one chain" in failed(StreamRun(header=run.header, releases=()), passport)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda pairs: pairs.__setitem__(0, (pairs[0][0], 26)), "every value is one"),
        (lambda pairs: pairs.__setitem__(0, (pairs[0][0], 4000)), "every value is one"),
        (lambda pairs: pairs.append(pairs[0]), "every value is one"),
        (lambda pairs: pairs.append((["bread", "zebra"], 375)), "a smaller set is in as many records or more"),
    ],
)
def test_values_that_no_noise_explains_are_found(made, change, said):
    _, run, passport = made
    changes = change
    if said.startswith("a smaller"):  # its one-item subset must be published, and far smaller

        def changes(pairs):
            least = min((value, items) for items, value in pairs if len(items) == 1)
            pairs.append(([*least[1], "zebra"], 375))

    assert any(name.startswith(said) for name in failed(changed(run, 1, changes), passport))


def test_a_count_that_jumps_further_than_the_window_moved_is_found(made):
    _, run, passport = made

    def jump(pairs):
        before = run.releases[1].data.as_dict()
        value, items = min((value, items) for items, value in pairs if len(items) == 1 and frozenset(items) in before)
        pairs[pairs.index((items, value))] = (items, 375)

    assert "counts move no faster than the window" in failed(changed(run, 2, jump), passport)


def test_more_values_than_counts_can_explain_are_found():
    assert _apart([(3, 5), (3, 5), (3, 5)])
    assert not _apart([(3, 5), (3, 5), (3, 5), (4, 5)])
    assert not _apart([(3, 4), (3, 4), (1, 1), (1, 9), (4, 4)])
    assert _apart([])


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("weights", (1, 1, 1), "the noise hides rare patterns"),
        ("weights", (1,) * 41, "the noise is within the bound on precision"),
        ("weights", (1, 0, 0, 0, 0, 0, 0, 1), "the noise does not give counts away by its steps"),
        ("weights", (0, 1), "the first line makes sense"),
        ("scheme", "best", "the first line makes sense"),
        ("every", 0, "the first line makes sense"),
        ("seconds", 0, "the first line makes sense"),
    ],
)
def test_a_header_that_cannot_keep_its_promise_is_found(made, field, value, said):
    _, run, passport = made
    if field == "seconds" and run.header.seconds is None:
        return
    if run.header.scheme == "blocks":
        return  # its own are below
    changes = {field: value}
    if field == "weights":
        changes = {"noise": LawWeights(first=-(len(value) // 2), weights=value)}
    header = replace(run.header, **changes)
    assert said in failed(rechained(header, run.releases), passport)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"factor": 1000}, "cleaning blocks one by one gains nothing"),
        ({"factor": 1500}, "the noise hides rare patterns"),
        ({"permanent": None}, "the first line makes sense"),
        ({"block": LawWeights(first=-1, weights=(1, 2, 1))}, "the first line makes sense"),
        ({"block": LawWeights(first=-1, weights=((1 << 51), (1 << 52), (1 << 51)))}, "the first line makes sense"),
        ({"blocks": 7}, "the first line makes sense"),
        ({"draws": 7}, "the first line makes sense"),
        ({"reach": 4}, "the noise hides rare patterns"),
        ({"key": "mine"}, "the first line makes sense"),
    ],
)
def test_blocks_that_cannot_keep_their_promise_are_found(made, changes, said):
    _, run, passport = made
    if run.header.scheme == "blocks":
        header = replace(run.header, noise=replace(run.header.noise, **changes))
        assert said in failed(rechained(header, run.releases), passport)


def test_a_promise_larger_than_the_noise_is_found(made):
    _, run, passport = made
    if run.header.scheme == "blocks":
        for change in ({"delta": 0.5}, {"vulnerable": 6}, {"span": "stretch"}, {"span": "none"}):
            header = replace(run.header, requirement=replace(run.header.requirement, **change))
            assert failed(rechained(header, run.releases), passport)


def test_a_passport_of_another_run_does_not_fit(made):
    _, run, passport = made
    for name, value in (("context", {}), ("parameters", {}), ("randomness", {"source": "system"})):
        other = passport.model_copy(update={name: value})
        first = next(iter(verify_output_privacy(run, other)))
        assert (first.name, first.ok) == ("the passport is of this run", False)


def test_any_change_of_the_file_fails(made, tmp_path):
    path, _, _ = made
    data = path.read_bytes()
    beside = json.loads(path.with_name("out.jsonl.passport.json").read_text())
    for at in range(0, len(data), len(data) // 40):
        (tmp_path / "out.jsonl").write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        (tmp_path / "out.jsonl.passport.json").write_text(json.dumps(beside))
        assert not verify(tmp_path / "out.jsonl.passport.json").ok
