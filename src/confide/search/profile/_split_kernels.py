"""One split of a set of documents by their frequent terms: arrays in, arrays out.

The documents of a node come as compressed rows of *ranks*: its frequent terms are numbered from the most frequent
down, so "every earlier term" is "every smaller number", and a row in ascending order can be left at the first number
that is not earlier.
"""

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

__all__ = ["assign", "count_terms", "divide", "match_terms", "ranked_rows"]

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
Flags = NDArray[np.bool_]

_PIECES = 16  # see `match_terms`


@kernel
def count_terms(indptr: I64, indices: I32, documents: I32, counts: I64) -> None:
    """For each term, the number of these documents that hold it, into `counts`."""
    counts[:] = 0
    for document in documents:
        for place in range(indptr[document], indptr[document + 1]):
            counts[indices[place]] += 1


@kernel
def ranked_rows(indptr: I64, indices: I32, documents: I32, rank: I32, total: int) -> tuple[I64, I32]:
    """The documents as rows of ranks in ascending order; terms whose rank is negative are left out."""
    rows = np.empty(len(documents) + 1, dtype=np.int64)
    ranks = np.empty(total, dtype=np.int32)
    end = 0
    for number in range(len(documents)):
        rows[number] = end
        start = end
        document = documents[number]
        for place in range(indptr[document], indptr[document + 1]):
            value = rank[indices[place]]
            if value >= 0:
                here = end
                while here > start and ranks[here - 1] > value:  # rows are short: insertion is the fastest sort
                    ranks[here] = ranks[here - 1]
                    here -= 1
                ranks[here] = value
                end += 1
    rows[len(documents)] = end
    return rows, ranks


@kernel
def match_terms(rows: I64, ranks: I32, counts: I64, above: int, below: int) -> tuple[I32, Flags]:
    """For each term, the earlier term it is most like, by Rule 1 and else by Rule 2; -1 where neither holds.

    `counts[r]` is |D(t_r)|; the threshold delta is above/below. Returns (match, whether by Rule 1). A term can match
    t_i only if it is in more than delta of D(t_i), so it misses fewer than 1 - delta of those documents: whoever was
    seen in too few of the first ones is out, and if nobody is left the rest need not be read.
    """
    terms = len(counts)
    starts = np.zeros(terms + 1, dtype=np.int64)
    for term in range(terms):
        starts[term + 1] = starts[term] + counts[term]
    held = np.empty(starts[terms], dtype=np.int32)  # the documents of each term
    ends = starts[:-1].copy()
    for row in range(len(rows) - 1):
        for place in range(rows[row], rows[row + 1]):
            held[ends[ranks[place]]] = row
            ends[ranks[place]] += 1
    match = np.full(terms, -1, dtype=np.int32)
    similar = np.zeros(terms, dtype=np.bool_)
    together = np.zeros(terms, dtype=np.int64)
    for term in range(1, terms):
        n = counts[term]
        together[:term] = 0
        need = n * above // below + 1  # the smallest count above delta * n
        spare = n - need + 1 + n // _PIECES
        first = min(n, spare)
        for place in range(starts[term], starts[term] + first):
            row = held[place]
            for other in range(rows[row], rows[row + 1]):
                if ranks[other] >= term:
                    break
                together[ranks[other]] += 1
        if first < n:
            possible = False
            for other in range(term):
                if together[other] + n - first >= need:
                    possible = True
                    break
            if not possible:
                continue
            for place in range(starts[term] + first, starts[term + 1]):
                row = held[place]
                for other in range(rows[row], rows[row + 1]):
                    if ranks[other] >= term:
                        break
                    together[ranks[other]] += 1
        best, best_union = np.int64(0), np.int64(1)
        most = np.int64(0)
        by_share = -1
        for other in range(term):
            both = together[other]
            if both < need:
                continue
            union = n + counts[other] - both
            if both * below > above * union and both * best_union > best * union:
                best, best_union = both, union
                match[term] = other
                similar[term] = True
            if both > most:
                most = both
                by_share = other
        if match[term] < 0:
            match[term] = by_share
    return match, similar


@kernel
def assign(match: I32, similar: Flags) -> tuple[I32, Flags, int]:
    """The node each term belongs to, and whether it is part of that node's label.

    A term without a match opens a node. One that matches a node's first term by Rule 1 joins its label; one that
    matches a term which was itself absorbed goes where that one went, and the label stays (erratum 2).
    """
    terms = len(match)
    owner = np.empty(terms, dtype=np.int32)
    labelled = np.zeros(terms, dtype=np.bool_)
    nodes = 0
    for term in range(terms):
        other = match[term]
        if other < 0:
            owner[term] = nodes
            labelled[term] = True
            nodes += 1
        else:
            owner[term] = owner[other]
            labelled[term] = similar[term] and match[other] < 0
    return owner, labelled, nodes


@kernel
def divide(rows: I64, ranks: I32, owner: I32, nodes: int, weights: I64) -> tuple[I64, I32, I64]:
    """Who is in which node, and with what weight: a document's weight is divided among the nodes that hold it.

    What whole units cannot divide goes to the first node. Returns compressed lists of documents (as numbers of rows)
    and of their weights, a list for each node.
    """
    sizes = np.zeros(nodes, dtype=np.int64)
    last = np.full(nodes, -1, dtype=np.int64)
    for row in range(len(rows) - 1):
        for place in range(rows[row], rows[row + 1]):
            node = owner[ranks[place]]
            if last[node] != row:
                last[node] = row
                sizes[node] += 1
    starts = np.zeros(nodes + 1, dtype=np.int64)
    for node in range(nodes):
        starts[node + 1] = starts[node] + sizes[node]
    documents = np.empty(starts[nodes], dtype=np.int32)
    shares = np.empty(starts[nodes], dtype=np.int64)
    ends = starts[:-1].copy()
    last[:] = -1
    mine = np.empty(max(nodes, 1), dtype=np.int64)
    for row in range(len(rows) - 1):
        found = 0
        for place in range(rows[row], rows[row + 1]):
            node = owner[ranks[place]]
            if last[node] != row:
                last[node] = row
                mine[found] = node
                found += 1
        if found == 0:
            continue
        share = weights[row] // found
        first = mine[0]
        for number in range(found):
            node = mine[number]
            first = min(first, node)
            documents[ends[node]] = row
            shares[ends[node]] = share
            ends[node] += 1
        shares[ends[first] - 1] += weights[row] - share * found
    return starts, documents, shares
