"""A decision tree learned from gamma-diagonal records: only the counts it asks for are reconstructed.

A tree learner asks a node for nothing but AVC counts: how many of its records have value v of an attribute and class
c. The records of a node with value v and class c fill a *region* of the domain, a box of allowed values,

    age in {young, old}, sex in {F}, smokes = v, ill = c

and how many true records lie in a region follows from how many perturbed ones do and from the region's share of all
possible records (see `cell_estimates.keep_or_uniform_estimate`). So the tree is grown as on true records, on counts
that carry a known error, and that error decides when to stop:

- an attribute competes only where its AVC table departs from independence of the class by more than noise would: the
  sum of squared residuals over their variances (of the perturbation, and of drawing the records) must pass the
  chi-square quantile of `significance`, shared among the attributes tried;
- a node whose estimated size is below `sure` standard errors is not split;
- a node predicts its parent's class unless its own leading class leads that one by `sure` standard errors.

The paper leaves mining tasks beyond itemsets open; this is one. Large domains drown it: with n cells and N records the
standard error of any count is about sqrt(N/4) (gamma + n - 1)/(gamma - 1), so declare few fields and coarse bins.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from confide.collect.estimating.cell_estimates import Cells, keep_or_uniform_estimate
from confide.collect.fields.field import Field
from confide.collect.fields.fields import Fields
from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.trees.published import Attribute, Edge, Node, PublishedTree
from confide.mining.trees.splits import Criterion, Split, best_split, choose, criterion_code, grid

__all__ = ["Regional", "learn_tree"]


class Regional(Protocol):
    """What learning a tree needs of a scheme."""

    def kept_regions(self) -> tuple[float, Fields]:
        """The chance that a whole record was kept, else drawn uniformly; and the fields. Raises UsageError if this is
        not how the scheme perturbs."""
        ...


def learn_tree(
    scheme: Regional,
    perturbed: Any,
    *,
    class_field: str,
    criterion: Criterion = "gain_ratio",
    max_depth: int | None = None,
    min_leaf: int = 2,
    significance: float = 0.01,
    sure: float = 2.0,
) -> PublishedTree:
    """Learn a decision tree for `class_field` from records that a gamma-diagonal scheme perturbed.

    `perturbed` is what `scheme.perturb` gave for all people. Fields with edges split in two at an edge, others into
    their values. A smaller `significance` or a larger `sure` gives a smaller tree that owes less to noise; `min_leaf`,
    in estimated true records, `max_depth` and `criterion` are as of `confide.mining.DecisionTree`.

    The counts in the tree are estimates, rounded, so children need not add up to their parent. It takes true records
    (numbers in fields with edges): `DecisionTree.from_published(tree).predict(frame)`.

    Cost: the records are read once; then each node reads the distinct ones once for each field.
    """
    keep, fields = scheme.kept_regions()
    if not 0 < significance < 1:
        raise RequirementError(f"significance={significance} must lie strictly between 0 and 1, such as 0.01")
    if not 0 <= sure < math.inf:
        raise RequirementError(f"sure={sure} must be a number of standard errors, 0 or more")
    target = fields.position(class_field)
    if len(fields) < 2:
        raise UsageError("a tree needs a field besides the class")
    criterion_code(criterion)
    cells = Cells.of(fields, fields.encode(perturbed, perturbed=True))
    if cells.records == 0:
        raise InputError("there are no perturbed records to learn from")
    grower = _Grower(
        cells=cells,
        keep=keep,
        target=target,
        criterion=criterion,
        max_depth=max_depth,
        min_leaf=min_leaf,
        significance=significance,
        sure=sure,
    )
    return grower.grow()


@dataclass(frozen=True, eq=False)
class _Region:
    """A node's box: the rows of cells in it, and which values of each field it allows."""

    rows: NDArray[np.int64]
    allowed: tuple[NDArray[np.int64], ...]
    depth: int
    label: int  # the parent's class


