"""`confide verify PASSPORT...`: re-check releases with code that shares nothing with the code that made them.
`confide verify TABLE --schema S.toml`: without a passport, what does a table keep?"""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from confide.cli.options import EXISTING, note, print_json
from confide.cli.requirement_options import asked_requirement, table_requirement_options

if TYPE_CHECKING:
    from confide.audit.verifiers.tables.strength import TableStrength
    from confide.core.checks import Verification

__all__ = ["verify"]


@click.command(
    epilog="""\b
Examples:
  confide verify people.csv.passport.json
  confide verify registry.csv --schema registry.schema.toml
"""
)
@click.argument("files", metavar="PASSPORT...|TABLE", type=EXISTING, nargs=-1, required=True)
@click.option(
    "--artefact", type=click.Path(path_type=Path), help="The released file, if it is not beside its passport."
)
@click.option("--key", type=EXISTING, help="Public key (PEM) that must have signed.")
@click.option("--schema", type=EXISTING, help="Roles of the columns of TABLE, which has no passport, as TOML.")
@table_requirement_options
@click.option("--json", "as_json", is_flag=True, help="Print the checks as JSON on stdout.")
def verify(
    files: tuple[Path, ...],
    artefact: Path | None,
    key: Path | None,
    schema: Path | None,
    as_json: bool,
    **asked: Any,
) -> None:
    """Re-check releases from their passports: file unchanged, signature, and the promise itself where it can be proved.

    With --schema, look at a TABLE that has no passport: the largest k and l, the smallest t and so on that it keeps,
    and whether it meets what --k, --l, --t and the other options ask.

    Exit status 0 if every check holds, 1 if one fails.
    """
    from confide.core.errors import InputError, UsageError

    requirement = asked_requirement(asked)
    if requirement is not None and schema is None:
        raise UsageError("a passport says itself what is promised; to ask something of a table, give its --schema")
    if len(files) > 1 and (artefact is not None or schema is not None):
        raise UsageError("--artefact and --schema go with one file; give them one at a time")
    for path in files:
        if not path.is_file():
            raise InputError("no such file", source=path)
    if schema is not None:
        if artefact is not None or key is not None:
            raise UsageError("--schema is for a table without a passport; leave out --artefact and --key")
        ok = _examine(files[0], schema, requirement, as_json=as_json)
    else:
        ok = _recheck(files, artefact, key, as_json=as_json)
    if not ok:
        raise click.exceptions.Exit(1)


def _recheck(passports: tuple[Path, ...], artefact: Path | None, key: Path | None, *, as_json: bool) -> bool:
    from confide.audit.verify import verify as check
    from confide.cli.passport import read_public_key
    from confide.core.errors import UsageError
    from confide.core.release import passport_path

    trusted = read_public_key(key) if key else None
    answers = []
    for path in passports:
        beside = passport_path(path)
        if path.suffix != ".json" and beside.is_file():
            raise UsageError(f"{path} is the released file; verify its passport: confide verify {beside}")
        outcome = check(path, artefact=artefact, key=trusted)
        answers.append((path, outcome))
        if not as_json:
            weak = ", but what it promises bounds next to nothing" if outcome.weak else ""
            note(f"{path}: {f'holds{weak}' if outcome.ok else 'FAILS'}")
            _tell(outcome)
    if as_json:
        print_json([{"passport": str(path), **_plain(outcome)} for path, outcome in answers])
    return all(outcome.ok for _, outcome in answers)


def _examine(source: Path, schema: Path, requirement: Any, *, as_json: bool) -> bool:
    from confide.audit.examination import examine
    from confide.core.tables.frames import read_table
    from confide.core.tables.schema import Schema

    found = examine(read_table(source), Schema.read(schema), requirement=requirement)
    outcome = found.verification
    if as_json:
        answer = None if requirement is None else requirement.to_dict()
        print_json(
            {
                "table": str(source),
                "keeps": asdict(found.strength),
                "asked": answer,
                **({} if outcome is None else _plain(outcome)),
            }
        )
    else:
        for text in _words(found.strength):
            note(text)
        if outcome is not None:
            note(f"{source}: {'meets' if outcome.ok else 'does NOT meet'} what is asked: {requirement.promise()}")
            _tell(outcome)
    return outcome is None or outcome.ok


def _words(strength: "TableStrength") -> list[str]:
    members = "persons" if strength.counts_persons else "rows"
    told = [f"{strength.rows:,} rows in {strength.groups:,} groups; k = {strength.k:,} {members} in the smallest"]
    for name in strength.identifiers:
        told.append(f"warning: {name!r} is an identifier and still there; no number below helps against that")
    for name, one in strength.sensitive.items():
        recursive = ", ".join(f"({_number(c)}, {l})" for l, c in one.recursive_c.items() if c is not None)  # noqa: E741
        ordered = "" if one.t_ordered is None else f", ordered {_number(one.t_ordered)}"
        told += [
            f"{name}: l = {one.simple_l} simple, {one.distinct_l} distinct, {_number(one.entropy_l)} by entropy",
            f"{name}: (c, l) = {recursive or 'none'} recursive",
            f"{name}: alpha = {_number(one.alpha)}; t = {_number(one.t)}{ordered}",
            f"{name}: beta = {_number(one.beta)}, enhanced {_number(one.enhanced_beta)}; delta = {_number(one.delta)}",
        ]
    return told


def _number(value: float | None) -> str:
    """All its digits: a rounded one might not hold."""
    return "none" if value is None else f"{value:.12g}"


def _tell(outcome: "Verification") -> None:
    for one in outcome.checks:
        sign = "FAIL" if not one.ok else "weak" if one.weak else "ok  "
        note(f"  {sign} {one.name}{': ' + one.detail if one.detail else ''}", reword=False)
    for text in outcome.not_provable:
        note(f"  not provable here: {text}", reword=False)


def _plain(outcome: "Verification") -> dict[str, Any]:
    return {
        "ok": outcome.ok,
        "checks": [{"name": c.name, "ok": c.ok, "weak": c.weak, "detail": c.detail} for c in outcome.checks],
        "not_provable": list(outcome.not_provable),
    }
