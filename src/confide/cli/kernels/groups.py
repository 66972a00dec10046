"""Calls every kernel once on a little data, so that numba compiles it and keeps it: `confide compile`.

Groups are compiled side by side, each in a process of its own, since numba compiles one thing at a time. Run as
`python -m confide.cli.kernels.groups MODULE:FUNCTION`. Only public functions are called; the entries in `core.stages`
name their groups.
"""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from confide.core.transactions.container import Transactions

__all__ = ["READING", "all_groups"]


def _random(items: int, density: float, records: int = 300) -> "Transactions":
    """A random database; few items, many items and dense records are mined by different kernels."""
    import numpy as np

    from confide.core.transactions.container import Transactions

    present = np.random.default_rng(1).random((records, items)) < density
    return Transactions.from_lists([[str(i) for i in np.flatnonzero(row)] for row in present])


def itemsets() -> None:
    """Frequent itemsets of every kind, on every kind of data."""
    from typing import get_args

    import numpy as np

    from confide.core.transactions.container import Transactions
    from confide.mining import count_itemsets, frequent_itemsets
    from confide.mining.itemsets.frequent import Kind

    sparse = _random(200, 0.03, records=5000)
    for tx, support in ((_random(20, 0.5), 30), (_random(400, 0.03), 3), (sparse, 20), (_random(100, 0.8), 230)):
        for kind in get_args(Kind):
            frequent_itemsets(tx, min_support=support, kind=kind)
            count_itemsets(tx, min_support=support, kind=kind)
    labels = [str(i) for i in range(40_000)]  # more than 16 bits can number
    frequent_itemsets(Transactions.from_arrays(np.arange(4), np.zeros(3), labels), min_support=2)


def stored() -> None:
    """Transactions and tables in files."""
    import tempfile
    from pathlib import Path

    from confide.core.datasets.stored_transactions import StoredTransactions
    from confide.core.requirements import Coherence
    from confide.mining import frequent_itemsets
    from confide.publish import minimal_moles, suppress

    with tempfile.TemporaryDirectory() as folder:
        for tx, support in ((_random(20, 0.5), 30), (_random(200, 0.03), 3), (_random(100, 0.8), 230)):
            tx.write(Path(folder) / "records.parquet", replace=True)
            frequent_itemsets(StoredTransactions.open(folder), min_support=support)
        minimal_moles(StoredTransactions.open(folder), Coherence(h=0.9, k=9, p=3), private=["1", "2"])
        _random(20, 0.5).write(Path(folder) / "records.parquet", replace=True)
        coherent = Coherence(h=1.0, k=2, p=1)
        suppress(StoredTransactions.open(folder), coherent, into=Path(folder) / "out", explain=False)


def other_mining() -> None:
    """Counting, rules, comparing, the sliding window and decision trees."""
    from confide.core.itemsets.container import Itemsets
    from confide.core.samples.people import people
    from confide.mining import (
        DecisionTree,
        SlidingWindow,
        association_rules,
        compare_itemsets,
        itemset_supports,
        subset_supports,
    )

    few = _random(20, 0.5)
    for tx in (few, _random(400, 0.03), _random(100, 0.8)):
        itemset_supports(tx, [["1", "2"], ["3"]])
    found = subset_supports(few, [["1", "2", "3"], ["2", "4"]])
    found = Itemsets.from_pairs([(items, n) for items, n in found if items], n_transactions=len(few))
    association_rules(found, min_confidence=0.2)
    compare_itemsets(found, found.top(3))
    window = SlidingWindow(size=100, min_support=10)
    window.learn_many(few)
    window.frequent()
    table = people(300)
    learn = table.select(["age", "sex", "occupation"])
    DecisionTree().fit(learn, table["income"].to_pylist()).predict(learn)


def publish_transactions() -> None:
    """Minimal moles on sparse and dense data, both utilities, broader names, and the auditor's kernels."""
    from confide.core.requirements import Coherence
    from confide.core.samples.invented_baskets import baskets
    from confide.publish import generalise, suppress

    shop = baskets(400)
    private = [item for item in shop.items if item.startswith("s:")]
    for tx, secret in ((shop, private), (_random(24, 0.6), ["1"])):
        suppress(tx, Coherence(h=0.9, k=3, p=3), private=secret)
        suppress(tx, Coherence(h=0.9, k=3, p=2), private=secret, utility="itemsets", nugget_support=0.2)
    suppress(_random(24, 0.6), Coherence(h=1.0, k=3, p=2), method="optimal", time_limit=1)
    generalise(_random(24, 0.6), Coherence(h=1.0, k=2, p=3))


