"""The jobs `attack transactions|table|tree|collect`.

What someone who knows a little of a person learns from a file, and what a collector learns from perturbed records.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.core.errors import RequestError, UsageError
from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import DocumentOnly
from confide.core.jobs.fields import setting, source
from confide.core.jobs.kinds import Share, Support
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.core.jobs.records import BasketReading, FileReading
from confide.core.jobs.request import Request

if TYPE_CHECKING:
    from confide.collect.schemes.scheme import Scheme
    from confide.core.randomness import Randomness
    from confide.core.tables.reading import Reading

__all__ = ["GROUPS", "JOBS", "AttackCollect", "AttackTable", "AttackTransactions", "AttackTree"]


@dataclass(frozen=True, kw_only=True)
class AttackTransactions(BasketReading):
    """Let the attacker know a few items of random people of IN: how often do they identify a record or private item?

    For a before and after, run it twice with the same --seed, the second time with --release. Knowing more items than
    a release's p goes beyond its promise.
    """

    records: Path = source(help="Baskets: .dat, .csv, .jsonl, .parquet or .xlsx.")
    release: Path | None = setting(None, help="Look the items up here instead: the file published from IN.")
    known: int = setting(3, ge=1, help="Items the attacker knows.")
    samples: int = setting(10_000, ge=1, le=10_000_000, help="People to try.")
    seed: int | None = setting(None, ge=0, help="Which people; give the same for a before and after.")
    private: Path | None = setting(None, help="File of private item labels, one per line.")
    private_prefix: tuple[str, ...] = setting(
        (), repeat=True, metavar="TEXT", help="Items whose label starts so are private."
    )


def attack_transactions(request: AttackTransactions, host: Host = QUIET) -> Outcome:
    """Link random people's items to records; `TransactionLinkage`."""
    from confide.audit.adversaries.linkage import link_transactions
    from confide.core.transactions.container import Transactions
    from confide.core.transactions.label_lists import private_labels

    how = request.reading().options
    original = request.read_baskets(request.records)
    release = None if request.release is None else Transactions.read(request.release, **how)
    linkage = link_transactions(
        original,
        private=private_labels(original.items, file=request.private, prefixes=request.private_prefix),
        known=request.known,
        release=release,
        samples=request.samples,
        seed=request.seed,
    )
    return Outcome(answer=linkage, document=asdict(linkage), notes=(linkage.summary(),))


@dataclass(frozen=True, kw_only=True)
class AttackTable(FileReading):
    """Give the attacker the quasi-identifiers of each row of IN: who is found, whose sensitive value is certain?

    For a before and after, run it without and with --release. Three attacks: linkage, homogeneity (all rows that fit
    have one sensitive value), and background knowledge (some values can be ruled out). Each row is taken for a person,
    unless the schema names a column of persons.

    Beside that what a prosecutor, a journalist and a marketer find by the sizes of groups that look alike, before and
    after, the share of people whom each column and each pair of columns singles out, and special uniques: the smallest
    combinations of values, of quasi-identifiers and insensitive columns, that one row alone has, with SUDA scores by
    row, column and value.
    """

    table: Path = source(help="A table: .csv, .parquet or .xlsx.")
    schema: Path = setting(help="Roles of the columns, as TOML.")
    release: Path | None = setting(None, help="Look people up here instead: the table published from IN.")
    ruled_out: int = setting(1, ge=0, help="Sensitive values of each person that the attacker can exclude.")
    p: int = setting(
        3, ge=0, le=10, help="Find the rows that up to so many values single out (special uniques); 0 for none."
    )
    fraction: Share | None = setting(
        None, above=0, le=1, help="Share of the population that is in the table: gives chances (DIS-SUDA)."
    )

    def check(self) -> None:
        super().check()
        if self.fraction is not None and self.p == 0:
            raise RequestError("fraction", self.fraction, "goes with special uniques; give p= of 1 or more")


