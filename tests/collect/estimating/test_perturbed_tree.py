"""Decision trees from gamma-diagonal records."""

import numpy as np
import pyarrow as pa
import pytest

from confide.collect import Bins, Emask, Fields, GammaDiagonal, learn_tree
from confide.collect.estimating.cell_estimates import MergedRecords
from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.randomness import Randomness
from confide.core.samples import people
from confide.mining import DecisionTree

COLUMNS = ["age", "sex", "schooling"]
DOMAINS = {
    "age": Bins((25, 40, 60)),
    "sex": ["female", "male"],
    "schooling": ["short", "long"],
    "income": ["under 30k", "above"],
}


def registry(rows, seed):
    """Invented people, with few and coarse fields as a collector would declare them."""
    table = people(rows, seed=seed)
    short = {"primary", "lower secondary", "upper secondary", "apprenticeship"}
    return pa.table(
        {
            "age": table["age"],
            "sex": table["sex"],
            "schooling": ["short" if x in short else "long" for x in table["education"].to_pylist()],
            "income": ["under 30k" if x in ("under 15k", "15k-30k") else "above" for x in table["income"].to_pylist()],
        }
    )


TRAINING, TEST = registry(40_000, 1), registry(10_000, 2)


def accuracy(tree):
    fitted = DecisionTree.from_published(tree) if not isinstance(tree, DecisionTree) else tree
    return fitted.score(TEST.select(COLUMNS), TEST["income"].to_pylist())


def learned(gamma, *, seed=1, **options):
    scheme = GammaDiagonal(domains=DOMAINS, gamma=gamma)
    return learn_tree(
        scheme, scheme.perturb(TRAINING, randomness=Randomness.seeded(seed)), class_field="income", **options
    )


def test_at_gamma_19_the_tree_is_nearly_as_good_as_one_of_true_records():
    true = DecisionTree(min_leaf=50).fit(TRAINING.select(COLUMNS), TRAINING["income"].to_pylist())
    majority = max(TEST["income"].to_pylist().count(x) for x in DOMAINS["income"]) / len(TEST)
    assert accuracy(true) > majority + 0.05
    for seed in (1, 2, 3):
        assert accuracy(learned(19, seed=seed)) > accuracy(true) - 0.015


