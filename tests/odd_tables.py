"""Random tables with everything that makes trouble, each published once, and four judges who must agree.

    table --> publisher --> file --> confide verify
                                 --> a twin that reads the file by itself (`tests/oracles/released.py`)

Tables have persons, weights, missing values, look-alikes ("1" and "01", "HIV" and "hiv "), both zeros, NaN and
infinities. A case is given by its number alone: what it publishes, by which method, under which requirement, in which
format. Every combination of these three comes equally often.
"""

import datetime
import traceback
from dataclasses import dataclass
from itertools import product

import numpy as np
import pyarrow as pa

from confide import verify
from confide.core.artefacts.kinds import read_released
from confide.core.errors import ConfideError, VerificationError
from confide.core.passport import Passport
from confide.core.release import passport_path
from confide.core.requirements import Requirement
from confide.core.stages import stage_named
from confide.core.tables.hierarchy import Hierarchy
from confide.core.tables.schema import Column, Schema
from confide.publish.tables.methods import METHODS, publisher_named
from confide.publish.tables.regrouping.best_regrouping import Regrouped
from tests.oracles import released as twin

__all__ = ["COMBINATIONS", "Outcome", "combination_of", "try_case"]

ASKED = (
    "k-anonymity",
    "alpha-k-anonymity",
    "simple-diversity",
    "distinct-diversity",
    "entropy-diversity",
    "recursive-diversity",
    "t-closeness",
    "t-closeness, ordered",
    "beta-likeness",
    "delta-disclosure",
    "others-known",
    "all-of",
)
FORMATS = ("csv", "csv.gz", "parquet", "csv.zst", "xlsx")
COMBINATIONS = tuple(
    case for case in product((*METHODS, "regrouped"), ASKED, FORMATS) if case[0] != "blank" or case[1] == "k-anonymity"
)

_NO_PERSONS = ("t-closeness", "t-closeness, ordered", "beta-likeness", "delta-disclosure", "others-known")
_ROW_METHODS = ("one-dimensional", "mondrian-relaxed", "k-optimize", "blank")
_TEXTS = (
    "HIV",
    "hiv ",
    "hiv",
    "1",
    "01",
    "1.0",
    "caf\u00e9",
    "cafe\u0301",
    "A",
    "\uff21",
    "x,y",
    'a "b"',
    "line\nend",
    "-0",
    "nan",
)
_FLOATS = (0.0, -0.0, float("nan"), -float("nan"), float("inf"), -float("inf"), 1.5, 2.0, 1e300, 5e-324)


@dataclass(frozen=True)
class Outcome:
    """What became of a case: "released", "refused" (with the message), or "wrong" (with what went wrong)."""

    what: str
    why: str = ""


def combination_of(number):
    """The method, requirement and format of a case: each round of cases goes through all, in an order of its own."""
    rounds, place = divmod(number, len(COMBINATIONS))
    order = np.random.default_rng([7, rounds]).permutation(len(COMBINATIONS))
    return COMBINATIONS[order[place]]


def try_case(number, folder):
    """Publish the table of this case and ask all judges; a crash is an outcome too."""
    try:
        return _try(number, folder)
    except Exception:
        return Outcome("wrong", f"case {number}, {combination_of(number)}: {traceback.format_exc()}")


def _try(number, folder):
    method, asked, form = combination_of(number)
    draw = np.random.default_rng([11, number])
    frame, schema, persons = draw_table(draw, asked, method)
    requirement = draw_requirement(draw, asked)
    options = {
        "suppress": float(draw.choice([0.0, 0.0, 0.0, 0.1, 0.3])),
        "missing": str(draw.choice(["drop", "category", "refuse"], p=[0.4, 0.55, 0.05])),
        "keep_order": bool(draw.random() < 0.3),
    }
    if "key" in schema.columns and draw.random() < 0.5:
        options["pseudonyms"] = b"sixteen bytes ..or more"
    if method == "k-optimize":
        options["time_limit"] = 0.05
    try:
        given = _as_caller_has_it(draw, frame)
        if method == "regrouped":
            publisher = Regrouped(requirement=requirement, rounds=int(draw.integers(0, 4)), **options)
        else:
            publisher = publisher_named(method, requirement=requirement, **options)
        release = publisher.publish(given, schema)
    except VerificationError:
        raise
    except ConfideError as error:
        assert "\n" not in str(error)
        return Outcome("refused", type(error).__name__)
    path = folder / f"case.{form}"
    release.write(path, replace=True)
    checked = verify(passport_path(path))
    assert checked.ok, checked.summary()
    columns, passport, holds = twin.read_judged(path)
    assert holds, "the twin says that the promise does not hold"
    _compare_figures(columns, passport, frame.num_rows, persons)
    for _ in range(2):
        other = draw_requirement(draw, asked)
        assert _auditor_says(path, passport, other) == twin.judge(columns, passport["context"], other.to_dict()), other
    return Outcome("released")


