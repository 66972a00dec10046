"""Every algorithm under every requirement it takes, on five real tables: who accepts the release?

`CONFIDE_PYCANON=/path/to/python python -m benchmarks publish.accepted` (see `publish.judges` for that variable; without
it pycanon is left out). Adult (30,162 complete rows), Nursery (12,960), CMC (1,473), BRFSS (253,680) and hospital stays
(101,766), of which a patient has several. Each release is verified by our auditor when it is made, then judged by the
brute-force twin on the released values and by pycanon where that is right: not about recursive diversity, enhanced
beta and persons, and about entropy only up to its truncation. pycanon takes groups times rows, hours for the largest
tables; so it is asked about releases of their first 6,000 rows, and
of the stays as if each were another person's. A release that a judge refuses raises. What an algorithm does not take,
or a table cannot meet, is told.
"""

import gzip
import json
import os
import pathlib
import subprocess
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from tests.oracles import tables as oracles

from benchmarks.publish import adult
from confide import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    RecursiveDiversity,
    Schema,
    SimpleDiversity,
    TCloseness,
)
from confide.core.errors import CannotMeetError, UsageError, VerificationError
from confide.core.requirements import Requirement
from confide.core.tables.schema import Column
from confide.publish import Incognito, KOptimize, Mondrian, OneDimensional, TopDownSpecialization

MOST = 13_000  # rows of a release that pycanon is asked about
FIRST = 6_000  # rows of larger tables that are published by themselves for it
SUPPRESS = 0.05
FIVE = KAnonymity(k=5)
REQUIREMENTS = (
    FIVE,
    FIVE & SimpleDiversity(l=2),
    FIVE & DistinctDiversity(l=2),
    FIVE & EntropyDiversity(l=2),
    FIVE & RecursiveDiversity(c=3, l=2),
    FIVE & TCloseness(t=0.4),
    AlphaK(alpha=0.6, k=5),
    FIVE & BetaLikeness(beta=3),
    FIVE & BetaLikeness(beta=3, enhanced=True),
    FIVE & DeltaDisclosure(delta=2),
)
ALGORITHMS: tuple[tuple[Any, dict[str, Any]], ...] = (
    (Incognito, {}),
    (Incognito, {"local": True}),
    (Mondrian, {}),
    (Mondrian, {"relaxed": True}),
    (OneDimensional, {}),
    (KOptimize, {"loss": "discernibility", "time_limit": 5.0}),
    (TopDownSpecialization, {}),
)

