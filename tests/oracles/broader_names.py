"""Publishing under broader names, the slow way: every name of every item."""

from itertools import product

from confide import Coherence
from tests.oracles.publish import moles


def is_coherent(rows: list[set[str]], private: set[str], requirement: Coherence) -> bool:
    """Whether no set of up to p public labels is in some but too few rows, or gives a private item away."""
    return not moles(rows, requirement.h, requirement.k, requirement.p, private)


def rename(rows: list[set[str]], names: dict[str, str]) -> list[set[str]]:
    """The rows with each item under its name; "" is none, and private items have no other."""
    return [{names.get(label, label) for label in row} - {""} for row in rows]


def ncp(rows: list[set[str]], names: dict[str, str]) -> float:
    """The mean loss of an entry: 0 if exact, 1 if gone, else the share of all items its name stands for."""
    size = {name: sum(other == name for other in names.values()) for name in names.values()}
    entries = [names[label] for row in rows for label in row if label in names]
    lost = [1.0 if not name else 0.0 if size[name] == 1 else size[name] / len(names) for name in entries]
    return sum(lost) / len(lost)


def least_ncp(rows: list[set[str]], paths: dict[str, list[str]], private: set[str], requirement: Coherence) -> float:
    """The smallest loss of all choices of a name, or of none, for each item."""
    items = list(paths)
    best = 1.0
    for chosen in product(*([*paths[item], ""] for item in items)):
        names = dict(zip(items, chosen, strict=True))
        cost = ncp(rows, names)
        if cost < best and is_coherent(rename(rows, names), private, requirement):
            best = cost
    return best