def attack_table(request: AttackTable, host: Host = QUIET) -> Outcome:
    """Look every row's person up; `TableAttack`."""
    from confide.audit.adversaries import known_people
    from confide.core.tables.frames import read_table
    from confide.core.tables.schema import Schema

    how = request.reading().options
    original = read_table(request.table, **how)
    release = None if request.release is None else read_table(request.release, **how)
    schema = Schema.read(request.schema)
    risks = known_people.attack_table(original, schema=schema, release=release, ruled_out=request.ruled_out)
    document, notes = asdict(risks) | _before_and_after(original, release, schema), risks.lines()
    if request.p:
        from confide.publish.tables.risk.special_uniques import special_uniques

        special = special_uniques(original if release is None else release, schema, most=request.p)
        document["special_uniques"] = special.to_dict(fraction=request.fraction)
        notes.append(special.line())
    return Outcome(answer=risks, document=document, notes=tuple(notes))


def _before_and_after(original: Any, release: Any, schema: Any) -> dict[str, Any]:
    """What the three attackers find, and which columns single people out: before, and in a release."""
    from confide.publish.tables.risk.before_and_after import table_risk

    tables = {"before": schema.read_texts(original)} | ({} if release is None else {"released": release})
    risks = {name: table_risk(table, schema).to_dict() for name, table in tables.items()}
    return {part: {name: risk[part] for name, risk in risks.items()} for part in ("attackers", "singled_out")}


@dataclass(frozen=True, kw_only=True)
class AttackTree(Request):
    """Follow people to the leaves of published trees: how well is their class guessed, by each and by all together?

    Give the tree before and after anonymising for a comparison. With --records, two trees or more are put together, as
    one owner's trees of the same people, or several owners'.
    """

    trees: tuple[Path, ...] = source(help="Published trees.", metavar="TREE")
    records: Path | None = setting(None, help="People whose classes are known: follow them through all trees.")
    target: str | None = setting(None, option="class", metavar="COLUMN", help="Their class column.")

    def check(self) -> None:
        super().check()
        if (self.records is None) != (self.target is None):
            raise UsageError("records= and target= go together", parameter="records")
        if self.records is not None and len(self.trees) < 2:
            raise UsageError(
                "records= is for two trees or more; one tree says by itself what it tells", parameter="records"
            )


def attack_tree(request: AttackTree, host: Host = QUIET) -> Outcome:
    """Follow people through each tree (`PathRisk` by file), and through all of them together (`SeveralTrees`)."""
    from confide.audit.adversaries.paths import follow_paths, follow_several
    from confide.core.tables.frames import read_table
    from confide.share.domains import Domains
    from confide.share.tree_files import read_trees

    trees = read_trees(request.trees)
    risks = {str(path): follow_paths(tree) for path, tree in zip(request.trees, trees, strict=True)}
    notes = [f"{path}: {risk.summary()}" for path, risk in risks.items()]
    document = {"trees": {path: asdict(risk) for path, risk in risks.items()}}
    if request.records is None or request.target is None:
        return Outcome(answer=risks, document=document, notes=tuple(notes))
    domains = Domains(target=request.target, classes=trees[0].classes, attributes=trees[0].attributes)
    X, y, _ = domains.columns(read_table(request.records))
    together = follow_several(trees, X, y.tolist())
    notes += [f"warning: {together.warning}"] if together.warning else []
    return Outcome(answer=together, document=document | {"together": asdict(together)}, notes=tuple(notes))


@dataclass(frozen=True, kw_only=True)
class AttackCollect(FileReading):
    """Draw from the scheme in SCHEME until its gamma is refuted, or not; with --data, ask again about true records.

    Exit status 1 when the claim is refuted. A claim that is not refuted is not proved: `confide verify` works gamma
    out, this shows that the code that draws keeps to it.
    """

    scheme: Path = source(help="A scheme file.", metavar="SCHEME")
    samples: int = setting(1_000_000, ge=1000, le=10**9, help="Draws.")
    confidence: Share = setting(0.999, ge=0.5, le=0.999999, help="Of the refutation.")
    claimed: float | None = setting(None, help="The gamma to refute [the scheme's own].")
    data: Path | None = setting(None, help="True records: play the collector who asks again about these instead.")
    min_support: Support = setting(0.01, help="Itemsets that collector knows: a count (5), a share (0.01) or 1%.")
    seed: int | None = setting(None, ge=0, help="Repeat the same draws.")


