"""The job `verify`: releases re-checked with code that shares nothing with the code that made them.

verify PASSPORT...                 file unchanged, signature, the promise itself
verify TABLE --schema S.toml       without a passport: what does the table keep, and is that enough?
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from confide.core.errors import ConfideError, InputError, RequestError, UsageError
from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import VerdictDelivery
from confide.core.jobs.fields import setting, source
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.core.jobs.records import FileReading
from confide.core.jobs.table_promise import TablePromise

if TYPE_CHECKING:
    from confide.core.artefacts.originals import Population
    from confide.core.passport import Passport

__all__ = ["GROUPS", "JOBS", "Verify", "verify"]


@dataclass(frozen=True, kw_only=True)
class Verify(TablePromise, FileReading):
    """Re-check releases from their passports: file unchanged, signature, and the promise itself where it can be proved.

    With --schema, look at a TABLE that has no passport: the largest k and l, the smallest t and so on that it keeps,
    and whether it meets what --k, --l, --t and the other options ask.

    Of several passports also: whether releases that are built on one another are all there, and none is built on twice.

    Exit status 0 if every check holds, 1 if one fails.
    """

    passports: tuple[Path, ...] = source(help="Passports, or one table without a passport.", metavar="PASSPORT|TABLE")
    artefact: Path | None = setting(None, help="The released file, if it is not beside its passport.")
    key: Path | None = setting(None, help="Public key (PEM) that must have signed.")
    schema: Path | None = setting(
        None, help="Roles of the columns of TABLE, which has no passport (with --population, of the release)."
    )
    population: Path | None = setting(
        None,
        help="A table with a row for each person of the population, to count who fits (k-map, delta-presence); with "
        "the --schema of the release.",
    )

    def check(self) -> None:
        super().check()
        if self.population is not None:
            self._check_population()
            return
        if self.schema is None and self.requirement_asked() is not None:
            raise UsageError(
                "a passport says itself what is promised; to ask something of a table, give its schema=",
                parameter="schema",
                value=self.schema,
            )
        if len(self.passports) > 1 and (self.artefact is not None or self.schema is not None):
            raise UsageError(
                "artefact= and schema= go with one file; give them one at a time",
                parameter="artefact",
                value=self.artefact,
            )
        if self.schema is not None and (self.artefact is not None or self.key is not None):
            raise RequestError("schema", self.schema, "is for a table without a passport; leave out artefact= and key=")
        for name in ("delimiter", "encoding", "sheet"):
            if self.schema is None and getattr(self, name) is not None:
                raise RequestError(name, getattr(self, name), "is for a table without a passport; give its schema=")

    def _check_population(self) -> None:
        if self.schema is None:
            raise RequestError("population", self.population, "is read by the schema of the release; give schema=, too")
        if self.requirement_asked() is not None:
            raise UsageError("a passport says itself what is promised; leave out what is asked")


def verify(request: Verify, host: Host = QUIET) -> Outcome:
    """Re-check every passport, or examine the table; `ok` says whether all holds."""
    for path in request.passports:
        if not path.is_file():
            raise InputError("no such file", source=path)
    if request.schema is not None and request.population is None:
        return _examine(request, request.schema, host)
    return _recheck(request, host)


def _recheck(request: Verify, host: Host) -> Outcome:
    from confide.audit.release_chain import check_chain
    from confide.audit.verify import verify as check
    from confide.core.artefacts.signing_keys import read_public_key

    trusted = None if request.key is None else read_public_key(request.key)
    people = _read_population(request, host)
    checked = [check(path, artefact=request.artefact, key=trusted, evidence=people) for path in request.passports]
    if len(checked) > 1:
        chains = check_chain([_passport_or_none(path) for path in request.passports])
        checked = [replace(one, checks=(*one.checks, *more)) for one, more in zip(checked, chains, strict=True)]
    answers = list(zip(request.passports, checked, strict=True))
    words = []
    for path, verification in answers:
        words += [f"{path}: {verification.verdict()}", *(f"  {text}" for text in verification.lines())]
    return Outcome(
        answer=[verification for _, verification in answers],
        document=[{"passport": str(path), **verification.to_dict()} for path, verification in answers],
        words=tuple(words),
        ok=all(verification.ok for _, verification in answers),
    )


def _read_population(request: Verify, host: Host) -> "Population | None":
    """The population with the schema, if there is one, and the passports speak of one."""
    if request.population is None or request.schema is None:
        return None
    from confide.core.artefacts.originals import Population
    from confide.core.passport import Passport
    from confide.core.requirements import Requirement
    from confide.core.tables.frames import read_table
    from confide.core.tables.schema import Schema

    for path in request.passports:
        if not Requirement.from_dict(Passport.read(path).requirement).unproved:
            raise RequestError("population", request.population, f"is not asked about by {path}; leave it out")
    table = read_table(request.population, **request.reading().options)
    return Population(table=table, schema=Schema.read(request.schema))


def _passport_or_none(path: Path) -> "Passport | None":
    """A passport; None where it cannot be read, which its own checks say."""
    from confide.core.passport import Passport

    try:
        return Passport.read(path)
    except ConfideError:
        return None


def _examine(request: Verify, schema: Path, host: Host) -> Outcome:
    from confide.audit.examination import examine
    from confide.core.tables.frames import read_table
    from confide.core.tables.schema import Schema

    table = request.passports[0]
    rows = read_table(table, **request.reading().options)
    known = Schema.read(schema)
    examination = examine(rows, known, requirement=request.requirement_asked(known))
    return Outcome(
        answer=examination,
        document={"table": str(table), **examination.to_dict()},
        words=tuple(examination.lines(f"{table}:")),
        ok=examination.ok,
    )


GROUPS: dict[str, str] = {}

JOBS = (
    Job(
        name="verify",
        request=Verify,
        at="confide.audit.jobs:verify",
        delivery=VerdictDelivery,
        examples=(
            "confide verify people.csv.passport.json",
            "confide verify registry.csv --schema registry.schema.toml",
        ),
    ),
)
