import numpy as np
import pytest

from confide import OutputPrivacy, Randomness
from confide.core.errors import RequirementError, UsageError
from confide.core.itemsets.container import Itemsets
from confide.core.samples import baskets
from confide.mining import SlidingWindow
from confide.stream import Butterfly, NoiseLaw, average_precision_loss
from confide.stream.paper.biases import SCHEMES

REQUIREMENT = OutputPrivacy(epsilon=0.12, delta=0.4, min_support=25, vulnerable=5)


def window(supports, n=1000):
    return Itemsets.from_pairs([((f"i{i}",), t) for i, t in enumerate(supports)], n_transactions=n)


def butterfly(seed=1, **options):
    """By the paper's schemes."""
    options = {"scheme": "basic", **options}
    return Butterfly(options.pop("requirement", REQUIREMENT), randomness=Randomness.seeded(seed), **options)


def stream(releases=8, size=600, lag=40):
    tx = baskets(size + releases * lag, seed=5)
    held = SlidingWindow(size=size, min_support=25)
    rows = list(tx)
    held.learn_many(rows[:size])
    for step in range(releases):
        yield held.closed()
        held.learn_many(rows[size + step * lag : size + (step + 1) * lag])


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("noise", ["uniform", "triangular", NoiseLaw.of({0: 5, 1: 1, 9: 5})])
def test_every_value_stays_within_the_bounds_of_its_law(scheme, noise):
    made = butterfly(scheme=scheme, noise=noise)
    law = made.setting.law
    for itemsets in stream():
        release = made.release(itemsets)
        table = release.owner
        drawn = table.values - table.supports - table.shifts
        assert all(law.weights[x - law.first] > 0 for x in drawn.tolist())
        bias = table.shifts + float(law.mean)
        assert (float(law.variance) + bias**2 <= REQUIREMENT.epsilon * table.supports**2 + 1e-9).all()
        assert law.variance >= REQUIREMENT.noise_variance()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_is_published_depends_on_its_value_alone(scheme):  # erratum 6
    made = butterfly(scheme=scheme)
    for itemsets in stream():
        release = made.release(itemsets)
        values = dict(zip(release.owner.supports.tolist(), release.owner.values.tolist(), strict=True))
        wanted = {frozenset(s): values[t] for s, t in itemsets if values[t] >= made.threshold}
        assert release.data.as_dict() == wanted


def test_the_paper_s_membership_publishes_all_that_is_frequent():
    itemsets = window([25, 26, 40, 24])
    assert len(butterfly(membership="support").release(itemsets).data) == 3


@pytest.mark.parametrize("scheme", SCHEMES)
def test_equal_supports_get_one_value_and_no_support_is_drawn_twice(scheme):  # Prior Knowledge 5.9, erratum 7
    made, said = butterfly(scheme=scheme), {}
    fresh = []
    for itemsets in stream():
        table = made.release(itemsets).owner
        for support, value in zip(table.supports.tolist(), table.values.tolist(), strict=True):
            assert said.setdefault(support, value) == value
        fresh.append(int(table.fresh.sum()))
    assert fresh[0] > 20
    assert max(fresh[1:]) < fresh[0]  # only classes that are new are decided


def test_a_support_that_comes_and_goes_keeps_its_value_by_default_and_not_by_the_paper_s_rule():
    def values(**options):
        made = butterfly(seed=3, **options)
        return {int(made.release(window([100 + step % 2])).owner.values[0]) for step in range(200)}

    assert len(values()) <= 2
    assert len(values(epoch=1)) > 8
    assert 2 < len(values(epoch=40)) <= 10


def test_a_new_epoch_forgets_only_what_has_gone():
    made = butterfly(epoch=2)
    first = made.release(window([50, 60])).owner.values.tolist()
    made.release(window([50]))
    third = made.release(window([50, 60])).owner
    assert third.values[0] == first[0]
    assert third.fresh.tolist() == [False, True]


