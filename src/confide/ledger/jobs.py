"""What `confide ledger` asks for; `commands` carries it out."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import Delivery, DocumentOrTables, VerdictDelivery, WordsOnly
from confide.core.jobs.fields import setting, source
from confide.core.jobs.request import Request

__all__ = ["GROUPS", "JOBS", "LedgerCheck", "LedgerForget", "LedgerNew", "LedgerReport", "LedgerShow"]


@dataclass(frozen=True, kw_only=True)
class _LedgerRequest(Request):
    ledger: Path = source(help="The ledger.", metavar="LEDGER")
    ledger_key: Path | None = setting(
        None, metavar="FILE", help="Its key, 32 bytes; without it, the passphrase is asked for."
    )


@dataclass(frozen=True, kw_only=True)
class LedgerNew(_LedgerRequest):
    """Begin a ledger: an encrypted record of releases about the same people.

    With --ledger-key FILE a key is made in FILE if there is none. Keep it apart from the ledger, and keep both as you
    keep the data: together they say who is in which group, and what is shown there.
    """


@dataclass(frozen=True, kw_only=True)
class LedgerShow(_LedgerRequest):
    """List the releases in a ledger: when, what, how many people, and whether it is known that they left."""


@dataclass(frozen=True, kw_only=True)
class LedgerCheck(_LedgerRequest):
    """Say what all releases in a ledger tell together, though each keeps its promise.

    Three attackers are asked: one who knows one person's groups; one who knows everybody's groups, who came and left,
    and that values last; and one who joins rows by columns that are released as they are.

    Exit status 1 if somebody's sensitive value is certain.
    """


@dataclass(frozen=True, kw_only=True)
class LedgerReport(_LedgerRequest):
    """Write the owner's page about a ledger: time line, what the releases tell together after each, people at risk."""


@dataclass(frozen=True, kw_only=True)
class LedgerForget(_LedgerRequest):
    """Erase a person's pseudonym from a ledger. Their place in each group stays, since the others' depend on it.

    Afterwards the ledger and its key do not tell which place was theirs; tables they were in still may. Copies of the
    ledger are not reached.
    """

    person: str = setting(metavar="LABEL", secret=True, help="The person, as the column of persons has them.")


@dataclass(frozen=True, kw_only=True)
class LedgerPage(Delivery):
    """A page for the owner alone."""

    SHOWN_ANYWAY: ClassVar[bool] = True
    report: Path = setting(short="-o", option="output", metavar="FILE", help="Write the page here. Do not publish it.")
    replace: bool = setting(False, help="Overwrite a file that exists.")

    @property
    def targets(self) -> tuple[Path | None, ...]:
        return (self.report,)


GROUPS = {"ledger": "Keep a record of releases about the same people, and check what they tell together."}

_KEY = "--ledger-key people.key"

JOBS = (
    Job(
        name="ledger new",
        request=LedgerNew,
        at="confide.ledger.ledger_jobs:begin_ledger",
        delivery=WordsOnly,
        examples=(f"confide ledger new second.ledger {_KEY}",),
    ),
    Job(
        name="ledger show",
        request=LedgerShow,
        at="confide.ledger.ledger_jobs:show_ledger",
        delivery=DocumentOrTables,
        examples=(f"confide ledger show people.ledger {_KEY} --table",),
    ),
    Job(
        name="ledger check",
        request=LedgerCheck,
        at="confide.ledger.ledger_jobs:check_ledger",
        delivery=VerdictDelivery,
        examples=(f"confide ledger check people.ledger {_KEY}",),
    ),
    Job(
        name="ledger report",
        request=LedgerReport,
        at="confide.ledger.ledger_jobs:report_ledger",
        delivery=LedgerPage,
        examples=(f"confide ledger report people.ledger {_KEY} -o people.html",),
    ),
    Job(
        name="ledger forget",
        request=LedgerForget,
        at="confide.ledger.ledger_jobs:forget_person",
        delivery=WordsOnly,
        examples=(f"confide ledger forget people.ledger {_KEY} --person P0007",),
    ),
)
