"""The history of releases that are built on one another: groups and places of people, cells of places."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError
from confide.core.series.release_history import History

__all__ = ["PlacedHistory"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PlacedHistory:
    """`places[r, i]` is the place of entry i of the history in release r, ABSENT where its group is; `cell[p]` the cell
    of place p by now."""

    history: History
    places: NDArray[np.int32]
    cell: NDArray[np.int32]

    def __post_init__(self) -> None:
        if self.places.shape != self.history.groups.shape:
            raise InputError(f"places of shape {self.places.shape}, groups of shape {self.history.groups.shape}")
        if ((self.places < 0) != (self.history.groups < 0)).any() or int(self.places.max(initial=-1)) >= len(self.cell):
            raise InputError("somebody has a place and no group, a group and no place, or a place without a cell")
