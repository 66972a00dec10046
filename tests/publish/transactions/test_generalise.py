"""Publishing under broader names: worked cases, the promise, that nothing more could be published, bad taxonomies."""

import math

import numpy as np
import pytest
from tests.amounts import some
from tests.oracles.broader_names import is_coherent, least_ncp, ncp, rename

from confide import Coherence, Transactions
from confide.audit.comparisons.baskets import compare_baskets
from confide.core.artefacts.originals import OriginalBaskets
from confide.core.errors import CannotMeetError, InputError, UsageError
from confide.core.tables.taxonomy import Taxonomy
from confide.publish import PublishTransactions, explore_transactions, generalise, propose_taxonomy

FOOD = [("milk", "dairy", "*"), ("curd", "dairy", "*"), ("beer", "drinks", "*"), ("wine", "drinks", "*")]
SECRETS = ("s1", "s2")


def draw(seed, items=8):
    """A small database with private items, and a taxonomy of its public ones."""
    rng = np.random.default_rng(seed)
    labels = [f"i{n}" for n in range(int(rng.integers(3, items + 1)))]
    groups = rng.integers(0, 3, len(labels)).tolist()
    rows = [
        {label for label in labels if rng.random() < 0.35} | {s for s in SECRETS if rng.random() < 0.15}
        for _ in range(int(rng.integers(10, 30)))
    ]
    for at, label in enumerate(labels):
        rows[at].add(label)
    for at, secret in enumerate(SECRETS):
        rows[at].add(secret)
    paths = {label: [label, f"g{group}", f"h{group // 2}", "*"] for label, group in zip(labels, groups, strict=True)}
    requirement = Coherence(h=(1, 0.7, 0.5)[seed % 3], k=int(rng.integers(2, 5)), p=int(rng.integers(1, 4)))
    return rows, paths, requirement


def publish(rows, paths, requirement, **options):
    """What each item is published as, or None where nothing can be; and the release."""
    taxonomy = Taxonomy.from_rows(paths.values()) if paths else None
    try:
        release = generalise(
            [sorted(row) for row in rows], requirement, taxonomy=taxonomy, private=SECRETS, keep_order=True, **options
        )
    except CannotMeetError:
        return None, None
    held = {label for row in release.data for label in row}
    names = {label: label if label in held else "" for label in {x for row in rows for x in row} - set(SECRETS)}
    names |= {label: name for name, items in release.passport.context["names"].items() for label in items}
    return names, release


@pytest.mark.parametrize("seed", some(range(500), every=10))
def test_a_release_is_coherent_and_nothing_more_could_be_published(seed):
    rows, paths, requirement = draw(seed)
    names, release = publish(rows, paths, requirement, cost=("ncp", "bits")[seed % 2])
    if names is None:
        return
    assert release.verification.ok
    assert release.comparison.ok
    assert rename(rows, names) == [set(row) for row in release.data]
    assert is_coherent(rename(rows, names), set(SECRETS), requirement)
    for node in {name for path in paths.values() for name in path}:
        below = [label for label in names if node in paths[label]]
        for group in {names[label] for label in below}:
            above = not group or any(group in paths[x][paths[x].index(node) + 1 :] for x in below if names[x] == group)
            if above:
                more = names | {label: node for label in below if names[label] == group}
                assert not is_coherent(rename(rows, more), set(SECRETS), requirement)


@pytest.mark.parametrize("seed", some(range(200), every=10))
def test_items_merged_from_the_records_are_coherent_too(seed):
    rows, _, requirement = draw(seed)
    names, release = publish(rows, {}, requirement)
    if names is not None:
        assert is_coherent([set(row) for row in release.data], set(SECRETS), requirement)
        assert "the records decided it" in " ".join(release.passport.does_not_protect_against)


def test_the_loss_is_near_the_smallest_of_all():
    mine, least = [], []
    for seed in some(range(60), every=4):
        rows, paths, requirement = draw(seed, items=4)
        names, _ = publish(rows, paths, requirement)
        if names is not None:
            mine.append(ncp(rows, names))
            least.append(least_ncp(rows, paths, set(SECRETS), requirement))
    assert all(a >= b - 1e-12 for a, b in zip(mine, least, strict=True))
    assert sum(mine) <= 1.15 * sum(least)


def test_merging_can_make_a_breach():
    # A: 2 of 4, B: 2 of 4; A or B: 4 of 6, above h = 0.5
    rows = [{"A", "s"}, {"A", "s"}, {"A", "B"}, {"A", "B"}, {"B", "s"}, {"B", "s"}, {"C"}, {"C"}]
    release = generalise(rows, Coherence(h=0.5, k=2, p=1), private=["s"], keep_order=True)
    assert [set(row) for row in release.data] == rows
    assert is_coherent(rows, {"s"}, Coherence(h=0.5, k=2, p=1))
    assert not is_coherent(rename(rows, dict.fromkeys("AB", "AB")), {"s"}, Coherence(h=0.5, k=2, p=1))


