"""Auditing perturbers by sampling: honest ones are not refuted, broken ones are."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from confide import Randomness
from confide.audit import LikelihoodAudit, audit_perturber
from confide.collect.planning.perturber import law_to_audit, perturber_of
from confide.collect.schemes.cut_and_paste import CutAndPaste
from confide.collect.schemes.gamma_diagonal import GammaDiagonal
from confide.collect.schemes.mask import Emask, Mask
from confide.core.errors import UsageError

ITEMS = ("a", "b", "c", "d")
HONEST = [
    GammaDiagonal(domains=[2, 2, 2], gamma=19),
    GammaDiagonal(domains=[2, 2, 2], gamma=19, alpha=0.3),
    GammaDiagonal(domains=[10, 10, 20], gamma=19),
    Mask(p=0.7, items=ITEMS),
    Emask(p=0.6, q=0.8, items=ITEMS, max_length=2),
    CutAndPaste(K=2, rho=0.4, items=ITEMS, max_length=3),
    Mask(p=0.6, fields={"a": 2, "b": 2}),
]


@pytest.mark.parametrize("scheme", HONEST, ids=lambda s: f"{s.kind} {getattr(s, 'cells', 16)}")
def test_an_honest_scheme_is_not_refuted(scheme):
    """At 99.9% each; the seed is fixed, so this never fails by chance."""
    draw, truths, outputs = perturber_of(scheme, randomness=Randomness.seeded(5))
    found = audit_perturber(
        draw, truths=truths, outputs=outputs, samples=1_000_000, claimed=scheme.amplification().gamma
    )
    assert not found.refuted
    assert found.gamma_low > 1.3  # the audit did look: a bound of 1 would refute nothing


@pytest.mark.parametrize(
    ("scheme", "records"),
    [
        (GammaDiagonal(domains={"a": ["x", "y"], "b": ["p", "q"]}, gamma=19), [("x", "p"), ("y", "q"), ("x", "q")]),
        (Emask(p=0.7, q=0.8, items=("a", "b")), [[], ["a"], ["a", "b"]]),
        (CutAndPaste(K=1, rho=0.3, items=("a", "b", "c")), [[], ["a"], ["b", "c"]]),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_one_record_at_a_time_is_drawn_by_the_same_law(scheme, records):
    """What a client does: one record, one draw. 10,000 of them are not refuted, but would refute half the gamma."""
    source = Randomness.seeded(11)
    sizes = scheme.fields.sizes if scheme.fields is not None else (2,) * len(scheme.universe)

    def draw(truth, times):
        sent = [scheme.encode(scheme.perturb(records[truth], randomness=source)) for _ in range(times)]
        if scheme.fields is not None:
            return np.array([np.ravel_multi_index(codes, sizes) for codes in sent])
        return np.array([sum(1 << i for i in positions) for positions in sent])

    gamma = scheme.amplification().gamma
    options = {"truths": len(records), "outputs": int(np.prod(sizes)), "samples": 10_000}
    assert not audit_perturber(draw, claimed=gamma, **options).refuted
    assert audit_perturber(draw, claimed=gamma / 2, **options).refuted


def keep_or_uniform(n, keep, seed=7):
    source = Randomness.seeded(seed)

    def draw(truth, times):
        return np.where(source.bernoulli(keep, times), truth, source.integers(n, times))

    return draw


def test_a_perturber_that_keeps_too_often_is_caught():
    """gamma 19 claimed, 22 drawn: on 8 cells, 2,000,000 samples."""
    broken = keep_or_uniform(8, Fraction(21, 29))
    found = audit_perturber(broken, truths=8, outputs=8, samples=2_000_000, claimed=19)
    assert found.refuted
    assert 19 < found.gamma_low < 22


def test_a_perturber_that_never_moves_to_others_is_caught():
    def broken(truth, times):
        return np.full(times, truth)

    found = audit_perturber(broken, truths=4, outputs=4, samples=100_000, claimed=19)
    assert found.refuted
    assert found.gamma_seen == float("inf")


def test_one_bad_record_among_two_thousand_is_found():
    honest = keep_or_uniform(2000, Fraction(18, 2018))

    def broken(truth, times):
        return np.full(times, 1234) if truth == 1234 else honest(truth, times)

    found = audit_perturber(broken, truths=2000, outputs=2000, samples=2_000_000, claimed=19)
    assert found.refuted
    assert found.worst[0] == found.worst[2] == 1234


def test_the_bound_holds_as_often_as_it_says():
    """At 90% confidence, 200 audits of an honest perturber: at most 20 expected to err, 40 would be a 10^-5 event."""
    wrong = sum(
        audit_perturber(
            keep_or_uniform(3, Fraction(1, 2), seed), truths=3, outputs=3, samples=4000, claimed=4, confidence=0.9
        ).refuted
        for seed in range(200)
    )
    assert wrong < 40


def test_what_cannot_be_audited_is_refused():
    fine = keep_or_uniform(3, Fraction(1, 2))
    for options, message in (
        ({"truths": 1, "outputs": 3}, "two different"),
        ({"truths": [1, 1], "outputs": 3}, "two different"),
        ({"truths": 3, "outputs": 1}, "single answer"),
        ({"truths": 3, "outputs": 2}, "outside 0..1"),
        ({"truths": 3, "outputs": 3, "samples": 2}, "too few"),
        ({"truths": 3, "outputs": 3, "confidence": 2}, "confidence=2"),
    ):
        with pytest.raises(UsageError, match=message):
            audit_perturber(fine, **options)
    with pytest.raises(UsageError, match="shape"):
        audit_perturber(lambda truth, times: np.zeros(3, dtype=np.int64), truths=2, outputs=3)


def test_the_answer_in_words_and_as_plain_values():
    found = LikelihoodAudit(
        gamma_low=3.0, gamma_seen=math.inf, worst=(0, 1, 0), claimed=2.0, confidence=0.999, samples=1000, tested=1
    )
    assert found.summary() == "refuted: the real gamma is at least 3, the claim was 2"
    assert found.to_dict()["gamma_seen"] is None
    assert found.to_dict()["refuted"] is True
    assert replace(found, claimed=4.0).summary().startswith("not refuted: 1,000 draws show a gamma of at least 3 ")
    assert replace(found, claimed=None).summary().endswith("(at 0.999 confidence)")


def test_a_claim_below_1_is_no_gamma():
    with pytest.raises(UsageError, match=r"claimed=0\.5 is no gamma"):
        audit_perturber(lambda truth, times: np.zeros(times, dtype=np.int64), truths=2, outputs=2, claimed=0.5)


def test_a_domain_too_large_is_audited_over_a_small_one_which_is_said():
    small = law_to_audit(HONEST[0])
    assert (small.truths, small.outputs, small.notes) == (8, 8, ())
    assert small.gamma == pytest.approx(19)
    large = law_to_audit(Mask(p=0.7, items=tuple(f"i{n}" for n in range(200))))
    assert large.notes[0].startswith("the domain is too large to audit answer by answer")
    assert large.outputs < 2**20