def test_newcomers_take_the_value_of_their_class():
    made = butterfly()
    before = made.release(window([90, 90, 200])).data
    after = made.release(window([90, 200, 90])).data
    assert after.support_of(["i2"]) == before.support_of(["i0"]) == after.support_of(["i0"])
    assert after.support_of(["i1"]) == before.support_of(["i2"])


def test_labels_of_what_is_not_published_stay_inside():
    pairs = [(("rare",), 3), (("known",), 300), (("also", "known"), 200), (("edge",), 25)]
    data = butterfly().release(Itemsets.from_pairs(pairs, n_transactions=1000)).data
    assert set(data.labels) == {"known", "also"}
    assert data.columns == {}


def test_ratio_biases_are_in_proportion():  # erratum 3: directly, not by recursion
    made = butterfly(scheme="ratio")
    table = made.release(window([25, 26, 27, 50, 75, 100])).owner
    assert table.shifts.tolist() == [8, 8, 8, 16, 24, 32]


def test_ratio_biases_lie_on_the_grid_of_half_integers_when_alpha_is_odd():
    made = butterfly(scheme="ratio", requirement=OutputPrivacy(epsilon=0.1, delta=0.2, min_support=25, vulnerable=5))
    assert made.setting.law == NoiseLaw.uniform(8)  # mean 1/2
    shifts = made.release(window([25, 50, 75])).owner.shifts
    bias = shifts + 0.5
    assert bias.tolist() == [7.5, 14.5, 22.5]  # at 50 the bias 15 is not on the grid
    assert 63 / 12 + bias[0] ** 2 <= 0.1 * 25**2 < 63 / 12 + (bias[0] + 1) ** 2


def test_hybrid_lies_between_order_and_ratio():
    itemsets = window([25, 30, 33, 41, 44, 60, 61, 90])
    order, ratio = (butterfly(scheme=s).release(itemsets).owner.shifts for s in ("order", "ratio"))
    ends = [butterfly(scheme="hybrid", lam=lam).release(itemsets).owner.shifts for lam in (1, 0)]
    assert [x.tolist() for x in ends] == [order.tolist(), ratio.tolist()]
    mixed = butterfly(scheme="hybrid", lam=0.4).release(itemsets).owner.shifts
    assert (np.abs(mixed - (0.4 * order + 0.6 * ratio)) <= 0.5).all()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_precision_loss_is_below_epsilon_on_average(
    scheme,
):  # 200 seeds; the bound holds in expectation, class by class
    itemsets = window([25, 26, 28, 31, 45, 46, 90])
    losses = [
        average_precision_loss(itemsets, butterfly(seed, scheme=scheme, membership="support").release(itemsets).data)
        for seed in range(200)
    ]
    assert np.mean(losses) <= REQUIREMENT.epsilon


def test_the_noise_has_the_variance_it_says():  # 4,000 draws: a standard error of 0.2 around 10
    made = [butterfly(seed).release(window(range(100, 140))).owner for seed in range(100)]
    noise = np.concatenate([table.values - table.supports for table in made])
    assert abs(noise.var() - 10) < 1
    assert abs(noise.mean()) < 0.3


def test_the_same_seed_gives_the_same_and_the_input_is_not_touched():
    itemsets = window([25, 60, 90])
    before = itemsets.supports.copy()
    assert butterfly(4).release(itemsets).data == butterfly(4).release(itemsets).data
    assert np.array_equal(before, itemsets.supports)


def test_an_empty_window_releases_nothing():
    release = butterfly(scheme="hybrid").release(Itemsets.from_pairs([], n_transactions=0))
    assert (len(release.data), release.number) == (0, 1)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"scheme": "best"}, "scheme='best' is unknown; use one of blocks, basic, order, ratio, hybrid"),
        ({"lam": 1.2}, "lam=1.2 is not a share"),
        ({"depth": 0}, "depth=0 weighs no pair"),
        ({"epoch": 0}, "epoch=0 is no number of releases"),
        ({"membership": "all"}, "membership='all' is unknown"),
        ({"alpha": "mine"}, "alpha='mine' is unknown"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, said):
    with pytest.raises(RequirementError, match=said):
        butterfly(**options)


