"""One small release of every stage, method and promise, by the name of its file, for tests of passports and pages."""

import functools
import math

import numpy as np
import pyarrow as pa

from confide import (
    AlphaK,
    BetaLikeness,
    Coherence,
    DeltaDisclosure,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    RecursiveDiversity,
    Release,
    RuleSet,
    Schema,
    SimpleDiversity,
    TCloseness,
    Transactions,
)
from confide.collect import (
    BasketQuestion,
    Bins,
    CutAndPaste,
    Emask,
    Fields,
    GammaDiagonal,
    Mask,
    MatrixScheme,
    SampledDesign,
)
from confide.collect.perturbed_release import release_perturbed
from confide.core.requirements import OthersKnown
from confide.core.samples import figure_30
from confide.core.tables.hierarchy import Hierarchy
from confide.publish import Incognito, KOptimize, Mondrian, OneDimensional, TopDownSpecialization, generalise, suppress
from confide.search import Profile
from confide.share import ShareTrain, anonymize_tree, train
from tests.fuzzing.stream_files import publish_run
from tests.fuzzing.table_releases import TABLE_RELEASES
from tests.join.sites import small
from tests.share.jobs.test_publishing import DOMAINS, people
from tests.share.trees import random_tree

__all__ = ["RELEASES", "write_release"]

BASKETS = Transactions.from_lists(
    [["tea", "nuts"], ["tea", "nuts", "s:a"], ["tea", "nuts", "s:b"], ["milk, fresh", "tea"]] * 6
    + [["tea", "caviar"], ["nuts", "salt"], ["tea", "salt", "s:a"], ["rum"]]
)
PRIVATE = ["s:a", "s:b"]
ANSWERS = pa.table({"age": [18, 40, 77] * 4, "sex": ["F", "M", "M"] * 4})
FIELDS = {"age": Bins((30, 50)), "sex": ["F", "M"]}
GROUPS = pa.table(
    {
        "age": ["20-29"] * 20 + ["30-39"] * 20,
        "illness": ["flu", "none", "gout", "none"] * 10,
        "pay": ([1] * 4 + [2] * 4 + [3] * 2) * 4,
    }
)
GROUP_ROLES = {"age": "quasi-identifier", "illness": "sensitive", "pay": "sensitive"}
ORDERS = {"orders": {"illness": ["none", "flu", "gout"]}}
BY_HAND = {
    "k": KAnonymity(k=20),
    "alpha": AlphaK(alpha=0.6, k=4),
    "simple": SimpleDiversity(l=2),
    "distinct": DistinctDiversity(l=3),
    "k-distinct": KAnonymity(k=3) & DistinctDiversity(l=2),
    "entropy": EntropyDiversity(l=1.5),
    "recursive": RecursiveDiversity(c=4, l=2),
    "t": TCloseness(t=0.3),
    "t-ordered": TCloseness(t=0.3, ordered=True),
    "beta": BetaLikeness(beta=1.5),
    "beta-enhanced": BetaLikeness(beta=2, enhanced=True),
    "delta": DeltaDisclosure(delta=1),
    "others": OthersKnown(of=DistinctDiversity(l=2)),
    "all": KAnonymity(k=5) & RecursiveDiversity(c=4, l=2) & TCloseness(t=0.2) & BetaLikeness(beta=1.5),
}


def _by_hand(requirement):
    context = {"roles": GROUP_ROLES, **(ORDERS if "true" in str(requirement.to_dict()).lower() else {})}
    return Release.issue(GROUPS, requirement, stage="by hand", algorithm="by hand", context=context)


def _tree_by_hand():
    tree = anonymize_tree(random_tree(3, classes=3, most=30), KAnonymity(k=20)).data
    return Release.issue(tree, KAnonymity(k=20), stage="by hand", algorithm="by hand")


def _table(publisher, *, persons=False, **columns):
    draw = np.random.default_rng(5)
    n = 400
    ages = [int(age) for age in draw.integers(18, 90, n)]
    frame = {
        "name": [f"p{i // 2 if persons else i}" for i in range(n)],
        "age": ages,
        "sex": draw.choice(["F", "M"], n).tolist(),
        "illness": draw.choice(["flu", "gout", "none"], n, p=[0.3, 0.3, 0.4]).tolist(),
        "note": draw.choice(["a", "b"], n).tolist(),
    }
    schema = {
        "name": {"role": "person" if persons else "identifier"},
        "age": {"role": "quasi-identifier", "hierarchy": Hierarchy.intervals(range(18, 90), widths=(10, 20, 40))},
        "sex": {"role": "quasi-identifier", "hierarchy": Hierarchy.from_rows([["F", "*"], ["M", "*"]])},
        "illness": {"role": "sensitive"},
        "note": {"role": "insensitive"},
    }
    for name, role in columns.items():
        schema[name]["role"] = role
    return publisher.publish(pa.table(frame), Schema.from_dict(schema))


