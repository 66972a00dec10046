"""Places and cells: how one release is built on earlier ones, so that together they say no more about anybody's value.

    first release                  a year later
    cell A  place 0  Ann, flu      Ann
            place 1  Bo, flu       Gus, flu      Bo left: Gus, who has flu too, takes the place
            place 2  Cem, gout     Cem
    cell B  place 3  Dee, flu      Dee
            ...

The groups of the first release become *cells*, the rows in them *places*. A place keeps its value for ever; people come
and go. Each release shows whole cells, or unions of them. Exchanging the values of two places of a cell, for all who
ever held them, changes no count of any release: so each value of a cell stays possible for all of them. A place that
nobody with its value takes is *carried on*: last year's row is shown again.

Whoever left a place and took another *links* the two: both have the value of one person. Linked places change their
value only together, with places of the same other value in each of their cells.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Continuation", "Earlier", "Places", "RegionColumn", "link_places"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RegionColumn:
    """What a column of cells (or groups) covers: `texts[codes[c]]` for cell c, as two texts.

    Of a column that is cut into ranges the finest ranges at both ends, ("*", "*") for everything; of any other the
    level of a node of its hierarchy, and what the node is called.
    """

    name: str
    ranges: bool
    texts: tuple[tuple[str, str], ...]
    codes: NDArray[np.int32]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Places:
    """Place i is in cell `cell[i]` and has the value `labels[value[i]]`, one text for each of the sensitive `columns`.

    Places with the same `link[i]` were held by one person, or by people who are so linked; `carried[i]` says that the
    row of place i was carried on in the last release. `regions` are those of cells.
    """

    columns: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    cell: NDArray[np.int32]
    value: NDArray[np.int32]
    link: NDArray[np.int32]
    carried: NDArray[np.bool_]
    regions: tuple[RegionColumn, ...]

    def __len__(self) -> int:
        return len(self.cell)

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return int(self.cell.max(initial=-1)) + 1


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Earlier:
    """Earlier releases as the next one sees them: their places, and who of a new table holds or held one.

    `holds[i]` is the place that the person of row i held in the last release, with the value of that row; `held[i]` a
    place that they had in any release; ABSENT (-1) where there is none. `hashes` are those of the earlier releases, in
    order, `name` is what the last one is called, `levels` at which levels it was if it was at one for each column.
    """

    places: Places
    holds: NDArray[np.int64]
    held: NDArray[np.int64]
    hashes: tuple[str, ...]
    name: str
    levels: dict[str, int] | None = None


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Continuation:
    """What a release did with places: `place[i]` is that of released row i, `carried[i]` whether it was carried on.

    `cell` are the cells of all places from now on, new places last; `regions` are those of cells.
    """

    place: NDArray[np.int64]
    carried: NDArray[np.bool_]
    cell: NDArray[np.int32]
    regions: tuple[RegionColumn, ...]
    values_left: int = 1
    held_back: int = 0
    moved: int = 0


def link_places(places: int, entry: NDArray[np.int64], place: NDArray[np.int64]) -> NDArray[np.int32]:
    """Number the links of so many places, where entry[i] (a person with a value) at some time held place[i]."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not len(entry):
        return np.arange(places, dtype=np.int32)
    width = int(entry.max()) + 1
    graph = coo_array((np.ones(len(entry), dtype=np.int8), (place, places + entry)), shape=(places + width,) * 2)
    _, component = connected_components(graph.tocsr(), directed=False)
    used = np.unique(component[:places], return_inverse=True)[1]
    return used.reshape(-1).astype(np.int32)
