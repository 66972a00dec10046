"""Share a model instead of records. In dependency order:

pruning           merging leaves until every one keeps a requirement
anonymization     a tree that may be published, pruned or grown so
domains           what owners agree on before they learn
original_records  the owner's records, for the auditor to count again
tree_members      of whom a published tree speaks, for the owner's ledger
agreement         whether they did
learners          how an owner learns a tree to be published
model_measures    how well a model does
generation        pseudo-data from published trees
marginals         counts of single attributes over declared domains
bagging           several owners' trees voting
models            simple learners for pseudo-data
global_model      one model from several owners' trees
tree_files        published trees from files
jobs              what the commands do

Names are imported when first used: `import confide.share` loads neither numba nor pyarrow.
"""

from typing import TYPE_CHECKING

from confide.core.runtime.lazy import exports

if TYPE_CHECKING:
    from confide.share.anonymization.anonymize import anonymize_tree
    from confide.share.anonymization.diverse_tree import DiverseTree
    from confide.share.bagging import Bagging
    from confide.share.domains import Domains
    from confide.share.generation.baseline import generate_baseline
    from confide.share.generation.pseudo_data import generate
    from confide.share.global_model import GlobalModel, learn_global
    from confide.share.jobs.publishing import Trained, train
    from confide.share.jobs.requests import ShareTrain
    from confide.share.model_measures import class_match, classification_metric, path_match

__all__ = [
    "Bagging",
    "DiverseTree",
    "Domains",
    "GlobalModel",
    "ShareTrain",
    "Trained",
    "anonymize_tree",
    "class_match",
    "classification_metric",
    "generate",
    "generate_baseline",
    "learn_global",
    "path_match",
    "train",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "Bagging": "confide.share.bagging",
        "DiverseTree": "confide.share.anonymization.diverse_tree",
        "Domains": "confide.share.domains",
        "GlobalModel": "confide.share.global_model",
        "ShareTrain": "confide.share.jobs.requests",
        "Trained": "confide.share.jobs.publishing",
        "anonymize_tree": "confide.share.anonymization.anonymize",
        "class_match": "confide.share.model_measures",
        "classification_metric": "confide.share.model_measures",
        "generate": "confide.share.generation.pseudo_data",
        "generate_baseline": "confide.share.generation.baseline",
        "learn_global": "confide.share.global_model",
        "path_match": "confide.share.model_measures",
        "train": "confide.share.jobs.publishing",
    },
)
