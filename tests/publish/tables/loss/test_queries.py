import numpy as np
import pyarrow as pa

from confide.core.requirements.tables import KAnonymity
from confide.core.tables.hierarchy import Hierarchy
from confide.core.tables.schema import Schema
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.loss.queries import query_error
from confide.publish.tables.loss.spread import drawn_leaves, leaf_sets
from confide.publish.tables.mondrian.mondrian import Mondrian
from confide.publish.tables.recoding import Recoding

TREE = Hierarchy.from_rows([("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")])
SCHEMA = Schema.from_dict(
    {
        "age": {"role": "quasi-identifier", "range": [0, 99]},
        "share": {"role": "quasi-identifier", "range": [0, 1], "step": 0.1},
        "x": {"role": "quasi-identifier", "hierarchy": TREE},
    }
)


def made(rows=400, seed=2):
    draw = np.random.default_rng(seed)
    frame = {
        "age": draw.integers(0, 100, rows),
        "share": draw.random(rows).round(3),
        "x": [("a", "b", "c", "d")[i] for i in draw.integers(0, 4, rows)],
    }
    return CodedTable.of(pa.table(frame), SCHEMA)


def test_a_release_without_loss_answers_exactly():
    error = query_error(Recoding.at_levels(made(), (0, 0, 0)), queries=50)
    assert (error.median, error.mean, error.queries) == (0, 0, 50)


def test_coarser_releases_answer_worse():
    table = made()
    errors = [query_error(Mondrian(requirement=KAnonymity(k=k)).recode(table)).mean for k in (2, 20, 200)]
    assert errors == sorted(errors)
    assert 0 < errors[0] < errors[2]


def test_labels_cover_the_leaves_of_their_rows():
    table = made()
    found = Mondrian(requirement=KAnonymity(k=6)).recode(table)
    for number, column in enumerate(table.quasi):
        sets = leaf_sets(found, number)
        assert all(leaf in sets[code] for leaf, code in zip(column.codes, found.codes[number], strict=True))
    for number, leaves in enumerate(drawn_leaves(found, seed=1)):
        sets = leaf_sets(found, number)
        assert all(leaf in sets[code] for leaf, code in zip(leaves, found.codes[number], strict=True))
