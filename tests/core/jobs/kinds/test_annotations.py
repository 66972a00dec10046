"""Kinds of values: what a text means, what Python may pass, and that a file gives back what was saved."""

import json
import math
from pathlib import Path
from typing import Any, Literal

import pytest

from confide.core.jobs.kinds import Edge, Share, Support, WholeOrInfinity, kind_of


@pytest.mark.parametrize(
    ("annotation", "text", "value"),
    [
        (int, "5", 5),
        (int, "5.0", 5),
        (float, "2.5", 2.5),
        (Share, "50%", 0.5),
        (Share, "0.25", 0.25),
        (Support, "5", 5),
        (Support, "1.0", 1.0),
        (Support, "1%", 0.01),
        (WholeOrInfinity, "inf", math.inf),
        (WholeOrInfinity, "3", 3),
        (bool, "yes", True),
        (str, "a,b", "a,b"),
        (Literal["a", "b"], "b", "b"),
        (Path, "x/y.csv", Path("x/y.csv")),
        (tuple[int, ...], "2,5, 10", (2, 5, 10)),
        (tuple[str, ...], '"none, or unknown",some', ("none, or unknown", "some")),
        (dict[str, tuple[Edge, ...]], "age=35,0.5", {"age": (35, 0.5)}),
        (int | None, "7", 7),
        (Any, "b.csv", Path("b.csv")),
    ],
)
def test_a_text_means_a_value_that_survives_a_file(annotation, text, value):
    kind, optional = kind_of(annotation)
    assert optional == (annotation == int | None)
    read = kind.parse(text)
    assert read == value
    assert type(read) is type(value)
    assert kind.check(json.loads(json.dumps(kind.plain(read)))) == value


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        (int, "2.5"),
        (int, "five"),
        (float, "nan"),
        (float, "inf"),
        (Share, "half"),
        (Support, "5 records"),
        (WholeOrInfinity, "-inf"),
        (bool, "perhaps"),
        (Literal["a", "b"], "c"),
        (tuple[int, ...], "2,,3"),
        (dict[str, tuple[Edge, ...]], "age"),
        (dict[str, tuple[Edge, ...]], "age=young"),
        (dict[str, tuple[Edge, ...]], "=3"),
    ],
)
def test_other_texts_are_refused_with_a_reason(annotation, text):
    with pytest.raises(ValueError, match=r"^is n"):
        kind_of(annotation)[0].parse(text)


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (int, True),
        (int, "5"),
        (float, True),
        (str, 5),
        (bool, 1),
        (Path, 3),
        (Share, "x"),
        (Support, 0),
        (Support, 5.0),
        (tuple[int, ...], ["a"]),
    ],
)
def test_python_values_of_another_kind_are_refused(annotation, value):
    with pytest.raises(ValueError, match=r"^is n"):
        kind_of(annotation)[0].check(value)


def test_records_in_memory_cannot_be_saved():
    with pytest.raises(ValueError, match="write it to a file first"):
        kind_of(Any)[0].plain([["a"]])


def test_values_that_belong_together_are_all_there_or_refused():
    kind, _ = kind_of(tuple[str, int])
    assert kind.check(["sport", 3]) == ("sport", 3)
    assert kind.plain(("sport", 3)) == ["sport", 3]
    assert kind.metavar == "TEXT N"
    for value in ("sport", ["sport"], ["sport", 3, 4], 3):
        with pytest.raises(ValueError, match="is not 2 values"):
            kind.check(value)
    with pytest.raises(ValueError, match="whole number"):
        kind.check(["sport", 1.5])


def test_an_address_with_a_password_is_not_saved():
    kind, _ = kind_of(Any)
    assert kind.plain("redis://localhost/0?stream=x") == "redis://localhost/0?stream=x"
    with pytest.raises(ValueError, match="never saved"):
        kind.plain("redis://:geheim@localhost/0?stream=x")
