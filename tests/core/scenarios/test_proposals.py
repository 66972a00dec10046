"""What a refusal proposes works: in every stage random requests are asked, and what is proposed is asked again.

And the other way round: where changing a single setting helps, a refusal proposes something.
"""

import math

import numpy as np
import pyarrow as pa
import pytest
from tests.amounts import some
from tests.publish.tables.random_tables import random_table

from confide import Coherence, KAnonymity, OutputPrivacy, RecursiveDiversity, SimpleDiversity, Transactions
from confide.collect import plan_columns, plan_cut_and_paste, plan_emask, plan_mask
from confide.core.errors import CannotMeetError, ConfideError, RequirementError
from confide.core.tables.schema import Schema
from confide.join.protocol.policy import Policy
from confide.mining import DecisionTree
from confide.publish import PublishTable, publish_table, suppress
from confide.publish.tables.methods import METHODS
from confide.share import DiverseTree, anonymize_tree
from confide.stream import plan_stream
from confide.stream.setting import Setting

REFUSALS = (CannotMeetError, RequirementError)


def check(ask, settings, grid, *, always=False):
    """Ask; whatever a refusal proposes must work, and it must propose something where a change of one setting works.

    `grid` are further values of each setting, `always` says that something always works. Returns whether it refused.
    """
    try:
        ask(settings)
    except REFUSALS as error:
        for cure in error.cures:
            ask(settings | cure)  # raises if it does not
            assert all(f"{name}=" in str(error) for name in cure)
        if not error.cures:
            assert not always, str(error)
            for name, values in grid.items():
                for value in values:
                    try:
                        ask(settings | {name: value})
                    except ConfideError:
                        continue
                    raise AssertionError(f"{name}={value} works, and nothing was proposed: {error}") from error
        return True
    return False


# -- tables -----------------------------------------------------------------------------------------------------------

WISHES = ("k", "diversity", "l", "c", "alpha", "t", "beta", "delta", "others_known")


def publish_settings(frame, schema, settings):
    """Publish a table under settings as commands and refusals name them."""
    wishes = {name: settings[name] for name in WISHES if settings.get(name) is not None}
    if wishes.get("diversity") == "distinct":
        wishes.pop("c", None)
    columns = dict(schema.columns)
    for name, value in settings.items():
        if name.startswith("columns."):
            column = name.split(".")[1]
            columns[column] = type(columns[column])(**vars(columns[column]) | {"levels": tuple(value)})
    return publish_table(
        PublishTable(
            table=frame,
            **wishes,
            schema=Schema(columns),
            method=settings["method"],
            suppress=settings["suppress"],
        ),
    )


def random_wishes(draw):
    kind = draw.choice(["none", "simple", "distinct", "entropy", "recursive", "alpha", "t", "beta", "delta"])
    wishes = {"k": int(draw.integers(2, 12))} if kind in ("none", "alpha") or draw.random() < 0.6 else {}
    if kind in ("simple", "distinct", "entropy", "recursive"):
        wishes |= {"diversity": str(kind), "l": int(draw.integers(2, 6))}
        wishes |= {"c": float(draw.choice([0.3, 0.7, 1, 2]))} if kind == "recursive" else {}
    elif kind != "none":
        wishes[str(kind)] = float(draw.choice([0.05, 0.2, 0.4]))
    if kind != "none" and draw.random() < 0.15:
        wishes["others_known"] = True
    return wishes


@pytest.mark.parametrize("seed", some(range(240), every=3))
def test_what_is_proposed_for_a_table_works(seed):
    draw = np.random.default_rng([seed, 6])
    persons = bool(draw.random() < 0.25)
    rows = int(draw.integers(8, 40))
    frame, schema = random_table(seed, rows=rows, columns=2, sensitive=2, persons=persons, classes=2)
    columns = dict(schema.columns)
    for name, column in columns.items():
        if column.role == "quasi-identifier" and draw.random() < 0.4:
            highest = int(draw.integers(0, column.hierarchy.height + 1))
            columns[name] = type(column)(**vars(column) | {"levels": (0, highest)})
    methods = [name for name in ["auto", *METHODS] if not (persons and name in ("one-dimensional", "mondrian-relaxed"))]
    settings = random_wishes(draw) | {
        "method": str(draw.choice(methods)),
        "suppress": float(draw.choice([0, 0, 0.1])),
    }
    grid = {
        "k": range(2, settings.get("k", 2)),
        "l": range(2, settings.get("l", 2)),
        **{name: [0.9] for name in ("alpha", "t") if name in settings},
        **{name: [1000.0] for name in ("beta", "c") if name in settings},
        "delta": [9.0] if "delta" in settings else [],
        "suppress": [0.3, 0.9],
    }

    def ask(settings):
        publish_settings(frame, Schema(columns), settings)

    try:
        check(ask, settings, grid)
    except ConfideError as error:
        if not isinstance(error, REFUSALS) and "nearest" not in str(error):
            pytest.skip(f"not offered: {error}")
        raise


