"""Which law of noise suits which supports: the rules of thumb of the paper's section 7.

At equal variance a law is either narrow and dense (rademacher, then uniform) or wide and thin (triangular). For order,
supports far apart want the narrow one, which overlaps nobody; crowded supports the thin one. For ratio it is the other
way round. A rule of thumb, not a theorem: compare `order_preserved` and `ratio_preserved` on your own windows.
"""

from confide.core.errors import InputError, RequirementError
from confide.core.itemsets.container import Itemsets
from confide.core.requirements import OutputPrivacy
from confide.stream.noise import NoiseLaw
from confide.stream.setting import Alpha, Setting

__all__ = ["choose_noise"]


def choose_noise(
    itemsets: Itemsets, requirement: OutputPrivacy, *, keep: str = "order", alpha: Alpha = "safe"
) -> NoiseLaw:
    """The law to try first for such itemsets, to keep their "order" or their "ratio".

    Supports count as far apart where the median gap between neighbouring ones is at least the width of uniform noise.
    Take the itemsets of a typical window: choosing anew for each would itself tell something about it.
    """
    import numpy as np

    if keep not in ("order", "ratio"):
        raise RequirementError(f"keep={keep!r} is unknown; use 'order' or 'ratio'", parameter="keep", value=keep)
    supports = np.unique(np.asarray(itemsets.supports))
    supports = supports[supports >= requirement.min_support]
    if len(supports) < 2:
        raise InputError("fewer than two different supports, so there is no gap to judge by")
    uniform = Setting.of(requirement, "uniform", alpha=alpha).law
    sparse = float(np.median(np.diff(supports))) >= uniform.reach
    kinds = ("rademacher", "uniform") if sparse == (keep == "order") else ("triangular", "uniform")
    for kind in kinds:
        try:
            return Setting.of(requirement, kind, alpha=alpha).law
        except RequirementError:  # it reveals, or is too wide for epsilon
            continue
    return uniform
