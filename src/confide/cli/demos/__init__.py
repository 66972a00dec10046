"""The parts of `confide demo`, one or two files per stage: a function `run(folder) -> Part` that its entry names.

mine                   plain mining
collect                answers, perturbed and mined
publish_transactions   baskets that identify nobody
broader_names          the same baskets with departments where a product must go
publish_table          a registry that identifies nobody
share                  three hospitals' trees, and one model learned from them
join                   one tree over three sites
stream                 what is frequent in a live stream
search                 a person's profile, and what leaves the machine
by_hand                a table made 5-anonymous by hand
"""

import json
from dataclasses import dataclass
from pathlib import Path

__all__ = ["DemoPart"]


@dataclass(frozen=True, kw_only=True)
class DemoPart:
    """What a part has to show: a promise (or none), a line about the result, a page, passports to verify."""

    title: str
    promise: str
    summary: str
    page: Path
    passports: tuple[Path, ...] = ()

    def to_json(self) -> str:
        """For the process that asked for this part."""
        plain = {"title": self.title, "promise": self.promise, "summary": self.summary, "page": str(self.page)}
        return json.dumps(plain | {"passports": [str(path) for path in self.passports]})

    @classmethod
    def from_json(cls, text: str) -> "DemoPart":
        """Read what `to_json` wrote."""
        plain = json.loads(text)
        paths = {"page": Path(plain["page"]), "passports": tuple(map(Path, plain["passports"]))}
        return cls(**plain | paths)
