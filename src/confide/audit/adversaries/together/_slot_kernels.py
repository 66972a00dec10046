"""Kernels of the attackers on several releases: arrays in, arrays out.

A *cohort* are the people with the same groups in all releases. A *slot* is a pair of a release's group and a value that
stands in it; `slot_ptr[g]` is where the slots of group g begin, by value. Groups are numbered over all releases.
"""

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]


@kernel
def find_narrowest(groups: I32, slot_ptr: I64) -> int:
    """The group with the fewest values among those of one cohort; -1 where it has none."""
    narrowest = -1
    for g in groups:
        if g >= 0 and (narrowest < 0 or slot_ptr[g + 1] - slot_ptr[g] < slot_ptr[narrowest + 1] - slot_ptr[narrowest]):
            narrowest = g
    return narrowest


@kernel
def count_common(groups: I32, slot_ptr: I64, slot_value: I32) -> I64:
    """For each cohort (a column of `groups`, -1 where absent) how many values all its groups have."""
    releases, cohorts = groups.shape
    found = np.zeros(cohorts, np.int64)
    for c in range(cohorts):
        narrowest = find_narrowest(groups[:, c], slot_ptr)
        if narrowest < 0:
            continue
        for s in range(slot_ptr[narrowest], slot_ptr[narrowest + 1]):
            everywhere = True
            for r in range(releases):
                g = groups[r, c]
                if g >= 0 and g != narrowest:
                    at = slot_ptr[g] + np.searchsorted(slot_value[slot_ptr[g] : slot_ptr[g + 1]], slot_value[s])
                    if at == slot_ptr[g + 1] or slot_value[at] != slot_value[s]:
                        everywhere = False
                        break
            if everywhere:
                found[c] += 1
    return found


@kernel
def list_common(groups: I32, slot_ptr: I64, slot_value: I32, ptr: I64) -> tuple[I32, I32]:
    """The values that `count_common` counted, cohort after cohort, and the slot of each in each release (or -1)."""
    releases, cohorts = groups.shape
    values = np.empty(ptr[cohorts], np.int32)
    slots = np.full((releases, ptr[cohorts]), -1, np.int32)
    for c in range(cohorts):
        narrowest = find_narrowest(groups[:, c], slot_ptr)
        if narrowest < 0:
            continue
        filled = ptr[c]
        for s in range(slot_ptr[narrowest], slot_ptr[narrowest + 1]):
            if filled == ptr[c + 1]:
                break
            everywhere = True
            for r in range(releases):
                g = groups[r, c]
                if g < 0:
                    continue
                at = slot_ptr[g] + np.searchsorted(slot_value[slot_ptr[g] : slot_ptr[g + 1]], slot_value[s])
                if at == slot_ptr[g + 1] or slot_value[at] != slot_value[s]:
                    everywhere = False
                    break
                slots[r, filled] = at
            if everywhere:
                values[filled] = slot_value[s]
                filled += 1
    return values, slots


@kernel
def tighten_bounds(ptr: I64, slots: I32, people: I64, slot_rows: I64, low: I64, high: I64, rounds: int) -> int:
    """Narrow, in place, how many people of each cohort can have each of its values; return the rounds it took.

    Entry i (of cohort c, where ptr[c] <= i < ptr[c + 1]) counts the people of c with one value, low[i] to high[i]. The
    entries of a cohort add up to its people, those of a slot to its rows. What the others cannot take, one must; what
    the others must take, one cannot.
    """
    releases, entries = slots.shape
    low_sum = np.zeros(len(slot_rows), np.int64)
    high_sum = np.zeros(len(slot_rows), np.int64)
    for r in range(releases):
        for i in range(entries):
            if slots[r, i] >= 0:
                low_sum[slots[r, i]] += low[i]
                high_sum[slots[r, i]] += high[i]
    done = 0
    changed = True
    while changed and done < rounds:
        changed = False
        done += 1
        for c in range(len(people)):
            own_low, own_high = np.int64(0), np.int64(0)
            for i in range(ptr[c], ptr[c + 1]):
                own_low += low[i]
                own_high += high[i]
            for i in range(ptr[c], ptr[c + 1]):
                new_low = max(low[i], people[c] - (own_high - high[i]))
                new_high = min(high[i], people[c] - (own_low - low[i]))
                for r in range(releases):
                    s = slots[r, i]
                    if s >= 0:
                        new_low = max(new_low, slot_rows[s] - (high_sum[s] - high[i]))
                        new_high = min(new_high, slot_rows[s] - (low_sum[s] - low[i]))
                up, down = new_low - low[i], high[i] - new_high
                if up > 0 or down > 0:
                    changed = True
                    own_low += up
                    own_high -= down
                    for r in range(releases):
                        s = slots[r, i]
                        if s >= 0:
                            low_sum[s] += up
                            high_sum[s] -= down
                    low[i], high[i] = new_low, new_high
    return done
