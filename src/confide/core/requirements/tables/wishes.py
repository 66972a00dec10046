"""One requirement of a table out of separate numbers, as commands take them."""

from confide.core.errors import UsageError
from confide.core.requirements.tables.base import TableRequirement
from confide.core.requirements.tables.closeness import BetaLikeness, DeltaDisclosure, TCloseness
from confide.core.requirements.tables.combination import OthersKnown, all_of
from confide.core.requirements.tables.diversity import (
    DistinctDiversity,
    EntropyDiversity,
    RecursiveDiversity,
    SimpleDiversity,
)
from confide.core.requirements.tables.groups import AlphaK, KAnonymity

__all__ = ["DIVERSITIES", "table_requirement"]

DIVERSITIES = ("simple", "distinct", "entropy", "recursive")


def table_requirement(
    *,
    k: int | None = None,
    diversity: str | None = None,
    l: float | None = None,  # noqa: E741 - the paper's letter
    c: float | None = None,
    t: float | None = None,
    ordered: bool = False,
    alpha: float | None = None,
    beta: float | None = None,
    enhanced: bool = False,
    delta: float | None = None,
    others_known: bool = False,
) -> TableRequirement | None:
    """All that is asked for, joined by `&`; None where nothing is. `l` without a `diversity` means the simple one.

    >>> table_requirement(k=5, l=3)
    AllOf(parts=(KAnonymity(k=5), SimpleDiversity(l=3)))
    """
    if l is None and (diversity or c is not None):
        raise UsageError("a diversity needs l, the number of sensitive values; give --l")
    if (c is not None) != (diversity == "recursive"):
        raise UsageError("c goes with recursive diversity, and that with c; give --diversity recursive and --c")
    if alpha is not None and k is None:
        raise UsageError("alpha goes with k; give --k too")
    if (ordered and t is None) or (enhanced and beta is None):
        raise UsageError("ordered goes with t, enhanced with beta; give --t or --beta too")
    parts: list[TableRequirement] = []
    if alpha is None and k is not None:
        parts.append(KAnonymity(k=k))
    sensitive: list[TableRequirement] = []
    if alpha is not None and k is not None:
        sensitive.append(AlphaK(alpha=alpha, k=k))
    if l is not None:
        sensitive.append(_diversity(diversity or "simple", l, c))
    if t is not None:
        sensitive.append(TCloseness(t=t, ordered=ordered))
    if beta is not None:
        sensitive.append(BetaLikeness(beta=beta, enhanced=enhanced))
    if delta is not None:
        sensitive.append(DeltaDisclosure(delta=delta))
    if others_known and not sensitive:
        raise UsageError("with other values known, something must be asked of sensitive values; give --l or --t")
    parts += [OthersKnown(of=part) for part in sensitive] if others_known else sensitive
    return all_of(*parts) if parts else None


def _diversity(kind: str, l: float, c: float | None) -> TableRequirement:  # noqa: E741 - the paper's letter
    if kind not in DIVERSITIES:
        raise UsageError(f"no diversity {kind!r}; they are: {', '.join(DIVERSITIES)}")
    if kind == "entropy":
        return EntropyDiversity(l=l)
    whole = int(l) if l == int(l) else l
    if kind == "recursive":
        assert c is not None
        return RecursiveDiversity(c=c, l=whole)  # type: ignore[arg-type]  # what is not whole is refused there
    return (SimpleDiversity if kind == "simple" else DistinctDiversity)(l=whole)  # type: ignore[arg-type]
