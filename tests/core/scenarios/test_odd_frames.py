"""Frames as people have them, through everything that takes one: categories of polars, two columns of one name, large
whole numbers of which some are missing.
"""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from confide import Coherence, KAnonymity
from confide.audit import attack_table, examine
from confide.collect import GammaDiagonal
from confide.core.errors import InputError
from confide.core.tables.frames import like, to_table
from confide.join import JoinGraph, JoinTree
from confide.mining import DecisionTree, frequent_itemsets
from confide.publish import (
    Incognito,
    KOptimize,
    Mondrian,
    OneDimensional,
    PublishTable,
    TopDownSpecialization,
    propose_schema,
    publish_table,
    suppress,
)
from confide.share import Domains, ShareTrain, train

SCHEMA = {"sex": {"role": "quasi-identifier"}, "town": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}}
VALUES = {"sex": ["F", "M"], "town": ["A", "B", "C"], "ill": ["no", "yes"]}


def people(rows=120):
    draw = np.random.default_rng(1)
    return {name: draw.choice(values, rows).tolist() for name, values in VALUES.items()}


def baskets():
    return {"id": [1, 1, 2, 2, 3, 3, 4], "item": ["tea", "nuts", "tea", "nuts", "tea", "nuts", "tea"]}


def table_by(method):
    return lambda frame: method(requirement=KAnonymity(k=5), keep_order=True).publish(frame, SCHEMA).data


def of_share(frame):
    request = ShareTrain(table=frame, domains=Domains.propose(frame, target="ill"), k=5)
    return train(request).release.data.to_dict()


def of_join(frame):
    towns = pa.table({"town": VALUES["town"], "air": [7, 2, 5]})
    graph = JoinGraph(
        tables={"people": frame, "towns": towns}, joins=[("people.town", "towns.town")], target="people.ill"
    )
    return JoinTree().fit(graph).tree_.to_dict()


def of_tree(frame):
    return DecisionTree().fit(frame, people()["town"]).tree_.to_dict()


TABLES = {
    **{
        method.__name__: table_by(method)
        for method in (Mondrian, OneDimensional, Incognito, KOptimize, TopDownSpecialization)
    },
    "publish_table": lambda frame: (
        publish_table(PublishTable(table=frame, k=5, schema=SCHEMA, keep_order=True)).release.data
    ),
    "propose_schema": lambda frame: propose_schema(frame).schema.roles,
    "attack_table": lambda frame: attack_table(frame, schema=SCHEMA).identified,
    "examine": lambda frame: examine(frame, SCHEMA, requirement=KAnonymity(k=5)).strength.k,
    "perturb": lambda frame: GammaDiagonal(domains=VALUES, gamma=19).perturb(frame).shape,
    "train": of_share,
    "DecisionTree": of_tree,
    "JoinTree": of_join,
}
BASKETS = {
    "frequent_itemsets": lambda frame: list(frequent_itemsets(frame, min_support=2)),
    "suppress": lambda frame: suppress(frame, Coherence(h=0.9, k=2, p=2), private=["nuts"], keep_order=True).loss,
}


def plain(answer):
    """An answer without the kind of frame it came in."""
    return to_table(answer).to_pydict() if hasattr(answer, "columns") else answer


def as_categories(data):
    """The frame with columns of text as Categorical and as Enum, and as pandas has categories."""
    frame = pl.DataFrame(data)
    texts = [name for name, values in data.items() if isinstance(values[0], str)]
    yield frame.with_columns(pl.col(texts).cast(pl.Categorical))
    yield frame.with_columns(pl.col(name).cast(pl.Enum(sorted(set(data[name])))) for name in texts)
    yield pd.DataFrame(data).astype(dict.fromkeys(texts, "category"))


@pytest.mark.parametrize("name", [*TABLES, *BASKETS])
def test_categories_are_taken_as_text_is(name):
    call, data = (TABLES[name], people()) if name in TABLES else (BASKETS[name], baskets())
    expected = plain(call(pl.DataFrame(data)))
    for frame in as_categories(data):
        assert plain(call(frame)) == expected


@pytest.mark.parametrize("kind", ["pandas", "Arrow"])
@pytest.mark.parametrize("name", [*TABLES, *BASKETS])
def test_two_columns_of_one_name_are_refused_by_name(name, kind):
    call, data = (TABLES[name], people()) if name in TABLES else (BASKETS[name], baskets())
    twice = list(data)[-1]
    table = pa.table([*data.values(), data[twice]], names=[*data, twice])
    frame = pd.concat([pd.DataFrame(data), pd.DataFrame({twice: data[twice]})], axis=1)
    with pytest.raises(InputError, match=f"two columns are named '{twice}'; rename or drop one of them"):
        call(frame if kind == "pandas" else table)


@pytest.mark.parametrize("dtype", ["Int64", "UInt64", "Int32"])
@pytest.mark.parametrize("missing", [True, False])
def test_whole_numbers_of_pandas_stay_whole(dtype, missing):
    rows = 120
    first = 2**53 if dtype != "Int32" else 2**30
    numbers = pd.Series([first + i for i in range(rows)], dtype=dtype)
    numbers[::7] = pd.NA if missing else numbers[::7]
    frame = pd.DataFrame(people(rows)).assign(number=numbers)
    schema = SCHEMA | {"number": {"role": "insensitive"}}
    released = Mondrian(requirement=KAnonymity(k=5), keep_order=True).publish(frame, schema).data
    pd.testing.assert_series_equal(released["number"], numbers, check_names=False)
    back = like(to_table(frame).select(["number"]), frame)
    pd.testing.assert_series_equal(back["number"], numbers, check_names=False)


def test_numbers_without_gaps_keep_the_type_they_had():
    frame = pd.DataFrame({"whole": [1, 2], "real": [0.5, None], "text": ["a", None]})
    assert like(to_table(frame), frame).dtypes.to_list() == frame.dtypes.to_list()


def test_text_views_and_bytes_in_categories_become_plain():
    views = pa.array(["a", "b", None, "a"], pa.string_view())
    kinds = {"text": views, "bytes": pa.array([b"a", b"b", None, b"a"], pa.binary_view())}
    words = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, None, 0], pa.uint32()), pa.array(["a", "b"], pa.string_view())
    )
    table = to_table(pa.table({**kinds, "words": words}))
    assert table.column("words").to_pylist() == ["a", "b", None, "a"]
    assert [str(field.type) for field in table.schema] == [
        "large_string",
        "large_binary",
        "dictionary<values=large_string, indices=uint32, ordered=0>",
    ]


@pytest.mark.parametrize("unit", ["s", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC"])
@pytest.mark.parametrize("method", [Mondrian, Incognito])
def test_times_are_made_coarser_as_dates_are(unit, zone, method):
    days = pd.Series(pd.date_range("2020-01-30", periods=60).as_unit(unit)).dt.tz_localize(zone)
    frame = pd.DataFrame({"day": days, "ill": people(60)["ill"]})
    schema = {"day": {"role": "quasi-identifier", "hierarchy": {"build": "dates"}}, "ill": {"role": "sensitive"}}
    publisher = method(requirement=KAnonymity(k=10), keep_order=True)
    assert set(publisher.publish(frame, schema).data["day"]) <= {"2020-01", "2020-02", "2020-03", "2020", "2020s", "*"}
    assert attack_table(frame, schema=schema, release=publisher.publish(frame, schema).data).identified == 0
    repeated = pd.concat([frame] * 5)
    assert dict(propose_schema(repeated).schema.columns["day"].hierarchy) == {"build": "dates"}
