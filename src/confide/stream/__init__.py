"""Publishing the frequent itemsets of a stream so that no rare pattern can be inferred. In dependency order:

sources           where records come from
sinks             where releases go
noise             bounded laws over the integers, drawn exactly
blocks            noise that comes and goes with the records, by key: what keeps the promise
setting           the paper's schemes: a requirement and a law that meets it, shifts, what is published
published_sets    itemsets as they leave
paper             the paper's schemes, which promise nothing
state_file        the file that their memory is kept in
butterfly         the publisher
measures          what was kept and what was hidden
plain_protection  buckets, and detecting then removing, to compare with
pipeline          from a source to sinks, and what survives a crash
results           what readers make of published values
live              pages that show a run while it goes on
planning          choosing parameters
replaying         a recorded stream at a chosen speed
jobs              what the command line asks for, and who does it

Names are imported when first used: `import confide.stream` loads neither numba nor pyarrow.
"""

from typing import TYPE_CHECKING

from confide.core.runtime.lazy import exports

if TYPE_CHECKING:
    from confide.stream.butterfly import Butterfly, ClassTable, SanitisedItemsets, SetTable
    from confide.stream.jobs.requests import StreamRelease
    from confide.stream.measures import (
        PrivacyMeasure,
        average_precision_loss,
        average_privacy,
        order_preserved,
        ratio_preserved,
    )
    from confide.stream.noise import NoiseLaw
    from confide.stream.paper.noise_choice import choose_noise
    from confide.stream.pipeline.whole_run import release_stream
    from confide.stream.plain_protection import Inferred, bucketize, remove_inferable
    from confide.stream.planning.noise_plan import plan_stream
    from confide.stream.planning.run_plan import RunPlan, TriedNoise, plan_run
    from confide.stream.replaying import replay_stream
    from confide.stream.results.rules import published_rules
    from confide.stream.results.support_bounds import PublishedBounds
    from confide.stream.results.top_sets import top_published

__all__ = [
    "Butterfly",
    "ClassTable",
    "Inferred",
    "NoiseLaw",
    "PrivacyMeasure",
    "PublishedBounds",
    "StreamRelease",
    "RunPlan",
    "SanitisedItemsets",
    "SetTable",
    "TriedNoise",
    "average_precision_loss",
    "average_privacy",
    "bucketize",
    "choose_noise",
    "order_preserved",
    "plan_run",
    "plan_stream",
    "published_rules",
    "ratio_preserved",
    "release_stream",
    "remove_inferable",
    "replay_stream",
    "top_published",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        **dict.fromkeys(("Inferred", "bucketize", "remove_inferable"), "confide.stream.plain_protection"),
        **dict.fromkeys(("Butterfly", "ClassTable", "SanitisedItemsets", "SetTable"), "confide.stream.butterfly"),
        "NoiseLaw": "confide.stream.noise",
        "PublishedBounds": "confide.stream.results.support_bounds",
        "StreamRelease": "confide.stream.jobs.requests",
        "choose_noise": "confide.stream.paper.noise_choice",
        "plan_stream": "confide.stream.planning.noise_plan",
        **dict.fromkeys(("RunPlan", "TriedNoise", "plan_run"), "confide.stream.planning.run_plan"),
        "published_rules": "confide.stream.results.rules",
        "release_stream": "confide.stream.pipeline.whole_run",
        "replay_stream": "confide.stream.replaying",
        "top_published": "confide.stream.results.top_sets",
        **dict.fromkeys(
            ("PrivacyMeasure", "average_precision_loss", "average_privacy", "order_preserved", "ratio_preserved"),
            "confide.stream.measures",
        ),
    },
)