@dataclass(frozen=True, kw_only=True, eq=False)
class _Grower:
    cells: Cells
    keep: float
    target: int
    criterion: Criterion
    max_depth: int | None
    min_leaf: int
    significance: float
    sure: float

    @property
    def fields(self) -> Fields:
        return self.cells.fields

    def grow(self) -> PublishedTree:
        """The tree, nodes in the order in which they are met."""
        classes = self.fields.fields[self.target].values
        everything = tuple(np.arange(size) for size in self.fields.sizes)
        waiting = [_Region(np.arange(len(self.cells.rows)), everything, 0, -1)]
        nodes: list[Node] = []
        while len(nodes) < len(waiting):
            region = waiting[len(nodes)]
            counts, errors = self._classes(region)
            label = self._label(region, counts, errors)
            whole = tuple(int(n) for n in np.rint(np.maximum(counts, 0)))
            node = Node(label=classes[label], hit=whole[label], miss=sum(whole) - whole[label], counts=whole)
            split = self._split(region)
            if split is not None:
                parts = self._parts(region, split, label)
                edges = tuple(
                    self._edge(split, part, to) for to, part in enumerate(parts, start=len(waiting))
                )  # fmt: skip
                node = replace(node, attribute=self.fields.names[split.order], edges=edges)
                waiting += parts
            nodes.append(node)
        attributes = tuple(_attribute(f) for i, f in enumerate(self.fields) if i != self.target)
        return PublishedTree(classes=classes, attributes=attributes, nodes=tuple(nodes))

    def _share(self, region: _Region) -> float:
        """The region's share of all possible records."""
        return math.prod(len(values) / size for values, size in zip(region.allowed, self.fields.sizes, strict=True))

    def _classes(self, region: _Region) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Estimated records of each class, and their variances."""
        size = self.fields.sizes[self.target]
        seen = np.bincount(
            self.cells.rows[region.rows, self.target], weights=self.cells.weights[region.rows], minlength=size
        )
        return keep_or_uniform_estimate(seen, self._share(region) / size, keep=self.keep, records=self.cells.records)

    def _label(self, region: _Region, counts: NDArray[np.float64], variances: NDArray[np.float64]) -> int:
        leading, parent = int(np.argmax(counts)), region.label
        if parent < 0:
            return leading
        lead = counts[leading] - counts[parent]
        return leading if lead > self.sure * math.sqrt(variances[leading] + variances[parent]) else parent

    def _avc(self, region: _Region, field: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Estimated records of each allowed value (rows) and class (columns), and their variances."""
        n_values, n_classes = self.fields.sizes[field], self.fields.sizes[self.target]
        held = self.cells.rows[region.rows]
        key = held[:, field].astype(np.int64) * n_classes + held[:, self.target]
        seen = np.bincount(key, weights=self.cells.weights[region.rows], minlength=n_values * n_classes)
        seen = seen.reshape(n_values, n_classes)[region.allowed[field]]
        share = self._share(region) / seen.size
        return keep_or_uniform_estimate(seen, share, keep=self.keep, records=self.cells.records)

    def _split(self, region: _Region) -> Split | None:
        """The best split, if the node is surely there and an attribute tells the classes apart."""
        if self.max_depth is not None and region.depth >= self.max_depth:
            return None
        seen = np.array([self.cells.weights[region.rows].sum()])
        size, variance = keep_or_uniform_estimate(seen, self._share(region), keep=self.keep, records=self.cells.records)
        # The root holds all records, of which only the classes are in doubt.
        if region.depth and size[0] < self.sure * math.sqrt(variance[0]):
            return None
        able = [i for i, values in enumerate(region.allowed) if i != self.target and len(values) > 1]
        splits = []
        for i in able:
            counts, variances = self._avc(region, i)
            if _depends(counts, variances, self.significance / len(able)):
                splits.append(
                    best_split(
                        np.rint(np.maximum(counts, 0)).astype(np.int64),
                        kind="categorical" if self.fields.fields[i].edges is None else "numeric",
                        criterion=self.criterion,
                        min_leaf=self.min_leaf,
                        exponent=grid(self.cells.records),
                        order=i,
                    )
                )
        return choose(splits, criterion=self.criterion)

    def _parts(self, region: _Region, split: Split, label: int) -> list[_Region]:
        field = split.order
        values = region.allowed[field]
        cuts = [values[: split.position + 1], values[split.position + 1 :]] if split.position is not None else None
        parts = []
        for allowed in cuts if cuts is not None else values[:, None]:
            rows = region.rows[np.isin(self.cells.rows[region.rows, field], allowed)]
            box = (*region.allowed[:field], allowed, *region.allowed[field + 1 :])
            parts.append(_Region(rows, box, region.depth + 1, label))
        return parts

    def _edge(self, split: Split, part: _Region, to: int) -> Edge:
        field = self.fields.fields[split.order]
        allowed = part.allowed[split.order]
        if field.edges is None:
            return Edge(to=to, values=tuple(field.values[int(v)] for v in allowed))
        ends = (-math.inf, *(float(edge) for edge in field.edges), math.inf)
        return Edge(to=to, intervals=((ends[int(allowed[0])], ends[int(allowed[-1]) + 1]),))


def _attribute(field: Field) -> Attribute:
    if field.edges is not None:
        return Attribute(name=field.name, kind="numeric")
    return Attribute(name=field.name, kind="categorical", values=field.values)


def _depends(counts: NDArray[np.float64], variances: NDArray[np.float64], significance: float) -> bool:
    """Whether value and class depend on each other more than noise explains."""
    from scipy.special import chdtri

    rows, columns = np.maximum(counts.sum(axis=1), 0), np.maximum(counts.sum(axis=0), 0)
    total = rows.sum()
    if total <= 0 or columns.sum() <= 0:
        return False
    expected = np.outer(rows, columns) / columns.sum()
    freedom = (len(rows) - 1) * (len(columns) - 1)
    statistic = ((counts - expected) ** 2 / (variances + expected)).sum()
    return bool(statistic > chdtri(freedom, significance))
