"""A released table judged from its file and its passport: csv, pyarrow and fractions, and nothing of ours.

What counts as equal is what the file shows. A sensitive cell that is empty is missing, however it is written.
"""

import csv
import functools
import gzip
import io
import json
import zipfile
from collections import defaultdict
from fractions import Fraction
from xml.etree import ElementTree

import pyarrow as pa
import pyarrow.parquet as pq

from tests.oracles import tables as oracles

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"

__all__ = ["judge", "read_columns", "read_judged", "smallest_group"]


def read_columns(path):
    """The columns of a released file, by name: text from CSV and workbooks, values from Parquet."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    elif path.suffix == ".zst":
        data = pa.input_stream(pa.BufferReader(data), compression="zstd").read()
    if ".parquet" in path.name:
        return pq.read_table(pa.BufferReader(data)).to_pydict()
    rows = _sheet(data) if path.suffix == ".xlsx" else list(csv.reader(io.StringIO(data.decode(), newline="")))
    return {name: [row[place] for row in rows[1:]] for place, name in enumerate(rows[0])}


def _sheet(data):
    """The cells of the one sheet of a workbook, as text."""
    book = zipfile.ZipFile(io.BytesIO(data))
    (name,) = [name for name in book.namelist() if name.startswith("xl/worksheets/")]
    rows = []
    for row in ElementTree.fromstring(book.read(name)).iter(f"{_MAIN}row"):
        cells = {}
        for cell in row:
            letters = cell.get("r").rstrip("0123456789")
            place = functools.reduce(lambda number, letter: 26 * number + ord(letter) - 64, letters, 0) - 1
            cells[place] = "".join(cell.itertext())
        rows.append([cells.get(place, "") for place in range(max(cells, default=-1) + 1)])
    return [row + [""] * (len(rows[0]) - len(row)) for row in rows]


def read_judged(path):
    """The columns of a release, its passport, and whether the promise of the passport holds of the columns."""
    columns = read_columns(path)
    passport = json.loads(path.with_name(path.name + ".passport.json").read_text())
    return columns, passport, judge(columns, passport["context"], passport["requirement"])


def judge(columns, context, requirement):
    """Whether a requirement, as its passport writes it, holds of a table whose columns have these roles."""
    roles = context["roles"]
    named = {role: [name for name in columns if roles[name] == role] for role in set(roles.values())}
    quasi, sensitive = named.get("quasi-identifier", []), named.get("sensitive", [])
    persons = named.get("person", [])
    person = persons[0] if persons else None
    if any(roles[name] == "identifier" for name in columns) and not context.get("pseudonyms"):
        return False
    if person is not None and not _numbered(columns, quasi, person):
        return False
    return _holds(columns, quasi, sensitive, person, context.get("orders", {}), requirement)


def smallest_group(columns, roles):
    """The fewest rows, and the fewest persons (None without a person column), that share all quasi-identifiers."""
    quasi = [name for name in columns if roles[name] == "quasi-identifier"]
    persons = [name for name in columns if roles[name] == "person"]
    rows, people = defaultdict(int), defaultdict(set)
    for row, key in enumerate(_keys(columns, quasi)):
        rows[key] += 1
        if persons:
            people[key].add(columns[persons[0]][row])
    return min(rows.values()), min(map(len, people.values())) if persons else None


def _keys(columns, quasi):
    return zip(*(columns[name] for name in quasi), strict=True)


def _numbered(columns, quasi, person):
    """Persons count 1, 2, 3, ... by first appearance within their group."""
    seen = defaultdict(int)
    for row, key in enumerate(_keys(columns, quasi)):
        number = int(columns[person][row])
        if number < 1 or number > seen[key] + 1:
            return False
        seen[key] = max(seen[key], number)
    return True


def _holds(columns, quasi, sensitive, person, orders, requirement):
    asked = {name: value for name, value in requirement.items() if name != "kind"}
    kind = requirement["kind"]
    if kind == "all-of":
        return all(_holds(columns, quasi, sensitive, person, orders, part) for part in asked["parts"])
    if kind == "others-known":
        if person is not None or len(sensitive) < 2:
            return False
        known = {name: [other for other in sensitive if other != name] for name in sensitive}
        return all(_holds(columns, [*quasi, *known[name]], [name], None, orders, asked["of"]) for name in sensitive)
    if kind == "k-anonymity":
        rows = {"": [None] * len(columns[quasi[0]])}
        return oracles.holds(oracles.members({**columns, **rows}, quasi, "", person), kind, **asked)
    return bool(sensitive) and all(
        _column_holds(columns, quasi, name, person, orders.get(name), kind, asked) for name in sensitive
    )


def _column_holds(columns, quasi, name, person, order, kind, asked):
    values = [None if value == "" else value for value in columns[name]]
    if kind == "t-closeness" and asked["ordered"]:
        if None in values:
            return False
        values = _places(values, order)
        if values is None:
            return False
    return oracles.holds(oracles.members({**columns, name: values}, quasi, name, person), kind, **asked)


def _places(values, order):
    if order is not None:
        place = {value: number for number, value in enumerate(order)}
        return [place[_text(value)] for value in values]
    try:
        return [Fraction(value) for value in values]
    except (ValueError, OverflowError, TypeError):
        return None


def _text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)
