"""Share a model instead of records. In dependency order:

anonymization   a tree that may be published: pruned until every leaf keeps the requirement, or grown so
domains         what owners agree on before they learn
agreement       whether they did
measures        how well a model does
generation      pseudo-data from published trees
marginals       counts of single attributes over declared domains
bagging         several owners' trees voting
models          simple learners for pseudo-data
global_model    one model from several owners' trees
tasks           what the commands do

Names are imported when first used: `import confide.share` loads neither numba nor pyarrow.
"""

from typing import TYPE_CHECKING

from confide.core.runtime.lazy import exports

if TYPE_CHECKING:
    from confide.share.anonymization.anonymize import anonymize_tree
    from confide.share.anonymization.diverse_tree import DiverseTree
    from confide.share.bagging import Bagging
    from confide.share.generation.baseline import generate_baseline
    from confide.share.generation.pseudo_data import generate
    from confide.share.global_model import learn_global

__all__ = ["Bagging", "DiverseTree", "anonymize_tree", "generate", "generate_baseline", "learn_global"]

__getattr__, __dir__ = exports(
    __name__,
    {
        "Bagging": "confide.share.bagging",
        "DiverseTree": "confide.share.anonymization.diverse_tree",
        "anonymize_tree": "confide.share.anonymization.anonymize",
        "generate": "confide.share.generation.pseudo_data",
        "generate_baseline": "confide.share.generation.baseline",
        "learn_global": "confide.share.global_model",
    },
)
