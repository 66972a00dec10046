"""What the passport of a published tree must say it does not protect against, and when."""

from collections.abc import Iterable

from confide.core.requirements.tables.terms import COUNTED
from confide.core.requirements.tables.terms import SEVERAL_RECORDS as PEOPLE

__all__ = ["COUNTED", "NO_ROLES", "PEOPLE", "SHARES", "TOGETHER", "UNDECLARED", "split_on"]

UNDECLARED = (
    "learning where values of the records lie: classes, values or cuts were read off the records, not agreed beforehand"
)
"""Of a tree that is not `declared`."""

NO_ROLES = "learning a sensitive attribute that the tree splits on: nobody said which attributes are sensitive"
"""Where the context has no roles."""

SHARES = "small groups: the tree gives shares, so nobody can see how many records a leaf stands for"
"""Of a tree whose numbers are shares."""

TOGETHER = "putting the tree and its marginals together: the promise holds for each of them alone"
"""Of a tree that is published with marginals."""


def split_on(names: Iterable[str]) -> str:
    """Of a tree that splits on sensitive attributes."""
    return f"learning sensitive attributes that the tree splits on: {', '.join(sorted(names))}"
