"""Every kind of scheme over small domains: its gamma is the largest likelihood ratio there is, and the auditor's.

A law is enumerated from its definition, in fractions, for every true record; nothing is sampled.
"""

import itertools
import json
import math
from fractions import Fraction

import pytest
from tests.oracles import perturbing as oracle
from tests.oracles.answering import answer_law, block_law
from tests.oracles.basket_rounds import exact_gamma

from confide.audit.verifiers.amplification import scheme_gamma
from confide.collect import (
    BasketQuestion,
    CutAndPaste,
    Emask,
    GammaDiagonal,
    LocalHashing,
    Mask,
    MatrixScheme,
    RandomizedResponse,
    SampledDesign,
    SubsetSelection,
    UnaryEncoding,
    plan_collection,
)
from confide.collect.answers.answer_laws import Kary
from confide.collect.schemes.scheme import KINDS

DOMAINS = ([2], [3], [2, 2], [2, 3])
GAMMAS = (1.5, 19)
ITEMS = ("a", "b", "c")


def flipping(scheme):
    p, q = scheme.keeps()
    return oracle.gamma([oracle.flipping(held, len(ITEMS), p, q) for held in oracle.subsets(len(ITEMS))])


def pasting(scheme):
    laws = [oracle.cut_and_paste(u, 3, scheme.K, Fraction(repr(scheme.rho))) for u in oracle.subsets(3)]
    return oracle.gamma(laws)


def answering(scheme):
    records = itertools.product(*map(range, scheme.fields.sizes))
    return oracle.gamma([block_law(scheme, codes) for codes in records])


def by_field(scheme):
    ratios = []
    for size, g in zip(scheme.fields.sizes, scheme.each, strict=True):
        law = Kary(size=size, gamma=Fraction(repr(g)))
        ratios.append(oracle.gamma([answer_law(law, value) for value in range(size)]))
    return math.prod(ratios)


def whole_records(scheme):
    rows = [[Fraction(repr(entry)) for entry in row] for row in scheme.matrix().round(12).tolist()]
    return max(max(row) / min(row) for row in rows)


def cases():
    """(scheme, how its gamma is enumerated), every kind of scheme over several small domains."""
    for p in (0.6, 0.3):
        yield Mask(p=p, items=ITEMS), flipping
    yield Emask(p=0.55, q=0.8, items=ITEMS), flipping
    yield CutAndPaste(K=2, rho=0.4, items=ITEMS), pasting
    for domains, gamma in itertools.product(DOMAINS, GAMMAS):
        yield GammaDiagonal(domains=domains, gamma=gamma), whole_records
        yield RandomizedResponse(domains=domains, gamma=gamma), by_field
        for symmetric in (False, True):
            yield UnaryEncoding(domains=domains, gamma=gamma, symmetric=symmetric), answering
        if domains != [2]:
            yield SubsetSelection(domains=domains, gamma=gamma, chosen=2), answering
        yield LocalHashing(domains=domains, gamma=gamma, buckets=3, prime=7), answering
        for size in (1, 2):
            yield SampledDesign(domains=domains, gamma=gamma, size=size), answering
    yield SampledDesign(domains=[2, 2], gamma=3, size=1, skipped="none"), answering
    for law in ("k-ary", "unary", "symmetric-unary", "subset-selection"):  # of the same subsets, not drawn alike
        subsets = {"subsets": [["a0"], ["a1"], ["a0", "a1"]], "weights": [1, 2, 3]}
        yield SampledDesign(domains=[2, 3], gamma=5, scheme=law, **subsets), answering
    laws = ["unary", "k-ary", "subset-selection"]
    yield SampledDesign(domains=[2, 2, 3], gamma=4, subsets=[["a0"], ["a1"], ["a1", "a2"]], scheme=laws), answering
    yield plan_collection([2, 3], gamma=19, people=5000).scheme(), answering
    small = SampledDesign(domains=[2, 2, 2, 2], gamma=9, size=2, scheme="hashing").smaller()
    yield small, answering
    yield MatrixScheme(domains=[2], matrices=[[[0.8, 0.4], [0.2, 0.6]]]), whole_records
    for asks, gamma in itertools.product(("sample", "count"), GAMMAS):
        yield BasketQuestion(items=ITEMS, gamma=gamma, pad=2, asks=asks, law="k-ary"), exact_gamma


CASES = list(cases())


def test_every_kind_of_scheme_is_audited():
    assert {scheme.kind for scheme, _ in CASES} == set(KINDS)


@pytest.mark.parametrize(("scheme", "enumerate_gamma"), CASES, ids=lambda case: getattr(case, "kind", ""))
def test_gamma_is_the_largest_likelihood_ratio(scheme, enumerate_gamma):
    found = float(enumerate_gamma(scheme))
    stated = scheme.amplification().gamma
    audited = scheme_gamma(json.loads(scheme.to_json()))
    assert found <= stated * (1 + 1e-9)
    assert audited == pytest.approx(stated, rel=1e-6)
    if not isinstance(scheme, LocalHashing | SampledDesign):  # small hash functions may leave no pair of values apart
        assert found == pytest.approx(stated, rel=1e-6)
