"""Whether a passport is of this run: every name, number and sentence in it that the file decides."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from confide.audit.verifiers.streams.block_claims import BlockClaims
from confide.core.checks import Check, Findings
from confide.core.figures import Figure, Figures
from confide.core.streams.header import KeyedLaws
from confide.core.streams.run import StreamRun

if TYPE_CHECKING:
    from confide.core.passport import Passport

__all__ = ["check_run_passport"]

_SHARED = {"confide", "version", "run", "requirement", "randomness"}
_OLD_ERROR = "largest squared error of a support, relative"  # of version 2, which called a mean so
_ERROR = "bound on the mean squared relative error"
_WITHHELD = "share of frequent itemsets published"  # the owner's word: the file does not show what was withheld


def check_run_passport(run: StreamRun, passport: "Passport") -> Check:
    """One check, which names the first thing that does not fit."""
    header, old = run.header, passport.version == 2
    chain = run.releases[-1].sha256 if run.releases else header.sha256
    wanted: dict[str, Any] = {
        "requirement": header.requirement.to_dict(),
        "parameters": {name: value for name, value in header.to_dict().items() if name not in _SHARED},
        "randomness": header.randomness,
        "algorithm": f"butterfly {header.scheme}",
    }
    context = {"run": header.run, "releases": len(run.releases), "chain": chain}
    wrong = [name for name, value in context.items() if passport.context.get(name) != value]
    if set(passport.context) != set(context):
        wrong.append("context")
    wrong += [name for name, value in wanted.items() if getattr(passport, name) != value]
    if not wrong and (not run.releases or not _figures_fit(run, dict(passport.loss), old)):
        wrong.append("loss")
    if not wrong and passport.headline != _headline(run, old):
        wrong.append("headline")
    detail = f"it has another {wrong[0]}" if wrong else f"{len(run.releases):,} releases"
    settled = frozenset({"parameters", "context", "algorithm", "randomness"})
    found = Findings(sentence=_headline(run, old), figures=Figures(*_figures(run, old)), settled=settled)
    return Check(name="the passport is of this run", ok=not wrong, detail=detail, findings=found)


def _figures(run: StreamRun, old: bool) -> Iterator[Figure]:
    releases = run.releases
    if not releases:
        return
    each = sum(len(release.data) for release in releases) / len(releases)
    error = _OLD_ERROR if old else _ERROR
    yield Figure("releases", len(releases), "count", "releases")
    yield Figure("itemsets published in a release, on average", each, "number", "itemsets in a release, on average")
    yield Figure("records read", releases[-1].offset, "count", "records read")
    yield Figure(error, float(run.header.requirement.epsilon), "number", error)
    if isinstance(run.header.noise, KeyedLaws) and not BlockClaims(run.header).sound():
        yield from _precision(BlockClaims(run.header))


def _precision(claims: BlockClaims) -> Iterator[Figure]:
    """How far off published supports are, at C and some multiples: by the law, given that the value may leave."""
    least = claims.header.requirement.min_support
    lean = 0.0
    for support in (least, 2 * least, 4 * least, 8 * least):
        off = [
            (x, p) for x, p in enumerate(claims.chances.tolist(), -claims.laws.reach) if support + x >= claims.threshold
        ]
        share = math.fsum(p for _, p in off)
        if not share:
            return
        width = 0
        while math.fsum(p for x, p in off if abs(x) <= width) < 0.95 * share:
            width += 1
        lean = lean or round(math.fsum(x * p for x, p in off) / share, 6)
        name = f"95 of 100 published supports of {support:,} are within so many records"
        yield Figure(name, width, "count", name)
    name = f"published supports of {least:,} lean upwards by"
    yield Figure(name, lean, "number", name)


def _figures_fit(run: StreamRun, loss: dict[str, Any], old: bool) -> bool:
    share = loss.pop(_WITHHELD, 1)
    ours = {figure.name: figure.value for figure in _figures(run, old)}
    numbers = all(type(value) in (int, float) for value in (share, *loss.values()))
    return (
        numbers
        and set(loss) == set(ours)
        and 0 <= share <= 1
        and all(math.isclose(loss[name], value, rel_tol=1e-4) for name, value in ours.items())
    )


def _headline(run: StreamRun, old: bool) -> str:
    header = run.header
    size = f"{header.records:,} records" if header.records is not None else f"{header.seconds or 0:g} seconds"
    rare = f"patterns of {header.requirement.vulnerable} records or fewer stay uncertain"
    lead = f"{len(run.releases):,} releases of what is frequent in the last {size}; "
    if old:
        return f"{lead}{rare}."
    if header.requirement.span == "none":
        return f"{lead}no promise: whoever knows the rules of this scheme undoes its noise."
    if header.requirement.span == "release":
        return f"{lead}{rare} in each release, but several average out."
    between = ", and so do the records between two" if header.requirement.span == "stretch" else ""
    return f"{lead}{rare}, however many releases are averaged{between}."
