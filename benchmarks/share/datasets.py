"""The data of paper 002, Table 1, with domains declared as owners would agree on them.

Adult has occupation as its class and the income class among its attributes. Mushroom stands in for Train, which is not
to be had. Bins of numbers are round and public, not taken from the records.
"""

import pathlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from confide.core.trees.published import Attribute
from confide.share import Domains

__all__ = ["NAMES", "Dataset", "load"]

TARGET = "the class"
NAMES = ("adult", "nursery", "car", "cmc", "mushroom")

_ADULT = ["age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship"]
_ADULT += ["race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income"]
_NURSERY = ["parents", "has_nurs", "form", "children", "housing", "finance", "social", "health", "class"]
_BINS = {
    "adult": {
        "age": (16, *range(20, 80, 5), 100),
        "fnlwgt": (0, 50_000, 100_000, 150_000, 200_000, 250_000, 300_000, 400_000, 2_000_000),
        "education-num": tuple(range(17)),
        "capital-gain": (-1, 0, 1_000, 2_000, 5_000, 10_000, 20_000, 100_000),
        "capital-loss": (-1, 0, 1_000, 1_500, 2_000, 2_500, 5_000),
        "hours-per-week": (0, 10, 20, 30, 35, 39, 40, 45, 50, 60, 100),
    },
    "cmc": {"wifeAge": (15, 20, 25, 30, 35, 40, 45, 50), "numChildren": (-1, 0, 1, 2, 3, 4, 5, 6, 8, 20)},
}


@dataclass(frozen=True)
class Dataset:
    """A table, its class column apart, and the domains that owners agree on."""

    name: str
    X: pl.DataFrame
    y: Any
    attributes: tuple[Attribute, ...]
    classes: tuple[str, ...]

    @property
    def domains(self) -> Domains:
        """What owners agree on, the class called TARGET."""
        return Domains(target=TARGET, classes=self.classes, attributes=self.attributes)

    @property
    def table(self) -> pa.Table:
        """The attributes, and the class last."""
        return self.X.to_arrow().append_column(TARGET, pa.array(self.y.astype(str).tolist(), pa.string()))


def load(data: pathlib.Path, name: str) -> Dataset:
    """One of `NAMES`; rows with missing values left out, as the paper does."""
    table, target = _READERS[name](data)
    bins = dict(_BINS.get(name, {}))
    if name == "cmc":  # whatever the file calls its two numeric columns
        numeric = [column for column in table.columns if column != target and table[column].n_unique() > 8]
        bins = dict(zip(numeric, _BINS["cmc"].values(), strict=True))
    table = table.with_columns(
        pl.col(column).cast(pl.Float64) if column in bins else pl.col(column).cast(pl.String)
        for column in table.columns
    )
    X = table.drop(target)
    attributes = tuple(
        Attribute(name=column, kind="numeric", bins=tuple(map(float, bins[column])))
        if column in bins
        else Attribute(name=column, kind="categorical", values=tuple(sorted(X[column].unique().to_list())))
        for column in X.columns
    )
    y = table[target].to_numpy()
    return Dataset(name, X, y, attributes, tuple(np.unique(y.astype(str)).tolist()))


def _adult(data: pathlib.Path) -> tuple[pl.DataFrame, str]:
    text = dict.fromkeys(_ADULT, pl.String)
    parts = [
        pl.read_csv(data / "adult" / file, has_header=False, new_columns=_ADULT, schema=text, skip_rows=skip)
        for file, skip in (("adult.data.gz", 0), ("adult.test.gz", 1))
    ]
    table = pl.concat(parts).with_columns(pl.all().str.strip_chars(" ."))
    return table.filter(~pl.any_horizontal(pl.all() == "?")), "occupation"


def _nursery(data: pathlib.Path) -> tuple[pl.DataFrame, str]:
    path = data / "uci_small" / "nursery.data.gz"
    return pl.read_csv(path, has_header=False, new_columns=_NURSERY, infer_schema=False), "class"


def _car(data: pathlib.Path) -> tuple[pl.DataFrame, str]:
    return pl.read_csv(data / "uci_small" / "car.csv.gz", infer_schema=False), "deal"


def _cmc(data: pathlib.Path) -> tuple[pl.DataFrame, str]:
    table = pl.read_csv(data / "uci_small" / "cmc.csv.gz")
    return table, table.columns[-1]


def _mushroom(data: pathlib.Path) -> tuple[pl.DataFrame, str]:
    names = ["class", *(f"x{j}" for j in range(1, 23))]
    table = pl.read_csv(
        data / "mushroom" / "agaricus-lepiota.data.gz", has_header=False, new_columns=names, infer_schema=False
    )
    return table, "class"


_READERS = {"adult": _adult, "nursery": _nursery, "car": _car, "cmc": _cmc, "mushroom": _mushroom}
