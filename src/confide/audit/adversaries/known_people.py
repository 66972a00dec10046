"""Someone who knows a person's quasi-identifiers, and looks the person up: in the original, and in the release.

Three attacks on each row of the original, one after the other, and the outcome over all rows, exactly:

    linkage                which released rows can be this person? those whose every label fits
    homogeneity            do they all have one sensitive value? then it is known
    background knowledge   the attacker also knows some sensitive values that the person does not have: the commonest
                           others among the rows that fit, which helps most. What is left?

In a release by local recoding a person may fit several groups; all rows of all of them fit. A column that is released
as numbers excludes nobody; of the rows that fit otherwise, those with the nearest numbers are taken. The numbers are
risks, for the owner: they need the original. They prove nothing, verifiers do that.

Where a column has the role "person", people are counted, not rows: those who fit are the persons of the groups that fit
(of several groups the largest, since nobody can tell how many persons are in more than one), a value is certain if all
of them have it, and each person of the original counts once, by the row with which the attacker gets furthest.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.audit.adversaries.attacker_columns import fits, texts_of
from confide.audit.verifiers.grouping import NumberedColumn, group_rows
from confide.core.errors import InputError, UsageError
from confide.core.figures import ShownFields
from confide.core.tables.frames import to_table
from confide.core.tables.schema import Column, Schema, SchemaLike, schema_of

if TYPE_CHECKING:
    import pyarrow as pa


__all__ = ["TableAttack", "attack_table"]

_CELLS_A_BLOCK = 1 << 24


@dataclass(frozen=True, kw_only=True)
class TableAttack(ShownFields):
    """What an attacker finds who looks up each of `people` of the original. Shares and chances are over these.

    Each row is a person, unless the schema names a column of persons. `fewest_matches`: released rows (or persons) that
    fit the person with fewest, of those who fit any. `absent`: share whom no released row fits. `identified`: share
    whom exactly one fits. `mean_success`: the chance to pick the right one.
    For each sensitive column, `certain` is the share of people whose matching rows all have one value; `guessed` the
    share whose value is the commonest among the matches; `certain_after` the share whose true value is the only one
    left once `ruled_out` other values are excluded, and `chance_after` the mean chance of the true value then.
    """

    people: int
    ruled_out: int
    fewest_matches: int
    absent: float
    identified: float
    mean_success: float
    certain: Mapping[str, float]
    guessed: Mapping[str, float]
    certain_after: Mapping[str, float]
    chance_after: Mapping[str, float]

    def lines(self) -> list[str]:
        """For the owner: who is found and what is certain, at once and once values are ruled out."""
        certain = ", ".join(f"{name} of {share:.1%}" for name, share in self.certain.items())
        after = ", ".join(f"{name} of {share:.1%}" for name, share in self.certain_after.items())
        told = [f"{self.identified:.1%} of {self.people:,} people are found; certain: {certain or 'nothing'}"]
        if after:
            others = f"{self.ruled_out} other value{'s' * (self.ruled_out != 1)}"
            told.append(f"certain once {others} can be ruled out: {after}")
        return told


def attack_table(frame: Any, *, schema: SchemaLike, release: Any = None, ruled_out: int = 1) -> TableAttack:
    """Attack a table, or what was released of it, with the quasi-identifiers of each of its rows.

    `schema` (a `Schema`, a dict or a TOML file) gives roles, and the hierarchies by which labels of the release are
    read. `ruled_out` is how many sensitive values the attacker can exclude; a larger one makes a stronger attacker. For
    a before and after call it without and with `release`. Takes time in the number of different people times different
    released groups.

    >>> import pyarrow as pa
    >>> from confide import Schema
    >>> schema = Schema.from_dict({"age": {"role": "quasi-identifier"}, "illness": {"role": "sensitive"}})
    >>> people = pa.table({"age": [30, 31, 45, 46], "illness": ["flu", "gout", "flu", "none"]})
    >>> coarse = pa.table({"age": ["30-39", "40-49", "30-39", "40-49"], "illness": ["flu", "none", "gout", "flu"]})
    >>> attack_table(people, schema=schema).identified
    1.0
    >>> after = attack_table(people, schema=schema, release=coarse)
    >>> after.identified, after.certain["illness"], after.certain_after["illness"]
    (0.0, 0.0, 1.0)
    """
    schema = schema_of(schema)
    original = schema.read_texts(to_table(frame))
    target = original if release is None else to_table(release)
    quasi, sensitive = schema.named("quasi-identifier"), schema.named("sensitive")
    for table in (original, target):
        needed = (*quasi, *sensitive, *schema.named("person"))
        missing = [name for name in needed if name not in table.column_names]
        if missing:
            raise InputError(f"no column {missing[0]!r}; columns are: {', '.join(table.column_names)}")
    if not quasi:
        raise UsageError("no column has the role quasi-identifier, so there is nothing to link by")
    if ruled_out < 0:
        raise UsageError(
            f"ruled_out={ruled_out} is no number of values; use 0 or more", parameter="ruled_out", value=ruled_out
        )
    if original.num_rows == 0:
        raise InputError("there are no rows to attack")
    return _Attack(original, target, schema, release is not None).outcome(ruled_out)


class _Attack:
    """The people by their different combinations, the released rows by theirs, and which fit which."""

    def __init__(self, original: "pa.Table", target: "pa.Table", schema: Schema, released: bool):
        quasi = schema.named("quasi-identifier")
        self.released = released
        self.people, known = _combinations(original, quasi)
        self.rows, told = _combinations(target, quasi) if released else (self.people, known)
        self.covers = []
        if released:
            self.covers = [
                np.ones((len(values), len(labels)), dtype=np.bool_)
                if schema.columns[name].release is not None
                else fits(values, labels, hierarchy=_hierarchy(schema, name, original), column=name)
                for name, (values, _), (labels, _) in zip(quasi, known, told, strict=True)
            ]
            self.axes = [
                _axis(schema.columns[name], here, there)
                for name, here, there in zip(quasi, known, told, strict=True)
                if schema.columns[name].release is not None
            ]
        self.known = [codes for _, codes in known]
        self.told = [codes for _, codes in told]
        self.sensitive = {name: _shared_codes(original, target, name) for name in schema.named("sensitive")}
        named = schema.named("person")
        self.persons = texts_of(original.column(named[0]), name=named[0])[0] if named else None
        self.members = texts_of(target.column(named[0]), name=named[0])[0] if named else None

    def outcome(self, ruled_out: int) -> TableAttack:
        n_people, n_rows = len(self.known[0]), len(self.told[0])
        everybody = np.zeros(len(self.rows), dtype=np.int64)
        sizes = _histogram(self.rows, everybody, (n_rows, 1), self.members)[:, 0]
        matches, fitting = np.zeros(n_people), np.zeros(n_people)
        seen = {name: np.zeros((n_people, values)) for name, (_, _, values) in self.sensitive.items()}
        tables = {
            name: _histogram(self.rows, theirs, (n_rows, values), self.members)
            for name, (_, theirs, values) in self.sensitive.items()
        }
        if not self.released:  # who is looked up in the original fits their own combination, and no other
            return self._outcome(sizes, sizes, tables, ruled_out)
        from scipy.sparse import csr_array

        step = max(1, _CELLS_A_BLOCK // max(1, n_rows))
        told = [covers[:, codes] for covers, codes in zip(self.covers, self.told, strict=True)]
        for low in range(0, n_people, step):
            block = slice(low, min(low + step, n_people))
            fit = np.ones((block.stop - low, n_rows), dtype=np.bool_)
            for covers, known in zip(told, self.known, strict=True):
                fit &= covers[known[block]]
            if self.axes:
                fit = _nearest(fit, [(own[block], shown) for own, shown in self.axes])
            weights = csr_array(fit, dtype=np.float64)  # a person fits few groups of many
            fitting[block] = weights @ sizes
            matches[block] = fitting[block] if self.members is None else _largest(weights, sizes)
            for name, table in tables.items():
                seen[name][block] = weights @ table
        return self._outcome(matches, fitting, seen, ruled_out)

    def _outcome(
        self,
        matches: NDArray[np.float64],
        fitting: NDArray[np.float64],
        seen: dict[str, NDArray[np.float64]],
        ruled_out: int,
    ) -> TableAttack:
        """The outcome, by how many fit each combination: people at least, and those whose values were counted."""
        found, all_ = matches[self.people], fitting[self.people]  # for each row of the original
        here = found > 0
        chance = np.divide(1.0, found, out=np.zeros(len(found)), where=here)
        certain, guessed, certain_after, chance_after = {}, {}, {}, {}
        for name, (mine, _, _) in self.sensitive.items():
            counts = seen[name]
            certain[name] = self._share(here & (counts.max(axis=1)[self.people] == all_))
            guessed[name] = self._share(here & (counts.argmax(axis=1)[self.people] == mine))
            own, left = _after(counts, self.people, mine, ruled_out)
            certain_after[name] = self._share((own > 0) & (own == left))
            share = np.divide(own, left, out=np.zeros(len(own)), where=own > 0)
            chance_after[name] = self._share(np.minimum(share, 1.0))
        return TableAttack(
            people=len(found) if self.persons is None else len(np.unique(self.persons)),
            ruled_out=ruled_out,
            fewest_matches=int(found[here].min()) if here.any() else 0,
            absent=1.0 - self._share(here) if self.persons is not None else float(np.mean(~here)),
            identified=self._share(found == 1),
            mean_success=self._share(chance),
            certain=certain,
            guessed=guessed,
            certain_after=certain_after,
            chance_after=chance_after,
        )

    def _share(self, rows: NDArray[Any]) -> float:
        """The mean over people of what holds of a row of theirs, at its largest."""
        if self.persons is None:
            return float(np.mean(rows))
        most = np.zeros(int(self.persons.max()) + 1)
        np.maximum.at(most, self.persons, rows.astype(np.float64))
        return float(most[np.unique(self.persons)].mean())


_Numbered = tuple[list[str], NDArray[np.int64]]


def _axis(spec: Column, known: _Numbered, told: _Numbered) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The numbers of people and of released rows in a column of numbers, on the scale of its range."""
    assert spec.range is not None
    low, high = spec.range

    def scaled(column: _Numbered) -> NDArray[np.float64]:
        texts, codes = column
        numbers = np.array([float(text) if text else np.nan for text in texts])
        limited: NDArray[np.float64] = np.clip(numbers, spec.bottom, spec.top)
        return (limited[codes] - low) / (high - low)

    return scaled(known), scaled(told)


