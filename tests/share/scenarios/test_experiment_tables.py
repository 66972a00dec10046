"""OPTI and LDD beside trees in an experiment: rows within the domains, the promise kept before cells are drawn."""

import numpy as np
import pyarrow as pa
import pytest
from benchmarks.share.experiment.runs import Experiment, run_experiment
from benchmarks.share.experiment.study import summary
from benchmarks.share.experiment.table_methods import (
    MOST,
    NAMES,
    _leaves,
    _levels,
    _meant,
    _step,
    _values,
    table_methods,
)

from confide import RecursiveDiversity, SimpleDiversity
from confide.core.errors import CannotMeetError
from confide.core.samples.people import people
from confide.core.trees.nodes import Attribute
from confide.share import Domains

TABLE = people(400, seed=4).select(["age", "sex", "education", "diagnosis"])
DOMAINS = Domains.propose(people(3_000, seed=5).select(["age", "sex", "education", "diagnosis"]), target="diagnosis")
X, Y, _ = DOMAINS.columns(TABLE)
METHODS = table_methods(DOMAINS)


@pytest.mark.parametrize("requirement", [SimpleDiversity(l=2), RecursiveDiversity(c=3, l=2)], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_rows_stay_within_the_domains_and_say_how_many_are_wrong(name, requirement):
    made = METHODS[name](X, Y, requirement)
    told = {key.decode(): int(value) for key, value in made.schema.metadata.items()}
    assert made.num_rows <= len(Y)
    assert told["records"] == len(Y)
    assert len(Y) - made.num_rows <= told["wrong"] < len(Y)  # what was left out counts as wrong
    for attribute in DOMAINS.usable:
        values = set(made.column(attribute.name).to_pylist())
        if attribute.kind == "categorical":
            assert values <= set(attribute.values)
        else:
            assert min(values) >= attribute.bins[0]
            assert max(values) <= attribute.bins[-1]
    assert set(made.column("class").to_pylist()) <= set(DOMAINS.classes)


def test_ldd_leaves_nobody_out_and_keeps_every_class():
    made = METHODS["LDD"](X, Y, SimpleDiversity(l=2))
    assert sorted(made.column("class").to_pylist()) == sorted(Y.tolist())


def test_a_cell_stands_for_the_values_of_its_label():
    assert _meant("v3", 5).tolist() == [3]
    assert _meant("n1-2", 5).tolist() == [4]
    assert _meant("n2-0 | v4", 6).tolist() == [0, 1, 2, 3, 4]
    assert _meant("*", 3).tolist() == [0, 1, 2]


def test_ldd_takes_fewer_levels_where_their_combinations_are_too_many_to_search():
    wide = tuple(Attribute(name=f"a{j}", kind="categorical", values=tuple(map(str, range(16)))) for j in range(12))
    step = _step(wide)
    assert step > 1
    assert (2 + len(_levels(wide[0], step))) ** 12 <= MOST < (2 + len(_levels(wide[0], step - 1))) ** 12
    assert _step(DOMAINS.usable) == 1
    rng = np.random.default_rng(6)
    table = pa.table({a.name: pa.array(rng.choice(a.values, 200).tolist()) for a in wide})
    y = rng.choice(["x", "y", "z"], 200)
    domains = Domains(target="c", classes=("x", "y", "z"), attributes=wide)
    assert table_methods(domains)["LDD"](table, y, RecursiveDiversity(c=4, l=2)).num_rows == 200


def test_numbers_go_to_their_bins_and_come_back_within_them():
    age = Attribute(name="age", kind="numeric", bins=(0.0, 18.0, 65.0, 120.0))
    codes = _leaves(age, pa.chunked_array([[0.5, 18.0, 18.5, 65.5, None]]))
    assert codes.tolist() == [0, 0, 1, 2, 3]
    again = _values(age, codes, np.random.default_rng(1))
    assert again.null_count == 1
    assert _leaves(age, pa.chunked_array([again])).tolist() == codes.tolist()


def test_what_a_table_cannot_keep_is_refused():
    with pytest.raises(CannotMeetError):
        METHODS["LDD"](X, np.full(len(Y), Y[0]), SimpleDiversity(l=2))


def test_an_experiment_tries_them_beside_trees():
    asked = Experiment(
        requirements=(SimpleDiversity(l=2),), owners=(1, 2), methods=("ours",), runs=1, passes=1, tables=METHODS
    )
    rows = {(row["method"], row["owners"]): row for row in summary(run_experiment(TABLE, DOMAINS, asked))}
    for name in NAMES:
        for owners in (1, 2):
            assert 0 < rows[name, owners]["accuracy"] < 1
            assert 0 < rows[name, owners]["metric"] < 1
