"""A slow, plain twin of what `confide.search` does, written from chapter 5 and its errata, with fractions and sets."""

import math
from fractions import Fraction


def split(documents, weights, minsup, delta, above):
    """Figure 33 for one node: [(label with the first term last, documents, {document: weight})], heaviest first.

    `documents` maps a name to a set of terms; `weights` the same names to what each weighs at this node.
    """
    held = {}
    for name in weights:
        for term in documents[name]:
            if term not in above:
                held.setdefault(term, set()).add(name)
    frequent = sorted((t for t in held if len(held[t]) >= minsup), key=lambda t: (-len(held[t]), t))
    node_of, nodes = {}, {}  # term -> first term of its node; first term -> [label, S]
    for i, term in enumerate(frequent):
        mine = held[term]
        best, best_value, rule = None, None, None
        for other in frequent[:i]:
            sim = Fraction(len(mine & held[other]), len(mine | held[other]))
            if sim > delta and (best is None or sim > best_value):
                best, best_value, rule = other, sim, 1
        if best is None:
            for other in frequent[:i]:
                share = Fraction(len(mine & held[other]), len(mine))
                if share > delta and (best is None or share > best_value):
                    best, best_value, rule = other, share, 2
        if best is None:
            node_of[term] = term
            nodes[term] = [(term,), set(mine)]
            continue
        home = node_of[term] = node_of[best]
        nodes[home][1] |= mine
        if rule == 1 and best == home:
            nodes[home][0] = (term, *nodes[home][0])
    holders = {name: sum(name in docs for _, docs in nodes.values()) for name in weights}
    found = []
    for term in frequent:
        if term in nodes:
            label, docs = nodes[term]
            found.append((label, {name: weights[name] / holders[name] for name in docs}))
    return sorted(found, key=lambda node: -sum(node[1].values()))


def build(documents, minsup, delta, min_share=Fraction(1, 1000), max_depth=8):
    """BuildUP: nested (label, support, number of documents, children)."""
    documents = {number: set(terms) for number, terms in enumerate(documents)}

    def grow(label, weights, above, depth):
        children = []
        if depth < max_depth and sum(weights.values()) >= min_share * len(documents):
            inner = above | set(label)
            children = [grow(lab, w, inner, depth + 1) for lab, w in split(documents, weights, minsup, delta, inner)]
        return (label, sum(weights.values(), Fraction(0)), len(weights), children)

    root = {number: Fraction(1) for number in documents}
    return (
        (),
        Fraction(len(documents)),
        len(documents),
        [grow(label, weights, set(), 1) for label, weights in split(documents, root, minsup, delta, set())],
    )


def leaves(node, shown=lambda node: True):
    """Supports of the leaves of the shown part, with one "others" below each node for what is missing."""
    _, support, _, children = node
    inner = [child for child in children if shown(child)]
    rest = support - sum(child[1] for child in inner)
    found = [rest] if rest else []
    for child in inner:
        found += leaves(child, shown)
    return found


def entropy(supports, total):
    return -sum(float(s / total) * math.log10(s / total) for s in supports if s)


def exposure_ratio(root, min_detail):
    total = root[1]
    full = entropy(leaves(root), total)
    part = entropy(leaves(root, lambda node: node[1] >= Fraction(str(min_detail)) * total), total)
    return part / full if full else 1.0