PYCANON = """
import json, sys, warnings
import pandas as pd
from pycanon import anonymity as a
warnings.filterwarnings("ignore")
for line in sys.stdin:
    job = json.loads(line)
    frame, quasi, sensitive = pd.DataFrame(job["columns"]).astype(str), job["quasi"], [job["sensitive"]]
    ask = {
        "k-anonymity": lambda: a.k_anonymity(frame, quasi),
        "alpha-k-anonymity": lambda: a.alpha_k_anonymity(frame, quasi, sensitive)[0],
        "simple-diversity": lambda: a.alpha_k_anonymity(frame, quasi, sensitive)[0],
        "distinct-diversity": lambda: a.l_diversity(frame, quasi, sensitive),
        "entropy-diversity": lambda: a.entropy_l_diversity(frame, quasi, sensitive),
        "t-closeness": lambda: a.t_closeness(frame, quasi, sensitive),
        "beta-likeness": lambda: a.basic_beta_likeness(frame, quasi, sensitive),
        "delta-disclosure": lambda: a.delta_disclosure(frame, quasi, sensitive),
    }
    print(json.dumps({kind: float(ask[kind]()) for kind in job["kinds"]}), flush=True)
"""


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each table and algorithm."""
    judge = _Pycanon()
    try:
        for name, table, schema in _tables(data):
            for algorithm, options in ALGORITHMS:
                yield _record(name, table, schema, algorithm, options, judge)
    finally:
        judge.close()


def _record(
    name: str, table: pa.Table, schema: Schema, algorithm: Any, options: dict[str, Any], judge: "_Pycanon"
) -> dict[str, Any]:
    told: Counter[str] = Counter()
    refused: dict[str, str] = {}
    for requirement in REQUIREMENTS:
        try:
            release = algorithm(requirement=requirement, suppress=SUPPRESS, **options).publish(
                table, schema, explain=False
            )
        except (CannotMeetError, UsageError, VerificationError) as error:
            refused[_short(requirement)] = f"{type(error).__name__}: {str(error)[:80]}"
            continue
        told["accepted by our auditor"] += 1
        columns = {column: release.data[column].to_pylist() for column in release.data.column_names}
        _ask_the_twin(columns, schema, requirement)
        told["accepted by the twin"] += 1
        told["accepted by pycanon"] += judge.accepts(columns, schema, requirement)
    return {
        "claim": f"{_named(algorithm, options)} on {name}: releases that every judge accepts",
        "ours": told["accepted by our auditor"],
        "rival": {"name": "pycanon 1.3", "accepted": told["accepted by pycanon"]},
        "settings": {"rows": table.num_rows, "requirements": len(REQUIREMENTS), **told, "refused": refused},
    }


def _named(algorithm: Any, options: dict[str, Any]) -> str:
    return algorithm.__name__ + "".join(f"({name}=True)" for name, value in options.items() if value is True)


def _short(requirement: Requirement) -> str:
    kinds = [part.kind + " enhanced" * getattr(part, "enhanced", False) for part in _all(requirement)]
    return " & ".join(kinds)


def _all(requirement: Requirement) -> tuple[Any, ...]:
    return getattr(requirement, "parts", (requirement,))


def _parts(requirement: Requirement) -> list[dict[str, Any]]:
    return [part.to_dict() for part in _all(requirement)]


def _ask_the_twin(columns: dict[str, list[Any]], schema: Schema, requirement: Requirement) -> None:
    quasi, persons = schema.named("quasi-identifier"), schema.named("person")
    for sensitive in schema.named("sensitive"):
        groups = oracles.members(columns, quasi, sensitive, persons[0] if persons else None)
        for part in _parts(requirement):
            numbers = {key: value for key, value in part.items() if key != "kind"}
            assert oracles.holds(groups, part["kind"], **numbers), (sensitive, part)


class _Pycanon:
    """pycanon in a process of its own, which stays for all questions."""

    def __init__(self) -> None:
        python = os.environ.get("CONFIDE_PYCANON")
        pipe = subprocess.PIPE
        self.process = (
            None if python is None else subprocess.Popen([python, "-c", PYCANON], stdin=pipe, stdout=pipe, text=True)
        )

    def accepts(self, columns: dict[str, list[Any]], schema: Schema, requirement: Requirement) -> bool:
        """Whether it was asked and accepted; a refusal raises."""
        parts = {part["kind"]: part for part in _parts(requirement) if part["kind"] != "recursive-diversity"}
        if self.process is None or schema.named("person") or len(columns[schema.named("sensitive")[0]]) > MOST:
            return False
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        names = [*schema.named("quasi-identifier"), *schema.named("sensitive")]
        job = {
            "columns": {name: [str(value) for value in columns[name]] for name in names},
            "quasi": list(schema.named("quasi-identifier")),
            "sensitive": schema.named("sensitive")[0],
            "kinds": list(parts),
        }
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        for kind, part in parts.items():
            assert _holds(kind, part, answer[kind]), (kind, part, answer[kind])
        return True

    def close(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait()


def _holds(kind: str, part: dict[str, Any], told: float) -> bool:
    noise = 1e-9
    return {
        "k-anonymity": lambda: told >= part["k"],
        "alpha-k-anonymity": lambda: told <= part["alpha"] + noise,
        "simple-diversity": lambda: told <= 1 / part["l"] + noise,
        "distinct-diversity": lambda: told >= part["l"],
        "entropy-diversity": lambda: told >= part["l"] - 1,  # truncated, and equal shares fall by rounding
        "t-closeness": lambda: told <= part["t"] + noise,
        "beta-likeness": lambda: told <= part["beta"] + noise,
        "delta-disclosure": lambda: told < part["delta"],
    }[kind]()


def _tables(data: pathlib.Path) -> Iterator[tuple[str, pa.Table, Schema]]:
    people = adult.table(data)
    yield f"Adult, first {FIRST:,} rows", people.slice(0, FIRST), adult.schema(sensitive="occupation")
    yield "Adult", people, adult.schema(sensitive="occupation")
    names = ("parents", "has_nurs", "form", "children", "housing", "finance", "social", "health", "class")
    nursery = _csv(data / "uci_small" / "nursery.data.gz", names)
    # all rows of Nursery are distinct, and sorted by their columns
    order = [(n * 7919) % nursery.num_rows for n in range(nursery.num_rows)]
    yield "Nursery", nursery.take(order), _schema(nursery, names[:-1], "class")
    cmc = _csv(data / "uci_small" / "cmc.csv.gz")
    known = ("wife_age", "wife_education", "husband_education", "children_born", "wife_religion", "wife_working")
    yield "CMC", cmc, _schema(cmc, known, "contraceptive_method_use", {"wife_age": (15, 50), "children_born": (0, 20)})
    brfss = _csv(data / "health" / "diabetes_binary_health_indicators_BRFSS2015.csv.gz")
    whole = {"Age": (1, 14), "Income": (1, 8), "BMI": (10, 100)}
    schema = _schema(brfss, ("Sex", "Age", "Education", "Income", "BMI"), "GenHlth", whole)
    yield f"BRFSS, first {FIRST:,} rows", brfss.slice(0, FIRST), schema
    yield "BRFSS", brfss, schema
    stays = _csv(data / "health" / "diabetic_data.csv.gz")
    schema = _schema(stays, ("race", "gender", "age"), "diag_1")
    yield f"hospital stays, first {FIRST:,}, each a person's", stays.slice(0, FIRST), schema
    roles = {"encounter_id": "identifier", "patient_nbr": "person"}
    yield (
        "hospital stays",
        stays,
        Schema({name: Column(role=roles[name]) if name in roles else spec for name, spec in schema.columns.items()}),  # type: ignore[arg-type]
    )


def _csv(path: pathlib.Path, names: tuple[str, ...] | None = None) -> pa.Table:
    with gzip.open(path, "rt") as lines:
        rows = [line.rstrip("\n").split(",") for line in lines if line.strip()]
    head, rows = (names, rows) if names else (rows[0], rows[1:])
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(head)})


def _schema(
    table: pa.Table, quasi: tuple[str, ...], sensitive: str, ranges: dict[str, tuple[int, int]] | None = None
) -> Schema:
    columns = {}
    for name in table.column_names:
        if name in quasi:
            columns[name] = Column(role="quasi-identifier", range=(ranges or {}).get(name))
        else:
            columns[name] = Column(role="sensitive" if name == sensitive else "insensitive")
    return Schema(columns)
