"""A registry of invented people: who they are, where they live, what they do, and a diagnosis to protect.

Columns depend on each other as in life, so that a tree has something to learn and a linker something to link:

    district -> education -> occupation -> income
                   age ------^      sex, age, occupation, income -> diagnosis

Nobody in it exists. Names are made of syllables, postcodes of no country.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import RequirementError
from confide.core.samples import _population
from confide.core.samples._draws import Draws

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["people", "people_hierarchies", "people_schema"]


def people(rows: int = 1000, *, seed: int = 1) -> "pa.Table":
    """Invent `rows` people; columns are those of `people_schema`.

    `seed`: the same seed gives the same people on any machine. A million rows take a few seconds.

    >>> people(3, seed=1).column_names
    ['id', 'name', 'age', 'sex', 'postcode', 'occupation', 'education', 'income', 'diagnosis']
    """
    import pyarrow as pa

    if not 0 <= rows <= 100_000_000:
        raise RequirementError(f"rows={rows} is outside 0 to 100,000,000", parameter="rows", value=rows)
    draws = Draws(seed, "people")
    codes, wealth = _postcodes()
    sex = draws.below(2, rows)
    age = _ages(draws, rows)
    place = draws.pick(_place_weights(len(codes)), rows)
    education = draws.pick_by_group(_population.EDUCATION_BY_WEALTH, wealth[place])
    education = np.minimum(education, _highest_education(age))
    occupation = _occupations(draws, sex, age, education)
    income = _incomes(draws, age, occupation)
    diagnosis = _diagnoses(draws, sex, age, occupation, income)
    width = max(4, len(str(rows)))
    return pa.table(
        {
            "id": pa.array([f"P{number:0{width}}" for number in range(1, rows + 1)], pa.string()),
            "name": pa.array(_names(draws, rows), pa.string()),
            "age": pa.array(age, pa.int64()),
            "sex": _labelled(_population.SEX, sex),
            "postcode": _labelled(codes, place),
            "occupation": _labelled(tuple(_population.SECTOR), occupation),
            "education": _labelled(tuple(_population.EDUCATION), education),
            "income": _labelled(_population.INCOME, income),
            "diagnosis": _labelled(_population.DIAGNOSIS, diagnosis),
        }
    )


def people_schema() -> dict[str, dict[str, str]]:
    """The role of each column of `people`, as `Schema.from_dict` takes it.

    >>> people_schema()["age"]
    {'role': 'quasi-identifier'}
    """
    roles = {
        "id": "identifier",
        "name": "identifier",
        "age": "quasi-identifier",
        "sex": "quasi-identifier",
        "postcode": "quasi-identifier",
        "occupation": "quasi-identifier",
        "education": "quasi-identifier",
        "income": "class",
        "diagnosis": "sensitive",
    }
    return {column: {"role": role} for column, role in roles.items()}


def people_hierarchies() -> dict[str, list[tuple[str, ...]]]:
    """For each quasi-identifier of `people`, one row per value: the value and its generalisations up to "*".

    `Hierarchy.from_rows` takes the rows of a column as they are.
    Every value that `people` can produce has its row, for any seed and any number of rows.

    >>> people_hierarchies()["age"][16]
    ('34', '30-34', '30-39', '20-39', '*')
    """
    ages = [
        (str(age), *(_interval(age, width) for width in (5, 10, 20)), "*")
        for age in range(_population.YOUNGEST, _population.OLDEST + 1)
    ]
    return {
        "age": ages,
        "sex": [(sex, "*") for sex in _population.SEX],
        "postcode": [(*(code[: 5 - i] + "*" * i for i in range(5)), "*") for code in _postcodes()[0]],
        "occupation": [(occupation, *above, "*") for occupation, above in _population.SECTOR.items()],
        "education": [(education, above, "*") for education, above in _population.EDUCATION.items()],
    }


def _interval(value: int, width: int) -> str:
    low = value - value % width
    return f"{low}-{low + width - 1}"


def _postcodes() -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Ninety-six postcodes, and how wealthy each place is.

    A digit each for four regions, three areas of a region, two towns of an area, two quarters of a town, two
    districts of a quarter.
    """
    codes, wealth = [], []
    for place in np.ndindex(4, 3, 2, 2, 2):
        region, area, town, quarter, district = place
        codes.append(f"{2 * region + 1}{3 * area + region % 3}{4 * town + area}{5 * quarter + town}{district + 1}")
        wealth.append((region + 2 * area + town + quarter + sum(place) // 3) % 4)
    return tuple(codes), np.array(wealth, dtype=np.int64)


def _place_weights(n: int) -> NDArray[np.float64]:
    """The first area of a region holds its capital, and the first quarter of a town its centre."""
    place = np.arange(n)
    return np.array([5.0, 2.0, 1.0])[place // 8 % 3] * np.where(place // 2 % 2 == 0, 1.5, 1.0)


def _ages(draws: Draws, rows: int) -> NDArray[np.int64]:
    ages = np.arange(_population.YOUNGEST, _population.OLDEST + 1)
    weights = np.where(ages < 62, 1.0, np.maximum(0.02, 1.0 - (ages - 62) / 33))
    return _population.YOUNGEST + draws.pick(weights, rows)


def _highest_education(age: NDArray[np.int64]) -> NDArray[np.int64]:
    """The most that a person of this age can have completed: upper secondary, bachelor, master, doctorate."""
    return np.array([2, 5, 6, 7])[np.searchsorted([21, 23, 27], age, side="right")]


def _occupations(
    draws: Draws, sex: NDArray[np.int64], age: NDArray[np.int64], education: NDArray[np.int64]
) -> NDArray[np.int64]:
    women = np.array(_population.WORK_BY_EDUCATION, dtype=np.float64)
    men = women * np.array(_population.MALE_TILT)
    stage = np.array([0, 0, 0, 1, 1, 2, 2, 2])[education]
    occupation = draws.pick_by_group(np.concatenate([women, men]), 3 * sex + stage)
    mark = draws.uniforms(len(age))
    names = list(_population.SECTOR)
    retired = mark < np.clip((age - 58) / 10, 0, 0.98)
    out_of_work = mark > np.array([0.91, 0.95, 0.97])[stage]
    studying = (age < 27) & (mark < (27 - age) / 12)
    occupation[out_of_work] = names.index("unemployed")
    occupation[studying] = names.index("student")
    occupation[retired] = names.index("retired")
    return occupation


def _incomes(draws: Draws, age: NDArray[np.int64], occupation: NDArray[np.int64]) -> NDArray[np.int64]:
    # The sum of two uniform numbers is a cheap bell; experience is worth most of a step by the age of fifty.
    bell = draws.uniforms(len(age)) + draws.uniforms(len(age)) - 1
    working = occupation < len(_population.WORK)
    experience = working * np.clip((age - 25) / 25, -0.2, 0.9)
    step = np.array(_population.INCOME_STEP)[occupation] + experience + 1.1 * bell
    return np.clip(np.floor(step + 0.3), 0, len(_population.INCOME) - 1).astype(np.int64)


def _diagnoses(
    draws: Draws,
    sex: NDArray[np.int64],
    age: NDArray[np.int64],
    occupation: NDArray[np.int64],
    income: NDArray[np.int64],
) -> NDArray[np.int64]:
    rows = []
    for by_age in _population.DIAGNOSIS_BY_AGE:
        for is_male in (0, 1):
            for is_manual in (0, 1):
                for is_poor in (0, 1):
                    weights = np.array(by_age, dtype=np.float64)
                    weights *= 1.0 if is_male else np.array(_population.FEMALE_DIAGNOSIS_TILT)
                    weights *= np.array(_population.MANUAL_DIAGNOSIS_TILT) if is_manual else 1.0
                    weights *= np.array(_population.POOR_DIAGNOSIS_TILT) if is_poor else 1.0
                    rows.append(weights)
    manual = np.array([kind == "manual" for _, kind in _population.SECTOR.values()])[occupation]
    group = 8 * np.searchsorted([35, 55, 70], age, side="right") + 4 * sex + 2 * manual + (income == 0)
    return draws.pick_by_group(rows, group)


def _names(draws: Draws, rows: int) -> list[str]:
    """A given name and a family name of two syllables each."""
    onsets, vowels, endings = _population.ONSETS, _population.VOWELS, _population.ENDINGS
    words = []
    for _ in range(2):
        parts = [onsets, vowels, onsets, vowels, endings]
        drawn = [draws.below(len(part), rows).tolist() for part in parts]
        words.append(
            [
                "".join(part[i] for part, i in zip(parts, picks, strict=True)).capitalize()
                for picks in zip(*drawn, strict=True)
            ]
        )
    return [f"{given} {family}" for given, family in zip(*words, strict=True)]


def _labelled(labels: tuple[str, ...], codes: NDArray[np.int64]) -> "pa.Array":
    import pyarrow as pa

    return pa.array(labels, pa.string()).take(pa.array(codes))
