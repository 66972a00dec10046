"""Candidate itemsets: given in any of three ways, as two flat arrays of codes of one database; or all of one length,
as rows of a table, for a search that goes from each length to the next.

A candidate names items by label, so it can name one that the database has never seen; such a candidate
becomes a set holding the code UNKNOWN, and its count is 0.
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.core.itemsets.container import Itemsets
from confide.core.transactions.labels import as_label

__all__ = ["UNKNOWN", "Candidates", "CodedSets", "encode", "find_sets", "join", "take_sets"]

CodedSets: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int32]]
Candidates: TypeAlias = Itemsets | CodedSets | Iterable[Iterable[object]]

UNKNOWN = -1


def encode(itemsets: Candidates, labels: Sequence[str]) -> CodedSets:
    """Turn candidates into (offsets, codes): codes index `labels`, ascend within a set, and do not repeat.

    `itemsets` is an `Itemsets` (its labels may differ from these), a pair of arrays (offsets, codes) whose
    codes index `labels` already, or any iterable of iterables of labels. A label or code not among `labels`
    becomes UNKNOWN.
    """
    if isinstance(itemsets, Itemsets):
        offsets, codes = itemsets.coded()
        if itemsets.labels != tuple(labels):
            code_of = {label: code for code, label in enumerate(labels)}
            recode = np.array([code_of.get(label, UNKNOWN) for label in itemsets.labels], dtype=np.int32)
            codes = recode[codes]
    elif isinstance(itemsets, tuple) and len(itemsets) == 2 and isinstance(itemsets[0], np.ndarray):
        offsets, codes = _checked(*cast(CodedSets, itemsets))
        codes = np.where((codes >= 0) & (codes < len(labels)), codes, UNKNOWN).astype(np.int32)
    else:
        offsets, codes = _from_labels(itemsets, labels)
    return _ascending(offsets, codes)


def _checked(offsets: NDArray[np.int64], codes: NDArray[np.int32]) -> CodedSets:
    offsets = np.ascontiguousarray(offsets, dtype=np.int64)
    if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != len(codes) or np.any(np.diff(offsets) < 0):
        raise UsageError("offsets must start at 0, never fall, and end at len(codes)")
    return offsets, codes


def _from_labels(itemsets: Iterable[Iterable[object]], labels: Sequence[str]) -> CodedSets:
    code_of = {label: code for code, label in enumerate(labels)}
    codes: list[int] = []
    ends = [0]
    if isinstance(itemsets, str | bytes) or not isinstance(itemsets, Iterable):
        raise UsageError(
            f"itemsets cannot be read from {type(itemsets).__name__}; give a list of lists of items, or an Itemsets"
        )
    for itemset in itemsets:
        if isinstance(itemset, str | bytes) or not isinstance(itemset, Iterable):
            raise UsageError(f"an itemset must be a list of items, not one {type(itemset).__name__}")
        codes.extend(code_of.get(as_label(item), UNKNOWN) for item in itemset)
        ends.append(len(codes))
    return np.array(ends, dtype=np.int64), np.array(codes, dtype=np.int32)


def _ascending(offsets: NDArray[np.int64], codes: NDArray[np.int32]) -> CodedSets:
    """Sort every set and drop repeats; nearly free when they are so already."""
    starts = np.zeros(len(codes) + 1, dtype=np.bool_)
    starts[offsets] = True
    if not np.any(~starts[1:-1] & (codes[1:] <= codes[:-1])):
        return offsets, np.ascontiguousarray(codes, dtype=np.int32)
    # UNKNOWN is -1: shifted by one so that it survives packing beside the set's number.
    numbers = np.repeat(np.arange(len(offsets) - 1, dtype=np.int64), np.diff(offsets))
    keys = np.sort(numbers << 32 | (codes.astype(np.int64) + 1))
    keys = keys[np.concatenate([[True], keys[1:] != keys[:-1]])]
    offsets = np.searchsorted(keys, np.arange(len(offsets), dtype=np.int64) << 32).astype(np.int64)
    return offsets, ((keys & 0xFFFFFFFF) - 1).astype(np.int32)


def take_sets(offsets: NDArray[np.int64], codes: NDArray[np.int32], index: NDArray[np.int64]) -> CodedSets:
    """The sets at these positions, in this order."""
    lengths = np.diff(offsets)[index]
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return ends, codes[np.repeat(offsets[index] - ends[:-1], lengths) + np.arange(ends[-1])]


def join(sets: NDArray[np.int32], group: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Candidates one item longer than `sets` (rows in lexicographic order), all of whose parts are among the sets.

    Gives (candidates, parts): parts[c, i] is the number of candidate c without its item i. Items of the same
    non-negative `group` exclude each other: no candidate holds two of them. Apriori's candidates.
    """
    from confide.mining.counting import level_kernels as kernels

    candidates, parts = kernels.join(sets, group)
    return candidates, parts


def find_sets(sets: NDArray[np.int32], wanted: NDArray[np.int32]) -> NDArray[np.int64]:
    """Where among the sets (rows in lexicographic order) each row of `wanted` is, or -1."""
    from confide.mining.counting import level_kernels as kernels

    found: NDArray[np.int64] = kernels.find_rows(sets, np.ascontiguousarray(wanted))
    return found
