"""The parts of `confide demo`, one file per stage. A part is a function `run(folder) -> Part`; a new stage adds its
line to PARTS.
"""

from dataclasses import dataclass
from pathlib import Path

__all__ = ["PARTS", "Part"]

PARTS: dict[str, str] = {
    "mine": "confide.cli.demos.mining:run",
    "collect": "confide.cli.demos.collecting:run",
    "publish transactions": "confide.cli.demos.publishing:run",
    "join": "confide.cli.demos.joining:run",
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
