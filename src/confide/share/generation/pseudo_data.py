"""PGEN: pseudo-data from a published tree, path by path (paper 002, section 5.3 and Figure 9).

Every path is a template. What its edges say of an attribute binds all its rows; an attribute it does not ask about
takes any value of the declared domain; the class follows the counts of its leaf. Proposition 18 holds by construction:
each row satisfies exactly one path, and a path has as many rows as it has records (times the same factor).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import RequirementError, UsageError
from confide.core.randomness import Randomness
from confide.core.runtime.threads import cores, in_threads
from confide.core.trees.published import PublishedTree
from confide.core.trees.rules import RuleSet
from confide.share.generation.marginal_draws import marginals_of, values_held
from confide.share.generation.templates import Choices, choices_of, class_weights

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["CAVEAT", "Absent", "Numbers", "generate", "published_tree"]

Numbers = Literal["uniform", "middle", "end"]
Absent = Literal["uniform", "marginals"]

CAVEAT = "pseudo-data carries no guarantee of its own"
"""What the metadata of every table made here says under "confide"."""

_BLOCK = 1 << 18  # rows a thread draws at a time
_MOST_ROWS = 2**31 - 1


def generate(
    tree: Any,
    *,
    rows: int | float | None = None,
    class_column: str = "class",
    numbers: Numbers = "uniform",
    absent: Absent = "marginals",
    rest: Sequence[float] | None = None,
    randomness: Randomness | None = None,
) -> "pa.Table":
    """Make pseudo-data from a published tree: an Arrow table with a column for each attribute, and the class last.

    Parameters
        tree           a `PublishedTree`, or anything that holds one (`tree_`, or a release's `data`); numeric
                       attributes must declare bounds.
        rows           None: as many rows as the tree has records, exactly the counts of each path and class. A whole
                       number: that many, shared among paths and classes in proportion. A float: a multiple of the
                       tree's records (2.0 doubles them, 0.5 halves them). More rows give smoother data, not more
                       knowledge.
        class_column   the name of the class column.
        numbers        where in its interval a number lies: "uniform", "middle" or "end" (the upper one).
        absent         what an attribute gets that a path does not ask about: "marginals", a value drawn for the row's
                       class from the marginals in the tree's file (ours), where it has them; "uniform", any value of
                       its domain (the paper's PGEN).
        rest           where the tree gives only hit and miss: the known shares of all classes, by which misses are
                       shared among the others; None shares them evenly.
        randomness     None: new every time; `Randomness.seeded(n)` repeats.

    Rows come in random order. Values that only chance has chosen are among them, so pseudo-data is for learning
    models, not for looking people up; and it carries no guarantee of its own: publish the tree instead.
    Takes time and memory linear in the rows: two cores make 10 million rows of 14 attributes in about a second.

    >>> from confide.core.trees.published import Attribute, Edge, Node, PublishedTree
    >>> tree = PublishedTree(
    ...     classes=("no", "yes"),
    ...     attributes=(Attribute(name="A", kind="categorical", values=("a", "b")),),
    ...     nodes=(Node(label="no", hit=5, miss=4, attribute="A",
    ...                 edges=(Edge(to=1, values=("a",)), Edge(to=2, values=("b",)))),
    ...            Node(label="no", hit=4, miss=1, counts=(4, 1)), Node(label="yes", hit=3, miss=1, counts=(1, 3))))
    >>> made = generate(tree, randomness=Randomness.seeded(1))
    >>> sorted(map(tuple, made.to_pandas().value_counts().reset_index().to_numpy().tolist()))
    [('a', 'no', 4), ('a', 'yes', 1), ('b', 'no', 1), ('b', 'yes', 3)]
    """
    published = published_tree(tree)
    if class_column in {attribute.name for attribute in published.attributes}:
        raise UsageError(
            f"class_column={class_column!r} is an attribute of the tree; give the class another name",
            parameter="class_column",
            value=class_column,
        )
    if numbers not in get_args(Numbers):
        raise UsageError(
            f"numbers={numbers!r}; choose among: {', '.join(get_args(Numbers))}", parameter="numbers", value=numbers
        )
    if absent not in get_args(Absent):
        raise UsageError(
            f"absent={absent!r}; choose among: {', '.join(get_args(Absent))}", parameter="absent", value=absent
        )
    source = Randomness.system() if randomness is None else randomness
    weights = class_weights(published, rest)
    labels = np.array([published.class_places[path.label] for path in published.paths()])
    cells = _rounded(weights * _factor(rows, weights.sum()), labels, source)
    kinds = np.repeat(np.arange(cells.size, dtype=np.int32), cells.ravel())
    from confide.share.generation import _generation_kernels as kernels

    kernels.shuffle(kinds, source.words(1)[0])
    leaf, label = np.divmod(kinds, np.int32(len(published.classes)))
    known, held = (marginals_of(published), values_held(published)) if absent == "marginals" else ({}, {})
    columns = []
    for choices in choices_of(published, held=held):
        column = draw(choices, leaf, numbers=numbers, randomness=source)
        if choices.attribute.name in known and choices.absent.any():
            marginal = known[choices.attribute.name]
            answers = marginal.answer(label, source)
            other = draw(marginal.choices, answers, numbers=numbers, randomness=source)
            column = np.where(choices.absent[leaf], other, column)
        columns.append(column)
    return as_table(published, columns, label, class_column=class_column)


def published_tree(source: Any) -> PublishedTree:
    """The published tree that `source` is or holds; rules are taken as the tree they are, if they are one."""
    for holder in (source, getattr(source, "tree_", None), getattr(source, "data", None)):
        if isinstance(holder, PublishedTree):
            return holder
        if isinstance(holder, RuleSet):
            return holder.to_tree()
    raise UsageError(f"a published tree is needed here, not {type(source).__name__}; PublishedTree.from_json reads one")


def draw(choices: Choices, leaf: NDArray[np.int32], *, numbers: str = "uniform", randomness: Randomness) -> Any:
    """A value of one attribute for each row, given the leaf it belongs to: codes, or numbers."""
    from confide.share.generation import _generation_kernels as kernels

    key = randomness.words(1)[0]
    numeric = choices.attribute.kind == "numeric"
    out = np.empty(len(leaf), dtype=np.float64 if numeric else np.int32)

    def block(start: int) -> None:
        part = slice(start, start + _BLOCK)
        kind = choices.list_of[leaf[part]]
        if numeric:
            how = get_args(Numbers).index(numbers)
            intervals = kernels.Intervals(choices.first, choices.size, choices.lows, choices.highs)
            kernels.pick_numbers(key, start, kind, intervals, how, out[part])
        else:
            kernels.pick_codes(key, start, kind, choices.first, choices.size, choices.codes, out[part])

    in_threads(block, range(0, len(leaf), _BLOCK), threads=cores())
    # intervals are (low, high] with whole ends: rounding up stays within, and gives each whole number its share
    return np.ceil(out) if choices.attribute.whole else out


def as_table(tree: PublishedTree, columns: Sequence[Any], label: NDArray[np.int32], *, class_column: str) -> "pa.Table":
    """Codes and numbers as an Arrow table; categories are dictionaries, so no text is copied."""
    import pyarrow as pa

    arrays = []
    for attribute, column in zip(tree.attributes, columns, strict=True):
        if attribute.kind == "numeric":
            arrays.append(pa.array(column.astype(np.int64) if attribute.whole else column))
            continue
        missing = None in attribute.values
        values = [value for value in attribute.values if value is not None]
        # A missing category becomes a null, which a dictionary cannot hold.
        place = np.cumsum([value is not None for value in attribute.values]) - 1 if missing else None
        codes = column if place is None else place[column].astype(np.int32)
        mask = None if place is None else np.array([value is None for value in attribute.values])[column]
        arrays.append(pa.DictionaryArray.from_arrays(pa.array(codes, mask=mask), pa.array(values, pa.string())))
    arrays.append(pa.DictionaryArray.from_arrays(pa.array(label), pa.array(tree.classes, pa.string())))
    names = [*(attribute.name for attribute in tree.attributes), class_column]
    return pa.table(arrays, names=names).replace_schema_metadata({"confide": CAVEAT})


def _factor(rows: int | float | None, records: float) -> float:
    if rows is None:
        wanted = 1.0
    elif (
        isinstance(rows, bool) or not isinstance(rows, int | float | np.integer | np.floating) or not 0 < rows < np.inf
    ):
        raise RequirementError(
            f"rows={rows!r} must be above 0: so many rows, or a multiple of the records (5.0; in a command, 5x)",
            parameter="rows",
            value=rows,
        )
    elif records == 0:
        raise RequirementError("the tree gives no counts, so its paths have no size")
    else:
        wanted = float(rows) if isinstance(rows, float) else float(rows) / records
    if wanted * records > _MOST_ROWS:
        raise RequirementError(
            f"rows={rows!r} makes more than {_MOST_ROWS:,} rows; use fewer", parameter="rows", value=rows
        )
    return wanted


def _rounded(weights: NDArray[np.float64], labels: NDArray[np.int64], randomness: Randomness) -> NDArray[np.int64]:
    """Whole numbers with these weights as their means, leaf by leaf; whole sums of neighbouring cells stay.

    One random offset decides all (systematic sampling), so no cell is off by one or more. A leaf's own class comes
    first: whole totals, hits and misses of a path therefore stay as they are, however misses are shared.
    """
    order = np.argsort(np.arange(weights.shape[1])[None, :] != labels[:, None], axis=1, kind="stable")
    bounds = np.concatenate([[0.0], np.cumsum(np.take_along_axis(weights, order, axis=1).ravel())])
    nearest = np.round(bounds)
    bounds = np.where(np.abs(bounds - nearest) < 1e-6, nearest, bounds)  # sums of thirds are whole again
    offset = (float(randomness.words(1)[0] >> np.uint64(11)) + 0.5) * 2.0**-53
    drawn = np.diff(np.floor(bounds + offset)).astype(np.int64).reshape(weights.shape)
    cells = np.empty_like(drawn)
    np.put_along_axis(cells, order, drawn, axis=1)
    return cells
