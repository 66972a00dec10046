"""Places in a ledger: written beside the groups of a release that is built on others, and worked out for the first.

The groups of the first release are the first cells, and its people, in the order of their numbers, the first places. A
release that is built on it adds the place of each person, the cell of each place, who was carried on, and what each
cell covers; all but the new ones are mostly as they were, which takes next to no room.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError
from confide.core.series.membership import Membership
from confide.core.series.places import Earlier, Places, RegionColumn, link_places
from confide.core.series.release_history import ABSENT
from confide.ledger.packed_arrays import pack_array, unpack_array

if TYPE_CHECKING:
    from confide.ledger.book import ReleaseLedger

__all__ = ["PlaceState", "earlier_of", "pack_places", "place_state", "places_by_release", "unpack_places"]

_FIRST = 3  # arrays of an entry before those of places


@dataclass(frozen=True, eq=False, repr=False)
class PlaceState:
    """Places after the last release: `by_release[r][i]` is the place that person i held in release r, ABSENT for none;
    `cell`, `value` and `holder` (a person) of each place."""

    by_release: tuple[NDArray[np.int32], ...]
    cell: NDArray[np.int32]
    value: NDArray[np.int32]
    holder: NDArray[np.int64]


def places_by_release(ledger: "ReleaseLedger") -> tuple[NDArray[np.int32], ...]:
    """The place of each person in each release; raises where one was not built on those before it."""
    found: list[NDArray[np.int32]] = []
    for number, release in enumerate(ledger.releases, 1):
        if release.places is not None:
            found.append(release.places)
            continue
        name = release.passport.artefact.name if release.passport.artefact else "it"
        if number > 1:
            raise InputError(
                f"release {number} ({name}) was not built on release {number - 1}, so no release can be built on both; "
                "make releases with after= from the first on, in a ledger of their own",
                source=ledger.path,
            )
        there = release.groups != ABSENT
        found.append(np.where(there, np.cumsum(there) - 1, ABSENT).astype(np.int32))
    return tuple(found)


@lru_cache(maxsize=2)
def place_state(ledger: "ReleaseLedger") -> PlaceState:
    """Places after the last release of a ledger."""
    by_release = places_by_release(ledger)
    first = ledger.releases[0]
    cell = next((one.cells for one in reversed(ledger.releases) if one.cells is not None), None)
    if cell is None:
        cell = first.groups[first.groups != ABSENT]
    value = np.full(len(cell), ABSENT, dtype=np.int32)
    holder = np.full(len(cell), ABSENT, dtype=np.int64)
    for release, places in zip(ledger.releases, by_release, strict=True):
        people = np.flatnonzero(places != ABSENT)
        holder[places[people]], value[places[people]] = people, release.values[people]
    return PlaceState(by_release, cell, value, holder)


def earlier_of(ledger: "ReleaseLedger", membership: Membership, values: NDArray[np.int32]) -> Earlier:
    """The releases of a ledger as the next one sees them; `values[i]` numbers the value of person i of it, in the
    ledger's numbers, ABSENT for a value that nobody had."""
    state = place_state(ledger)
    last = ledger.releases[-1]
    known, people = ledger.find_people(membership)
    width = len(ledger.labels) + 1
    entries, places = [], []
    for release, own in zip(ledger.releases, state.by_release, strict=True):
        there = np.flatnonzero(own != ABSENT)
        entries.append(there * width + release.values[there])
        places.append(own[there].astype(np.int64))
    entry, place = np.concatenate(entries), np.concatenate(places)
    numbers, of = np.unique(entry, return_inverse=True)
    of = of.reshape(-1)
    own_entry = np.where(known & (values >= 0), people * width + values, -1)
    at = np.minimum(np.searchsorted(numbers, own_entry), len(numbers) - 1)
    found = numbers[at] == own_entry
    latest = np.full(len(numbers), ABSENT, dtype=np.int64)
    latest[of] = place  # later releases come later
    held = np.where(found, latest[at], ABSENT)
    now = np.full(len(state.cell), ABSENT, dtype=np.int64)
    shown = np.flatnonzero(state.by_release[-1] != ABSENT)
    now[state.by_release[-1][shown]] = shown
    holds = np.where((held >= 0) & (now[held] == people), held, ABSENT)
    passport = last.passport
    levels = passport.parameters.get("levels")
    return Earlier(
        places=Places(
            columns=ledger.columns,
            labels=ledger.labels,
            cell=state.cell,
            value=state.value,
            link=link_places(len(state.cell), of, place),
            carried=np.isin(state.holder, last.carried),
            regions=last.regions,
        ),
        holds=holds,
        held=held,
        hashes=tuple(release.sha256 for release in ledger.releases),
        name=passport.artefact.name if passport.artefact else f"release {len(ledger)}",
        levels=dict(levels) if isinstance(levels, dict) else None,
    )


