"""The shared questions of `checks`, asked of every algorithm there is."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from confide import Coherence, DistinctDiversity, KAnonymity, OutputPrivacy, Randomness, Transactions
from confide.collect import Bins, CutAndPaste, Emask, Fields, GammaDiagonal, Mask, MatrixScheme
from confide.core.samples import baskets, people
from confide.mining import (
    DecisionTree,
    SlidingWindow,
    association_rules,
    compare_itemsets,
    count_itemsets,
    frequent_itemsets,
    itemset_supports,
    subset_supports,
)
from confide.publish import (
    Incognito,
    KOptimize,
    Mondrian,
    OneDimensional,
    TopDownSpecialization,
    minimal_moles,
    suppress,
)
from confide.stream import Butterfly
from confide.stream.paper.biases import SCHEMES
from tests import checks
from tests.checks import Algorithm


def shop() -> Transactions:
    return baskets(1500, seed=3)


def little() -> Transactions:
    """The twelve commonest items of the shop."""
    supports = shop().supports()
    return shop().keep_items(supports >= np.sort(supports)[-12])


def private(tx: Transactions) -> list[str]:
    return [item for item in tx.items if item.startswith("s:")]


def found() -> object:
    return frequent_itemsets(shop(), min_support=0.02)


def table() -> pa.Table:
    return people(600, seed=3).select(["age", "sex", "occupation", "education", "income"])


def answers() -> pa.Table:
    return table().select(["age", "sex"])


def tree(data: pa.Table) -> DecisionTree:
    return DecisionTree(min_leaf=5).fit(data.drop_columns("income"), data["income"].to_pylist())


def published(method: str, utility: str = "items"):
    requirement = Coherence(h=0.6, k=5, p=1 if method == "remove-all" else 2)  # with p = 2 that leaves nothing
    options = {"nugget_support": 0.1} if utility == "itemsets" else {}
    return lambda tx: suppress(
        tx, requirement, private=private(tx), method=method, utility=utility, keep_order=True, **options
    )


def butterfly(scheme: str) -> Butterfly:
    requirement = OutputPrivacy(epsilon=0.2, delta=0.4, min_support=30, vulnerable=5)
    return Butterfly(requirement, scheme=scheme, randomness=Randomness.seeded(5))


def window(record: Transactions) -> SlidingWindow:
    made = SlidingWindow(size=200, min_support=10)
    made.learn_many(record)
    return made


MINING = [
    *(
        Algorithm(
            name=f"frequent_itemsets({kind})",
            data=shop,
            call=lambda tx, kind=kind: frequent_itemsets(tx, min_support=0.01, kind=kind),
            plain=lambda result: result.as_dict(),
        )
        for kind in ("all", "closed", "maximal")
    ),
    Algorithm(name="count_itemsets", data=shop, call=lambda tx: count_itemsets(tx, min_support=0.01)),
    Algorithm(
        name="itemset_supports",
        data=shop,
        call=lambda tx: itemset_supports(tx, [["bread"], ["bread", "milk"], []]),
        plain=lambda result: result.tolist(),
    ),
    Algorithm(
        name="subset_supports",
        data=shop,
        call=lambda tx: subset_supports(tx, [["bread", "milk", "butter"]]),
        plain=lambda result: result.as_dict(),
    ),
    Algorithm(
        name="minimal_moles",
        data=shop,
        call=lambda tx: minimal_moles(tx, Coherence(h=0.6, k=5, p=2), private=private(tx)),
        plain=lambda result: result.as_sets(),
    ),
    *(
        Algorithm(
            name=f"suppress({method}, {utility})",
            data=shop,
            call=published(method, utility),
            plain=lambda result: (result.data.items, result.loss),
        )
        for method, utility in (
            ("tree", "items"),
            ("remove-all", "items"),
            ("k-anonymizer", "items"),
            ("auto", "itemsets"),
        )
    ),
    Algorithm(
        name="suppress(border, itemsets)",
        data=little,  # the paper's own algorithm, in plain Python
        call=published("border", "itemsets"),
        plain=lambda result: (result.data.items, result.loss),
    ),
]
STREAM = Algorithm(
    name="SlidingWindow",
    data=shop,
    call=window,
    plain=lambda result: (result.closed().as_dict(), list(result.transactions())),
    make=lambda: SlidingWindow(size=200, min_support=10),
    feed_one=lambda made, record: made.learn_one(record),
    feed_many=lambda made, records: made.learn_many(records),
)
OTHERS = [
    STREAM,
    Algorithm(
        name="association_rules",
        data=found,
        call=lambda itemsets: association_rules(itemsets, min_confidence=0.5),
        plain=lambda result: list(result),
    ),
    Algorithm(
        name="compare_itemsets",
        data=found,
        call=lambda itemsets: compare_itemsets(itemsets, itemsets.top(50)),
        plain=lambda result: repr(result),
    ),
    Algorithm(
        name="DecisionTree",
        data=table,
        call=tree,
        plain=lambda result: result.to_json(),
        make=lambda: DecisionTree(min_leaf=5),
    ),
]
SURVEY = {"age": Bins((30, 50)), "sex": ["female", "male"]}
PERTURBING = [
    Algorithm(
        name=f"{scheme.kind} on {data.__name__}",
        data=data,
        call=lambda records, scheme=scheme: scheme.perturb(records, randomness=Randomness.seeded(7)),
        plain=lambda result: list(result) if isinstance(result, Transactions) else result.to_pydict(),
        make=lambda scheme=scheme: replace(scheme),
    )
    for scheme, data in (
        (Mask(p=0.9), little),
        (Emask(p=0.5, q=0.95), shop),
        (CutAndPaste(K=3, rho=0.4), little),
        (Mask(p=0.6, fields=Fields.of(SURVEY)), answers),
        (GammaDiagonal(domains=SURVEY, gamma=19), answers),
        (GammaDiagonal(domains=SURVEY, gamma=4, alpha=0.5), answers),
        (MatrixScheme(domains=SURVEY, matrix=GammaDiagonal(domains=SURVEY, gamma=3).matrix()), answers),
    )
]
REGISTRY = {
    "age": {"role": "quasi-identifier", "range": [0, 119], "step": 10},
    "sex": {"role": "quasi-identifier"},
    "occupation": {"role": "sensitive"},
    "education": {"role": "quasi-identifier"},
    "income": {"role": "class"},
}
PUBLISHING = [
    Algorithm(
        name=f"{algorithm.__name__}({', '.join(options)})",
        data=table,
        call=lambda data, algorithm=algorithm, options=options: algorithm(
            requirement=KAnonymity(k=4) & DistinctDiversity(l=2), keep_order=True, **options
        ).publish(data, REGISTRY),
        plain=lambda result: (result.data.to_pydict(), dict(result.loss)),
        make=lambda algorithm=algorithm, options=options: algorithm(requirement=KAnonymity(k=4), **options),
    )
    for algorithm, options in (
        (Mondrian, {}),
        (Mondrian, {"relaxed": True}),
        (OneDimensional, {}),
        (Incognito, {}),
        (Incognito, {"local": True}),
        (KOptimize, {}),
        (TopDownSpecialization, {}),
    )
]
STREAMING = [
    Algorithm(
        name=f"Butterfly({scheme})",
        data=found,
        call=lambda itemsets, scheme=scheme: butterfly(scheme).release(itemsets),
        plain=lambda result: (result.data.as_dict(), result.owner.values.tolist(), result.number),
        make=lambda scheme=scheme: butterfly(scheme),
    )
    for scheme in SCHEMES
]
EVERY = MINING + OTHERS + PERTURBING + PUBLISHING + STREAMING


@pytest.mark.parametrize("algorithm", EVERY, ids=lambda a: a.name)
def test_the_input_is_not_mutated(algorithm):
    checks.check_input_is_not_mutated(algorithm)


@pytest.mark.parametrize("algorithm", EVERY, ids=lambda a: a.name)
def test_the_same_input_gives_the_same_result(algorithm):
    checks.check_same_input_same_result(algorithm)


@pytest.mark.parametrize("algorithm", MINING, ids=lambda a: a.name)
def test_the_order_of_records_does_not_matter(algorithm):
    checks.check_order_of_records_does_not_matter(algorithm)


@pytest.mark.parametrize("algorithm", [a for a in EVERY if a.make], ids=lambda a: a.name)
def test_the_constructor_does_no_work(algorithm):
    checks.check_the_constructor_does_no_work(algorithm)


def test_one_by_one_equals_batch():
    checks.check_one_by_one_equals_batch(STREAM)
