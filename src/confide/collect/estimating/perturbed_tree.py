"""A decision tree learned from gamma-diagonal records: only the counts it asks for are reconstructed.

A tree learner asks a node for nothing but AVC counts: how many of its records have value v of an attribute and class
c. The records of a node with value v and class c fill a *region* of the domain, a box of allowed values,

    age in {young, old}, sex in {F}, smokes = v, ill = c

and how many true records lie in a region follows from how many perturbed ones do and from the region's share of all
possible records (see `cell_estimates.keep_or_uniform_estimate`). So the tree is grown as on true records, on counts
that carry a known error, and that error decides when to stop:

- an attribute competes only where its AVC table departs from independence of the class by more than noise would (see
  `_chance`), at a level that is shared among the attributes tried;
- the root has the level `significance`, and a split node's level is shared among its children. So `significance` bounds
  the chance that the tree holds any split of a node, by an attribute, where the two are independent: errors can only
  begin at nodes below true splits, and the levels of those add up to `significance` at most;
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

from confide.collect.estimating.cell_estimates import MergedRecords, keep_or_uniform_estimate
from confide.collect.fields.field import Field
from confide.collect.fields.fields import Fields
from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.runtime.threads import answers_ctrl_c
from confide.core.trees.published import Attribute, Edge, Node, PublishedTree
from confide.mining.trees.splits import Criterion, Split, best_split, choose, criterion_code, grid

__all__ = ["Regional", "learn_tree"]


class Regional(Protocol):
    """What learning a tree needs of a scheme."""

    def kept_regions(self) -> tuple[float, Fields]:
        """The chance that a whole record was kept, else drawn uniformly; and the fields. Raises UsageError if this is
        not how the scheme perturbs."""
        ...


@answers_ctrl_c
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
    their values. `significance` is the chance that noise alone makes any split in the whole tree: of data whose class
    depends on nothing, at most this share of trees splits at all. A smaller one, or a larger `sure`, gives a smaller
    tree that owes less to noise; `min_leaf`,
    in estimated true records, `max_depth` and `criterion` are as of `confide.mining.DecisionTree`.

    The counts in the tree are estimates, rounded, so children need not add up to their parent. It takes true records
    (numbers in fields with edges): `DecisionTree.from_published(tree).predict(frame)`.

    Cost: the records are read once; then each node reads the distinct ones once for each field.
    """
    keep, fields = scheme.kept_regions()
    if not 0 < significance < 1:
        raise RequirementError(
            f"significance={significance} must lie strictly between 0 and 1, such as 0.01",
            parameter="significance",
            value=significance,
        )
    if not 0 <= sure < math.inf:
        raise RequirementError(
            f"sure={sure} must be a number of standard errors, 0 or more", parameter="sure", value=sure
        )
    target = fields.position(class_field)
    if len(fields) < 2:
        raise UsageError("a tree needs a field besides the class")
    criterion_code(criterion)
    cells = MergedRecords.perturbed(fields, perturbed)
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
    level: float  # the chance of a false split that is left to this node and all below it


@dataclass(frozen=True, kw_only=True, eq=False)
class _Grower:
    cells: MergedRecords
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
        waiting = [_Region(np.arange(len(self.cells.rows)), everything, 0, -1, self.significance)]
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

    def _avc(self, region: _Region, field: int) -> tuple[NDArray[np.float64], float]:
        """Estimated records of each allowed value (rows) and class (columns), and the chance of a table this far from
        independence if the two are independent."""
        n_values, n_classes = self.fields.sizes[field], self.fields.sizes[self.target]
        held = self.cells.rows[region.rows]
        key = held[:, field].astype(np.int64) * n_classes + held[:, self.target]
        seen = np.bincount(key, weights=self.cells.weights[region.rows], minlength=n_values * n_classes)
        seen = seen.reshape(n_values, n_classes)[region.allowed[field]]
        share, records = self._share(region) / seen.size, self.cells.records
        counts, _ = keep_or_uniform_estimate(seen, share, keep=self.keep, records=records)
        return counts, _chance(counts, keep=self.keep, drawn=(1 - self.keep) * share * records, records=records)

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
            counts, chance = self._avc(region, i)
            if chance < region.level / len(able):
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
        level = region.level / (len(values) if cuts is None else len(cuts))
        for allowed in cuts if cuts is not None else values[:, None]:
            rows = region.rows[np.isin(self.cells.rows[region.rows, field], allowed)]
            box = (*region.allowed[:field], allowed, *region.allowed[field + 1 :])
            parts.append(_Region(rows, box, region.depth + 1, label, level))
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


def _chance(counts: NDArray[np.float64], *, keep: float, drawn: float, records: int) -> float:
    """The chance that noise takes a table this far from independence of its rows and columns.

    The residuals e = counts - (row sum)(column sum)/total are, to first order, (I - a 1') noise (I - 1 b'), where a and
    b are the shares of rows and columns. What was seen is multinomial, so under independence its covariance is known:
    `drawn` records fall into each cell at random, besides those kept. Rows and columns of e add up to 0, so all but the
    last of each say everything, and e' V^-1 e follows the chi-square law with as many degrees of freedom. (Squares over
    variances, added up as if cells were independent, do not: with skewed values they split in 7 to 16% of trees where
    1% was said.)
    """
    from scipy.special import chdtrc

    rows, columns, total = counts.sum(axis=1), counts.sum(axis=0), counts.sum()
    a, b = np.maximum(rows, 0), np.maximum(columns, 0)
    if total <= 0 or a.sum() <= 0 or b.sum() <= 0:
        return 1.0
    a, b = a / a.sum(), b / b.sum()
    residuals = (counts - np.outer(rows, columns) / total)[:-1, :-1].ravel()
    seen = (keep * total * np.outer(a, b) + drawn).ravel()
    effect = np.kron((np.eye(len(a)) - a[:, None])[:-1], (np.eye(len(b)) - b[:, None])[:-1])
    mean = effect @ seen
    variance = ((effect * seen) @ effect.T - np.outer(mean, mean) / records) / keep**2
    statistic = float(residuals @ np.linalg.pinv(variance, hermitian=True) @ residuals)
    return float(chdtrc(len(residuals), max(statistic, 0.0)))
