import numpy as np
import pytest
from tests.amounts import some
from tests.oracles import generalising
from tests.publish.tables.random_tables import random_table

from confide.core.requirements import (
    AlphaK,
    DeltaDisclosure,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    RecursiveDiversity,
    SimpleDiversity,
    TCloseness,
)
from confide.publish.tables.cells.contingency import Cells
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.incognito import lattice_search as searching
from confide.publish.tables.incognito.lattice import Judge, Lattice
from confide.publish.tables.incognito.lattice_costs import measure_of
from confide.publish.tables.incognito.lattice_exploration import explore
from confide.publish.tables.incognito.lattice_search import FoundNode, better, find_best, find_within

REQUIREMENTS = [
    KAnonymity(k=2),
    KAnonymity(k=3) & DistinctDiversity(l=2),
    SimpleDiversity(l=2),
    KAnonymity(k=2) & RecursiveDiversity(c=2, l=2),
    RecursiveDiversity(c=1.5, l=3),
    EntropyDiversity(l=1.7),
    AlphaK(alpha=0.6, k=3),
    KAnonymity(k=2) & TCloseness(t=0.3, ordered=False),
    DeltaDisclosure(delta=1.0),
]


def prepared(table, requirement, budget, loss="ncp"):
    test = GroupTest(requirement, table)
    measure = measure_of(loss, table, fewest=test.fewest, budget=budget)
    return Cells.of(table, test), Lattice(table, measure), Judge(table, test, measure, budget)


