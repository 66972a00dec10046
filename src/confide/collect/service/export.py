"""What a store holds as a release: the records devices drew, under the gamma of the scheme they drew by."""

import math
from typing import Any

from confide.collect.perturbed_release import headline, shuffled, verifier_context, weaknesses
from confide.collect.service.store import Collected
from confide.core.errors import CannotMeetError
from confide.core.figures import Figure, Figures
from confide.core.randomness import Randomness
from confide.core.release import Release
from confide.core.requirements import Amplification

__all__ = ["release_collected"]


def release_collected(collected: Collected) -> Release[Any]:
    """Release collected records, for others to mine, shuffled: a table for a scheme over fields, else transactions.

    The passport proves the scheme's gamma and that every record fits it; how devices drew, it cannot know, and says so.
    """
    scheme = collected.scheme
    promise = scheme.amplification()
    if not math.isfinite(promise.gamma):
        raise CannotMeetError(f"the scheme's gamma is e**{promise.epsilon:.0f}, which promises nothing")
    loss = Figures(Figure("records", len(collected.records), "count", "records collected"))
    return Release.issue(
        shuffled(scheme.released(collected.records), Randomness.system()),
        Amplification(gamma=promise.gamma),
        stage="collect",
        algorithm=scheme.kind,
        parameters={"fingerprint": scheme.fingerprint, "epsilon": promise.epsilon},
        context=verifier_context(scheme, kept=False, taken=()),
        loss=loss,
        headline=headline(promise.gamma, loss),
        caveats=(
            "perturbed by the devices that sent the records: how they drew is not known here",
            *weaknesses(scheme),
        ),
    )