def _nearest(fit: NDArray[np.bool_], axes: list[tuple[NDArray[np.float64], NDArray[np.float64]]]) -> NDArray[np.bool_]:
    """Of the rows that fit a person, those whose numbers are nearest; a missing number is as near as any."""
    away = np.where(fit, 0.0, np.inf)
    for own, shown in axes:
        away += np.nan_to_num((own[:, None] - shown[None, :]) ** 2)
    nearest: NDArray[np.bool_] = fit & (away <= away.min(axis=1, keepdims=True) * (1 + 1e-12))
    return nearest


def _largest(weights: Any, sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each row of a sparse matrix the largest size among its columns; 0 if it has none."""
    largest = np.zeros(weights.shape[0])
    some = np.diff(weights.indptr) > 0
    if some.any():
        largest[some] = np.maximum.reduceat(sizes[weights.indices], weights.indptr[:-1][some])
    return largest


def _after(
    counts: NDArray[np.float64], people: NDArray[np.int64], mine: NDArray[np.int64], ruled_out: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each row of the original: matches with its true value, and matches left once the commonest others go."""
    pairs, place = np.unique(np.stack([people, mine]), axis=1, return_inverse=True)
    own = counts[pairs[0], pairs[1]]
    others = counts[pairs[0]]
    others[np.arange(len(own)), pairs[1]] = 0
    kept = max(0, others.shape[1] - ruled_out)
    left = own + np.sort(others, axis=1)[:, :kept].sum(axis=1)
    return own[place.reshape(-1)], left[place.reshape(-1)]


def _combinations(
    table: "pa.Table", names: tuple[str, ...]
) -> tuple[NDArray[np.int64], list[tuple[list[str], NDArray[np.int64]]]]:
    """For each row the number of its combination; for each column its texts, and which one each combination has."""
    columns = [texts_of(table.column(name), name=name) for name in names]
    groups = group_rows([NumberedColumn(codes, max(1, len(texts))) for codes, texts in columns], table.num_rows)
    _, first = np.unique(groups.of, return_index=True)
    return groups.of, [(texts, codes[first]) for codes, texts in columns]


def _histogram(
    rows: NDArray[np.int64], values: NDArray[np.int64], shape: tuple[int, int], members: NDArray[np.int64] | None
) -> NDArray[np.float64]:
    """How many rows, or members, of each combination have each value."""
    keys = rows * shape[1] + values
    if members is not None:
        width = int(members.max()) + 1
        keys = np.unique(keys * width + members) // width
    return np.bincount(keys, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)


def _shared_codes(
    original: "pa.Table", target: "pa.Table", name: str
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """A sensitive column of both tables in the same numbers."""
    (mine, here), (theirs, there) = (texts_of(table.column(name), name=name) for table in (original, target))
    place = {text: n for n, text in enumerate(dict.fromkeys([*here, *there]))}
    first, second = (np.array([place[text] for text in texts], dtype=np.int64) for texts in (here, there))
    return first[mine], second[theirs], len(place)


def _hierarchy(schema: Schema, name: str, original: "pa.Table") -> Any:
    column = schema.columns[name]
    if column.hierarchy is None:
        return None
    codes, texts = texts_of(original.column(name), name=name)
    # a hierarchy by frequency needs every row, the others each value once
    built = isinstance(column.hierarchy, Mapping) and column.hierarchy.get("build") == "by_frequency"
    return schema.hierarchy(name, [texts[code] for code in codes if texts[code]] if built else filter(None, texts))
