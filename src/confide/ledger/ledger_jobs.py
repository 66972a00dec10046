"""The jobs of `confide ledger`."""

import os
from typing import Any

from confide.core.artefacts.held_files import hold_file
from confide.core.errors import UsageError
from confide.core.files import atomic_write
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.ledger.book import ReleaseLedger
from confide.ledger.checking import say_together
from confide.ledger.jobs import LedgerCheck, LedgerForget, LedgerNew, LedgerReport, LedgerShow
from confide.ledger.owner_page import ledger_page
from confide.ledger.recording import ask_for_key, open_ledger

__all__ = ["begin_ledger", "check_ledger", "forget_person", "report_ledger", "show_ledger"]


def begin_ledger(request: LedgerNew, host: Host = QUIET) -> Outcome:
    """Write an empty ledger, and its key if the file for it is not there."""
    made = ""
    if request.ledger.exists():
        raise UsageError(f"{request.ledger} exists; a ledger is never overwritten, choose another name")
    if request.ledger_key is not None and not request.ledger_key.exists():
        with atomic_write(request.ledger_key, private=True) as file:
            file.write(os.urandom(32))
        made = f", its key to {request.ledger_key}: keep that apart from it, without it nobody can read the ledger"
    ledger = ReleaseLedger.new(request.ledger, ask_for_key(request.ledger_key, host, new=True))
    return Outcome(answer=ledger, words=(f"a ledger without releases is written to {request.ledger}{made}",))


def show_ledger(request: LedgerShow, host: Host = QUIET) -> Outcome:
    """List the releases."""
    ledger = open_ledger(request.ledger, request.ledger_key, host)
    rows = release_rows(ledger)
    about = {
        "ledger": str(request.ledger),
        "created": ledger.created,
        "people": ledger.item_releases[-1].records if ledger.item_releases else len(ledger.pseudonyms),
        "person_column": ledger.person_column,
        "forgotten": ledger.forgotten,
    }
    return Outcome(
        answer=ledger,
        document={**about, "releases": rows},
        tables={"Releases": lambda: rows},
        notes=() if rows else (f"{request.ledger} has no releases yet; give --ledger when you publish",),
    )


def release_rows(ledger: ReleaseLedger) -> list[dict[str, Any]]:
    """One row for each release."""
    return [
        {
            "release": number,
            "when": release.when,
            "file": release.passport.artefact.name if release.passport.artefact else "",
            "state": "done" if release.done else "pending",
            "people": release.people,
            "promise": release.passport.promise,
            "sha256": release.sha256,
        }
        for number, release in enumerate(ledger.recorded, 1)
    ]


def check_ledger(request: LedgerCheck, host: Host = QUIET) -> Outcome:
    """What all releases say together; `ok` where nobody's value is certain."""
    ledger = open_ledger(request.ledger, request.ledger_key, host)
    together = say_together(ledger)
    return Outcome(answer=together, document=together.to_dict(), words=tuple(together.lines()), ok=together.ok)


def report_ledger(request: LedgerReport, host: Host = QUIET) -> Outcome:
    """The owner's page."""
    ledger = open_ledger(request.ledger, request.ledger_key, host)
    return Outcome(answer=ledger, page=lambda: ledger_page(ledger))


def forget_person(request: LedgerForget, host: Host = QUIET) -> Outcome:
    """Erase the pseudonym of one person."""
    with hold_file(request.ledger, by="another release"):
        ledger = open_ledger(request.ledger, request.ledger_key, host).without_person(request.person)
        ledger.write()
    return Outcome(
        answer=ledger, words=(f"one pseudonym was erased from {request.ledger}, and its chain was begun anew",)
    )
