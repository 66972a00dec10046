"""What the releases of a ledger say together, by three attackers of the auditor's."""

from dataclasses import asdict, dataclass
from typing import Any

from confide.core.errors import VerificationError
from confide.core.figures import Shown
from confide.core.requirements import Requirement
from confide.core.requirements.tables import TableRequirement
from confide.core.runtime.lazy import call
from confide.core.series.placed_history import PlacedHistory
from confide.core.series.release_history import history_of
from confide.ledger.book import ReleaseLedger
from confide.ledger.item_releases import ItemsView, check_items_together
from confide.ledger.recorded_places import places_by_release

__all__ = ["JointView", "check_continuation", "check_together", "say_together"]

_HOME = "confide.audit.adversaries.together"


@dataclass(frozen=True, kw_only=True)
class JointView(Shown):
    """What several releases say together. Each attacker's answer is a dictionary of figures; None where nothing is
    sensitive. `linking` names columns by which rows of several releases can be joined, so that the linker counts.
    `cells` is there where the releases are built on one another: how many values stay possible for everybody."""

    releases: int
    people: int
    neighbour: dict[str, Any] | None
    register: dict[str, Any] | None
    linker: dict[str, Any]
    linking: tuple[str, ...]
    cells: dict[str, Any] | None = None

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
        if self.cells is not None and self.cells["ok"] and self.neighbour is not None:
            values = _many(self.cells["fewest_values"], "value")
            said.append(
                f"they show whole cells, so at least {values} of each sensitive column stay possible for everybody"
            )
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


def say_together(ledger: ReleaseLedger, releases: int | None = None) -> JointView | ItemsView:
    """What all releases of a ledger tell together, or the first so many: of tables and trees, or of baskets."""
    return check_items_together(ledger, releases) if ledger.item_releases else check_together(ledger, releases)


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
    cells = _look_at_cells(ledger, len(chosen))
    if register is not None and cells is not None and cells["ok"] and cells["fewest_values"] > 1:
        # Exchanges within cells are worlds that the register's own search, of shorter exchanges, need not find.
        register |= {"certain_at_most": 0, "left": 0, "came": 0}
    linking = [name for release in chosen for name in release.told_apart]
    return JointView(
        releases=len(chosen),
        people=history.people,
        neighbour=neighbour,
        register=register,
        linker=asdict(call(f"{_HOME}.linker:ask_linker", cohorts, k, values)),
        linking=tuple(dict.fromkeys(linking)) if len(chosen) > 1 else (),
        cells=cells,
    )


def check_continuation(ledger: ReleaseLedger) -> None:
    """Refuse the last release of a ledger if it is built on others and does not show whole cells, or if its passport
    says that more values stay possible than do."""
    if not ledger.releases or ledger.releases[-1].places is None:
        return
    last = ledger.releases[-1]
    view = _audit_cells(ledger, len(ledger))
    failed = [f"{check.name}: {check.detail}" for check in view.checks if not check.ok]
    after = last.passport.context.get("after", {})
    if not failed and after.get("values") != view.fewest_values:
        failed = [f"{view.fewest_values} values stay possible for somebody, not {after.get('values')}"]
    if not failed and after.get("releases") != [release.sha256 for release in ledger.releases[:-1]]:
        failed = ["its passport names other releases than the ledger"]
    if failed:
        raise VerificationError(f"the release does not keep to those it is built on: {'; '.join(failed)}")


def _look_at_cells(ledger: ReleaseLedger, releases: int) -> dict[str, Any] | None:
    """What the auditor says of cells; None where the releases are not built on one another."""
    if releases < 2 or any(release.places is None for release in ledger.releases[1:releases]):
        return None
    view = _audit_cells(ledger, releases)
    return {"ok": view.ok, "fewest_values": view.fewest_values, "linked": view.linked}


def _audit_cells(ledger: ReleaseLedger, releases: int) -> Any:
    chosen = ledger.releases[:releases]
    places = places_by_release(ledger)[:releases]
    history = ledger.history(releases)
    placed = history_of(list(places), [one.values for one in chosen], history.columns).groups
    cells = chosen[-1].cells
    assert cells is not None
    return call(f"{_HOME}.cells:audit_cells", PlacedHistory(history=history, places=placed, cell=cells))


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
