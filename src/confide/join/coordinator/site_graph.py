"""Which site joins which, and in what order summaries flow: all the coordinator knows of the join."""

from collections.abc import Iterable, Sequence

from confide.core.errors import InputError
from confide.join.graph.summary_order import propagation

__all__ = ["SiteGraph"]


class SiteGraph:
    """Sites and the pairs that join: connected and without a cycle, or an error that names the island or the cycle.

    >>> graph = SiteGraph(["a", "b", "c"], [("a", "b"), ("a", "c")], "a")
    >>> graph.class_steps()
    [('a', 'b'), ('b', 'a'), ('a', 'c'), ('c', 'a'), ('a', 'b')]
    """

    def __init__(self, sites: Sequence[str], edges: Iterable[tuple[str, str]], target: str):
        self.sites = list(sites)
        self.edges = [(a, b) for a, b in edges]
        self.target = target
        if target not in self.sites:
            raise InputError(f"the target {target!r} is not a site; sites are: {', '.join(self.sites)}")
        self.neighbours: dict[str, list[str]] = {site: [] for site in self.sites}
        for a, b in self.edges:
            for site in (a, b):
                if site not in self.neighbours:
                    raise InputError(f"an edge names {site!r}, which is not a site; sites are: {', '.join(self.sites)}")
            if a == b:
                raise InputError(f"{a} cannot join itself")
            if b in self.neighbours[a]:
                raise InputError(f"{a} and {b} are joined twice; one join may have several columns")
            self.neighbours[a].append(b)
            self.neighbours[b].append(a)
        self._check()

    def _check(self) -> None:
        above: dict[str, str | None] = {self.target: None}
        stack = [self.target]
        while stack:
            site = stack.pop()
            for other in self.neighbours[site]:
                if other == above[site]:
                    continue
                if other in above:
                    raise InputError(f"the joins form a cycle: {' - '.join(self._cycle(site, other, above))}")
                above[other] = site
                stack.append(other)
        island = [site for site in self.sites if site not in above]
        if island:
            raise InputError(f"no join leads from {self.target} to {', '.join(island)}")

    @staticmethod
    def _cycle(a: str, b: str, above: dict[str, str | None]) -> list[str]:
        def way(site: str | None) -> list[str]:
            found = []
            while site is not None:
                found.append(site)
                site = above[site]
            return found

        up, down = way(a), way(b)
        while len(up) > 1 and len(down) > 1 and up[-2] == down[-2]:
            up.pop()
            down.pop()
        return [*up, *reversed(down[:-1]), a]

    def class_steps(self) -> list[tuple[str, str]]:
        """Who sends a class summary to whom, in order (thesis 3.3.1)."""
        return propagation(self.neighbours, self.target)

    def directions(self, winner: str) -> dict[str, str | None]:
        """For each site, the neighbour a split summary comes from when `winner` splits; None for the winner itself."""
        source: dict[str, str | None] = {winner: None}
        queue = [winner]
        for site in queue:
            for other in self.neighbours[site]:
                if other not in source:
                    source[other] = site
                    queue.append(other)
        return source
