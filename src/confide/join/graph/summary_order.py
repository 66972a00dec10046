"""In which order tables send their neighbours summaries."""

from collections.abc import Iterator, Mapping, Sequence

__all__ = ["level_order", "propagation", "waves"]


def propagation(neighbours: Mapping[str, Sequence[str]], target: str) -> list[tuple[str, str]]:
    """Who sends whom a class summary, in order: `receive_class(sender, engine[sender].class_summary(receiver))`.

    Phase 1 goes depth first from the target and ends at the last table reached, which then reflects the whole
    join; phase 2 goes outward from there. At most three summaries cross an edge.

    >>> propagation({"T1": ["T2", "T3"], "T2": ["T1"], "T3": ["T1"]}, "T1")
    [('T1', 'T2'), ('T2', 'T1'), ('T1', 'T3'), ('T3', 'T1'), ('T1', 'T2')]
    """
    steps: list[tuple[str, str]] = []
    reached = [target]
    path = [target]
    while len(reached) < len(neighbours):
        here = path[-1]
        following = next((name for name in neighbours[here] if name not in reached), None)
        if following is None:
            path.pop()
            steps.append((here, path[-1]))
        else:
            steps.append((here, following))
            path.append(following)
            reached.append(following)
    return steps + list(_outward(neighbours, path[-1]))


def level_order(neighbours: Mapping[str, Sequence[str]], root: str) -> list[tuple[str, str]]:
    """The order in which split summaries of a level flow: first up to `root` along every edge, then down again.

    Up, a table describes the nodes won below it; down, those won anywhere else.

    >>> level_order({"T1": ["T2", "T3"], "T2": ["T1"], "T3": ["T1"]}, "T1")
    [('T3', 'T1'), ('T2', 'T1'), ('T1', 'T2'), ('T1', 'T3')]
    """
    down = list(_outward(neighbours, root))
    return [(child, parent) for parent, child in reversed(down)] + down


def waves(neighbours: Mapping[str, Sequence[str]]) -> list[list[tuple[str, str]]]:
    """The same steps as in `level_order`, put together so that the steps of a wave can be taken at the same time.

    A table can send to a neighbour as soon as it has heard from all its other neighbours.

    >>> waves({"T1": ["T2", "T3"], "T2": ["T1"], "T3": ["T1"]})
    [[('T2', 'T1'), ('T3', 'T1')], [('T1', 'T2'), ('T1', 'T3')]]
    >>> waves({"T1": ["T2"], "T2": ["T1"]})
    [[('T1', 'T2'), ('T2', 'T1')]]
    """
    left = [(name, near) for name, all_near in neighbours.items() for near in all_near]
    found: list[list[tuple[str, str]]] = []
    while left:
        waiting = set(left)
        ready = [step for step in left if all((x, step[0]) not in waiting for x in neighbours[step[0]] if x != step[1])]
        found.append(ready)
        left = [step for step in left if step not in set(ready)]
    return found


def _outward(neighbours: Mapping[str, Sequence[str]], root: str) -> Iterator[tuple[str, str]]:
    waiting: list[tuple[str, str | None]] = [(root, None)]
    while waiting:
        here, origin = waiting.pop(0)
        for name in neighbours[here]:
            if name != origin:
                yield here, name
                waiting.append((name, here))
