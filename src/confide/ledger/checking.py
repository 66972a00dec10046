"""What the releases of a ledger say together, by three attackers of the auditor's."""

from dataclasses import asdict, dataclass
from typing import Any

from confide.core.figures import Shown
from confide.core.requirements import Requirement
from confide.core.requirements.tables import TableRequirement
from confide.core.runtime.lazy import call
from confide.ledger.book import ReleaseLedger

__all__ = ["JointView", "check_together"]

_HOME = "confide.audit.adversaries.together"


@dataclass(frozen=True, kw_only=True)
class JointView(Shown):
    """What several releases say together. Each attacker's answer is a dictionary of figures; None where nothing is
    sensitive. `linking` names columns by which rows of several releases can be joined, so that the linker counts."""

    releases: int
    people: int
    neighbour: dict[str, Any] | None
    register: dict[str, Any] | None
    linker: dict[str, Any]
    linking: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nobody is certain of anything, and no cohort that can be linked is too small."""
        certain = 0 if self.register is None else self.register["certain_at_most"]
        seen = 0 if self.neighbour is None else self.neighbour["certain"]
        return not certain and not seen and not (self.linking and self.linker["in_small_cohorts"])

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "ok": self.ok}

    def lines(self) -> list[str]:
        """Sentences for the owner."""
        if self.releases < 2:
            return [f"{_many(self.releases, 'release')}: there is nothing to put together yet"]
        said = [f"{self.releases} releases about {self.people:,} people"]
        if self.neighbour is not None and self.register is not None:
            least, most = self.register["certain_at_least"], self.register["certain_at_most"]
            number = f"{least:,}" if least == most else f"{least:,} to {most:,}"
            share = f"{most / max(1, self.people):.1%} of the people"
            said += [
                f"whoever knows one person's groups is certain of a sensitive value of {self.neighbour['certain']:,}",
                f"whoever knows everybody's groups, who came and left, is certain of that of {number} ({share})",
            ]
        if self.linking:
            people = f"{self.linker['in_small_cohorts']:,} people"
            said.append(
                f"rows can be joined by {', '.join(self.linking)}: {people} are then in groups that keep too little"
            )
        else:
            said.append("no column that is released as it is tells rows apart, so rows cannot be joined by one")
        return said


def check_together(ledger: ReleaseLedger, releases: int | None = None) -> JointView:
    """Ask the three attackers about all releases of a ledger, or the first so many."""
    history = ledger.history(releases)
    chosen = ledger.releases[:releases]
    k, values = _promised(ledger, len(chosen))
    cohorts = call(f"{_HOME}.cohorts:Cohorts.of_history", history)
    neighbour = register = None
    if ledger.columns:
        neighbour = asdict(call(f"{_HOME}.neighbour:ask_neighbour", cohorts))
        register = asdict(call(f"{_HOME}.register:ask_register", cohorts))
    linking = [name for release in chosen for name in release.told_apart]
    return JointView(
        releases=len(chosen),
        people=history.people,
        neighbour=neighbour,
        register=register,
        linker=asdict(call(f"{_HOME}.linker:ask_linker", cohorts, k, values)),
        linking=tuple(dict.fromkeys(linking)) if len(chosen) > 1 else (),
    )


def _promised(ledger: ReleaseLedger, releases: int) -> tuple[int, int]:
    """The fewest rows and the fewest different sensitive values that every release promised of a group."""
    rows, values = [1], [1]
    for release in ledger.releases[:releases]:
        requirement = Requirement.from_dict(release.passport.requirement)
        if isinstance(requirement, TableRequirement):
            rows.append(requirement.fewest)
            values.append(requirement.values_needed)
    return max(rows), max(values)


def _many(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
