"""Columns, bins and values as the options of `collect` commands write them."""

import csv
from collections.abc import Sequence

from confide.core.errors import UsageError

__all__ = ["parsed_bins", "parsed_columns", "parsed_values"]


def parsed_columns(text: str | None) -> list[str] | None:
    """`age,sex` as names; None for all."""
    return None if text is None else [name.strip() for name in text.split(",")]


def parsed_bins(texts: Sequence[str]) -> dict[str, tuple[float, ...]]:
    """`age=35,55` as {"age": (35, 55)}; whole numbers stay whole."""
    found = {}
    for text in texts:
        name, sign, edges = text.partition("=")
        try:
            found[name] = tuple(_edge(edge.strip()) for edge in edges.split(","))
        except ValueError:
            sign = ""
        if not sign or not name:
            raise UsageError(f"--bins {text!r}: write NAME=EDGE,EDGE,..., such as age=35,55")
    return found


def parsed_values(texts: Sequence[str]) -> dict[str, list[str]]:
    """`sex=female,male` as {"sex": ["female", "male"]}; a value with a comma stands in quotes, as in a CSV."""
    found = {}
    for text in texts:
        name, sign, values = text.partition("=")
        listed = [value.strip() for value in next(csv.reader([values], skipinitialspace=True), [])]
        if not sign or not name or len(listed) < 2 or not all(listed):
            raise UsageError(f"--values {text!r}: write NAME=VALUE,VALUE,..., such as sex=female,male")
        found[name] = listed
    return found


def _edge(text: str) -> float:
    return int(text) if text.lstrip("-").isdigit() else float(text)