def test_a_top_that_breaks_the_promise_is_not_published():
    rows = [{"A", "s"}, {"A", "s"}, {"A", "s"}, {"B", "s"}, {"B"}, {"B"}, set(), set()]
    paths = [("A", "*"), ("B", "*")]
    release = generalise(rows, Coherence(h=0.5, k=2, p=1), private=["s"], taxonomy=Taxonomy.from_rows(paths))
    assert {label for row in release.data for label in row} == {"B", "s"}
    assert release.loss["share_gone"] == 0.5
    with pytest.raises(CannotMeetError, match="no public item"):
        generalise(rows[:3] + [set()] * 3, Coherence(h=0.5, k=2, p=1), private=["s"])


def test_merged_items_lie_together_where_that_lets_them_be_published():
    # x1 and x2 each miss half of what they are bought with; together they miss nothing, and y takes part in no mole
    rows = [["x1", "a"], ["x2", "a"], ["x1", "b"], ["x2", "b"], ["y", "a"], ["y", "a"], ["y", "b"], ["y", "b"]]
    names = generalise(rows, Coherence(h=1, k=2, p=2)).passport.context["names"]
    assert names == {"x1_or_x2": ["x1", "x2"]}


@pytest.mark.parametrize("seed", some(range(60), every=6))
def test_a_proposed_taxonomy_has_a_row_for_each_item_and_gives_a_coherent_release(seed, tmp_path):
    rows, _, requirement = draw(seed)
    baskets = [sorted(row) for row in rows]
    proposed = propose_taxonomy(baskets, private=SECRETS, k=requirement.k)
    assert set(proposed.items) == {item for row in rows for item in row} - set(SECRETS)
    assert {proposed.path(item)[-1] for item in proposed.items} == {"*"}
    proposed.write(tmp_path / "names.csv")
    lines = (tmp_path / "names.csv").read_text(encoding="utf-8").splitlines()
    assert len({line.count(";") for line in lines}) == 1  # as ARX wants them
    assert Taxonomy.read(tmp_path / "names.csv") == proposed
    try:
        release = generalise(baskets, requirement, private=SECRETS, taxonomy=tmp_path / "names.csv")
    except CannotMeetError:
        return
    assert is_coherent([set(row) for row in release.data], set(SECRETS), requirement)


def test_a_taxonomy_by_prefixes_puts_codes_below_their_first_characters():
    proposed = propose_taxonomy([["C09AA", "C09BB", "B1"], ["C10", "B"]], prefixes=[3, 1])
    assert proposed.path("C09AA") == ("C09AA", "C09*", "C*", "*")
    assert proposed.path("C10") == ("C10", "C*", "*")
    assert proposed.path("B") == ("B", "*")
    with pytest.raises(UsageError, match="prefixes=0 is no number of characters"):
        propose_taxonomy([["a"]], prefixes=[0])


@pytest.mark.parametrize("seed", some(range(40), every=5))
def test_a_weaker_wish_never_costs_more(seed):
    rows, _, _ = draw(seed)
    request = PublishTransactions(
        records=Transactions.from_lists([sorted(row) for row in rows]),
        by="generalise",
        private=SECRETS,
        k=(2, 3, 4),
        h=(0.5, 0.9),
        p=(1, 2),
        explore=True,
    )
    settings = explore_transactions(request).settings
    for weak in settings:
        for strict in settings:
            stricter = strict.k >= weak.k and strict.p >= weak.p and strict.h <= weak.h
            if stricter and strict.ncp is not None:
                assert weak.ncp <= strict.ncp
    priced = next((s for s in settings if s.ncp is not None and not s.found_for), None)
    if priced is not None:
        release = generalise(request.records, Coherence(h=priced.h, k=priced.k, p=priced.p), private=SECRETS)
        assert (release.loss["ncp"], release.loss["share_exact"]) == (priced.ncp, priced.share_exact)


def test_an_exploration_shows_hiding_beside_broader_names():
    request = PublishTransactions(
        records=Transactions.from_lists([["a", "b"], ["a", "b"], ["a", "c"], ["a", "d"]]),
        by="generalise", k=(2, 4, 9), p=(1,), explore=True,
    )  # fmt: skip
    found = explore_transactions(request)
    assert [row["share_of_occurrences_lost"] for row in found.rows()] == [0.25, 0.5, None]
    assert [row["share_exact"] for row in found.rows()] == [0.75, 0.5, None]
    assert [row["share_gone"] for row in found.rows()] == [0, 0, None]
    assert "9" in found.rows()[2]["refused"]
    assert [chart.title for chart in found.charts()] == ["Records wholly covered by p"]  # k = 9 has no point


