"""People of a population: how many fit a released combination of values, and how many of those are in the release.

KMap            at least k fit, counted in a table of the population
DeltaPresence   the share of those who fit that is in the release, counted likewise
KMapBySize      k rows of the release stand for k people: an estimate from the size of the population
KMapByWeight    the same, an estimate from sampling weights in the release

None of them covers someone who knows that the person is in the table.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import exp, log1p
from typing import ClassVar

from confide.core.bounds import share_at_least, share_at_most
from confide.core.errors import RequirementError
from confide.core.requirements.base import check_count, exact, is_number
from confide.core.requirements.tables.base import FEW_ALIKE, IN_TABLE, ONE_VALUE, TableRequirement
from confide.core.requirements.tables.terms import Terms
from confide.core.requirements.weakening import Weakening, lower

__all__ = ["SURE", "DeltaPresence", "KMap", "KMapBySize", "KMapByWeight", "benedetti_franconi", "rows_for_people"]

SURE = 0.05
"""The chance with which too small a group of the population may still bring so many rows."""

SMALLER = "someone who knows that the person is one of fewer people than the population that was counted"
LEFT_OUT = "learning that somebody was in the original table and is among the rows left out"
CHANCE = "groups of fewer people whom chance brought into the table so often: k-map is an estimate here"
WEIGHTS = "weights that are wrong, and who recognises a person by the weight itself: k-map is an estimate here"
_UNPROVED = "how many people of the population fit (verify counts them with --population)"
_COMBINATION = "a combination of values that could identify someone (quasi-identifiers)"


@dataclass(frozen=True, kw_only=True)
class _OfPopulation(TableRequirement):
    """A requirement about people of the population, whatever their sensitive values."""

    @property
    def of_sensitive(self) -> bool:
        return False

    @property
    def fewest(self) -> int:
        return 1

    @property
    def closes(self) -> frozenset[str]:
        return frozenset()


@dataclass(frozen=True, kw_only=True)
class KMap(_OfPopulation):
    """k-map: each released combination of quasi-identifier values fits at least k people of the population.

    The population is a table with a row for each person in it, such as a register that an attacker has; it is given
    to the method, and to whoever verifies. A larger k hides better (Sweeney 2001).
    """

    kind = "k-map"
    option_fields: ClassVar[dict[str, str]] = {"k_map": "k", "k": ""}
    counts_population: ClassVar[bool] = True
    unproved: ClassVar[str] = _UNPROVED

    k: int

    def __post_init__(self) -> None:
        check_count("k", self.k, least=2, why="protects nobody")

    def weakenings(self, rows: int) -> list[Weakening]:
        return [lower("k_map", self.k)]

    def promise_in(self, terms: Terms) -> str:
        return (
            "Every combination of values that could identify someone (quasi-identifiers) fits at least "
            f"{self.k} people of the population."
        )

    def stops_in(self, terms: Terms) -> tuple[str, ...]:
        return (f"{terms.linking}, without knowing who is in the table: at least {self.k} people fit",)

    @property
    def leaves_open(self) -> tuple[str, ...]:
        return (IN_TABLE, SMALLER, ONE_VALUE)

    def other_terms_in(self, terms: Terms) -> dict[str, str]:
        return {
            "k-map": f"{self.k}: no combination fits fewer people of the population",
            f"chance to pick the right person for a {terms.member}": (
                f"at most {share_at_most(1 / self.k)} (1/{self.k}), without knowing who is in the table"
            ),
        }


@dataclass(frozen=True, kw_only=True)
class DeltaPresence(_OfPopulation):
    """delta-presence: of the people of the population who fit a combination of values, a share from `low` to `high` is
    in the release.

    Nobody learns with a chance above `high` that a person is in it, nor with one above 1 - `low` that a person is not.
    The release must hold people of the population only, a row for each. With `low` above 0 no row can be left out, and
    every person of the population must fit some row (Nergiz, Atzori, Clifton 2007).
    """

    kind = "delta-presence"
    counts_population: ClassVar[bool] = True
    unproved: ClassVar[str] = _UNPROVED

    low: float
    high: float

    def __post_init__(self) -> None:
        if (
            not is_number(self.low)
            or not is_number(self.high)
            or not (0 <= self.low <= self.high <= 1 and self.high > 0)
        ):
            raise RequirementError(
                f"low={self.low} and high={self.high} are no shares in order; use 0 to 1, as in 0, 0.3",
                parameter="low",
                value=self.low,
            )
        if (self.low, self.high) == (0, 1):
            raise RequirementError(
                "low=0 and high=1 allow everything; use a smaller high or a larger low", parameter="low", value=0
            )

    def allows(self, *, members: int, people: int) -> bool:
        """Whether `members` of the `people` who fit may be in the release, in exact arithmetic."""
        return exact(self.low) * people <= members <= exact(self.high) * people

    def weakenings(self, rows: int) -> list[Weakening]:
        return []

    def promise_in(self, terms: Terms) -> str:
        least = f"at least {share_at_least(self.low)} and " if self.low else ""
        return (
            f"Of the people of the population who fit {_COMBINATION}, {least}at most {share_at_most(self.high)} are in "
            "the release."
        )

    def stops_in(self, terms: Terms) -> tuple[str, ...]:
        found = (f"concluding that a person is in the release with a chance above {share_at_most(self.high)}",)
        absent = f"concluding that a person is not in it with a chance above {share_at_most(1 - self.low)}"
        return (*found, absent) if self.low else found

    @property
    def leaves_open(self) -> tuple[str, ...]:
        return (FEW_ALIKE, SMALLER, LEFT_OUT, ONE_VALUE)

    def other_terms_in(self, terms: Terms) -> dict[str, str]:
        return {
            "presence": (
                f"{share_at_least(self.low)} to {share_at_most(self.high)}: the share of those who fit that is in the "
                "release"
            )
        }


@dataclass(frozen=True, kw_only=True)
class KMapBySize(_OfPopulation):
    """k-map as an estimate: so many rows look alike that they speak for k people, if the table is a random sample.

    `sample` people of a `population` of so many are in the original table. A group of the population with fewer than k
    people brings `k_prime` of them into a random sample with a chance of at most 5% (Poisson's law), so groups of
    `k_prime` rows are asked for: that is promised, and k an estimate. Pannekoek 1999; D3 of El Emam and Dankar 2008.

    >>> [KMapBySize(k=10, population=1_000_000, sample=n).k_prime for n in (10_000, 100_000, 1_000_000)]
    [2, 4, 10]
    """

    kind = "k-map-by-size"
    option_fields: ClassVar[dict[str, str]] = {"k_map": "k", "k": ""}

    k: int
    population: int
    sample: int

    def __post_init__(self) -> None:
        check_count("k", self.k, least=2, why="protects nobody")
        check_count("sample", self.sample, least=1, why="is no number of people")
        check_count("population", self.population, least=1, why="is no number of people")
        if self.population < self.sample:
            raise RequirementError(
                f"population={self.population} is smaller than the table of {self.sample} people; use the number of "
                "all who could be in it",
                parameter="population",
                value=self.population,
            )

    @property
    def k_prime(self) -> int:
        """How many rows (or persons) must look alike."""
        return rows_for_people(self.k, Fraction(self.sample, self.population))

    @property
    def fewest(self) -> int:
        return self.k_prime

    def weakenings(self, rows: int) -> list[Weakening]:
        return [lower("k_map", self.k)]

    def promise_in(self, terms: Terms) -> str:
        return (
            f"At least {self.k_prime} {terms.alike}. Where the table is a random sample of {self.sample:,} of "
            f"{self.population:,} people, fewer than {self.k} who fit would bring so many into it with a chance of "
            f"at most {share_at_most(SURE)} (an estimate)."
        )

    def stops_in(self, terms: Terms) -> tuple[str, ...]:
        return (f"{terms.linking}: {terms.fit.format(self.k_prime)}",)

    @property
    def leaves_open(self) -> tuple[str, ...]:
        return (CHANCE, SMALLER, ONE_VALUE)

    @property
    def closes(self) -> frozenset[str]:
        return frozenset({FEW_ALIKE, IN_TABLE})

    def other_terms_in(self, terms: Terms) -> dict[str, str]:
        return {
            "k'": f"{self.k_prime}: {terms.smallest}",
            f"chance to pick the right {terms.member}": f"at most {share_at_most(1 / self.k_prime)} (1/{self.k_prime})",
            "k-map": f"{self.k}, an estimate from a sample of {share_at_most(self.sample / self.population)}",
        }


@dataclass(frozen=True, kw_only=True)
class KMapByWeight(_OfPopulation):
    """k-map as an estimate from sampling weights: in each group the estimated chance to pick the right person is 1/k.

    The column `weight` says for how many people of the population each row stands, 1 or more. For n rows that look
    alike, whose weights sum to W, the number of people who fit is taken to be as many as a sampling with chance n/W
    needs to find n of them; the mean of 1 over that number is the chance (Benedetti, Franconi 1998).
    """

    kind = "k-map-by-weight"
    option_fields: ClassVar[dict[str, str]] = {"k_map": "k", "k": ""}

    k: int
    weight: str

    def __post_init__(self) -> None:
        check_count("k", self.k, least=2, why="protects nobody")
        if not isinstance(self.weight, str) or not self.weight:
            raise RequirementError(
                f"weight={self.weight!r} is not a name; use that of the column with the weights",
                parameter="weight",
                value=self.weight,
            )

    def allows(self, *, rows: int, weight: float) -> bool:
        """Whether so many rows with weights of this sum may look alike."""
        return rows >= self.k or benedetti_franconi(rows, weight) <= 1 / self.k

    def least_weight(self, rows: int) -> float:
        """The smallest sum of weights, to a millionth, with which so many rows may look alike."""
        return _least_weight(self.k, rows)

    def weakenings(self, rows: int) -> list[Weakening]:
        return [lower("k_map", self.k)]

    def promise_in(self, terms: Terms) -> str:
        return (
            f"{terms.each}, the chance to pick the right one of those who fit is at most {share_at_most(1 / self.k)}, "
            f"by an estimate from the weights in {self.weight!r} (Benedetti and Franconi)."
        )

    def stops_in(self, terms: Terms) -> tuple[str, ...]:
        about = f"about {self.k} people fit, by the weights in {self.weight!r}"
        return (f"{terms.linking}, without knowing who is in the table: {about}",)

    @property
    def leaves_open(self) -> tuple[str, ...]:
        return (WEIGHTS, IN_TABLE, SMALLER, ONE_VALUE)

    def other_terms_in(self, terms: Terms) -> dict[str, str]:
        return {"k-map": f"{self.k}, an estimate from the weights in {self.weight!r}"}


@cache
def rows_for_people(k: int, fraction: Fraction) -> int:
    """The fewest rows that speak for k people: more than 1, no more than k, and with a mean of k times the `fraction`
    Poisson's law reaches them with a chance of at most `SURE`.

    >>> rows_for_people(10, Fraction(1, 100)), rows_for_people(10, Fraction(1, 10)), rows_for_people(5, Fraction(1))
    (2, 4, 5)
    """
    mean = float(k * fraction)
    rows, term = 0, exp(-mean)
    below = term  # the chance of fewer than rows + 1
    while 1 - below > SURE and rows < k:
        rows += 1
        term *= mean / rows
        below += term
    return min(k, max(2, rows + 1))


def benedetti_franconi(rows: int, weight: float) -> float:
    """The mean of 1/F, where F trials with success rate rows/weight bring the first `rows` successes.

    With p that rate, the integral over u from 0 to 1 of u**(rows - 1) / (1 + c u), c = (1 - p)/p.

    >>> round(benedetti_franconi(1, 100), 6), benedetti_franconi(4, 4)
    (0.046517, 0.25)
    """
    if weight <= rows:
        return 1 / rows
    c = weight / rows - 1
    if c >= 1:  # I(1) = ln(1 + c)/c, I(n + 1) = (1/n - I(n))/c: errors do not grow
        found = log1p(c) / c
        for n in range(1, rows):
            found = (1 / n - found) / c
        return found
    share = c / (1 + c)  # otherwise a series of ever smaller positive terms, by parts
    term = 1 / (rows * (1 + c))
    found, place = 0.0, 0
    while term > 1e-18 * found:
        found += term
        place += 1
        term *= share * place / (rows + place)
    return found


@cache
def _least_weight(k: int, rows: int) -> float:
    if rows >= k:
        return 0.0
    low = high = float(rows)
    while benedetti_franconi(rows, high) > 1 / k:
        low, high = high, 2 * high
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (low, middle) if benedetti_franconi(rows, middle) <= 1 / k else (middle, high)
    return high
