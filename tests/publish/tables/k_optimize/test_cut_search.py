import numpy as np
import pytest
from tests.amounts import some
from tests.oracles import generalising
from tests.oracles.group_tests import group_passes
from tests.publish.tables.random_tables import random_table

from confide.core.requirements import (
    AlphaK,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    RecursiveDiversity,
    SimpleDiversity,
    TCloseness,
)
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.k_optimize._bound_kernels import Cuts, Goal, PlacedCells, cut_bounds, cut_cost
from confide.publish.tables.k_optimize._part_kernels import most_kept
from confide.publish.tables.k_optimize.cut_search import best_cuts
from confide.publish.tables.k_optimize.problem import CutProblem

REQUIREMENTS = [
    KAnonymity(k=2),
    KAnonymity(k=4),
    SimpleDiversity(l=2),
    RecursiveDiversity(c=2, l=2),
    KAnonymity(k=2) & RecursiveDiversity(c=1.5, l=3),
    KAnonymity(k=3) & SimpleDiversity(l=2),
    AlphaK(alpha=0.6, k=3),
    DistinctDiversity(l=2),
    EntropyDiversity(l=1.5),
]


def small(seed, most=8):
    """A random table of at most this many cuts, those that part rows alike included."""
    while True:
        table = CodedTable.of(*random_table(seed, classes=2 + seed % 2, rows=None))
        problem = CutProblem.of(table, GroupTest(KAnonymity(k=2), table), table.classes.codes)
        if int((problem.places - 1).sum()) <= most:
            return table
        seed += 10_000


@pytest.mark.parametrize("seed", some(range(300), every=2))
def test_the_best_cuts_are_those_of_exhaustive_search(seed):
    table = small(seed)
    requirement = REQUIREMENTS[seed % len(REQUIREMENTS)]
    test = GroupTest(requirement, table)
    for budget, discern in ((0, seed % 2 == 0), (len(table) // 5, seed % 2 == 1), (len(table), seed % 4 == 0)):
        expected = generalising.best_cuts(table, requirement, table.classes.codes, budget=budget, discern=discern)
        problem = CutProblem.of(table, test, table.classes.codes)
        found = best_cuts(problem, test, discern=discern, budget=budget, seconds=None)
        if expected is None:
            assert found.cuts is None
            continue
        assert found.cost == expected
        assert found.gap == 0
        cost, lost = cut_cost(*arrays(problem), found.cuts, test.rules, discern)
        assert cost == expected
        assert lost <= budget


@pytest.mark.parametrize("seed", range(40))
def test_the_sensitive_column_may_be_the_class(seed):
    table = small(500 + seed)
    requirement = [SimpleDiversity(l=2), KAnonymity(k=2) & RecursiveDiversity(c=2, l=2), AlphaK(alpha=0.7, k=2)][
        seed % 3
    ]
    classes = table.sensitive[0].codes
    test = GroupTest(requirement, table)
    for budget in (0, len(table) // 3):
        expected = generalising.best_cuts(table, requirement, classes, budget=budget, discern=False)
        problem = CutProblem.of(table, test, classes)
        found = best_cuts(problem, test, discern=False, budget=budget, seconds=None, same=True)
        assert (None if found.cuts is None else found.cost) == expected


def test_closeness_without_suppression_is_optimal_too():
    for seed in range(20):
        table = small(seed)
        requirement = KAnonymity(k=2) & TCloseness(t=0.4, ordered=False)
        test = GroupTest(requirement, table)
        problem = CutProblem.of(table, test, table.classes.codes)
        expected = generalising.best_cuts(table, requirement, table.classes.codes, budget=0, discern=False)
        found = best_cuts(problem, test, discern=False, budget=0, seconds=None)
        assert (None if found.cuts is None else found.cost) == expected


def arrays(problem):
    p = problem
    return PlacedCells(p.at, p.counts, p.held), Cuts(p.places, p.column, p.before)


@pytest.mark.parametrize("seed", range(40))
def test_bounds_hold_for_every_set_between_head_and_tail(seed):
    table = small(seed, most=7)
    test = GroupTest(REQUIREMENTS[seed % len(REQUIREMENTS)], table)
    problem = CutProblem.of(table, test, table.classes.codes)
    draw = np.random.default_rng(seed)
    m = len(problem.column)
    head = draw.random(m) < 0.3
    allowed = head | (draw.random(m) < 0.7)
    for discern in (False, True):
        looked = cut_bounds(*arrays(problem), head, allowed, test.rules, test.fewest, Goal(discern, False, False))
        cost, lost, bound, lost_bound, more, more_lost, less = looked
        assert (cost, lost) == cut_cost(*arrays(problem), head, test.rules, discern)
        for number in range(1 << m):
            cuts = np.array([number >> t & 1 for t in range(m)], dtype=np.bool_)
            if (cuts & ~allowed).any() or (head & ~cuts).any():
                continue
            true_cost, true_lost = cut_cost(*arrays(problem), cuts, test.rules, discern)
            assert true_cost >= bound
            assert true_lost >= lost_bound
            for t in np.flatnonzero(allowed & ~head):
                if cuts[t]:
                    assert true_cost >= bound + more[t]
                    assert true_lost >= lost_bound + more_lost[t]
                else:
                    assert true_cost >= bound + less[t]


@pytest.mark.parametrize("seed", range(30))
def test_no_part_of_a_group_that_passes_is_larger_than_said(seed):
    table = CodedTable.of(*random_table(seed, rows=9, columns=1))
    requirement = REQUIREMENTS[2 + seed % 6]
    test = GroupTest(requirement, table)
    values = table.sensitive[0].codes
    hist = np.bincount(values, minlength=test.widths[0])
    largest = 0
    for number in range(1, 1 << len(table)):
        rows = [(None, int(values[row])) for row in range(len(table)) if number >> row & 1]
        if len(rows) > largest and group_passes(requirement, rows, rows):
            largest = len(rows)
    assert most_kept(len(table), hist, test.rules) == largest


def test_a_time_limit_gives_the_best_so_far_and_an_honest_gap():
    table = CodedTable.of(*random_table(11, rows=3000, columns=8, classes=2))
    test = GroupTest(KAnonymity(k=8), table)
    problem = CutProblem.of(table, test, table.classes.codes)
    hurried = best_cuts(problem, test, discern=False, budget=300, seconds=0.05)
    patient = best_cuts(problem, test, discern=False, budget=300, seconds=5)
    assert hurried.bound <= patient.bound <= patient.cost <= hurried.cost
    assert 0 <= patient.gap <= hurried.gap <= 1
