"""Publishing the frequent itemsets of a stream so that no rare pattern can be inferred. In dependency order:

noise            bounded laws over the integers, drawn exactly
setting          a requirement and a law that meets it: shifts, what is published
_order_kernels   the dynamic programme of the order scheme
order            the order scheme
biases           all schemes
memory           one value for each support, so that nothing is drawn twice
state_file       the file that memory is kept in
butterfly        the publisher
noise_choice     which law suits which supports
measures         what was kept and what was hidden
baselines        buckets, and detecting then removing, to compare with

Names are imported when first used: `import confide.stream` loads neither numba nor pyarrow.
"""

from typing import TYPE_CHECKING

from confide.core.runtime.lazy import exports

if TYPE_CHECKING:
    from confide.stream.baselines import Inferred, bucketize, remove_inferable
    from confide.stream.butterfly import Butterfly, ClassTable, StreamRelease
    from confide.stream.measures import (
        PrivacyMeasure,
        average_precision_loss,
        average_privacy,
        order_preserved,
        ratio_preserved,
    )
    from confide.stream.noise import NoiseLaw
    from confide.stream.noise_choice import choose_noise

__all__ = [
    "Butterfly",
    "ClassTable",
    "Inferred",
    "NoiseLaw",
    "PrivacyMeasure",
    "StreamRelease",
    "average_precision_loss",
    "average_privacy",
    "bucketize",
    "choose_noise",
    "order_preserved",
    "ratio_preserved",
    "remove_inferable",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        **dict.fromkeys(("Inferred", "bucketize", "remove_inferable"), "confide.stream.baselines"),
        **dict.fromkeys(("Butterfly", "ClassTable", "StreamRelease"), "confide.stream.butterfly"),
        "NoiseLaw": "confide.stream.noise",
        "choose_noise": "confide.stream.noise_choice",
        **dict.fromkeys(
            ("PrivacyMeasure", "average_precision_loss", "average_privacy", "order_preserved", "ratio_preserved"),
            "confide.stream.measures",
        ),
    },
)
