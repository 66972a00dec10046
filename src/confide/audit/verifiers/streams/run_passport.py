"""Whether a passport is of this run: every name, number and sentence in it that the file decides."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from confide.core.checks import Check, Findings
from confide.core.figures import Figure, Figures
from confide.core.streams.run import StreamRun

if TYPE_CHECKING:
    from confide.core.passport import Passport

__all__ = ["check_run_passport"]

_SHARED = {"confide", "version", "run", "requirement", "randomness"}
_WITHHELD = "share of frequent itemsets published"  # the owner's word: the file does not show what was withheld


def check_run_passport(run: StreamRun, passport: "Passport") -> Check:
    """One check, which names the first thing that does not fit."""
    header = run.header
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
    if not wrong and (not run.releases or not _figures_fit(run, dict(passport.loss))):
        wrong.append("loss")
    if not wrong and passport.headline != _headline(run):
        wrong.append("headline")
    detail = f"it has another {wrong[0]}" if wrong else f"{len(run.releases):,} releases"
    settled = frozenset({"parameters", "context", "algorithm", "randomness"})
    found = Findings(sentence=_headline(run), figures=Figures(*_figures(run)), settled=settled)
    return Check(name="the passport is of this run", ok=not wrong, detail=detail, findings=found)


def _figures(run: StreamRun) -> Iterator[Figure]:
    releases = run.releases
    if not releases:
        return
    each = sum(len(release.data) for release in releases) / len(releases)
    error = "largest squared error of a support, relative"
    yield Figure("releases", len(releases), "count", "releases")
    yield Figure("itemsets published in a release, on average", each, "number", "itemsets in a release, on average")
    yield Figure("records read", releases[-1].offset, "count", "records read")
    yield Figure(error, float(run.header.requirement.epsilon), "number", error)


def _figures_fit(run: StreamRun, loss: dict[str, Any]) -> bool:
    share = loss.pop(_WITHHELD, 1)
    ours = {
        "releases": len(run.releases),
        "records read": run.releases[-1].offset,
        "itemsets published in a release, on average": sum(len(x.data) for x in run.releases) / len(run.releases),
        "largest squared error of a support, relative": float(run.header.requirement.epsilon),
    }
    numbers = all(type(value) in (int, float) for value in (share, *loss.values()))
    return (
        numbers
        and set(loss) == set(ours)
        and 0 <= share <= 1
        and all(math.isclose(loss[name], value, rel_tol=1e-9) for name, value in ours.items())
    )


def _headline(run: StreamRun) -> str:
    header = run.header
    size = f"{header.records:,} records" if header.records is not None else f"{header.seconds or 0:g} seconds"
    return (
        f"{len(run.releases):,} releases of what is frequent in the last {size}; patterns of "
        f"{header.requirement.vulnerable} records or fewer stay uncertain."
    )
