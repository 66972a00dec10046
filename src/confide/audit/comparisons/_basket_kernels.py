"""Two sets of baskets, record by record."""

from confide.core.runtime.jit import kernel

__all__ = ["count_wrong_records"]


@kernel
def count_wrong_records(indptr, indices, places, read_indptr, read_indices, code_of, mark):
    """How many records hold an item they did not, or one twice; and how many lost an item that is published.

    `code_of` is the released code of each item that was read, -1 for one that went; `mark` has a place for each
    released code, all -1.
    """
    came = 0
    went = 0
    for i in range(len(places)):
        row = places[i]
        expected = 0
        for j in range(read_indptr[row], read_indptr[row + 1]):
            code = code_of[read_indices[j]]
            if code >= 0:
                mark[code] = i
                expected += 1
        strange = False
        for j in range(indptr[i], indptr[i + 1]):
            code = indices[j]
            if mark[code] == i:
                mark[code] = -1
                expected -= 1
            else:
                strange = True
        if strange:
            came += 1
        if expected > 0:
            went += 1
    return came, went
