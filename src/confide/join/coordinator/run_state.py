"""One run as its coordinator sees it: whom to ask, what was asked for, and how far it has come."""

from dataclasses import dataclass

from confide.join.coordinator.inquiry import Asker
from confide.join.coordinator.run_record import RunRecord
from confide.join.coordinator.site_graph import SiteGraph
from confide.join.hidden.hidden_rounds import Hiding
from confide.mining.trees.splits import Criterion

__all__ = ["Run"]


@dataclass(frozen=True, kw_only=True)
class Run:
    """What the steps of a run share; `hiding` compares scores hidden, None compares them openly.

    `evaluates` is the run whose tree this one tries, "" where a tree is grown.
    """

    graph: SiteGraph
    asker: Asker
    record: RunRecord
    criterion: Criterion
    min_leaf: int
    min_branch: int
    max_depth: int | None
    hiding: Hiding | None
    evaluates: str = ""
