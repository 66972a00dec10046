"""The Adult table and hierarchies for it: what the benchmarks of `publish table` run on.

30,162 complete training rows; nine quasi-identifiers of 5 x 3 x 4 x 3 x 3 x 2 x 2 x 3 x 2 levels: a lattice of 12,960
generalisations. The groupings are our own, in the words of the census.
"""

import gzip
import pathlib
from collections.abc import Mapping

import pyarrow as pa

from confide.core.tables.hierarchy import Hierarchy
from confide.core.tables.schema import Column, Schema

NAMES = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship"),
    *("race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "salary-class"),
)
QUASI = (
    "age",
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "native-country",
    "salary-class",
)

_WORKCLASS = {
    "Private": "Private",
    "Self-emp-not-inc": "Self-employed",
    "Self-emp-inc": "Self-employed",
    "Federal-gov": "Government",
    "Local-gov": "Government",
    "State-gov": "Government",
    "Without-pay": "Unemployed",
    "Never-worked": "Unemployed",
}
_EDUCATION = {
    "Preschool": ("Primary school", "Primary education"),
    "1st-4th": ("Primary school", "Primary education"),
    "5th-6th": ("Primary school", "Primary education"),
    "7th-8th": ("High school", "Secondary education"),
    "9th": ("High school", "Secondary education"),
    "10th": ("High school", "Secondary education"),
    "11th": ("High school", "Secondary education"),
    "12th": ("High school", "Secondary education"),
    "HS-grad": ("High school", "Secondary education"),
    "Some-college": ("Undergraduate", "Higher education"),
    "Assoc-voc": ("Professional education", "Higher education"),
    "Assoc-acdm": ("Professional education", "Higher education"),
    "Prof-school": ("Professional education", "Higher education"),
    "Bachelors": ("Undergraduate", "Higher education"),
    "Masters": ("Graduate", "Higher education"),
    "Doctorate": ("Graduate", "Higher education"),
}
_MARITAL = {
    "Married-civ-spouse": "Spouse present",
    "Married-AF-spouse": "Spouse present",
    "Married-spouse-absent": "Spouse not present",
    "Separated": "Spouse not present",
    "Divorced": "Spouse not present",
    "Widowed": "Spouse not present",
    "Never-married": "Spouse not present",
}
_OCCUPATION = {
    "Tech-support": "Technical",
    "Craft-repair": "Technical",
    "Prof-specialty": "Technical",
    "Machine-op-inspct": "Technical",
    "Sales": "Nontechnical",
    "Exec-managerial": "Nontechnical",
    "Handlers-cleaners": "Nontechnical",
    "Adm-clerical": "Nontechnical",
    "Transport-moving": "Other",
    "Other-service": "Other",
    "Farming-fishing": "Other",
    "Priv-house-serv": "Other",
    "Protective-serv": "Other",
    "Armed-Forces": "Other",
}
_COUNTRIES = {
    "North America": (
        "United-States Canada Mexico Cuba Jamaica Haiti Honduras Guatemala Nicaragua El-Salvador Dominican-Republic "
        "Puerto-Rico Trinadad&Tobago Outlying-US(Guam-USVI-etc)"
    ),
    "South America": "Columbia Ecuador Peru",
    "Europe": (
        "England Germany France Italy Poland Portugal Ireland Scotland Greece Hungary Yugoslavia Holand-Netherlands"
    ),
    "Asia": "India China Japan Iran Philippines Vietnam Thailand Taiwan Laos Cambodia Hong South",
}


def hierarchies() -> dict[str, Hierarchy]:
    """A hierarchy for each of the nine quasi-identifiers."""
    return {
        "age": Hierarchy.intervals(range(15, 95), widths=[5, 10, 20], origin=15),
        "workclass": _grouped({value: (group,) for value, group in _WORKCLASS.items()}),
        "education": _grouped(_EDUCATION),
        "marital-status": _grouped({value: (group,) for value, group in _MARITAL.items()}),
        "occupation": _grouped({value: (group,) for value, group in _OCCUPATION.items()}),
        "race": Hierarchy.flat(["White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"]),
        "sex": Hierarchy.flat(["Male", "Female"]),
        "native-country": _grouped({value: (part,) for part, all_ in _COUNTRIES.items() for value in all_.split()}),
        "salary-class": Hierarchy.flat(["<=50K", ">50K"]),
    }


def _grouped(groups: Mapping[str, tuple[str, ...]]) -> Hierarchy:
    return Hierarchy.from_rows([(value, *above, "*") for value, above in groups.items()])


def table(data: pathlib.Path, columns: tuple[str, ...] = QUASI) -> pa.Table:
    """The complete training rows, every value as text."""
    with gzip.open(data / "adult" / "adult.data.gz", "rt") as lines:
        rows = [line.rstrip("\n").split(", ") for line in lines if line.strip() and "?" not in line]
    return pa.table({name: [row[NAMES.index(name)] for row in rows] for name in columns})


def schema(*, sensitive: str | None = None, columns: tuple[str, ...] = QUASI) -> Schema:
    """Every column a quasi-identifier with its hierarchy, but `sensitive`."""
    given = hierarchies()
    return Schema(
        {
            name: Column(role="sensitive")
            if name == sensitive
            else Column(role="quasi-identifier", hierarchy=given[name])
            for name in columns
        }
    )
