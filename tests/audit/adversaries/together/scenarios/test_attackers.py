"""Three attackers on several releases, each beside its brute-force twin."""

import numpy as np
import pytest
from tests.oracles import several_releases as oracle

from confide.audit.adversaries.together.cohorts import Cohorts
from confide.audit.adversaries.together.linker import ask_linker
from confide.audit.adversaries.together.neighbour import ask_neighbour
from confide.audit.adversaries.together.register import ask_register
from confide.core.series.release_history import History, history_of


def random_history(seed, *, people=8, releases=None):
    draws = np.random.default_rng(seed)
    releases = releases or int(draws.integers(1, 4))
    groups = draws.integers(0, 3, (releases, people))
    groups[draws.random(groups.shape) < 0.3] = -1
    groups[0, (groups < 0).all(axis=0)] = 0
    values = draws.integers(0, 3, people)
    return History(groups=groups.astype(np.int32), values=values.astype(np.int32))


def plain(history):
    return history.groups.tolist(), history.values.tolist()


def test_whoever_left_and_came_is_certain_though_each_release_is_diverse():  # the module's example
    groups = np.array([[0, 0, 0, -1], [-1, 0, 0, 0]], dtype=np.int32)
    history = History(groups=groups, values=np.array([0, 0, 1, 1], dtype=np.int32))
    found = ask_register(Cohorts.of_history(history))
    assert (found.certain_at_least, found.certain_at_most, found.left, found.came) == (2, 2, 1, 1)
    assert ask_neighbour(Cohorts.of_history(history)).certain == 0


@pytest.mark.parametrize("seed", range(300))
def test_both_ends_of_the_register_hold_the_truth(seed):
    history = random_history(seed)
    certain = sum(len(values) == 1 for values in oracle.worlds_values(*plain(history)))
    found = ask_register(Cohorts.of_history(history))
    assert found.certain_at_least <= certain <= found.certain_at_most


def test_both_ends_mostly_meet():
    gaps = [ask_register(Cohorts.of_history(random_history(seed, releases=2))) for seed in range(200)]
    apart = sum(found.certain_at_most - found.certain_at_least for found in gaps)
    assert apart <= 0.05 * sum(found.people for found in gaps)


@pytest.mark.parametrize("seed", range(100))
def test_a_neighbour_holds_possible_what_all_groups_have(seed):
    history = random_history(seed)
    certain = sum(len(values) == 1 for values in oracle.neighbour_values(*plain(history)))
    assert ask_neighbour(Cohorts.of_history(history)).certain == certain


@pytest.mark.parametrize("seed", range(100))
def test_a_linker_sees_the_rows_of_a_cohort(seed):
    history = random_history(seed)
    rows = oracle.linked_rows(*plain(history))
    found = ask_linker(Cohorts.of_history(history), k=2, l=2)
    assert found.alone == sum(len(own) == 1 for own in rows)
    assert found.in_small_cohorts == sum(len(own) < 2 or len(set(own)) < 2 for own in rows)
    assert found.best_chance == max(max(map(own.count, own)) / len(own) for own in rows)


def test_a_neighbour_misses_what_a_register_is_certain_of():
    """Common values alone are no measure of what is certain."""
    missed = found = 0
    for seed in range(300):
        cohorts = Cohorts.of_history(random_history(seed))
        found += ask_register(cohorts).certain_at_least
        missed += ask_register(cohorts).certain_at_least - ask_neighbour(cohorts).certain
    assert missed > 0.1 * found


def test_one_sensitive_column_may_be_certain_where_the_combination_is_not():
    groups = np.zeros((1, 2), dtype=np.int32)
    columns = (np.array([0, 0], dtype=np.int32), np.array([0, 1], dtype=np.int32))
    history = History(groups=groups, values=np.array([0, 1], dtype=np.int32), columns=columns)
    assert ask_register(Cohorts.of_history(history)).certain_at_least == 2


def test_a_changed_value_makes_two_entries_of_one_person():
    groups = [np.array([0, 0, 0], dtype=np.int32), np.array([0, 0, 0], dtype=np.int32)]
    values = [np.array([0, 1, 1], dtype=np.int32), np.array([1, 1, 0], dtype=np.int32)]
    history = history_of(groups, values)
    assert history.groups.shape == (2, 5)
    assert history.people == 3