_Packed = tuple[dict[str, Any], list[tuple[dict[str, Any], bytes]]]


def pack_places(ledger: "ReleaseLedger", membership: Membership, people: NDArray[np.int64], total: int) -> _Packed:
    """What an entry says of places: plain data, and arrays. `people[i]` is the person of entry i of the membership."""
    before = ledger.releases[-1] if ledger.releases else None
    arrays = []
    for number, column in enumerate(membership.regions):
        earlier = _codes_before(before, number, column.name)
        arrays.append(pack_array(column.codes, beside=_grown(earlier, len(column.codes))))
    about: dict[str, Any] = {
        "regions": [
            [column.name, column.ranges, [list(text) for text in column.texts]] for column in membership.regions
        ]
    }
    continued = membership.continued
    if continued is not None:
        state = place_state(ledger)
        place = np.full(total, ABSENT, dtype=np.int32)
        place[people] = continued.place
        arrays += [
            pack_array(place, beside=_grown(state.by_release[-1], total)),
            pack_array(continued.cell, beside=_grown(state.cell, len(continued.cell))),
            pack_array(np.sort(people[continued.carried]).astype(np.int32)),
        ]
        about["continued"] = {"held_back": continued.held_back}
    return about, arrays


def unpack_places(ledger: "ReleaseLedger", about: dict[str, Any], blobs: list[bytes], total: int) -> dict[str, Any]:
    """What `pack_places` packed, as fields of a recorded release."""
    described = about["arrays"]
    before = ledger.releases[-1] if ledger.releases else None
    regions = []
    for number, (name, ranges, texts) in enumerate(about.get("regions", [])):
        at = _FIRST + number
        beside = _grown(_codes_before(before, number, name), int(described[at]["length"]))
        codes = unpack_array(described[at], blobs[at], beside=beside)
        regions.append(RegionColumn(name=name, ranges=ranges, texts=tuple((a, b) for a, b in texts), codes=codes))
    found: dict[str, Any] = {"regions": tuple(regions)}
    if "continued" in about:
        at = _FIRST + len(regions)
        state = place_state(ledger)
        place, cell, carried = described[at : at + 3], described[at + 1], described[at + 2]
        found["places"] = unpack_array(place[0], blobs[at], beside=_grown(state.by_release[-1], total))
        found["cells"] = unpack_array(cell, blobs[at + 1], beside=_grown(state.cell, int(cell["length"])))
        found["carried"] = unpack_array(carried, blobs[at + 2]).astype(np.int64)
        found["held_back"] = int(about["continued"]["held_back"])
    return found


def _codes_before(before: Any, number: int, name: str) -> NDArray[np.int32]:
    """The codes of a column of regions in the release before."""
    if before is None or number >= len(before.regions) or before.regions[number].name != name:
        return np.zeros(0, dtype=np.int32)
    codes: NDArray[np.int32] = before.regions[number].codes
    return codes


def _grown(numbers: NDArray[np.int32], length: int) -> NDArray[np.int32]:
    """As many numbers: 0 for those that came later."""
    return np.concatenate([numbers[:length], np.zeros(max(0, length - len(numbers)), dtype=np.int32)])