def test_two_sensitive_columns_are_both_looked_at_and_persons_too():
    draw = np.random.default_rng(0)
    rows = 1000
    table = pa.table(
        {
            "age": draw.integers(18, 90, rows),
            "diagnosis": draw.choice(8, rows, p=[0.276, 0.2, 0.15, 0.12, 0.1, 0.08, 0.05, 0.024]).astype(str),
            "hiv_status": np.where(draw.random(rows) < 0.021, "yes", "no"),
            "who": draw.integers(0, 400, rows),
        }
    )
    schema = {
        "age": {"role": "quasi-identifier", "range": [18, 99]},
        "diagnosis": {"role": "sensitive"},
        "hiv_status": {"role": "sensitive"},
        "who": {"role": "insensitive"},
    }
    for role in ("insensitive", "person"):
        schema["who"] = {"role": role}
        settings = {"k": 5, "l": 4, "method": "auto", "suppress": 0.0}
        proposed = "l=4 .*'hiv_status'.*; nearest that works: .*diversity='distinct' with l=2"
        with pytest.raises(CannotMeetError, match=proposed) as refusal:
            publish_settings(table, Schema.from_dict(schema), settings)
        assert (refusal.value.parameter, refusal.value.value) == ("l", 4)
        for cure in refusal.value.cures:
            publish_settings(table, Schema.from_dict(schema), settings | cure)


# -- transactions -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", some(range(300), every=3))
def test_what_is_proposed_for_transactions_works(seed):
    draw = np.random.default_rng([seed, 7])
    items = [f"i{j}" for j in range(6)] + ["s1", "s2"]
    shares = draw.random(8) ** 2
    rows = [[item for item, share in zip(items, shares, strict=True) if draw.random() < share] for _ in range(15)]
    tx = Transactions.from_lists(rows)
    private = [label for label in ("s1", "s2") if label in tx.codes]
    public = [label for label in tx.labels if label not in private]
    method = str(draw.choice(["auto", "tree", "remove-all", "records"]))
    keep = draw.choice(public, min(2, len(public)), replace=False).tolist() if draw.random() < 0.3 and public else []
    settings = {
        "k": int(draw.integers(2, 20)),
        "h": float(draw.choice([0.1, 0.3, 0.6, 1.0])),
        "p": int(draw.integers(1, 4)),
        "method": method,
        "keep": [] if method == "remove-all" else keep,
        "never": [],
    }
    if method == "records":
        settings["p"] = math.inf

    def ask(settings):
        named = dict(settings)
        requirement = Coherence(**{name: named.pop(name) for name in ("h", "k", "p")})
        suppress(tx, requirement, private=private, **named)

    grid = {"k": range(2, settings["k"]), "h": [0.2, 0.5, 0.8, 1.0], "p": [1, 2], "keep": [[], keep[:1]]}
    try:
        check(ask, settings, grid)
    except ConfideError as error:
        if isinstance(error, REFUSALS):
            raise
        pytest.skip(f"not offered: {error}")


# -- share ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", some(range(60), every=3))
def test_what_is_proposed_for_a_tree_works(seed):
    draw = np.random.default_rng([seed, 8])
    rows = int(draw.integers(6, 60))
    X = draw.integers(0, 4, (rows, 3)).astype(float)
    y = draw.choice(["a", "b", "c"], rows, p=draw.dirichlet([0.5, 0.5, 0.5]))
    y[0] = "a" if y[1] != "a" else "b"
    kind = seed % 3
    settings = {"k": int(draw.integers(2, 100))} if kind == 0 else {"l": int(draw.integers(2, 8))}
    settings |= {"c": float(draw.choice([0.1, 0.5, 2]))} if kind == 2 else {}
    build = (KAnonymity, SimpleDiversity, RecursiveDiversity)[kind]
    tree = DecisionTree(min_leaf=1, confidence=None).fit(X, y).tree_
    grid = {"k": range(2, settings.get("k", 2)), "l": range(2, settings.get("l", 2)), "c": [100.0] if kind == 2 else []}
    check(lambda settings: anonymize_tree(tree, build(**settings)), settings, grid)
    check(lambda settings: DiverseTree(requirement=build(**settings)).fit(X, y), settings, grid)


