"""Every stage, one entry each: all that the rest of the house must know of it; and every requirement of tables.

    passport --> STAGES[stage] --> may it promise this of such a file? who verifies it? what can nobody check?
    confide --help, demo, compile, docs, tests --> the same entries

    "kind": "t-closeness" --> TABLE_KINDS["t-closeness"] --> the class, the auditor's judge and verifier
    --t 0.2, t = 0.2 in a schema --> the entry with `t` among its numbers --> TCloseness(t=0.2)

Code is named by dotted path and imported when it is needed, so that `core` knows the stages, the auditor and the
command without importing them. A new stage adds its entry here (see CONTRIBUTING, "A new stage").
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from confide.core.checks import Check
from confide.core.errors import VerificationError

__all__ = [
    "NUMBERS_OF_COLUMNS",
    "OTHER_JOBS",
    "STAGES",
    "TABLE_KINDS",
    "Command",
    "Stage",
    "TableKind",
    "Verifier",
    "named",
    "stage_named",
    "usual_artefact",
]

Verifier = Callable[..., Iterable[Check]]
"""Called with the data and its passport; a third argument, where the stage has one, is what only the owner can show."""


@dataclass(frozen=True, kw_only=True)
class TableKind:
    """One requirement of tables. The order of the entries is that of the parts of joined requirements in passports.

    `name` is its class, in `module` of `core.requirements.tables`; `judged` is its name with the auditor, in `auditor`
    of `audit.verifiers.tables`. `numbers` are the settings that ask for it of a sensitive column, by which the schema
    may require it, too; `switches` go with them. `of_trees` says that published trees keep it, too.
    """

    name: str
    module: str
    judged: str
    auditor: str = ""
    numbers: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()
    of_trees: bool = False

    @property
    def at(self) -> str:
        """Where the class is."""
        return f"confide.core.requirements.tables.{self.module}:{self.name}"

    @property
    def verifier(self) -> str:
        """Where the auditor verifies a release that promises it."""
        return f"{self._auditor}:verify_{self.judged}"

    @property
    def judge(self) -> str:
        """Where the auditor judges it on a look at a table."""
        return f"{self._auditor}:judge_{self.judged}"

    @property
    def _auditor(self) -> str:
        return f"confide.audit.verifiers.tables.{self.auditor or self.module}"


TABLE_KINDS: Mapping[str, TableKind] = {
    "k-anonymity": TableKind(name="KAnonymity", module="groups", judged="k_anonymity", of_trees=True),
    "alpha-k-anonymity": TableKind(name="AlphaK", module="groups", judged="alpha_k", numbers=("alpha",)),
    "simple-diversity": TableKind(
        name="SimpleDiversity", module="diversity", judged="simple_diversity", numbers=("l",), of_trees=True
    ),
    "distinct-diversity": TableKind(
        name="DistinctDiversity", module="diversity", judged="distinct_diversity", numbers=("l",)
    ),
    "entropy-diversity": TableKind(
        name="EntropyDiversity", module="diversity", judged="entropy_diversity", numbers=("l",)
    ),
    "recursive-diversity": TableKind(
        name="RecursiveDiversity", module="diversity", judged="recursive_diversity", numbers=("l", "c"), of_trees=True
    ),
    "t-closeness": TableKind(
        name="TCloseness", module="closeness", judged="t_closeness", numbers=("t",), switches=("ordered",)
    ),
    "beta-likeness": TableKind(
        name="BetaLikeness", module="closeness", judged="beta_likeness", numbers=("beta",), switches=("enhanced",)
    ),
    "delta-disclosure": TableKind(
        name="DeltaDisclosure", module="closeness", judged="delta_disclosure", numbers=("delta",)
    ),
    "others-known": TableKind(name="OthersKnown", module="combination", judged="others_known"),
    "k-map": TableKind(name="KMap", module="of_population", auditor="counted_people", judged="k_map"),
    "k-map-by-size": TableKind(
        name="KMapBySize", module="of_population", auditor="counted_people", judged="k_map_by_size"
    ),
    "k-map-by-weight": TableKind(
        name="KMapByWeight", module="of_population", auditor="counted_people", judged="k_map_by_weight"
    ),
    "delta-presence": TableKind(
        name="DeltaPresence", module="of_population", auditor="counted_people", judged="delta_presence"
    ),
}
"""Every kind by its name in passports; `all-of`, which joins several of them, is none itself."""

NUMBERS_OF_COLUMNS = tuple(dict.fromkeys(number for kind in TABLE_KINDS.values() for number in kind.numbers))
"""The settings that ask for something of one sensitive column."""


@dataclass(frozen=True, kw_only=True)
class Command:
    """A word after `confide` with one line of help; what follows it are the stage's jobs."""

    word: str
    help: str


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One stage.

    `name` is what passports say; `package` what users import; `jobs` the modules of its jobs; `verifiers` maps each
    kind of requirement it may promise to the auditor's function; `artefacts` are the kinds of files it may release;
    `not_provable` what no look at the files can settle; `comparison` compares what is released with what was read, at
    the owner's side; `watch` checks what leaves piece by piece, before each piece does, and `owner_view` shows the
    owner what an adversary makes of a piece, `run_attack` what adversaries make of all pieces together; `kernels`
    functions that call every kernel once on a little data; `demos` its parts of `confide demo`; `docs` its page;
    `extra` the optional packages it needs.
    """

    name: str
    package: str | None = None
    command: Command | None = None
    jobs: tuple[str, ...] = ()
    verifiers: Mapping[str, str] = field(default_factory=dict)
    artefacts: tuple[str, ...] = ()
    not_provable: tuple[str, ...] = ()
    comparison: str | None = None
    watch: str | None = None
    owner_view: str | None = None
    run_attack: str | None = None
    kernels: tuple[str, ...] = ()
    demos: tuple[str, ...] = ()
    docs: str | None = None
    extra: str | None = None

    def verifier(self, kind: str) -> Verifier:
        """The verifier of a kind of requirement, or an error: what nobody can check, nobody may release."""
        if kind not in self.verifiers:
            known = ", ".join(self.verifiers) or "none"
            raise VerificationError(f"{self.name!r} makes no promise of the kind {kind!r}; those it makes: {known}")
        return named(self.verifiers[kind])  # type: ignore[no-any-return]

    def check_artefact(self, type: str) -> None:
        """Refuse a kind of file that this stage never releases."""
        if type not in self.artefacts:
            known = ", ".join(self.artefacts) or "nothing"
            raise VerificationError(f"{self.name!r} never releases a {type}; it releases: {known}")


_INPUT = "that the input was what the owner says"
_LOSS = "the loss figures, which need the input"

_TABLES = {
    **{kind: entry.verifier for kind, entry in TABLE_KINDS.items()},
    "all-of": "confide.audit.verifiers.tables.combination:verify_all_of",
}

_ENTRIES = (
    Stage(
        name="mine",
        package="confide.mining",
        command=Command(word="mine", help="Find frequent itemsets and association rules."),
        jobs=("confide.mining.jobs",),
        kernels=(
            "confide.cli.kernels.groups:other_mining",
            "confide.cli.kernels.groups:itemsets",
            "confide.cli.kernels.groups:stored",
        ),
        demos=("confide.cli.demos.mine:run",),
        docs="mining.md",
    ),
    Stage(
        name="collect",
        package="confide.collect",
        command=Command(
            word="collect",
            help="Collect answers that people perturb themselves, and mine them.",
        ),
        jobs=("confide.collect.jobs.requests",),
        verifiers={"amplification": "confide.audit.verifiers.amplification:verify_amplification"},
        artefacts=("transactions", "table"),
        # the loss is missing here on purpose: it follows from the scheme, and the verifier works it out again
        not_provable=("that each device really drew as the scheme says (audit the client by sampling)",),
        kernels=("confide.cli.kernels.groups:collect",),
        demos=("confide.cli.demos.collect:run",),
        docs="collect.md",
        extra="serve",
    ),
    Stage(
        name="publish transactions",
        package="confide.publish",
        command=Command(word="publish", help="Publish data about people under a promise."),
        jobs=("confide.publish.jobs.transactions",),
        verifiers={"coherence": "confide.audit.verifiers.transactions.coherence:verify_coherence"},
        comparison="confide.audit.comparisons.baskets:compare_baskets",
        artefacts=("transactions",),
        not_provable=(_INPUT, _LOSS),
        kernels=("confide.cli.kernels.groups:publish_transactions",),
        demos=("confide.cli.demos.publish_transactions:run", "confide.cli.demos.broader_names:run"),
        docs="publish-transactions.md",
    ),
    Stage(
        name="publish table",
        package="confide.publish",
        jobs=("confide.publish.jobs.tables",),
        verifiers=_TABLES,
        comparison="confide.audit.comparisons.compared_table:compare_table",
        artefacts=("table",),
        not_provable=(_INPUT, _LOSS),
        kernels=(
            "confide.cli.kernels.groups:publish_table",
            "confide.cli.kernels.groups:publish_table_globally",
            "confide.cli.kernels.groups:several_releases",
        ),
        demos=("confide.cli.demos.publish_table:run",),
        docs="publish-table.md",
    ),
    Stage(
        name="share",
        package="confide.share",
        command=Command(
            word="share",
            help="Publish decision trees instead of records, and learn from several owners' trees.",
        ),
        jobs=("confide.share.jobs.requests",),
        verifiers=dict.fromkeys(
            (*(kind for kind, entry in TABLE_KINDS.items() if entry.of_trees), "all-of"),
            "confide.audit.verifiers.shared_trees:verify_shared_tree",
        ),
        comparison="confide.audit.comparisons.compared_tree:compare_tree",
        artefacts=("tree", "rules"),
        not_provable=(_INPUT, _LOSS, "that domains called declared were agreed before anybody looked at the records"),
        kernels=("confide.cli.kernels.groups:share",),
        demos=("confide.cli.demos.share:run",),
        docs="share.md",
    ),
    Stage(
        name="join",
        package="confide.join",
        command=Command(word="join", help="Train one decision tree for organisations that may not pool their tables."),
        jobs=("confide.join.jobs.requests",),
        verifiers={"limited-exchange": "confide.audit.verifiers.exchange:verify_exchange"},
        artefacts=("json",),
        not_provable=(
            "what the other sites did",
            "the counts of what each party could tell for certain, beyond that senders and receivers agree on them",
            _LOSS,
        ),
        kernels=("confide.cli.kernels.groups:join",),
        demos=("confide.cli.demos.join:run",),
        docs="join.md",
        extra="join",
    ),
    Stage(
        name="stream",
        package="confide.stream",
        command=Command(
            word="stream",
            help="Publish frequent itemsets of a live stream, so that no rare pattern can be inferred.",
        ),
        jobs=("confide.stream.jobs.requests", "confide.cli.jobs.stream"),
        verifiers={"output-privacy": "confide.audit.verifiers.streams.output_privacy:verify_output_privacy"},
        artefacts=("stream",),
        not_provable=(
            "that the noise was drawn as its law says, under one key (the owner's auditor sees that)",
            "how wrong an attacker is about a rare pattern, which needs the true supports",
            _INPUT,
            _LOSS,
        ),
        watch="confide.audit.verifiers.streams.watch:watch_run",
        owner_view="confide.audit.adversaries.windows.run_view:view_release",
        run_attack="confide.audit.adversaries.runs.run_errors:attack_run",
        kernels=("confide.cli.kernels.groups:stream",),
        demos=("confide.cli.demos.stream:run",),
        docs="stream.md",
        extra="stream",
    ),
    Stage(
        name="search",
        package="confide.search",
        command=Command(word="search", help="Search with results in your order; you say how much of you is seen."),
        jobs=("confide.search.jobs.requests", "confide.search.jobs.searching", "confide.cli.jobs.search"),
        verifiers={"exposure": "confide.audit.verifiers.exposure:verify_exposure"},
        artefacts=("json",),
        not_provable=(
            "to anybody but the owner: that the pairs are those of a profile, or that nothing was hidden or added",
            _INPUT,
        ),
        kernels=("confide.cli.kernels.groups:search",),
        demos=("confide.cli.demos.search:run",),
        docs="search.md",
        extra="search",
    ),
    Stage(
        name="by hand",
        verifiers=_TABLES,
        artefacts=("table", "tree"),
        not_provable=(_INPUT, _LOSS),
        demos=("confide.cli.demos.by_hand:run",),
        docs="passports.md",
    ),
)

STAGES: Mapping[str, Stage] = {stage.name: stage for stage in _ENTRIES}
"""By the name that passports say, in the order in which data changes hands."""

OTHER_JOBS: Mapping[str, str] = {
    "demo": "confide.cli.jobs.demo",
    "sample": "confide.cli.jobs.sample",
    "verify": "confide.audit.jobs",
    "report": "confide.cli.jobs.pages",
    "ledger": "confide.ledger.jobs",
    "attack": "confide.cli.jobs.attacks",
    "passport": "confide.cli.jobs.passports",
    "compile": "confide.cli.jobs.compiling",
    "studio": "confide.studio.jobs",
}
"""Jobs that belong to no stage, or to several: the first word after `confide`, and the module that lists them."""


def stage_named(name: str) -> Stage:
    """The entry of a stage, or an error that lists them."""
    if name not in STAGES:
        raise VerificationError(f"no stage is called {name[:60]!r}; stages are: {', '.join(STAGES)}")
    return STAGES[name]


def usual_artefact(name: str) -> str:
    """The kind of file that a stage mostly releases; a passport may name any stage before it is verified."""
    return STAGES[name].artefacts[0] if name in STAGES and STAGES[name].artefacts else "table"


def named(path: str) -> Any:
    """What a dotted path "module:attribute" means."""
    module, _, attribute = path.partition(":")
    return getattr(import_module(module), attribute)
