"""What a passport tells of a table beside its promise: figures and a headline, as far as the table itself says them.

How much detail is lost only the owner can say. But the parts must fit each other and the table: rows add up, shares are
shares, groups are those that are there, and the headline says the same in words. Rows are left out to keep the promise
(`rows_suppressed`) or since a value is missing; the headline speaks of all of them (`rows_left_out`). In passports of
version 2 it spoke of the first only.
"""

import math
import re
from collections.abc import Iterator
from typing import Any

from confide.audit.verifiers.grouping import Sizes
from confide.core.checks import Check, Findings
from confide.core.figures import Figure, Figures
from confide.core.passport import Passport
from confide.core.requirements.earlier_releases import fault_of_after, values_together
from confide.core.requirements.tables import DATES_SHIFTED

__all__ = ["contents_check", "joint_checks", "telling_checks"]

_HIDDEN = re.compile(r"fewer than ([0-9]{1,9})")
_CONTEXT_2 = frozenset({"roles", "orders", "pseudonyms"})
"""What the context of a table may hold in version 2, whose words know of nothing else."""
_CONTEXT = _CONTEXT_2 | {"numbers", "shifted", "after", "grids"}
_HEADLINE = re.compile(
    r"(?:(?P<none>No detail is lost)|(?P<less>Less than )?(?P<percent>[0-9]+)% of all detail is lost); "
    r"(?P<out>.+); "
    r"every row looks like (?:at least (?P<rows>[0-9,]+) others|rows of at least (?P<people>[0-9,]+) other people)\."
)


def telling_checks(passport: Passport, rows: Sizes, members: Sizes, *, persons: bool) -> Iterator[Check]:
    """Whether figures, headline and context fit a table whose groups have so many `rows` and `members` (persons)."""
    if passport.stage != "publish table":
        return
    more = sorted(set(passport.context) - (_CONTEXT if passport.version > 2 else _CONTEXT_2))
    yield Check(
        name="its context is what tables have",
        ok=not more,
        detail=f"unknown: {', '.join(map(repr, more[:5]))}" if more else "",
    )
    if "shifted" in passport.context:
        said = DATES_SHIFTED in passport.does_not_protect_against
        yield Check(name="what shifted dates leave open is named", ok=said, detail="" if said else DATES_SHIFTED)
    wrong = list(_wrong_figures(passport, rows))
    yield Check(
        name="its figures of groups fit the table",
        ok=not wrong,
        detail=f"not so: {', '.join(wrong)}" if wrong else "",
    )
    if passport.headline:
        fault = _headline_fault(passport, members.least - 1, persons=persons)
        yield Check(name="its headline fits its figures", ok=not fault, detail=fault)


def joint_checks(passport: Passport) -> Iterator[Check]:
    """What a table says that is built on earlier releases. They are not here, so a promise together with them is not
    checked."""
    if "after" not in passport.context:
        return
    by_us = passport.stage == "publish table"
    fault = fault_of_after(passport.context) if by_us else "only a table of publish table is built on others"
    yield Check(name="it names the releases it is built on", ok=not fault, detail=fault)
    if not fault and values_together(passport.context) > 1:
        why = "not counted: that takes the owner's ledger (confide ledger check)"
        yield Check(name="values that stay possible together with them", ok=True, unproved=True, detail=why)


def contents_check(rows: Sizes, members: Sizes, *, persons: bool) -> Check:
    """What the table holds, counted here: its rows, and how many of them look alike."""
    many, others = rows.total, members.least - 1
    figures = [
        Figure("rows_released", many, "count", "rows in the release"),
        Figure("smallest_group", rows.least, "count", "rows in the smallest group"),
        Figure("groups", rows.groups, "count", "groups of rows that look alike"),
        Figure("mean_group", rows.mean, "number", "rows in a group on average"),
    ]
    alike = f"every row looks like at least {others:,} other{'s' * (others != 1)}"
    if persons:
        figures.insert(1, Figure("fewest_persons", others + 1, "count", "persons in the group with the fewest"))
        alike = f"every row looks like rows of at least {others:,} other {'people' if others != 1 else 'person'}"
    sentence = f"{many:,} rows; {alike if others else 'some look like no other'}."
    return Check(
        name="what the table holds",
        ok=True,
        detail=f"{many:,} rows in {rows.groups:,} groups",
        findings=Findings(sentence=sentence, figures=Figures(*figures)),
    )


def _wrong_figures(passport: Passport, sizes: Sizes) -> Iterator[str]:
    loss = passport.loss
    known = {"groups": sizes.groups, "smallest_group": sizes.least, "mean_group": sizes.mean}
    yield from (name for name, value in known.items() if name in loss and not _same(loss[name], value))
    for name in ("detail_lost", "entropy_lost", "classification_metric"):
        if name in loss and not (_number(loss[name]) and 0 <= loss[name] <= 1):
            yield name
    gone = [loss.get("rows_suppressed", 0), loss.get("rows_with_missing_values", 0)]
    told = "rows" in loss and all(_number(count) for count in (loss["rows"], *gone))
    if told and (min(gone) < 0 or loss["rows"] != sizes.total + sum(gone)):
        yield "rows"
    if passport.version > 2 and "rows_suppressed" in loss and loss.get("rows_left_out") != _left_out(gone):
        yield "rows_left_out"


def _left_out(parts: list[Any]) -> int | str | None:
    """How many rows are left out in all, as a passport must tell it of its two parts; None if a part is neither a
    number nor hidden."""
    hidden = [_HIDDEN.fullmatch(part) for part in parts if isinstance(part, str)]
    most = [int(part[1]) - 1 for part in hidden if part is not None]
    numbers: list[int] = [part for part in parts if _number(part)]
    if len(most) + len(numbers) < len(parts):
        return None
    if not most:
        return sum(numbers)
    high = sum(numbers) + sum(most)
    return f"{sum(numbers) + len(most):,} to {high:,}" if any(numbers) else f"fewer than {high + 1:,}"


def _headline_fault(passport: Passport, others: int, *, persons: bool) -> str:
    """What is wrong with a headline; empty where nothing is."""
    loss = passport.loss
    told = _HEADLINE.fullmatch(passport.headline)
    if told is None:
        return "it is not one that Confide writes of a table"
    if told["people" if persons else "rows"] != f"{others:,}":
        return f"every row looks like at least {others:,} others, which it does not say"
    lost: Any = loss.get("detail_lost")
    out: Any = loss.get("rows_left_out" if passport.version > 2 else "rows_suppressed")
    if _number(lost):
        percent = math.ceil(lost * 100 - 1e-9)
        said = 0 if told["none"] else int(told["percent"])
        if said != percent or bool(told["none"]) != (lost == 0):
            return "it says another loss than the figures"
    words = "no row is left out" if out == 0 else f"{out:,} rows (" if _number(out) else f"{out} rows are left out"
    if out is not None and not (told["out"] == words or (words.endswith("(") and _counted(told["out"], words))):
        return "it says another number of rows left out than the figures"
    return ""


def _counted(told: str, words: str) -> bool:
    return told.startswith(words) and bool(
        re.fullmatch(r"(?:less than 0\.1|[0-9.]+)%\) are left out", told[len(words) :])
    )


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _same(told: Any, value: float) -> bool:
    return _number(told) and math.isclose(told, value, rel_tol=1e-9)