# -- collect ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", some(range(60), every=3))
def test_what_is_proposed_for_a_plan_of_collecting_works(seed):
    draw = np.random.default_rng([seed, 9])
    gamma = float(draw.choice([1.0000001, 1.001, 1.5, 3, 19]))
    K = int(draw.integers(1, 9))
    grid = {"gamma": [19.0, 1000.0], "K": range(1, K), "length": [1]}
    fields = {f"f{i}": int(draw.integers(2, 9)) for i in range(int(draw.integers(1, 30)))}
    check(lambda s: plan_cut_and_paste(fields=8, **s), {"gamma": max(gamma, 1.5), "K": K}, grid)
    check(lambda s: plan_mask(fields=len(fields), **s), {"gamma": gamma}, {"gamma": [19.0, 1000.0]})
    check(lambda s: plan_columns(domains=fields, **s), {"gamma": gamma}, {"gamma": [19.0, 1000.0]})


@pytest.mark.parametrize("seed", some(range(60), every=3))
def test_what_is_proposed_for_emask_s_goals_works(seed):
    draw = np.random.default_rng([seed, 10])
    support = float(draw.choice([0.001, 0.01, 0.1, 0.3]))
    records = int(draw.choice([1000, 100_000]))
    goals = {
        "breach": float(draw.choice([0.001, 0.05, 0.3])),
        "error": float(draw.choice([0.001, 0.05])),
        "slowdown": float(draw.choice([1.05, 3, 20])),
        "visible": float(draw.choice([0.05, 0.2, 0.5])),
    }
    hard = dict.fromkeys(draw.choice(["breach", "error", "slowdown"], 2, replace=False).tolist(), 0.0)

    def ask(goals):
        plan_emask(avg_support=support, records=records, goals=goals, weights=hard)

    check(ask, goals, {"breach": [0.9], "error": [1.0, 10.0], "slowdown": [1e6], "visible": [0.9]})


# -- stream, join -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", some(range(200), every=3))
def test_what_is_proposed_for_a_stream_works(seed):
    draw = np.random.default_rng([seed, 11])
    vulnerable = int(draw.integers(1, 30))
    settings = {
        "epsilon": float(10 ** draw.uniform(-6, 0)),
        "delta": round(float(10 ** draw.uniform(-3, 1)), 4),
        "min_support": vulnerable + int(draw.integers(1, 60)),
        "vulnerable": vulnerable,
        "noise": str(draw.choice(["uniform", "triangular", "rademacher"])),
    }

    def ask(settings):
        named = dict(settings)
        noise = named.pop("noise")
        Setting.of(OutputPrivacy(**named), noise)

    grid = {"epsilon": [1.0, 100.0], "delta": [0.001], "min_support": [100_000], "noise": ["uniform"]}
    if settings["noise"] != "rademacher":  # whose steps a requirement by itself does not know of
        check(ask, settings, grid)
    check(lambda s: plan_stream(**s), settings, grid)
    error = settings | {"error": settings["epsilon"] ** 0.5}
    del error["epsilon"]
    check(lambda s: plan_stream(**s), error, {"error": [10.0], "delta": [0.001]})
    without = {name: value for name, value in error.items() if name != "delta"}
    check(lambda s: plan_stream(**s), without, {"error": [10.0]})


def test_what_an_owner_s_policy_proposes_works():
    refused = 0
    for depth, leaf, most, least in np.ndindex(5, 5, 4, 4):
        policy = Policy(max_depth=most + 1, min_leaf=least + 1)
        settings = {"max_depth": depth or None, "min_leaf": leaf + 1}
        refused += check(lambda s, policy=policy: policy.check_run(owner="A", **s), settings, {}, always=True)
    assert refused > 50