def test_kept_items_are_exact_and_others_never_come():
    rows = [["milk", "beer"], ["curd", "beer"], ["milk", "wine"], ["curd", "wine"]] * 2
    release = generalise(
        rows, Coherence(h=1, k=2, p=2), taxonomy=Taxonomy.from_rows(FOOD), keep=["milk"], never=["wine"]
    )
    held = {label for row in release.data for label in row}
    assert "milk" in held
    assert "wine" not in str(release.passport.to_json())
    with pytest.raises(CannotMeetError, match="'gin' cannot be published as it is"):
        generalise([*rows, ["gin"]], Coherence(h=1, k=2, p=1), keep=["gin"])


def test_names_have_no_blank_where_items_have_none_and_are_new():
    rows = [[str(a), str(b)] for a in range(6) for b in range(a)] + [["1_or_2"]] * 9
    release = generalise(rows, Coherence(h=1, k=4, p=math.inf), keep_order=True)
    names = release.passport.context["names"]
    assert names
    assert not any(" " in name for name in names)
    assert not {label for row in rows for label in row} & set(names)


@pytest.mark.parametrize(
    ("rows", "error", "line"),
    [
        ([("a", "x", "y"), ("b", "y", "x")], InputError, "runs in a circle"),
        ([("a", "x", "*"), ("a", "y", "*")], InputError, "item 'a' is in row 1 too"),
        ([("a", "x", "*"), ("b", "x", "y")], InputError, "'x' stands at two places, below '\\*' and below 'y'"),
        ([("a", "b", "*"), ("b", "*")], InputError, "'b' is an item and stands above others"),
        ([("a", "", "*")], InputError, "none empty"),
        ([], InputError, "at least one row"),
        ([("a", "*"), ("b", "*"), ("s", "*")], UsageError, "private item 's' is in the taxonomy"),
        ([("other", "*")], UsageError, "the taxonomy lacks 'a', 'b'; add a row for each"),
    ],
)
def test_a_bad_taxonomy_is_refused_in_a_line(rows, error, line):
    with pytest.raises(error, match=line):
        generalise([["a", "s"], ["b"]] * 3, Coherence(h=1, k=2, p=1), private=["s"], taxonomy=Taxonomy.from_rows(rows))


def test_a_taxonomy_file_may_have_rows_of_any_length(tmp_path):
    path = tmp_path / "food.csv"
    path.write_text("whole milk;milk;milk;dairy;*\nyoghurt;dairy;*\n", encoding="utf-8")
    taxonomy = Taxonomy.read(path)
    assert taxonomy.path("whole milk") == ("whole milk", "milk", "dairy", "*")
    assert taxonomy.path("yoghurt") == ("yoghurt", "dairy", "*")
    path.write_text('"a;b\n', encoding="utf-8")
    with pytest.raises(InputError, match="not well-formed CSV"):
        Taxonomy.read(path)


def test_a_matrix_has_no_columns_for_names():
    with pytest.raises(UsageError, match="no columns for broader names"):
        generalise(np.eye(4, dtype=bool), Coherence(h=1, k=2, p=1))
    with pytest.raises(UsageError, match="use 'ncp' or 'bits'"):
        generalise([["a"], ["a"]], Coherence(h=1, k=2, p=1), cost="gold")


class Passport:
    """A passport that lists these names."""

    def __init__(self, names):
        self.loss, self.context = {}, {"private": ["s"], "names": names}


@pytest.mark.parametrize(
    ("released", "names", "fault"),
    [
        ([["dairy", "s"], ["dairy"], ["beer"]], {"dairy": ["milk", "curd"]}, None),
        ([["dairy", "s"], ["dairy"], ["dairy"]], {"dairy": ["milk", "curd"]}, "every record holds its own items"),
        ([["dairy", "s"], [], ["beer"]], {"dairy": ["milk", "curd"]}, "every record holds its own items"),
        ([["dairy", "s"], ["curd"], ["beer"]], {"dairy": ["milk", "curd"]}, "broader names stand for items"),
        ([["drinks", "s"], ["drinks"], ["beer"]], {"drinks": ["milk", "curd"]}, "broader names stand for items"),
        ([["dairy"], ["dairy"], ["beer"]], {"dairy": ["milk", "curd", "s"]}, "broader names stand for items"),
        ([["wine"], ["wine"], ["beer"]], {"wine": ["milk", "curd"]}, "broader names stand for items"),
        ([["dairy", "s"], ["dairy"], ["gin"]], {"dairy": ["milk", "curd"]}, "no item came"),
    ],
)
def test_the_auditor_compares_names_with_the_items_that_were_read(released, names, fault):
    read = Transactions.from_lists([["milk", "s"], ["curd", "milk"], ["beer"]])
    original = OriginalBaskets(
        transactions=read if "wine" not in names else Transactions.from_lists([["milk"], ["curd", "wine"], ["beer"]]),
        places=np.arange(3),
        taxonomy=Taxonomy.from_rows(FOOD),
    )
    wrong = [
        check.name
        for check in compare_baskets(Transactions.from_lists(released), Passport(names), original)
        if not check.ok
    ]
    assert (fault in wrong) if fault else not wrong