def _auditor_says(path, passport, requirement):
    """Whether the auditor finds that another requirement holds of the file."""
    data = read_released(path.read_bytes(), path.name, type="table").data
    asked = Passport.issue(
        requirement,
        stage="by hand",
        algorithm="none",
        context=passport["context"],
        caveats=tuple(passport["does_not_protect_against"]),
    )
    return all(check.ok for check in stage_named("by hand").verifier(requirement.kind)(data, asked))


def _compare_figures(columns, passport, rows, persons):
    """The figures and the headline of a passport say what the file and the input show."""
    loss, headline = passport["loss"], passport["headline"]
    kept = len(next(iter(columns.values())))
    smallest, people = twin.smallest_group(columns, passport["context"]["roles"])
    assert loss["smallest_group"] == smallest
    assert (people is not None) == persons
    members = smallest if people is None else people
    assert f"{members - 1:,} other" in headline, headline
    assert ("no row is left out" in headline) == (kept == rows), headline


def _as_caller_has_it(draw, frame):
    kind = draw.choice(["arrow", "arrow", "pandas", "polars"])
    if kind == "pandas":
        return frame.to_pandas()
    if kind == "polars":
        import polars

        return polars.from_arrow(frame)
    return frame


def draw_table(draw, asked, method):
    """A table, its schema, and whether it has persons."""
    n = int(draw.integers(6, 61))
    data, described = {}, {}
    for j in range(int(draw.integers(1, 4))):
        data[f"q{j}"], described[f"q{j}"] = _quasi(draw, n)
    several = asked == "others-known" or (asked == "all-of" and draw.random() < 0.3) or draw.random() < 0.2
    for j in range(1 + several):
        numbers = asked == "t-closeness, ordered" and draw.random() < 0.8
        few = asked == "others-known" and draw.random() < 0.8  # or no group could be diverse in each column
        data[f"s{j}"] = _sensitive(draw, n, numbers=numbers, values=2 if few else 6)
        described[f"s{j}"] = Column(role="sensitive")
    if draw.random() < 0.3:
        data["note"], described["note"] = _sensitive(draw, n, numbers=False), Column(role="insensitive")
    if draw.random() < 0.3:
        data["class"] = pa.array([f"c{v}" for v in draw.integers(0, 2, n)])
        described["class"] = Column(role="class")
    if draw.random() < 0.2:
        data["key"], described["key"] = pa.array([f"id {v}" for v in draw.permutation(n)]), Column(role="identifier")
    refused = asked in _NO_PERSONS or method in _ROW_METHODS
    persons = bool(draw.random() < (0.02 if refused else 0.5))
    if persons:
        data["who"] = pa.array(draw.integers(0, max(2, 2 * n // 3), n))
        described["who"] = Column(role="person")
    names = list(draw.permutation(list(data)))
    return pa.table({name: data[name] for name in names}), Schema(described), persons


def _quasi(draw, n):
    """A quasi-identifier and its column of the schema."""
    missing = draw.random(n) < (0.1 if draw.random() < 0.4 else 0)
    weight = int(draw.integers(1, 4)) if draw.random() < 0.3 else 1
    kind = draw.choice(["range", "numbers", "hierarchy", "masks", "texts", "floats", "dates", "flags"])
    how = {"role": "quasi-identifier", "weight": weight}
    if kind == "range":
        return pa.array(draw.integers(0, 20, n), mask=missing), Column(
            range=[0, 24], step=int(draw.integers(1, 3)), **how
        )
    if kind == "numbers":
        return pa.array(draw.integers(0, 9, n), mask=missing), Column(**how)
    if kind == "hierarchy":
        rows = [("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*"), ("e", "e", "*")]
        low = int(draw.integers(0, 2))
        values = draw.choice(list("abcd"), n)
        return _texts(values, missing), Column(hierarchy=Hierarchy.from_rows(rows), levels=(low, 2), **how)
    if kind == "masks":
        codes = [f"{v:03d}" for v in draw.choice([1, 11, 12, 100, 101, 200], n)]
        return _texts(codes, missing), Column(hierarchy={"build": "masks", "steps": 3}, **how)
    if kind == "texts":
        return _texts(draw.choice(_TEXTS, n), missing), Column(**how)
    if kind == "floats":
        return pa.array(draw.choice(_FLOATS, n), mask=missing), Column(**how)
    if kind == "dates":
        return _dates(draw, n, missing), Column(**how)
    return pa.array(draw.random(n) < 0.5, mask=missing), Column(**how)


def _texts(values, missing):
    """Text in which a missing value is null, or empty."""
    return pa.array(
        [(None if i % 2 else "") if gone else str(v) for i, (v, gone) in enumerate(zip(values, missing, strict=True))]
    )


def _dates(draw, n, missing):
    days = [datetime.date(2026, 1 + int(v) % 3, 1 + int(v)) for v in draw.integers(0, 8, n)]
    return pa.array([None if gone else day for day, gone in zip(days, missing, strict=True)])


def _sensitive(draw, n, *, numbers, values=6):
    missing = draw.random(n) < (0.15 if draw.random() < 0.4 and not numbers else 0)
    kind = draw.choice(["whole", "floats"] if numbers else ["texts", "floats", "whole", "flags", "dates", "plain"])
    place = draw.choice(values, n, p=draw.dirichlet(np.full(values, 1.5 if values > 2 else 9.0)))
    if kind == "texts":
        return _texts(np.array(draw.choice(_TEXTS, 6, replace=False), dtype=object)[place], missing)
    if kind == "floats":
        among = (0.0, -0.0, 1.5, 2.0, 1e300, 5e-324) if numbers else draw.choice(_FLOATS, 6, replace=False)
        return pa.array(np.array(among)[place], mask=missing)
    if kind == "whole":
        return pa.array(np.array([0, 1, -1, 7, 2**60, 2**60 + 1])[place], mask=missing)
    if kind == "flags":
        return pa.array(place < 3, mask=missing)
    if kind == "dates":
        return _dates(draw, n, missing)
    return _texts(np.array(list("abcdef"))[place], missing)


def draw_requirement(draw, asked):
    """A requirement of this kind, with numbers that small tables can often meet."""
    k, l = int(draw.integers(2, 6)), int(draw.integers(2, 4))  # noqa: E741
    some = {
        "k-anonymity": {"k": k},
        "alpha-k-anonymity": {"alpha": float(draw.choice([0.5, 0.6, 0.8, 0.9])), "k": k},
        "simple-diversity": {"l": 2},
        "distinct-diversity": {"l": l},
        "entropy-diversity": {"l": float(draw.choice([1.3, 1.5, 2.0, 2.5]))},
        "recursive-diversity": {"c": float(draw.choice([1.0, 1.5, 3.0])), "l": l},
        "t-closeness": {"t": float(draw.choice([0.1, 0.25, 0.4, 0.5])), "ordered": False},
        "beta-likeness": {"beta": float(draw.choice([0.5, 1.0, 2.0])), "enhanced": bool(draw.random() < 0.5)},
        "delta-disclosure": {"delta": float(draw.choice([0.5, 1.0, 2.0]))},
    }
    if asked == "t-closeness, ordered":
        return Requirement.from_dict({"kind": "t-closeness", **some["t-closeness"], "ordered": True})
    if asked == "others-known":
        inner = str(draw.choice(["distinct-diversity", "alpha-k-anonymity", "t-closeness", "recursive-diversity"]))
        return Requirement.from_dict({"kind": asked, "of": {"kind": inner, **some[inner]}})
    if asked == "all-of":
        inner = str(draw.choice(["distinct-diversity", "alpha-k-anonymity", "entropy-diversity"]))
        parts = [{"kind": "k-anonymity", "k": k}, {"kind": inner, **some[inner]}]
        return Requirement.from_dict({"kind": asked, "parts": parts})
    return Requirement.from_dict({"kind": asked, **some[asked]})
