"""What a ledger says: which releases there were, and for each person, by pseudonym, group and value in each of them.

    open | pending 1 | done 1 | pending 2 | done 2 | ...

A release is written as *pending*, with its passport, before its files get their names, and as *done* afterwards. Who
was killed in between leaves it pending, and it counts as published: nobody knows that it was not.
People are numbered in the order in which they came; arrays of a release speak of all people known by then.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UsageError
from confide.core.passport import Passport
from confide.core.randomness import Randomness
from confide.core.series.membership import Membership, number_joint
from confide.core.series.places import RegionColumn
from confide.core.series.release_history import ABSENT, History, history_of
from confide.core.series.shown_items import ShownItems
from confide.ledger.item_releases import RecordedItems, check_items_follow, pack_items, unpack_items
from confide.ledger.ledger_file import LedgerFile
from confide.ledger.packed_arrays import pack_array, unpack_array
from confide.ledger.recorded_places import pack_places, place_state, unpack_places
from confide.ledger.seal import join_entry

__all__ = ["ReleaseLedger", "RecordedRelease"]

_PACKED = (".gz", ".zst")


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RecordedRelease:
    """One release: its passport as it was written, when, whether it is known to have left, and who is in it.

    `groups[i]` and `values[i]` are those of person i, ABSENT where the release does not speak of them. Of a release
    that is built on earlier ones `places[i]` is the place that person i holds, `cells[p]` the cell of place p from then
    on, and `carried` are the people who are shown though they left; None otherwise. `regions` are those of cells.
    """

    passport: Passport
    when: str
    done: bool
    told_apart: tuple[str, ...]
    groups: NDArray[np.int32]
    values: NDArray[np.int32]
    places: NDArray[np.int32] | None = None
    cells: NDArray[np.int32] | None = None
    carried: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    held_back: int = 0
    regions: tuple[RegionColumn, ...] = ()

    @property
    def sha256(self) -> str:
        """The hash of the released file."""
        assert self.passport.artefact is not None
        return self.passport.artefact.sha256

    @property
    def people(self) -> int:
        """How many people the release speaks of."""
        return int((self.groups != ABSENT).sum())


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ReleaseLedger:
    """A ledger as it was read. `with_...` give another one, which is on disk only after `write`.

    `labels[v]` are the texts of combination v of sensitive values, one for each of `columns`. A ledger has `releases`
    of tables and trees, or `item_releases` of baskets, whose items `item_labels` lists.
    """

    file: LedgerFile
    created: str
    releases: tuple[RecordedRelease, ...] = ()
    pseudonyms: NDArray[np.uint64]
    person_column: str | None = None
    columns: tuple[str, ...] = ()
    labels: tuple[tuple[str, ...], ...] = ()
    origin: bytes = b""
    forgotten: int = 0
    item_releases: tuple[RecordedItems, ...] = ()
    item_labels: tuple[str, ...] = ()

    @classmethod
    def new(cls, path: Path, key: bytes | str) -> "ReleaseLedger":
        """A ledger without releases; written, unless there is a file of this name."""
        if path.suffix.lower() in _PACKED:
            raise UsageError(f"{path} would be packed, which hides nothing in what is encrypted; name it {path.stem}")
        file = LedgerFile.new(path, key).append(join_entry({"kind": "open", "created": _now()}, []))
        file.write(replace=False)
        return cls.of_file(file)

    @classmethod
    def read(cls, path: Path, key: bytes | str) -> "ReleaseLedger":
        """Read a ledger; its key is 32 bytes, or a passphrase."""
        return cls.of_file(LedgerFile.read(path, key))

    @classmethod
    def of_file(cls, file: LedgerFile) -> "ReleaseLedger":
        """What the entries of a file say."""
        try:
            about, _ = _divide(file.entries[0])
            ledger = cls(file=file, created=about["created"], pseudonyms=np.zeros(0, dtype=np.uint64))
            for entry in file.entries[1:]:
                ledger = ledger._with_entry(*_divide(entry))
        except (KeyError, ValueError, TypeError, IndexError, AttributeError):
            raise InputError("holds an entry that this program does not know", source=file.path) from None
        return ledger

    @property
    def path(self) -> Path:
        """Where it is."""
        return self.file.path

    def __len__(self) -> int:
        return len(self.recorded)

    @property
    def recorded(self) -> "tuple[RecordedRelease | RecordedItems, ...]":
        """All releases, of whatever kind."""
        return (*self.releases, *self.item_releases)

    def history(self, releases: int | None = None) -> History:
        """Who was in which group, in all releases, or in the first so many."""
        chosen = self.releases[:releases]
        names = range(len(self.columns))
        texts = [sorted({label[c] for label in self.labels}) for c in names]
        places = [{text: i for i, text in enumerate(column)} for column in texts]
        columns = tuple(np.array([places[c][label[c]] for label in self.labels], dtype=np.int32) for c in names)
        return history_of([one.groups for one in chosen], [one.values for one in chosen], columns)

    # -- what is added ----------------------------------------------------------------------------------------------

    def with_pending(self, passport: Passport, membership: Membership | ShownItems) -> "ReleaseLedger":
        """With a release that is about to leave."""
        self.check_follows(membership)
        about: dict[str, Any] = {"kind": "pending", "when": _now(), "passport": passport.model_dump(mode="json")}
        if isinstance(membership, ShownItems):
            described, blobs = pack_items(self, membership)
            return self._written_behind(about | described, blobs)
        codes, texts = _joint(membership)
        own = self.file.seal.pseudonyms(_present(membership))
        known, people = self._find(own)
        if len(np.unique(own)) < len(own):
            raise UsageError(f"two people have one pseudonym in {self.path}; go on with a new ledger")
        continued = membership.continued
        carried = np.zeros(0, dtype=np.int64)
        if continued is not None:
            carried = place_state(self).holder[continued.place[continued.carried]]
        # Who is shown at another place too, or with another value, is shown here as somebody of no name.
        twice = np.isin(carried, people[known])
        nameless = _random_pseudonyms(int(twice.sum()))
        new, numbers = self._number_new(membership, codes, known, twice, np.concatenate([own[~known], nameless]))
        people[~known] = numbers[: int((~known).sum())]
        if continued is not None:
            carried[twice] = numbers[int((~known).sum()) :]
            everybody = np.empty(len(membership), dtype=np.int64)
            everybody[~continued.carried], everybody[continued.carried] = people, carried
            people = everybody
        known_labels = {label: number for number, label in enumerate(self.labels)}
        fresh = [label for label in texts if label not in known_labels]
        known_labels |= {label: len(self.labels) + i for i, label in enumerate(fresh)}
        number_of = np.array([known_labels[label] for label in texts], dtype=np.int32)
        total = len(self.pseudonyms) + len(new)
        groups, values = np.full(total, ABSENT, dtype=np.int32), np.full(total, ABSENT, dtype=np.int32)
        groups[people], values[people] = membership.group, number_of[codes]
        arrays = [
            pack_array(np.diff(new, prepend=np.uint64(0))),
            pack_array(groups, beside=_padded(self._last_groups, total)),
            pack_array(
                np.where(groups == ABSENT, _padded(self._last_values, total), values),
                beside=_padded(self._last_values, total),
            ),
        ]
        places, packed = pack_places(self, membership, people, total)
        about |= {
            "person": membership.person_column,
            "columns": [column.name for column in membership.sensitive],
            "origin": membership.origin.hex(),
            "told_apart": list(membership.told_apart),
            "labels": fresh,
            **places,
            "arrays": [about_array for about_array, _ in [*arrays, *packed]],
        }
        return self._written_behind(about, [blob for _, blob in [*arrays, *packed]])

    def with_done(self) -> "ReleaseLedger":
        """With the last release known to have left."""
        return self._written_behind({"kind": "done", "when": _now()}, [])

    def without_person(self, person: str) -> "ReleaseLedger":
        """Without the pseudonym of a person; their place in each group stays, since the others' depend on it.

        All entries are written anew, and sealed in a new chain.
        """
        own = self.file.seal.pseudonyms([person])
        known, people = self._find(own)
        if not known[0]:
            raise InputError("nobody of this name is in the ledger (or they were forgotten before)", source=self.path)
        entries, begins = [], 0
        for entry in self.file.entries:
            about, blobs = _divide(entry)
            if about["kind"] == "pending":
                mine = int(people[0]) - begins
                length = int(about["arrays"][0]["length"])
                if 0 <= mine < length:
                    pseudonyms = self.pseudonyms[begins : begins + length].copy()
                    pseudonyms[mine] = _random_pseudonyms(1)[0]
                    about["arrays"][0], blobs[0] = pack_array(np.diff(pseudonyms, prepend=np.uint64(0)))
                    entry = join_entry(about, blobs)
                begins += length
            entries.append(entry)
        entries.append(join_entry({"kind": "forgotten", "when": _now()}, []))
        return ReleaseLedger.of_file(self.file.with_entries(entries))

    def check_follows(self, membership: Membership | ShownItems) -> None:
        """Refuse a release that cannot be one about the same people: one clear line each."""
        if isinstance(membership, ShownItems):
            return check_items_follow(self, membership)
        if self.item_releases:
            raise InputError("holds releases of baskets, and this is none; use another ledger", source=self.path)
        if not self.releases:
            return None
        if membership.person_column != self.person_column:
            named: dict[str | None, str] = {None: "by no column"}
            was, now = (
                named.get(name, f"by the column {name!r}") for name in (self.person_column, membership.person_column)
            )
            raise InputError(
                f"knows people {was}, and this table {now}; use the same, or another ledger", source=self.path
            )
        if self.person_column is None and membership.origin != self.origin:
            raise InputError(
                "was begun without a column of persons, so only the same input can follow; give the column that says "
                "whose row it is the role 'person', and begin another ledger",
                source=self.path,
            )
        own = tuple(column.name for column in membership.sensitive)
        if own != self.columns:
            raise InputError(
                f"follows the sensitive columns {', '.join(self.columns) or 'none'}, and this table has "
                f"{', '.join(own) or 'none'}; a value that is sensitive in one release must be so in all",
                source=self.path,
            )
        if not self.find_people(membership)[0].any():
            raise InputError(
                f"knows none of these {len(membership):,} people; it is other people's: use another ledger",
                source=self.path,
            )
        return None

    def find_people(self, membership: Membership) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Whether each person of a membership (carried ones left out) is known, and the number of those who are."""
        return self._find(self.file.seal.pseudonyms(_present(membership)))

    def write(self) -> None:
        """Write it, synced."""
        self.file.write()

    # -- within ------------------------------------------------------------------------------------------------------

    @property
    def _last_groups(self) -> NDArray[np.int32]:
        return self.releases[-1].groups if self.releases else np.zeros(0, dtype=np.int32)

    @property
    def _last_values(self) -> NDArray[np.int32]:
        """The value of everybody when they were last seen."""
        last = np.full(len(self.pseudonyms), ABSENT, dtype=np.int32)
        for release in self.releases:
            there = release.values != ABSENT
            last[: len(there)][there] = release.values[there]
        return last

    def _number_new(
        self,
        membership: Membership,
        codes: NDArray[np.int32],
        known: NDArray[np.bool_],
        twice: NDArray[np.bool_],
        pseudonyms: NDArray[np.uint64],
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The pseudonyms of new people in the order of their numbers, and the number of each.

        They are numbered by group and value, which takes the least room, and at random within. Nothing of a pseudonym
        shows in a number: somebody who was forgotten could be found between those whose pseudonyms are next to theirs.
        """
        continued = membership.continued
        carried = np.zeros(len(membership), dtype=np.bool_) if continued is None else continued.carried
        at = np.concatenate([np.flatnonzero(~carried)[~known], np.flatnonzero(carried)[twice]])
        order = Randomness.system().permutation(len(at))
        order = order[np.lexsort((codes[at[order]], membership.group[at[order]]))]
        numbers = np.empty(len(at), dtype=np.int64)
        numbers[order] = len(self.pseudonyms) + np.arange(len(at))
        return pseudonyms[order], numbers

    def _find(self, pseudonyms: NDArray[np.uint64]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Whether each of them is known, and the number of the person (anything where they are not)."""
        if not len(self.pseudonyms):
            return np.zeros(len(pseudonyms), dtype=np.bool_), np.zeros(len(pseudonyms), dtype=np.int64)
        order = np.argsort(self.pseudonyms, kind="stable")
        place = np.minimum(np.searchsorted(self.pseudonyms[order], pseudonyms), len(order) - 1)
        people = order[place]
        return self.pseudonyms[people] == pseudonyms, people

    def _written_behind(self, about: Mapping[str, Any], blobs: list[bytes]) -> "ReleaseLedger":
        entry = join_entry(dict(about), blobs)
        return replace(self, file=self.file.append(entry))._with_entry(*_divide(entry))

    def _with_entry(self, about: dict[str, Any], blobs: list[bytes]) -> "ReleaseLedger":
        """What it says with one more entry."""
        if about["kind"] == "done" and self.item_releases:
            return replace(self, item_releases=(*self.item_releases[:-1], replace(self.item_releases[-1], done=True)))
        if about["kind"] == "done":
            return replace(self, releases=(*self.releases[:-1], replace(self.releases[-1], done=True)))
        if about["kind"] == "forgotten":
            return replace(self, forgotten=self.forgotten + 1)
        if about["kind"] != "pending":
            raise KeyError(about["kind"])
        passport = Passport.model_validate_json(json.dumps(about["passport"]))
        if about.get("of") == "items":
            recorded, labels = unpack_items(self, about, blobs, passport)
            origin = bytes.fromhex(about["origin"])
            return replace(self, item_releases=(*self.item_releases, recorded), item_labels=labels, origin=origin)
        described = about["arrays"]
        new = np.cumsum(unpack_array(described[0], blobs[0]), dtype=np.uint64)
        total = len(self.pseudonyms) + len(new)
        last = _padded(self._last_values, total)
        groups = unpack_array(described[1], blobs[1], beside=_padded(self._last_groups, total))
        values = unpack_array(described[2], blobs[2], beside=last)
        release = RecordedRelease(
            passport=passport,
            when=about["when"],
            done=False,
            told_apart=tuple(about["told_apart"]),
            groups=groups,
            values=np.where(groups == ABSENT, np.int32(ABSENT), values),
            **unpack_places(self, about, blobs, total),
        )
        return replace(
            self,
            releases=(*self.releases, release),
            pseudonyms=np.concatenate([self.pseudonyms, new]),
            person_column=about["person"],
            columns=tuple(about["columns"]),
            labels=(*self.labels, *(tuple(label) for label in about["labels"])),
            origin=bytes.fromhex(about["origin"]),
        )


def _random_pseudonyms(number: int) -> NDArray[np.uint64]:
    """Pseudonyms that nobody has."""
    return np.frombuffer(os.urandom(8 * number), dtype=np.uint64)


def _present(membership: Membership) -> list[str]:
    """The labels of the people who are there, without those who are carried on."""
    texts = membership.persons_as_text()
    if membership.continued is None:
        return texts
    return [text for text, carried in zip(texts, membership.continued.carried.tolist(), strict=True) if not carried]


def _joint(membership: Membership) -> tuple[NDArray[np.int32], tuple[tuple[str, ...], ...]]:
    """The combination of sensitive values of each person; without such columns, the empty one."""
    if membership.sensitive:
        return number_joint(membership.sensitive)
    return np.zeros(len(membership), dtype=np.int32), ((),)


def _padded(numbers: NDArray[np.int32], length: int) -> NDArray[np.int32]:
    """As many numbers as people: ABSENT for those who came later."""
    return np.concatenate([numbers, np.full(length - len(numbers), ABSENT, dtype=np.int32)])


def _divide(entry: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """What `join_entry` joined."""
    line, _, rest = entry.partition(b"\n")
    about = json.loads(line)
    blobs = []
    for described in about.get("arrays", []):
        blobs.append(rest[: described["bytes"]])
        rest = rest[described["bytes"] :]
    return about, blobs


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
