"""`confide attack transactions|table|tree|collect`: what someone who knows a little of a person learns from a file, and
what a collector learns from perturbed records."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from confide.cli.options import EXISTING, NUMBER, SUPPORT, note, print_json, private_options, sheet_option, text_options

if TYPE_CHECKING:
    from confide.collect.schemes.scheme import Scheme
    from confide.core.randomness import Randomness

__all__ = ["attack"]


@click.group(
    epilog="""\b
Example:
  confide attack transactions baskets.csv --known 3 --private-prefix s:
"""
)
def attack() -> None:
    """Play the attacker against a file. The answers are for the owner: they estimate risk and are not a proof."""


@attack.command(
    epilog="""\b
Example:
  confide attack transactions baskets.csv --known 2 --private-prefix s: --samples 2000 --seed 1
"""
)
@click.argument("source", metavar="IN", type=EXISTING)
@click.option("--release", type=EXISTING, help="Look the items up here instead: the file published from IN.")
@click.option("--known", type=click.IntRange(min=1), default=3, show_default=True, help="Items the attacker knows.")
@click.option("--samples", type=click.IntRange(1, 10_000_000), default=10_000, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), help="Which people; give the same for a before and after.")
@sheet_option
@private_options
def transactions(
    source: Path,
    release: Path | None,
    known: int,
    samples: int,
    seed: int | None,
    private: Path | None,
    private_prefix: tuple[str, ...],
) -> None:
    """Let the attacker know a few items of random people of IN: how often do they identify a record or private item?

    For a before and after, run it twice with the same --seed, the second time with --release. Knowing more items than
    a release's p goes beyond its promise.
    """
    from confide.audit.adversaries.linkage import link_transactions
    from confide.core.transactions.container import Transactions
    from confide.core.transactions.label_lists import private_labels

    original = Transactions.read(source)
    hidden = private_labels(original.items, file=private, prefixes=private_prefix)
    found = link_transactions(
        original,
        private=hidden,
        known=known,
        release=Transactions.read(release) if release else None,
        samples=samples,
        seed=seed,
    )
    note(found.summary())
    print_json(asdict(found))


@attack.command(
    epilog="""\b
Example:
  confide attack table registry.csv --schema registry.schema.toml
"""
)
@click.argument("source", metavar="IN", type=EXISTING)
@click.option("--schema", type=EXISTING, required=True, help="Roles of the columns, as TOML.")
@click.option("--release", type=EXISTING, help="Look people up here instead: the table published from IN.")
@click.option(
    "--ruled-out",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="Sensitive values of each person that the attacker can exclude.",
)
@text_options
def table(source: Path, schema: Path, release: Path | None, ruled_out: int) -> None:
    """Give the attacker the quasi-identifiers of each row of IN: who is found, whose sensitive value is certain?

    For a before and after, run it without and with --release. Three attacks: linkage, homogeneity (all rows that fit
    have one sensitive value), and background knowledge (some values can be ruled out). Each row is taken for a person,
    unless the schema names a column of persons.
    """
    from confide.audit.adversaries.people import attack_table
    from confide.core.tables.frames import read_table
    from confide.core.tables.schema import Schema

    target = None if release is None else read_table(release)
    found = attack_table(read_table(source), schema=Schema.read(schema), release=target, ruled_out=ruled_out)
    for text in found.lines():
        note(text)
    print_json(asdict(found))


@attack.command(
    epilog="""\b
Examples:
  confide attack tree north.json
  confide attack tree north.json south.json --records patients.csv --class diagnosis