@pytest.mark.parametrize("seed", some(range(300), every=2))
def test_the_optimum_and_all_minimal_nodes_are_those_of_exhaustive_search(seed):
    frame, schema = random_table(seed, sensitive=1 + (seed % 10 == 9))
    table = CodedTable.of(frame, schema)
    requirement = REQUIREMENTS[seed % len(REQUIREMENTS)]
    for budget in (0, len(table) // 5):
        found = generalising.all_generalisations(table, requirement, budget=budget)
        cells, lattice, judge = prepared(table, requirement, budget)
        best = find_best(cells, lattice, judge)
        expected = generalising.best_generalisation(found)
        assert (None if best is None else lattice.levels(best[0])) == expected
        if best is not None:
            assert (best[1].suppressed, best[1].loss) == pytest.approx(found[expected])
        explored = explore(*prepared(table, requirement, budget))
        assert explored.minimal_levels() == generalising.minimal_generalisations(found)
        assert int(explored.safe.sum()) == len(found)
        for node in np.argwhere(explored.safe):
            levels = tuple(int(x) for x in node + np.array(explored.lowest))
            assert (explored.suppressed[tuple(node)], explored.loss[tuple(node)]) == pytest.approx(found[levels])


@pytest.mark.parametrize("seed", range(30))
def test_persons_are_counted_instead_of_rows(seed):
    frame, schema = random_table(1000 + seed, persons=True)
    table = CodedTable.of(frame, schema)
    requirement = [KAnonymity(k=3), SimpleDiversity(l=2), KAnonymity(k=2) & DistinctDiversity(l=2)][seed % 3]
    for budget in (0, len(table) // 4):
        found = generalising.all_generalisations(table, requirement, budget=budget)
        cells, lattice, judge = prepared(table, requirement, budget)
        best = find_best(cells, lattice, judge)
        assert (None if best is None else lattice.levels(best[0])) == generalising.best_generalisation(found)


@pytest.mark.parametrize("loss", ["discernibility", "classification", "average-class-size", "entropy"])
@pytest.mark.parametrize("seed", range(25))
def test_search_and_exploration_agree_on_every_loss(seed, loss):
    frame, schema = random_table(2000 + seed, rows=40, columns=3, classes=2)
    table = CodedTable.of(frame, schema)
    requirement = REQUIREMENTS[seed % 5]
    for budget in (0, 6):
        explored = explore(*prepared(table, requirement, budget, loss))
        cells, lattice, judge = prepared(table, requirement, budget, loss)
        best = find_best(cells, lattice, judge)
        if best is None:
            assert not explored.safe.any()
            continue
        assert best[1].loss == pytest.approx(explored.loss[explored.safe].min())
        assert explored.loss[best[0]] == pytest.approx(best[1].loss)


@pytest.mark.parametrize("seed", range(40))
def test_nothing_below_a_hopeless_node_is_safe(seed):
    frame, schema = random_table(3000 + seed, rows=24, columns=3)
    table = CodedTable.of(frame, schema)
    for budget in (0, 5):
        explored = explore(*prepared(table, REQUIREMENTS[seed % len(REQUIREMENTS)], budget))
        assert not (explored.hopeless & explored.safe).any()


def test_ties_go_to_fewer_levels_then_to_smaller_levels():
    assert better(0.5, (1, 0), (0.5 + 1e-16, (0, 2)))
    assert better(0.5, (0, 1), (0.5, (1, 0)))
    assert not better(0.5, (1, 0), (0.5, (0, 1)))
    assert better(0.5, (3, 3), (0.6, (0, 0)))


def test_few_nodes_are_looked_at():
    frame, schema = random_table(7, rows=400, columns=6)
    table = CodedTable.of(frame, schema)
    cells, lattice, judge = prepared(table, KAnonymity(k=5), 8)
    looks = []

    class Counting(Judge):
        def quick_verdict(self, cells, grouping, levels):
            looks.append(levels)
            return super().quick_verdict(cells, grouping, levels)

    find_best(cells, lattice, Counting(table, judge.test, judge.measure, judge.budget))
    assert len(set(looks)) == len(looks) < lattice.floor.size / 2


@pytest.mark.parametrize("easy", [0, 3])
@pytest.mark.parametrize("few", [0, 100_000])
@pytest.mark.parametrize("seed", range(20))
def test_a_search_that_ends_has_the_optimum_wherever_the_dive_comes_in(seed, few, easy, monkeypatch):
    monkeypatch.setattr(searching, "_EASY", easy)
    monkeypatch.setattr(searching, "_FEW_NODES", few)
    frame, schema = random_table(5000 + seed, rows=30, columns=3)
    table = CodedTable.of(frame, schema)
    requirement = REQUIREMENTS[seed % len(REQUIREMENTS)]
    for budget in (0, 6):
        found = generalising.all_generalisations(table, requirement, budget=budget)
        cells, lattice, judge = prepared(table, requirement, budget)
        best = find_within(cells, lattice, judge, lambda: False)
        assert (None if best is None else lattice.levels(best.node)) == generalising.best_generalisation(found)
        assert best is None or best.optimal


@pytest.mark.parametrize("seed", some(range(60), every=3))
def test_a_wide_lattice_gives_a_safe_node_and_no_proof(seed, monkeypatch):
    monkeypatch.setattr(searching, "MOST_NODES", 0)
    frame, schema = random_table(6000 + seed, rows=40, columns=3)
    table = CodedTable.of(frame, schema)
    requirement = REQUIREMENTS[seed % len(REQUIREMENTS)]
    for budget in (0, 8):
        found = generalising.all_generalisations(table, requirement, budget=budget)
        cells, lattice, judge = prepared(table, requirement, budget)
        best = find_within(cells, lattice, judge, lambda: False)  # the dive ends when nothing is left to visit
        if best is None:
            assert not found or not isinstance(requirement, KAnonymity)
            continue
        assert not best.optimal
        levels = lattice.levels(best.node)
        assert (best.verdict.suppressed, best.verdict.loss) == pytest.approx(found[levels])
        if isinstance(requirement, KAnonymity) and not budget:  # safe nodes hang together: all were visited
            assert levels == generalising.best_generalisation(found)
        soon = find_within(*prepared(table, requirement, budget), lambda: True)
        assert isinstance(soon, FoundNode)
        assert soon.verdict.loss >= best.verdict.loss - 1e-12