def publish_table() -> None:
    """Local recodings of a table, by hierarchies and by ranges, with and without sensitive values."""
    from confide.core.requirements import KAnonymity, SimpleDiversity
    from confide.core.samples.people import people
    from confide.publish import Microaggregation, Mondrian, OneDimensional
    from confide.publish.tables.regrouping.best_regrouping import Regrouped

    table = people(200).select(["age", "sex", "diagnosis"])
    roles = {"age": {"role": "quasi-identifier", "range": [0, 119]}, "sex": {"role": "quasi-identifier"}}
    for requirement in (KAnonymity(k=3), KAnonymity(k=2) & SimpleDiversity(l=2)):
        for algorithm in (Mondrian(requirement=requirement), OneDimensional(requirement=requirement)):
            algorithm.publish(table, {**roles, "diagnosis": {"role": "sensitive"}})
        Regrouped(requirement=requirement, rounds=1).publish(table, {**roles, "diagnosis": {"role": "sensitive"}})
    OneDimensional(requirement=KAnonymity(k=3), curve="idistance").publish(table.select(["age", "sex"]), roles)
    ages = {"age": {"role": "quasi-identifier", "range": [0, 119], "release": "mean"}}
    Microaggregation(requirement=KAnonymity(k=3)).publish(table.select(["age"]), ages)


def publish_table_globally() -> None:
    """Global recodings of a table: one level for each column, the best ranges, from the top."""
    from confide.core.requirements import KAnonymity, SimpleDiversity
    from confide.core.samples.people import people
    from confide.publish import Incognito, KOptimize, TopDownSpecialization

    table = people(200).select(["age", "sex", "diagnosis"])
    roles = {"age": {"role": "quasi-identifier", "range": [0, 119], "step": 20}, "sex": {"role": "quasi-identifier"}}
    schema = {**roles, "diagnosis": {"role": "sensitive"}}
    for requirement in (KAnonymity(k=3), KAnonymity(k=2) & SimpleDiversity(l=2)):
        for local in (False, True):
            Incognito(requirement=requirement, local=local).publish(table, schema)
        KOptimize(requirement=requirement, time_limit=2.0).publish(table, schema)
        TopDownSpecialization(requirement=requirement).publish(table, schema)


def several_releases() -> None:
    """What two releases about the same people say together."""
    import numpy as np

    from confide.audit.adversaries.together.cohorts import Cohorts
    from confide.audit.adversaries.together.register import ask_register
    from confide.core.series.release_history import History

    groups = np.array([[0, 0, 0, -1], [-1, 0, 0, 0]], dtype=np.int32)
    ask_register(Cohorts.of_history(History(groups=groups, values=np.array([0, 0, 1, 1], dtype=np.int32))))
    _next_release()


def _next_release() -> None:
    """A second release on the cells of a first: somebody left, somebody came, somebody moved, and then a larger k."""
    import numpy as np
    import pyarrow as pa

    from confide.core.requirements import KAnonymity
    from confide.core.series.places import Earlier, Places
    from confide.core.tables.schema import Column, Schema
    from confide.publish.tables.coding import CodedTable
    from confide.publish.tables.series.next_release import NextRelease
    from confide.publish.tables.series.regions import hull_of_rows, regions_of_groups

    schema = Schema(
        {
            "age": Column(role="quasi-identifier", range=(0, 9)),
            "sex": Column(role="quasi-identifier"),
            "ill": Column(role="sensitive"),
        }
    )
    frame = pa.table({"age": [0, 1, 8, 9], "sex": ["f", "m", "f", "f"], "ill": ["a", "b", "a", "b"]})
    table, rows = CodedTable.of(frame, schema), np.arange(4)
    cell = np.array([0, 0, 1, 1], dtype=np.int32)
    places = Places(
        columns=("ill",),
        labels=(("a",), ("b",)),
        cell=cell,
        value=np.array([0, 1, 0, 1], dtype=np.int32),
        link=np.arange(4, dtype=np.int32),
        carried=np.zeros(4, dtype=np.bool_),
        regions=regions_of_groups(table, hull_of_rows(table, rows, cell, 2)),
    )
    holds = np.array([0, 3, -1, -1])
    earlier = Earlier(places=places, holds=holds, held=holds, hashes=("0" * 64,), name="a release")
    for k in (2, 3):
        NextRelease(requirement=KAnonymity(k=k), earlier=earlier, carry=0.9, suppress=0.9).recode(table)


def collect() -> None:
    """Perturbing sets and records, mining them, and asking who can be read back."""
    import numpy as np

    from confide.collect import CutAndPaste, Emask, GammaDiagonal, LocalHashing, reinterrogation_privacy
    from confide.collect.estimating.reconstruction import mine
    from confide.core.samples.invented_baskets import baskets

    few = _random(20, 0.5)
    CutAndPaste(K=2, rho=0.4).perturb(few)
    for fields in (2, 20):
        GammaDiagonal(domains=[2] * fields, gamma=19).perturb(np.zeros((20, fields), dtype=np.int32))
    hashed = LocalHashing(domains=[2, 3], gamma=19)
    hashed.mine(hashed.perturb(np.zeros((20, 2), dtype=np.int32)), min_support=1)
    scheme = Emask(p=0.9, q=0.9)
    mine(scheme, scheme.perturb(few), min_support=60, consistent=True, way="rows")
    mine(scheme, scheme.perturb(few), min_support=60, way="columns")
    reinterrogation_privacy(Emask(p=0.5, q=0.97), baskets(400), min_support=0.1)