def test_what_is_not_itemsets_is_refused():
    with pytest.raises(UsageError, match="release takes Itemsets, not list"):
        butterfly().release([("a", 30)])


@pytest.mark.parametrize("seed", range(20))
def test_the_order_of_sets_items_and_labels_makes_no_difference(seed):
    rng = np.random.default_rng(seed)
    names = [str(x) for x in rng.permutation(30)] + ["b", "a", "é"]
    sets = {frozenset(rng.choice(names, size=rng.integers(1, 5), replace=False).tolist()) for _ in range(60)}
    pairs = [(tuple(s), int(rng.integers(20, 60))) for s in sets]
    given = Itemsets.from_pairs(pairs, n_transactions=100)
    back = rng.permutation(len(given.labels))
    place = np.argsort(back)
    mixed = given.take(rng.permutation(len(given)))
    mixed = Itemsets.from_arrays(
        mixed.offsets,
        place[mixed.items].astype(np.int32),
        mixed.supports,
        labels=tuple(given.labels[i] for i in back),
        n_transactions=100,
    )
    first, second = butterfly(seed).release(given.sorted()).data, butterfly(seed).release(mixed).data
    assert list(first) == list(second)
    assert first.labels == second.labels


@pytest.mark.parametrize("epoch", [None, 1, 2, 5])
def test_memory_is_that_of_the_plain_rule_also_when_it_is_taken_up_each_time(epoch):
    """The slow twin: a dictionary, from which an epoch's end takes what the last release did not have."""
    rng = np.random.default_rng(epoch or 0)
    made, said, last = butterfly(epoch=epoch), {}, set()
    for number in range(40):
        supports = sorted(set(rng.integers(25, 70, size=rng.integers(0, 12)).tolist()) | {int(rng.integers(300, 3000))})
        if epoch is not None and number and number % epoch == 0:
            said = {t: value for t, value in said.items() if t in last}
        table = made.release(window(supports, n=5000)).owner
        assert table.fresh.tolist() == [t not in said for t in supports]
        for t, value in zip(supports, table.values.tolist(), strict=True):
            assert said.setdefault(t, value) == value
        last = set(supports)
        again = butterfly(seed=number, epoch=epoch)
        again.resume_bytes(made.to_bytes())
        assert again.to_bytes() == made.to_bytes()
        made = again


# -- by blocks ----------------------------------------------------------------------------------------------------


def test_blocks_need_a_key_or_a_seed():
    with pytest.raises(UsageError, match="draws its noise by key; give key="):
        Butterfly(REQUIREMENT)
    with pytest.raises(UsageError, match="key= is 32 bytes"):
        Butterfly(REQUIREMENT, key=b"short")
    with pytest.raises(UsageError, match="key= goes with scheme='blocks'"):
        Butterfly(REQUIREMENT, scheme="order", key=bytes(32))
    with pytest.raises(UsageError, match="keeps no memory"):
        Butterfly(REQUIREMENT, key=bytes(32)).to_bytes()


def test_a_block_met_again_with_other_itemsets_is_refused():
    made = Butterfly(REQUIREMENT, key=bytes(32))
    first = made.release(window([100, 60]), block=30).data
    assert made.release(window([100, 60]), block=30).data == first
    with pytest.raises(UsageError, match="block=30 was released before"):
        made.release(window([101, 60]), block=30)
    with pytest.raises(UsageError, match="block=29 was released before"):
        made.release(window([100, 60]), block=29)
    made.release(window([101, 60]))


def test_the_paper_s_schemes_promise_nothing():
    assert Butterfly(REQUIREMENT, key=bytes(32)).requirement.span == "run"
    for scheme in SCHEMES:
        made = butterfly(scheme=scheme)
        assert made.requirement.span == "none"
        assert made.requirement.promise().startswith("No promise")
        assert made.release(window([100])).requirement.not_kept
