"""The parts of `confide demo`, one file per stage; a part is a function `run(folder) -> Part`.

mine                   plain mining
collect                answers, perturbed and mined
publish_transactions   baskets that identify nobody
join                   one tree over three sites
by_hand                a table made 5-anonymous by hand
"""

from dataclasses import dataclass
from pathlib import Path

__all__ = ["PARTS", "Part"]

PARTS: dict[str, str] = {
    "mine": "confide.cli.demos.mine:run",
    "collect": "confide.cli.demos.collect:run",
    "publish transactions": "confide.cli.demos.publish_transactions:run",
    "join": "confide.cli.demos.join:run",
    "release by hand": "confide.cli.demos.by_hand:run",
}
"""What is shown, in order: name -> "module:function"."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """What a part has to show: a promise (or none), a line about the result, a page, passports to verify."""

    title: str
    promise: str
    summary: str
    page: Path
    passports: tuple[Path, ...] = ()