def join() -> None:
    """The tree of a join, grown and asked, in one process and by sites."""
    from contextlib import suppress

    from confide.core.errors import MissingExtraError
    from confide.core.samples.chain import chain_tables
    from confide.join import JoinGraph, JoinTree, Policy, Site, SiteGraph, simulated

    tables, joins, target = chain_tables(2, rows=60)
    graph = JoinGraph(tables=tables, joins=joins, target=target)
    JoinTree(max_depth=3, confidence=None).fit(graph).predict(graph)
    with suppress(MissingExtraError):
        policy = Policy(certain_classes=1.0)  # invented records
        one = Site("T1", tables["T1"], neighbours={"T2": ["j1"]}, coordinator="C", class_column="class", policy=policy)
        other = Site("T2", tables["T2"], neighbours={"T1": ["j1"]}, coordinator="C")
        simulated(SiteGraph(["T1", "T2"], [("T1", "T2")], "T1"), [one, other], name="C", max_depth=2).train()


def stream() -> None:
    """Windows by time, and every scheme of a stream's publisher."""
    from confide.core.requirements import OutputPrivacy
    from confide.mining import TimeWindow
    from confide.stream import Butterfly

    window = TimeWindow(span=250, min_support=20)
    rows = list(_random(20, 0.5))
    for start in (0, 200):
        window.learn_many(rows[start : start + 200], range(start, min(start + 200, len(rows))))
        requirement = OutputPrivacy(epsilon=0.2, delta=0.4, min_support=20, vulnerable=5)
        for scheme in ("basic", "hybrid"):
            made = Butterfly(requirement, scheme=scheme)
            made.release(window.frequent())
            made.release(window.closed())
        Butterfly(requirement, key=bytes(32), blocks=1).release(window.frequent())


def search() -> None:
    """Growing a profile."""
    from fractions import Fraction

    from confide.search.profile.growth import ProfileThresholds, grow

    grow(_random(20, 0.5), ProfileThresholds(minsup=5, delta=Fraction(3, 5), min_share=Fraction(0), max_depth=3))


def share() -> None:
    """Trees pruned and grown under a promise, and pseudo-data."""
    import numpy as np

    from confide.core.requirements import KAnonymity, SimpleDiversity
    from confide.core.trees.published import Attribute
    from confide.mining.trees.learner import DecisionTree
    from confide.share import DiverseTree, anonymize_tree, generate
    from confide.share.marginals import with_marginals

    X = np.array([[str(i % 5), float(i % 7)] for i in range(120)], dtype=object)
    y = np.array([str(i % 3) for i in range(120)])
    attributes = [
        Attribute(name="x0", kind="categorical", values=tuple("01234")),
        Attribute(name="x1", kind="numeric", bins=(-1, 2, 4, 7)),
    ]
    plain = DecisionTree(confidence=None).fit(X, y, attributes=attributes, classes=["0", "1", "2"])
    for requirement in (KAnonymity(k=5), SimpleDiversity(l=2)):
        anonymize_tree(plain, requirement, verify=False)
        DiverseTree(requirement=requirement, merge=True).fit(X, y, attributes=attributes, classes=["0", "1", "2"])
    generate(with_marginals(plain.tree_, X, y), absent="marginals")


def reading() -> None:
    """The readers of text and of Parquet, and the linkage adversary."""
    import tempfile
    from pathlib import Path

    import pyarrow as pa

    from confide.audit.adversaries.linkage import link_transactions
    from confide.core.artefacts.exact import read_table
    from confide.core.artefacts.kinds import save
    from confide.core.samples.quest import quest
    from confide.core.transactions.container import Transactions

    with tempfile.TemporaryDirectory() as folder:
        for name, text in (
            ("numbers.dat", "1 2\n2 1\n1 1\n"),
            ("words.dat", "a b\nb a\n"),
            ("words.csv", "a,b\nb,a\n"),
        ):
            (Path(folder) / name).write_text(text)
            Transactions.read(Path(folder) / name)
        table = Path(folder) / "table.parquet"
        save(pa.table({"word": ["a", None, "b"]}), table)
        read_table(table.read_bytes(), table)
    link_transactions(quest("T5I2D100"), private=[], known=2, samples=10)


READING = "confide.cli.kernels.groups:reading"
"""Kernels of `core`, which belong to no stage."""


def all_groups() -> list[str]:
    """Every group as a dotted path: those of the stages, and reading."""
    from confide.core.stages import STAGES

    return [*(group for stage in STAGES.values() for group in stage.kernels), READING]


if __name__ == "__main__":
    from confide.cli.kernels.readiness import mark_compiled
    from confide.core.stages import named

    named(sys.argv[1])()
    mark_compiled(sys.argv[1])
