"""What is asked of a table about the population that its people are from: k-map and delta-presence."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from confide.core.errors import RequestError, UsageError
from confide.core.jobs.fields import setting
from confide.core.jobs.kinds import PopulationKind, Several, ShareKind, Wholes
from confide.core.jobs.table_promise import TablePromise

if TYPE_CHECKING:
    from confide.core.requirements.tables import TableRequirement
    from confide.core.tables.reading import Reading
    from confide.core.tables.schema import Schema

__all__ = ["PopulationPromise", "with_sample"]

_POPULATION = "The population, for attackers who do not know who is in the table"


@dataclass(frozen=True, kw_only=True)
class PopulationPromise(TablePromise):
    """A promise about the people of the population, beside what is asked of groups of rows."""

    k_map: Wholes | None = setting(
        None,
        group=_POPULATION,
        ge=2,
        because="protects nobody",
        help="Fewest people of the population who fit what a row says (k-map).",
    )
    presence: Annotated[tuple[float, ...], Several(ShareKind())] | None = setting(
        None,
        group=_POPULATION,
        metavar="LOW,HIGH",
        help="Of those who fit, the smallest and the largest share that is in the release (delta-presence).",
    )
    population: Annotated[Any, PopulationKind()] | None = setting(
        None,
        group=_POPULATION,
        metavar="N|FILE",
        help="A table with a row for each person, who are counted; or how many people there are, for an estimate of "
        "--k-map from the size.",
    )
    sampling_weight: str | None = setting(
        None,
        group=_POPULATION,
        metavar="COLUMN",
        help="The column that says for how many people a row stands, for an estimate of --k-map from weights.",
    )

    def check(self) -> None:
        super().check()
        by_size = isinstance(self.population, int)
        if self.presence is not None and (self.population is None or by_size):
            raise RequestError("presence", self.presence, "counts people of the population; give a table of them")
        asked = self.k_map is not None or self.presence is not None or self.requirement is not None
        for name in ("population", "sampling_weight"):
            if getattr(self, name) is not None and not asked:
                raise RequestError(name, getattr(self, name), "goes with k_map= or presence=; give one of them")
        if self.sampling_weight is not None and (by_size or (self.population is not None and self.presence is None)):
            why = "is one way to count people, and population= another; give one of them"
            raise RequestError("sampling_weight", self.sampling_weight, why)
        if self.k_map is not None and self.population is None and self.sampling_weight is None:
            raise UsageError(
                "k_map= asks how many people fit: give population=, a table of them or their number, or "
                "sampling_weight=, the column of weights",
                parameter="k_map",
                value=self.k_map,
            )

    def requirements_asked(self, schema: "Schema | None" = None) -> "list[TableRequirement]":
        """As without a population, and what is asked about that. Until the table is read, estimates from the size take
        everybody for the sample, which asks most."""
        from confide.core.requirements import tables

        found = super().requirements_asked(schema)
        if self.requirement is not None and (self.k_map is not None or self.presence is not None):
            name = "presence" if self.k_map is None else "k_map"
            raise RequestError(name, getattr(self, name), "is part of the requirement; leave out one of them")
        if self.k_map is not None:
            parts = [self._k_map(k) for k in (self.k_map if isinstance(self.k_map, tuple) else (self.k_map,))]
            found = [tables.all_of(one, part) for one in found for part in parts] or parts
        if self.presence is not None:
            if len(self.presence) != 2:
                raise RequestError("presence", self.presence, "is not two shares; give the smallest and the largest")
            share = tables.DeltaPresence(low=self.presence[0], high=self.presence[1])
            found = [tables.all_of(one, share) for one in found] or [share]
        return found

    def _k_map(self, k: int) -> "TableRequirement":
        from confide.core.requirements import tables

        if self.sampling_weight is not None:
            return tables.KMapByWeight(k=k, weight=self.sampling_weight)
        if isinstance(self.population, int):
            return tables.KMapBySize(k=k, population=self.population, sample=self.population)
        return tables.KMap(k=k)

    def requirement_asked(self, schema: "Schema | None" = None) -> "TableRequirement | None":
        if isinstance(self.k_map, tuple):
            raise RequestError("k_map", self.k_map, f"is more than one value; {self.SEVERAL}")
        return super().requirement_asked(schema)

    def read_people(self, reading: "Reading") -> Any:
        """The table of the population; None where there is none."""
        from confide.core.tables.frames import read_table

        if isinstance(self.population, str | Path):
            return read_table(self.population, **reading.options)
        return None if isinstance(self.population, int) else self.population


def with_sample(requirement: "TableRequirement", people: int) -> "TableRequirement":
    """The requirement where the table holds so many people: estimates from the size of the population go by that."""
    from confide.core.requirements import tables

    if not isinstance(requirement, tables.TableRequirement):
        return requirement  # which the methods refuse
    return tables.all_of(
        *(
            replace(part, sample=people) if isinstance(part, tables.KMapBySize) else part
            for part in requirement.parts_asked
        )
    )
