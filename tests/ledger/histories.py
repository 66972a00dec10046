"""Random histories of a few people, released year after year, each release built on those before it."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
from tests.ledger.series_tables import KEY

from confide.core.errors import CannotMeetError
from confide.core.passport import Passport
from confide.core.requirements import DistinctDiversity, KAnonymity
from confide.core.series.placed_history import PlacedHistory
from confide.core.series.release_history import history_of
from confide.core.tables.schema import Schema
from confide.ledger import ReleaseLedger
from confide.ledger.building import earlier_for
from confide.ledger.checking import check_continuation
from confide.ledger.ledger_file import LedgerFile
from confide.ledger.recorded_places import place_state
from confide.ledger.seal import join_entry
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.memberships import membership_of, people_of
from confide.publish.tables.mondrian.mondrian import Mondrian
from confide.publish.tables.series.next_release import NextRelease

ILLNESSES = ["flu", "gout", "mumps"]
SCHEMA = Schema.from_dict(
    {
        "id": {"role": "person"},
        "age": {"role": "quasi-identifier", "range": [0, 15]},
        "sex": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive"},
    }
)


def frame_of(rows):
    """Rows (id, age, sex, ill) as a table."""
    return pa.table({name: [row[i] for row in rows] for i, name in enumerate(SCHEMA.columns)})


@dataclass
class Series:
    """People and what was released of them; the ledger is never written."""

    ledger: ReleaseLedger = field(
        default_factory=lambda: ReleaseLedger.of_file(
            LedgerFile.new(Path("never"), KEY).append(join_entry({"kind": "open", "created": ""}, []))
        )
    )

    def release(self, rows, *, k, l, carry=0.9, suppress=0.9, publisher=None):  # noqa: E741 - the paper's letter
        """Release rows (id, age, sex, ill), built on what was released before; the recoding."""
        table = CodedTable.of(frame_of(rows), SCHEMA)
        requirement = KAnonymity(k=k) & DistinctDiversity(l=l)
        asked = people_of(table, np.arange(len(table)))
        earlier = earlier_for(self.ledger, asked)
        if earlier is None:
            recoding, continued = Mondrian(requirement=requirement, suppress=suppress).recode(table), None
        else:
            made = NextRelease(requirement=requirement, earlier=earlier, carry=carry, suppress=suppress)
            recoding, continued = made.recode(table), made.continuation_
        membership = membership_of(recoding, pseudonyms=False, continued=continued, origin=asked.origin)
        passport = Passport.issue(requirement, stage="publish table", algorithm="-", artefact="table")
        passport = passport.for_bytes(bytes([len(self.ledger)]), f"{len(self.ledger) + 1}.csv", type="table")
        self.ledger = self.ledger.with_pending(passport, membership).with_done()
        return recoding

    def publish(self, rows, *, k, l):  # noqa: E741 - the paper's letter
        """Release rows in full, all checks included, built on what was released before; and the recoding."""
        table = CodedTable.of(frame_of(rows), SCHEMA)
        requirement = KAnonymity(k=k) & DistinctDiversity(l=l)
        asked = people_of(table, np.arange(len(table)))
        options = {"carry": 0.9, "suppress": 0.9, "keep_order": True}
        made = NextRelease(requirement=requirement, earlier=earlier_for(self.ledger, asked), **options)
        recoding = made.recode(table)
        release = made.publish_recoded(recoding, table.table, explain=False)
        membership = membership_of(recoding, pseudonyms=False, continued=made.continuation_, origin=asked.origin)
        passport = release.passport.for_bytes(bytes([len(self.ledger)]), f"{len(self.ledger) + 1}.csv", type="table")
        pending = self.ledger.with_pending(passport, membership)
        check_continuation(pending)
        self.ledger = pending.with_done()
        return release, recoding

    def placed(self):
        """Groups and places of all releases."""
        releases, state = self.ledger.releases, place_state(self.ledger)
        values = [one.values for one in releases]
        places = history_of(list(state.by_release), values).groups
        return PlacedHistory(history=self.ledger.history(), places=places, cell=state.cell)


def random_series(seed):
    """Two to five releases with comers, leavers, movers, changed values, other k; None if the first is impossible."""
    draw = np.random.default_rng(seed)
    everybody = {}

    def newcomer():
        number = len(everybody)
        everybody[number] = [
            number,
            int(draw.integers(16)),
            str(draw.choice(["f", "m"])),
            str(draw.choice(ILLNESSES, p=[0.5, 0.3, 0.2])),
        ]
        return number

    present = [newcomer() for _ in range(int(draw.integers(6, 10)))]
    series, left = Series(), []
    for year in range(int(draw.integers(2, 6))):
        if year:
            for person in [p for p in present if draw.random() < 0.15]:
                present.remove(person)
                left.append(person)
            present += [newcomer() for _ in range(int(draw.integers(0, 4)))]
            for person in [p for p in left if draw.random() < 0.15]:
                left.remove(person)
                present.append(person)
            for person in present:
                if draw.random() < 0.15:
                    everybody[person][1] = int(draw.integers(16))
                if draw.random() < 0.05:
                    everybody[person][3] = str(draw.choice(ILLNESSES))
        try:
            series.release([tuple(everybody[p]) for p in present], k=int(draw.choice([2, 2, 3, 4])), l=2)
        except CannotMeetError:
            if year == 0:
                return None
    return series
