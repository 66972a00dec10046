"""Blank: values stay as they are or are blank, as few blanks as can be found."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from confide.core.errors import UsageError
from confide.core.requirements.base import check_count
from confide.core.requirements.tables import KAnonymity
from confide.publish.tables.blanking.cover import cover_rare
from confide.publish.tables.blanking.patterns import list_patterns
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.publisher import TablePublisher
from confide.publish.tables.recoding import Recoding

__all__ = ["Blank"]


@dataclass(kw_only=True)
class Blank(TablePublisher):
    """Cell suppression: every value stays at the lowest level that the schema allows, or is blank ("*").

    A blank is a value like any other: k rows look alike, blanks included, whoever looks for them. Coarsen what is fine
    with `levels` first (age by ten years); a blank in a column of a larger `weight` costs more, and a column that may
    not reach its top is never blank. It takes k-anonymity, and a table with a row for each person. The draws of its
    `rounds` come from a fixed seed, so the same table gives the same blanks. Cost: patterns of blanks times rounds;
    with nine columns or more, patterns of many blanks are left out.
    """

    algorithm: ClassVar[str] = "blank"
    losses: ClassVar[tuple[str, ...]] = ("ncp",)

    rounds: int = 8

    def recode(self, table: CodedTable) -> Recoding:
        check_count("rounds", self.rounds, least=1, why="decides nothing")
        if not isinstance(self.requirement, KAnonymity):
            raise UsageError(
                f"blanks keep k-anonymity alone, not {self.requirement.kind}; use method='mondrian'", parameter="method"
            )
        if table.persons is not None or table.counts is not None:
            raise UsageError(
                "blanks take a table in memory with one row per person; use method='mondrian' or 'incognito'",
                parameter="method",
            )
        GroupTest.of(self.requirement, table, suppress=self.suppress)
        k, quasi = self.requirement.k, table.quasi
        codes = np.stack([column.maps[column.lowest][column.codes] for column in quasi], axis=1).astype(np.int64)
        combos, of, counts = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
        blankable = [c.highest == c.height and c.lowest < c.height for c in quasi]
        weights = [column.weight if may else 0.0 for column, may in zip(quasi, blankable, strict=True)]
        patterns = list_patterns(combos, counts < k, weights)
        cover = cover_rare(counts, patterns, k, rounds=self.rounds)
        rows = np.argsort(of.reshape(-1), kind="stable")
        upto = np.cumsum(counts) - counts
        blank, kept = np.zeros(codes.shape, dtype=np.bool_), np.ones(len(table), dtype=np.bool_)
        for p, taken in cover.taken.items():
            for combo, count in taken:
                blank[rows[upto[combo] : upto[combo] + count, None], np.array(patterns[p].blank)] = True
                upto[combo] += count
        kept[np.isin(of.reshape(-1), cover.left)] = False
        tops = [len(column.labels[column.lowest]) for column in quasi]
        return Recoding(
            table=table,
            codes=tuple(np.where(blank[:, j], tops[j], codes[:, j]).astype(np.int32) for j in range(len(quasi))),
            labels=tuple((*c.labels[c.lowest], c.labels[c.height][0]) for c in quasi),
            losses=tuple(np.append(c.losses[c.lowest], c.losses[c.height][0]) for c in quasi),
            kept=kept,
        )
