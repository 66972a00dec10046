"""One decision tree for organisations that may not pool their tables. In dependency order:

graph           which tables join on what
tree            the tree of a join that is never made, all tables in one process
protocol        what parties may say to each other
intersection    the join values that two sites share
network         how messages travel
hidden          hidden comparison of scores
questions       what sites ask and answer outside the growing of a tree
site            one private table and its answers
coordinator     the coordinator of a run
configuration   site.toml and join.toml, and the parties they describe
jobs            what the command line asks for, and who does it

Names are imported when first used: `import confide.join` loads neither numba nor pyarrow.
"""

from typing import TYPE_CHECKING

from confide.core.runtime.lazy import exports

if TYPE_CHECKING:
    from confide.join.coordinator.coordinator import Coordinator
    from confide.join.coordinator.prediction import predict
    from confide.join.coordinator.secure_tree import SecureTree
    from confide.join.coordinator.simulation import simulated
    from confide.join.coordinator.site_graph import SiteGraph
    from confide.join.graph.forecast import JoinCheck
    from confide.join.graph.join_graph import JoinGraph
    from confide.join.intersection.party import IntersectionParty, private_intersection
    from confide.join.intersection.size import SizeParty, private_intersection_size
    from confide.join.jobs.owners import intersect
    from confide.join.jobs.training import evaluate, simulate, train
    from confide.join.protocol.policy import Policy
    from confide.join.questions.evaluation import Evaluation
    from confide.join.questions.overlap import Overlap
    from confide.join.site.site import Site
    from confide.join.tree.join_tree import JoinTree

__all__ = [
    "Coordinator",
    "Evaluation",
    "IntersectionParty",
    "JoinCheck",
    "JoinGraph",
    "JoinTree",
    "Overlap",
    "Policy",
    "SecureTree",
    "Site",
    "SiteGraph",
    "SizeParty",
    "evaluate",
    "intersect",
    "predict",
    "private_intersection",
    "private_intersection_size",
    "simulate",
    "simulated",
    "train",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "Coordinator": "confide.join.coordinator.coordinator",
        "Policy": "confide.join.protocol.policy",
        "SecureTree": "confide.join.coordinator.secure_tree",
        "Site": "confide.join.site.site",
        "SiteGraph": "confide.join.coordinator.site_graph",
        "predict": "confide.join.coordinator.prediction",
        "simulated": "confide.join.coordinator.simulation",
        "JoinCheck": "confide.join.graph.forecast",
        "JoinGraph": "confide.join.graph.join_graph",
        "JoinTree": "confide.join.tree.join_tree",
        "Evaluation": "confide.join.questions.evaluation",
        "Overlap": "confide.join.questions.overlap",
        "intersect": "confide.join.jobs.owners",
        **dict.fromkeys(("evaluate", "simulate", "train"), "confide.join.jobs.training"),
        **dict.fromkeys(("SizeParty", "private_intersection_size"), "confide.join.intersection.size"),
        **dict.fromkeys(("IntersectionParty", "private_intersection"), "confide.join.intersection.party"),
    },
)