def _suppressed(requirement=None, **options):
    return suppress(BASKETS, requirement or Coherence(h=0.5, k=3, p=2), private=PRIVATE, **options)


def _shared(mode, requirement, **options):
    return anonymize_tree(random_tree(3, classes=3, counts=mode == "exact", most=30), requirement, mode=mode, **options)


def _trained(requirement, **options):
    return train(ShareTrain(table=people(), domains=DOMAINS, requirement=requirement, **options)).release


def _items(scheme, **options):
    return release_perturbed(
        scheme.for_items(["tea", "nuts", "caviar", "salt", "rum", "milk, fresh", *PRIVATE], max_length=3),
        BASKETS,
        **options,
    )


RELEASES = {
    "baskets.csv": _suppressed,
    "baskets.jsonl": lambda: _suppressed(Coherence(h=1, k=2, p=math.inf), keep_order=True),
    "baskets.parquet": lambda: _suppressed(nugget_support=4, utility="itemsets"),
    "baskets-broad.csv": lambda: generalise(BASKETS, Coherence(h=0.5, k=3, p=2), private=PRIVATE, beside_hiding=True),
    "baskets-tree.csv": lambda: _suppressed(Coherence(h=1, k=2, p=1), method="tree"),
    "emask.csv": lambda: _items(Emask(p=0.5, q=0.9)),
    "mask.csv": lambda: _items(Mask(p=0.99), keep_order=True),
    "mask-from-data.csv": lambda: release_perturbed(Mask(p=0.8), BASKETS, labels_from_data=True),
    "diagonal.csv": lambda: release_perturbed(GammaDiagonal(domains=FIELDS, gamma=19), ANSWERS),
    "matrix.csv": lambda: release_perturbed(
        MatrixScheme(matrix=[[0.8, 0.2], [0.2, 0.8]], domains={"sex": ["F", "M"]}), ANSWERS.select(["sex"])
    ),
    "cut.csv": lambda: release_perturbed(CutAndPaste(K=2, rho=0.4, fields=Fields.of(FIELDS)), ANSWERS),
    "mondrian.csv": lambda: _table(Mondrian(requirement=KAnonymity(k=5) & RecursiveDiversity(c=4, l=2))),
    "persons.parquet": lambda: _table(Mondrian(requirement=KAnonymity(k=5)), persons=True),
    "pseudonyms.csv": lambda: _table(
        Mondrian(requirement=KAnonymity(k=4) & SimpleDiversity(l=2), pseudonyms=b"k" * 32, keep_order=True)
    ),
    "incognito.csv": lambda: _table(Incognito(requirement=KAnonymity(k=5), suppress=0.05)),
    "optimize.csv": lambda: _table(KOptimize(requirement=KAnonymity(k=5), time_limit=0.5)),
    "hilbert.csv": lambda: _table(OneDimensional(requirement=KAnonymity(k=5))),
    "top-down.csv": lambda: _table(TopDownSpecialization(requirement=KAnonymity(k=5)), note="class"),
    "exact.tree.json": lambda: _trained(KAnonymity(k=30)),
    "diverse.tree.json": lambda: _trained(RecursiveDiversity(c=3, l=2), method="ldm"),
    "pruned.tree.json": lambda: _trained(SimpleDiversity(l=2), method="atp", marginals=False),
    "estimated.tree.json": lambda: _shared("estimated", RecursiveDiversity(c=3, l=2)),
    "sound.tree.json": lambda: _shared("sound", SimpleDiversity(l=2)),
    "shares.tree.json": lambda: _shared("exact", SimpleDiversity(l=2), shares_of=10_000),
    "rules.json": lambda: anonymize_tree(RuleSet.from_tree(random_tree(3, most=30)), KAnonymity(k=10)),
    "by-hand.tree.json": _tree_by_hand,
    **{f"group-{name}.csv": functools.partial(_by_hand, requirement) for name, requirement in BY_HAND.items()},
    "both.tree.json": lambda: _trained(KAnonymity(k=20) & SimpleDiversity(l=2)),
    "sampled.csv": lambda: release_perturbed(SampledDesign(domains=FIELDS, gamma=19, size=1), ANSWERS),
    "question.csv": lambda: release_perturbed(BasketQuestion(items=BASKETS.items, gamma=4.5, pad=2), BASKETS),
    **TABLE_RELEASES,
    "exposed.json": lambda: Profile.build(figure_30(), minsup=2, delta=0.6).release(min_detail=0.3),
    "run.jsonl": None,  # a run writes its own file
    "join.json": lambda: small()[0].train().release(min_records=1, parameters={}),
}
"""File name: a function that makes the release; None for a run, which writes its own file."""


def write_release(name, folder, **options):
    """Write one of them into a folder and return the release (None of a run); its passport is beside the file."""
    if RELEASES[name] is None:
        publish_run(folder / name)
        return None
    release = RELEASES[name]()
    release.write(folder / name, **options)
    return release