"""
)
@click.argument("sources", metavar="TREE...", type=EXISTING, nargs=-1, required=True)
@click.option("--records", type=EXISTING, help="People whose classes are known: follow them through all trees.")
@click.option("--class", "target", metavar="COLUMN", help="Their class column.")
def tree(sources: tuple[Path, ...], records: Path | None, target: str | None) -> None:
    """Follow people to the leaves of published trees: how well is their class guessed, by each and by all together?

    Give the tree before and after anonymising for a comparison. With --records, two trees or more are put together, as
    one owner's trees of the same people, or several owners'.
    """
    from confide.audit.adversaries.paths import follow_paths, follow_several
    from confide.core.errors import UsageError
    from confide.core.tables.frames import read_table
    from confide.share.domains import Domains
    from confide.share.tasks.trees import read_trees

    if (records is None) != (target is None):
        raise UsageError("--records FILE and --class COLUMN go together")
    if records is not None and len(sources) < 2:
        raise UsageError("--records is for two trees or more; one tree says by itself what it tells")
    trees = read_trees(sources)
    alone = {}
    for path, each in zip(sources, trees, strict=True):
        risk = follow_paths(each)
        note(f"{path}: {risk.summary()}")
        alone[str(path)] = asdict(risk)
    if records is None or target is None:
        print_json({"trees": alone})
        return
    first = trees[0]
    domains = Domains(target=target, classes=first.classes, attributes=first.attributes)
    X, y, _ = domains.columns(read_table(records))
    together = follow_several(trees, X, y.tolist())
    if together.warning:
        note(f"warning: {together.warning}")
    print_json({"trees": alone, "together": asdict(together)})


@attack.command(
    epilog="""\b
Examples:
  confide attack collect baskets.scheme.json --data baskets.csv --min-support 5% --seed 1
  confide attack collect answers.scheme.json --samples 200000 --seed 1
"""
)
@click.argument("scheme_file", metavar="SCHEME", type=EXISTING)
@click.option("--samples", type=click.IntRange(1000, 10**9), default=1_000_000, show_default=True)
@click.option("--confidence", type=click.FloatRange(0.5, 0.999999), default=0.999, show_default=True)
@click.option("--claimed", type=NUMBER, help="The gamma to refute [the scheme's own].")
@click.option("--data", type=EXISTING, help="True records: play the collector who asks again about these instead.")
@click.option("--min-support", type=SUPPORT, default="1%", show_default=True, help="Itemsets that collector knows.")
@click.option("--seed", type=click.IntRange(min=0), help="Repeat the same draws.")
@text_options
def collect(
    scheme_file: Path,
    samples: int,
    confidence: float,
    claimed: float | None,
    data: Path | None,
    min_support: int | float,
    seed: int | None,
) -> None:
    """Draw from the scheme in SCHEME until its gamma is refuted, or not; with --data, ask again about true records.

    Exit status 1 when the claim is refuted. A claim that is not refuted is not proved: `confide verify` works gamma
    out, this shows that the code that draws keeps to it.
    """
    from confide.collect.schemes.scheme import read_scheme
    from confide.core.randomness import Randomness

    scheme = read_scheme(scheme_file)
    randomness = Randomness.system() if seed is None else Randomness.seeded(seed)
    if data is not None:
        _ask_again(scheme, data, min_support, randomness)
        return
    from confide.audit.adversaries.likelihood import audit_perturber
    from confide.collect.planning.perturber import law_to_audit

    law = law_to_audit(scheme, randomness=randomness)
    for text in law.notes:
        note(text)
    found = audit_perturber(
        law.draw,
        truths=law.truths,
        outputs=law.outputs,
        samples=samples,
        claimed=law.gamma if claimed is None else claimed,
        confidence=confidence,
    )
    print_json(found.to_dict() | {"worst_records": law.named(found.worst)})
    note(found.summary())
    if found.refuted:
        raise click.exceptions.Exit(1)


def _ask_again(scheme: "Scheme", data: Path, min_support: int | float, randomness: "Randomness") -> None:
    from confide.audit.adversaries.reinterrogation import reinterrogate
    from confide.collect.jobs.record_files import read_records
    from confide.collect.planning.privacy_measures import as_transactions
    from confide.mining import frequent_itemsets

    fields = scheme.fields
    columns = None if fields is None else fields.names
    records, notes = read_records(data, columns=columns, kind="transactions" if fields is None else "table")
    for text in notes:
        note(text)
    true = as_transactions(scheme, records)
    seen = as_transactions(scheme, scheme.perturb(records, randomness=randomness))
    found = reinterrogate(true, seen, frequent_itemsets(true, min_support=min_support))
    note(found.summary())
    print_json(asdict(found))
