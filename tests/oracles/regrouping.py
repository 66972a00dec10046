"""Regrouping on lists: a costly group and those near it, put together anew, as the kernels do and step by step."""

ROOM, NEAR, SEEDINGS, GAIN = 160, 8, 4, 1e-9


class Draws:
    """Marsaglia's xorshift of 64 bits."""

    def __init__(self, seed):
        self.x = seed

    def below(self, n):
        x = self.x
        x ^= x << 13 & (1 << 64) - 1
        x ^= x >> 7
        x ^= x << 17 & (1 << 64) - 1
        self.x = x
        return (x >> 33) % n


def regroup_block(leaves, cost, passes, fewest, group, tries, seed):
    """The groups (lists of rows) after so many tries.

    `leaves[i]` are the leaves of row i, `cost(low, high)` is what a row costs in a group that spans these, and
    `passes(rows)` says whether a group keeps the requirement, which takes `fewest` rows at least.
    """
    n_groups = max(group) + 1
    slots = [[] for _ in range(n_groups + len(leaves) // fewest + 1)]
    for row, g in enumerate(group):
        slots[g].append(row)
    draws = Draws(seed)

    def span(rows):
        return [min(c) for c in zip(*rows, strict=True)], [max(c) for c in zip(*rows, strict=True)]

    def whole(rows):
        return len(rows) * cost(*span([leaves[i] for i in rows])) if rows else 0.0

    def given(size):
        return size if size <= fewest else min(size - fewest, fewest)

    def nearest(g, most):
        found = []
        for h, rows in enumerate(slots):
            if not rows or h == g:
                continue
            apart = whole(slots[g]) + given(len(rows)) * (whole(rows) / len(rows))
            both = len(slots[g]) + given(len(rows))
            each = cost(*span([leaves[i] for i in slots[g] + rows]))
            if len(found) < most or each < (found[-1][0] + apart) / both:  # as there: floats that tie round alike
                found = sorted([*found, (each * both - apart, h)])[:most]
        return found

    for _ in range(tries):
        g, h = draws.below(n_groups), draws.below(n_groups)
        g = h if whole(slots[h]) > whole(slots[g]) else g
        most = 2 + draws.below(NEAR - 1)
        if not slots[g] or len(slots[g]) > ROOM // 2:
            continue
        pool, taken = list(slots[g]), [(g, [])]
        for _, h in nearest(g, most):
            give, rows = given(len(slots[h])), slots[h]
            at = draws.below(len(rows) - give + 1) if give < len(rows) else 0
            if len(pool) + give > ROOM:
                continue
            pool += rows[at : at + give]
            taken.append((h, rows[:at] + rows[at + give :]))
        old = sum(whole(slots[t]) for t, _ in taken)
        for _ in range(SEEDINGS):
            made = _put_together(leaves, cost, passes, fewest, draws, pool, taken, slots, whole, old - GAIN)
            if made is None:
                continue
            empty = [t for t, rest in taken if not rest]
            for t in empty:
                slots[t] = []
            places = [t for t, rest in taken if rest] + empty
            places += [s for s, rows in enumerate(slots) if not rows and s not in empty]
            for place, (rest, new) in zip(places, made, strict=False):
                slots[place] = sorted(new, key=pool.index, reverse=True) + rest
            break
    return [rows for rows in slots if rows]


def _put_together(leaves, cost, passes, fewest, draws, pool, taken, slots, whole, most):
    """Groups as pairs (rows that stayed, rows of the pool); None if they cost too much or some fail."""
    made = []  # [rows that stayed, rows put in, low, high, size, cost]
    for t, rest in taken:
        if rest:
            low, high = _span(leaves, slots[t])
            made.append([rest, [], low, high, len(rest), whole(slots[t]) / len(slots[t]) * len(rest)])
    free, total = list(pool), sum(one[5] for one in made)

    def put(one, row):
        one[1].append(row)
        one[2], one[3] = _wider(one[2], one[3], leaves[row])
        one[4] += 1
        one[5] = one[4] * cost(one[2], one[3])

    while len(free) >= fewest:
        row = free[draws.below(len(free))]
        new = [[], [], leaves[row], leaves[row], 0, 0.0]
        while True:
            put(new, row)
            free.remove(row)
            if passes(new[1]) or not free:
                break
            row = min(free, key=lambda i: (cost(*_wider(new[2], new[3], leaves[i])), pool.index(i)))
        if not passes(new[1]):
            free = sorted(free + new[1], key=pool.index)
            break
        made.append(new)
        total += new[5]
        if total >= most:
            return None
    for row in free:
        if not made:
            return None
        best, least = None, 1e300
        for one in made:
            each, size = cost(*_wider(one[2], one[3], leaves[row])), one[4] + 1
            if each < (least + one[5]) / size:
                best, least = one, each * size - one[5]
        total -= best[5]
        put(best, row)
        total += best[5]
        if total >= most:
            return None
    return [(one[0], one[1]) for one in made] if all(passes(one[0] + one[1]) for one in made) else None


def _span(leaves, rows):
    return [min(leaves[i][j] for i in rows) for j in range(len(leaves[0]))], [
        max(leaves[i][j] for i in rows) for j in range(len(leaves[0]))
    ]


def _wider(low, high, more):
    return [min(a, b) for a, b in zip(low, more, strict=True)], [max(a, b) for a, b in zip(high, more, strict=True)]


def least_loss(rows, cost, passes):
    """The least that any division of these rows into groups that pass costs: all divisions are tried."""
    best = float("inf")

    def divide(left, spent):
        nonlocal best
        if spent >= best:
            return
        if not left:
            best = spent
            return
        first, others = left[0], left[1:]
        for chosen in range(1 << len(others)):
            group = [first, *(row for i, row in enumerate(others) if chosen >> i & 1)]
            if passes(group):
                divide([row for i, row in enumerate(others) if not chosen >> i & 1], spent + cost(group))

    divide(list(rows), 0.0)
    return best