def attack_collect(request: AttackCollect, host: Host = QUIET) -> Outcome:
    """Test the scheme's draws (`LikelihoodAudit`), or ask again about true records (`Reinterrogation`)."""
    from confide.collect.schemes.scheme import read_scheme
    from confide.core.randomness import Randomness

    scheme = read_scheme(request.scheme)
    randomness = Randomness.system() if request.seed is None else Randomness.seeded(request.seed)
    if request.data is not None:
        return _ask_again(scheme, request, request.data, randomness, request.reading())
    from confide.audit.adversaries.likelihood import audit_perturber
    from confide.collect.planning.perturber import law_to_audit

    law = law_to_audit(scheme, randomness=randomness)
    audit = audit_perturber(
        law.draw,
        truths=law.truths,
        outputs=law.outputs,
        samples=request.samples,
        claimed=law.gamma if request.claimed is None else request.claimed,
        confidence=request.confidence,
    )
    document = audit.to_dict() | {"worst_records": law.named(audit.worst)}
    return Outcome(answer=audit, document=document, notes=(*law.notes, audit.summary()), ok=not audit.refuted)


def _ask_again(
    scheme: "Scheme", request: AttackCollect, data: Path, randomness: "Randomness", reading: "Reading"
) -> Outcome:
    from confide.audit.adversaries.reinterrogation import reinterrogate
    from confide.collect.jobs.record_files import read_records
    from confide.collect.planning.privacy_measures import as_transactions
    from confide.mining import frequent_itemsets

    fields = scheme.fields
    columns = None if fields is None else fields.names
    kind = "transactions" if fields is None else "table"
    records, notes = read_records(data, columns=columns, kind=kind, reading=reading)
    true = as_transactions(scheme, records)
    perturbed = as_transactions(scheme, scheme.perturb(records, randomness=randomness))
    answer = reinterrogate(true, perturbed, frequent_itemsets(true, min_support=request.min_support))
    return Outcome(answer=answer, document=asdict(answer), notes=(*notes, answer.summary()))


GROUPS = {
    "attack": "Play the attacker against a file. The answers are for the owner: they estimate risk and are not a proof."
}

JOBS = (
    Job(
        name="attack transactions",
        request=AttackTransactions,
        at="confide.cli.jobs.attacks:attack_transactions",
        delivery=DocumentOnly,
        examples=("confide attack transactions baskets.csv --known 2 --private-prefix s: --samples 2000 --seed 1",),
    ),
    Job(
        name="attack table",
        request=AttackTable,
        at="confide.cli.jobs.attacks:attack_table",
        delivery=DocumentOnly,
        examples=(
            "confide attack table registry.csv --schema registry.schema.toml",
            "confide attack table registry.csv --schema registry.schema.toml --p 4 --fraction 1%",
        ),
    ),
    Job(
        name="attack tree",
        request=AttackTree,
        at="confide.cli.jobs.attacks:attack_tree",
        delivery=DocumentOnly,
        examples=(
            "confide attack tree north.json",
            "confide attack tree north.json south.json --records patients.csv --class diagnosis",
        ),
    ),
    Job(
        name="attack collect",
        request=AttackCollect,
        at="confide.cli.jobs.attacks:attack_collect",
        delivery=DocumentOnly,
        examples=(
            "confide attack collect baskets.scheme.json --data baskets.csv --min-support 5% --seed 1",
            "confide attack collect answers.scheme.json --samples 200000 --seed 1",
        ),
    ),
)