def test_more_noise_gives_smaller_trees_not_wilder_ones():
    sizes = [len(learned(gamma).nodes) for gamma in (1000, 19, 3, 1.3)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > 5
    assert sizes[-1] == 1  # nothing is sure any more, so nothing is asked
    majority = max(TEST["income"].to_pylist().count(x) for x in DOMAINS["income"]) / len(TEST)
    assert accuracy(learned(3)) > majority - 0.02


INDEPENDENT = [
    ([3, 2, 4, 2], 3000, 3),  # sizes, records, how skewed
    ([3, 2, 4, 2], 30_000, 2),
    ([5, 5, 5, 3], 20_000, 2),
    ([2, 2, 2, 2], 500, 3),
    ([8, 8, 2], 5000, 1),
]


@pytest.mark.parametrize(("sizes", "records", "skew"), INDEPENDENT)
def test_records_that_tell_nothing_grow_no_tree(sizes, records, skew):
    """Classes drawn without regard to the rest: at a significance of 1%, about 4 trees of 400 split. A level of exactly
    1% gives 13 or more in 3 of 10,000 such tests; seeds are fixed."""
    scheme = GammaDiagonal(domains=sizes, gamma=19)
    split = 0
    for seed in range(400):
        draw = np.random.default_rng(seed)
        codes = np.column_stack([draw.random(records) ** skew * size for size in sizes]).astype(np.int32)
        seen = scheme.perturb(codes, randomness=Randomness.seeded(seed))
        split += len(learn_tree(scheme, seen, class_field=f"a{len(sizes) - 1}").nodes) > 1
    assert split <= 12


def test_below_a_true_split_noise_makes_no_more_splits_than_the_whole_tree_may_have():
    """The class follows a0 and nothing else: a split by anything else, anywhere, is noise. As above, of 400 trees."""
    sizes = [4, 2, 3, 2]
    scheme = GammaDiagonal(domains=sizes, gamma=50)
    wrong = found = 0
    for seed in range(400):
        draw = np.random.default_rng(seed)
        codes = draw.integers(0, sizes, (20_000, 4)).astype(np.int32)
        codes[:, 3] = draw.random(20_000) < 0.2 + 0.2 * codes[:, 0]
        seen = scheme.perturb(codes, randomness=Randomness.seeded(seed))
        asked = {node.attribute for node in learn_tree(scheme, seen, class_field="a3").nodes} - {None}
        found += "a0" in asked
        wrong += asked > {"a0"}
    assert found == 400
    assert wrong <= 12


def test_counts_at_the_root_are_the_estimates_of_single_values():
    tree = learned(19, max_depth=1)
    scheme = GammaDiagonal(domains=DOMAINS, gamma=19)
    seen = scheme.perturb(TRAINING, randomness=Randomness.seeded(1))
    found = scheme.mine(seen, min_support=1).as_dict()
    root = tree.nodes[0]
    assert root.counts == tuple(found[frozenset([f"income={x}"])] for x in DOMAINS["income"])
    assert tree.depth() == 1


def test_a_field_with_edges_splits_in_two_at_an_edge_and_takes_true_numbers():
    # Who is above 40 is a yes, whatever else; age is the only thing to ask.
    scheme = GammaDiagonal(domains={"age": Bins((20, 40, 60)), "sex": ["f", "m"], "yes": ["no", "yes"]}, gamma=50)
    draw = np.random.default_rng(3)
    ages, sexes = draw.integers(0, 80, 20_000), draw.choice(["f", "m"], 20_000)
    table = pa.table({"age": ages, "sex": sexes, "yes": np.where(ages > 40, "yes", "no")})
    tree = learn_tree(scheme, scheme.perturb(table, randomness=Randomness.seeded(1)), class_field="yes")
    assert tree.nodes[0].attribute == "age"
    assert [edge.intervals for edge in tree.nodes[0].edges] == [((-np.inf, 40.0),), ((40.0, np.inf),)]
    assert tree.classify({"age": 17, "sex": "m"}) == "no"
    assert tree.classify({"age": 77, "sex": "m"}) == "yes"


def test_what_cannot_be_learned_is_refused_in_one_line():
    scheme = GammaDiagonal(domains={"a": 2, "b": 2}, gamma=3)
    codes = np.zeros((4, 2), dtype=np.int32)
    with pytest.raises(UsageError, match="not of a emask scheme"):
        learn_tree(Emask(p=0.5, q=0.9), codes, class_field="a")
    with pytest.raises(UsageError, match="no field 'c'; fields are: a, b"):
        learn_tree(scheme, codes, class_field="c")
    with pytest.raises(UsageError, match="besides the class"):
        learn_tree(GammaDiagonal(domains={"a": 2}, gamma=3), codes[:, :1], class_field="a")
    with pytest.raises(InputError, match="no perturbed records"):
        learn_tree(scheme, codes[:0], class_field="a")
    with pytest.raises(RequirementError, match="significance=0"):
        learn_tree(scheme, codes, class_field="a", significance=0)
    with pytest.raises(RequirementError, match="sure=-1"):
        learn_tree(scheme, codes, class_field="a", sure=-1)


def test_large_domains_are_merged_by_sorting():
    """More cells than are tallied in an array."""
    fields = Fields.of([2000, 2000, 4])
    codes = np.random.default_rng(1).integers(0, (2000, 2000, 4), size=(500, 3)).astype(np.int32)
    codes = np.concatenate([codes, codes[:100]])
    cells = MergedRecords.of(fields, codes)
    assert cells.records == 600
    assert cells.weights.max() >= 2
    assert cells.holding((0, 1), codes[:5, :2]).tolist() == [
        (codes[:, :2] == row[:2]).all(axis=1).sum() for row in codes[:5]
    ]
