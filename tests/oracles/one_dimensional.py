"""Groups of different sensitive values, literally: buckets as lists, eligibility counted anew each time."""


def diverse_groups(order, value, l):  # noqa: E741 - the paper's letter
    """The groups (sets of rows) in order; `order` are rows along the line, `value[row]` the sensitive value."""
    buckets = {}
    for place, row in enumerate(order):
        buckets.setdefault(value[row], []).append((place, row))
    groups = []
    while any(buckets.values()):
        left = sum(len(bucket) for bucket in buckets.values())
        full = {v: bucket for v, bucket in buckets.items() if bucket}
        taken = None
        for width in range(l, len(full) + 1):
            must = [v for v, bucket in full.items() if len(bucket) * l > left - width]
            rest = sorted((v for v in full if v not in must), key=lambda v: full[v][0])
            candidate = (must + rest)[:width]
            sizes = [len(bucket) - (v in candidate) for v, bucket in full.items()]
            if len(must) <= width and all(size * l <= left - width for size in sizes):
                taken = candidate
                break
        if taken is None:
            groups.append({row for bucket in full.values() for _, row in bucket})
            break
        groups.append({buckets[v].pop(0)[1] for v in taken})
    return groups
