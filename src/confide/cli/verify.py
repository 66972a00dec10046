"""`confide verify PASSPORT...`: re-check releases with code that shares nothing with the code that made them."""

from pathlib import Path

import click

from confide.cli.options import EXISTING, note, print_json

__all__ = ["verify"]


@click.command(
    epilog="""\b
Example:
  confide verify people.csv.passport.json
"""
)
@click.argument("passports", metavar="PASSPORT...", type=EXISTING, nargs=-1, required=True)
@click.option("--artefact", type=EXISTING, help="The released file, if it is not beside its passport.")
@click.option("--key", type=EXISTING, help="Public key (PEM) that must have signed.")
@click.option("--json", "as_json", is_flag=True, help="Print the checks as JSON on stdout.")
def verify(passports: tuple[Path, ...], artefact: Path | None, key: Path | None, as_json: bool) -> None:
    """Re-check releases from their passports: file unchanged, signature, and the promise itself where it can be proved.

    Exit status 0 if every check of every passport holds, 1 if one fails.
    """
    from confide.audit.verify import verify as check
    from confide.cli.passport import read_public_key
    from confide.core.errors import InputError, UsageError
    from confide.core.release import passport_path

    if artefact is not None and len(passports) > 1:
        raise UsageError("--artefact goes with one passport; give them one at a time")
    trusted = read_public_key(key) if key else None
    answers = []
    for path in passports:
        if not path.is_file():
            raise InputError("no such file", source=path)
        beside = passport_path(path)
        if path.suffix != ".json" and beside.is_file():
            raise UsageError(f"{path} is the released file; verify its passport: confide verify {beside}")
        outcome = check(path, artefact=artefact, key=trusted)
        answers.append((path, outcome))
        if not as_json:
            weak = ", but what it promises bounds next to nothing" if outcome.weak else ""
            note(f"{path}: {f'holds{weak}' if outcome.ok else 'FAILS'}")
            for one in outcome.checks:
                sign = "FAIL" if not one.ok else "weak" if one.weak else "ok  "
                note(f"  {sign} {one.name}{': ' + one.detail if one.detail else ''}")
            for text in outcome.not_provable:
                note(f"  not provable here: {text}")
    if as_json:
        print_json(
            [
                {
                    "passport": str(path),
                    "ok": outcome.ok,
                    "checks": [
                        {"name": c.name, "ok": c.ok, "weak": c.weak, "detail": c.detail} for c in outcome.checks
                    ],
                    "not_provable": list(outcome.not_provable),
                }
                for path, outcome in answers
            ]
        )
    if not all(outcome.ok for _, outcome in answers):
        raise click.exceptions.Exit(1)
