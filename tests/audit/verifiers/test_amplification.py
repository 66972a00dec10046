"""The auditor of perturbed records: gamma worked out anew, against enumeration; records that do not fit are caught."""

import copy
import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from tests.oracles import collect_privacy as oracles

from confide import Amplification, Passport, Randomness, Release, Transactions, verify
from confide.audit import scheme_gamma, verify_amplification
from confide.audit.verifiers.scheme_claims import _per_item
from confide.collect.perturbed_release import release_perturbed
from confide.collect.schemes.cut_and_paste import CutAndPaste
from confide.collect.schemes.gamma_diagonal import GammaDiagonal
from confide.collect.schemes.mask import Emask, Mask
from confide.collect.schemes.matrix_scheme import MatrixScheme
from confide.core.errors import VerificationError

PEOPLE = {"age": ["young", "old"], "ill": ["no", "yes"]}


def schemes_of_items(items, longest):
    bound = {"items": items, "max_length": longest}
    yield Mask(p=0.7, **bound), oracles.flipping_law(items, Fraction(7, 10), Fraction(7, 10))
    yield Mask(p=0.2, **bound), oracles.flipping_law(items, Fraction(2, 10), Fraction(2, 10))
    for p, q in ((6, 9), (9, 3), (2, 3)):
        law = oracles.flipping_law(items, Fraction(p, 10), Fraction(q, 10))
        yield Emask(p=p / 10, q=q / 10, **bound), law
    for k, rho in itertools.product((1, 2, 3, 5), (2, 6)):
        law = oracles.cut_and_paste_law(items, k, Fraction(rho, 10))
        yield CutAndPaste(K=k, rho=rho / 10, **bound), law


@pytest.mark.parametrize(("n", "longest"), [(n, m) for n in (2, 3, 4) for m in range(1, n + 1)])
def test_gamma_is_what_enumerating_every_record_gives(n, longest):
    items = tuple("abcd"[:n])
    truths, answers = oracles.records(items, longest), oracles.records(items, n)
    for scheme, law in schemes_of_items(items, longest):
        slow = float(oracles.gamma_of(law, truths, answers))
        assert scheme_gamma(scheme.to_dict()) == pytest.approx(slow), scheme
        assert scheme.amplification().gamma == pytest.approx(slow), scheme


@pytest.mark.parametrize("sizes", [(2, 2), (2, 3)])
def test_gamma_of_mapped_fields_is_what_enumerating_gives(sizes):
    fields = {f"f{i}": size for i, size in enumerate(sizes)}
    columns = [f"f{i}={value}" for i, size in enumerate(sizes) for value in range(size)]
    truths = [frozenset(f"f{i}={v}" for i, v in enumerate(cell)) for cell in itertools.product(*map(range, sizes))]
    answers = oracles.records(columns, len(columns))
    for scheme, law in (
        (Mask(p=0.7, fields=fields), oracles.flipping_law(columns, Fraction(7, 10), Fraction(7, 10))),
        (Emask(p=0.6, q=0.9, fields=fields), oracles.flipping_law(columns, Fraction(6, 10), Fraction(9, 10))),
        (CutAndPaste(K=2, rho=0.4, fields=fields), oracles.cut_and_paste_law(columns, 2, Fraction(4, 10))),
        (CutAndPaste(K=3, rho=0.4, fields=fields), oracles.cut_and_paste_law(columns, 3, Fraction(4, 10))),
    ):
        assert scheme_gamma(scheme.to_dict()) == pytest.approx(float(oracles.gamma_of(law, truths, answers)))


def test_gamma_of_matrices_is_the_product_of_the_fields():
    flip, spread = [[0.75, 0.25], [0.25, 0.75]], [[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]
    both = MatrixScheme(domains=[2, 3], matrices=[flip, spread])
    assert scheme_gamma(both.to_dict()) == pytest.approx(9)
    assert scheme_gamma(MatrixScheme(domains=[3], matrix=spread).to_dict()) == pytest.approx(3)


def perturbed():
    scheme = GammaDiagonal(domains=PEOPLE, gamma=19)
    codes = np.random.default_rng(1).integers(0, 2, (200, 2)).astype(np.int32)
    return scheme, scheme.perturb(scheme.fields.to_table(codes), randomness=Randomness.seeded(1))


def released(scheme, data, gamma=None, randomness=None):
    return Release.issue(
        data,
        Amplification(gamma=gamma or scheme.amplification().gamma),
        stage="collect",
        algorithm=scheme.kind,
        context={"scheme": scheme.to_dict(), "order": "shuffled", "from_records": []},
        randomness=randomness,
    )


def test_a_release_is_verified_from_its_file(tmp_path):
    scheme, table = perturbed()
    released(scheme, table).write(tmp_path / "sent.csv")
    found = verify(tmp_path / "sent.csv.passport.json")
    assert found.ok, found.summary()
    assert "that each device really drew as the scheme says" in found.not_provable[0]
    assert not any("loss" in text for text in found.not_provable)  # it follows from the scheme, and is checked


def test_items_are_verified_too(tmp_path):
    scheme = Emask(p=0.6, q=0.9, items=tuple("abcdef"), max_length=2)
    sent = scheme.perturb(Transactions.from_lists([["a", "b"], ["c"], []] * 20), randomness=Randomness.seeded(1))
    released(scheme, sent).write(tmp_path / "sent.jsonl")
    assert verify(tmp_path / "sent.jsonl.passport.json").ok


def test_a_gamma_below_the_schemes_own_is_refused():
    scheme, table = perturbed()
    with pytest.raises(VerificationError, match=r"amplification: the scheme has gamma 19 .*promised: 18.9"):
        released(scheme, table, gamma=18.9)


def test_records_that_do_not_fit_are_refused():
    scheme, table = perturbed()
    with pytest.raises(VerificationError, match="fields in their order"):
        released(scheme, table.select(["ill", "age"]))
    other = GammaDiagonal(domains={"age": ["young", "old"], "ill": ["no", "maybe"]}, gamma=19)
    with pytest.raises(VerificationError, match="1 values of field 'ill'"):
        released(other, table)
    items = Mask(p=0.9, items=("a", "b"), max_length=1)
    with pytest.raises(VerificationError, match="1 items are not of the scheme's universe"):
        released(items, Transactions.from_lists([["a"], ["z"]]))
    with pytest.raises(VerificationError, match="does not send a table"):
        released(items, table)


@pytest.mark.parametrize(
    "drawn", [Randomness.seeded(1).describe(), {"source": "dice"}, {"seed": 7}, {"source": "system", "seed": 7}]
)
def test_what_was_drawn_from_a_seed_keeps_no_promise(drawn):
    scheme, table = perturbed()
    with pytest.raises(VerificationError, match=r"randomness: .*protects nobody"):
        released(scheme, table, randomness=drawn)
    assert released(scheme, table, randomness=Randomness.system().describe()).verification.ok


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("parameters", "gamma", 9),
        ("parameters", "gamma", 19.00001),
        ("parameters", "alpha", 0.5),
        ("parameters", "epsilon", 0.1),
        ("parameters", "fingerprint", "0" * 64),
        ("parameters", "fingerprint", None),
        ("parameters", "per_item", 2.0),
        ("parameters", "delta", 0),
        ("loss", "records", 5),
        ("loss", "records", 200.0000001),
        ("loss", "chance_a_record_stays", 0.86363),
        ("loss", "chance_a_record_stays", 0.0001),
        ("loss", "condition_number", 1),
        ("loss", "condition_number_length_2", 1),
        ("loss", "mean_length", 3),
        ("loss", "records", "200"),
    ],
)
def test_a_number_that_does_not_follow_from_scheme_and_records_is_caught(part, name, value):
    scheme, _ = perturbed()
    codes = np.random.default_rng(1).integers(0, 2, (200, 2)).astype(np.int32)
    release = release_perturbed(scheme, scheme.fields.to_table(codes))
    passport = release.passport.model_copy(update={part: {**getattr(release.passport, part), name: value}})
    bad = [check for check in verify_amplification(release.data, passport) if not check.ok]
    assert len(bad) == 1
    assert bad[0].name.startswith("its ")
    assert name in bad[0].detail or "no such scheme" in bad[0].detail


def test_a_scheme_changed_after_the_release_no_longer_fits_its_fingerprint():
    scheme, _ = perturbed()
    codes = np.random.default_rng(1).integers(0, 2, (200, 2)).astype(np.int32)
    release = release_perturbed(scheme, scheme.fields.to_table(codes))
    for change in (
        {"gamma": 9},
        {"fields": [*scheme.to_dict()["fields"][:1], {"name": "ill", "values": ["no", "yes", "?"]}]},
    ):
        context = dict(release.passport.context) | {"scheme": release.passport.context["scheme"] | change}
        passport = release.passport.model_copy(update={"context": context})
        bad = {check.name: check.detail for check in verify_amplification(release.data, passport) if not check.ok}
        assert "fingerprint" in bad["its parameters are the scheme's"]


@pytest.mark.parametrize(
    "scheme",
    [
        Mask(p=0.2, items=tuple("abcd"), max_length=3),
        Emask(p=0.6, q=0.95, items=tuple("abcdef"), max_length=2),
        Mask(p=0.7, fields=PEOPLE),
        CutAndPaste(K=3, rho=0.4, items=tuple("abcdef"), max_length=5),
        CutAndPaste(K=5, rho=0.4, items=tuple("abc"), max_length=3),
        CutAndPaste(K=2, rho=0.3, fields={**PEOPLE, "sex": ["F", "M"]}),
        MatrixScheme(domains=[2, 2], matrices=[[[0.75, 0.25], [0.25, 0.75]], [[0.6, 0.3], [0.4, 0.7]]]),
    ],
    ids=lambda scheme: scheme.kind,
)
def test_numbers_worked_out_anew_are_those_of_every_scheme(scheme):
    """Among them condition numbers, for which the auditor builds the matrices again."""
    if scheme.fields is None:
        records = Transactions.from_lists([["a", "b"], ["c"], []] * 20)
    else:
        records = scheme.fields.to_table(np.zeros((30, len(scheme.fields)), dtype=np.int32))
    release = release_perturbed(scheme, records)
    assert any(name.startswith("condition_number_length_") for name in release.loss)
    assert release.verification.ok


@pytest.mark.parametrize(
    "change",
    [
        {"gamma": None},
        {"gamma": 1},
        {"gamma": "19"},
        {"alpha": 2},
        {"alpha": 1},
        {"version": 2},
        {"fields": []},
        {"fields": [{"name": "a", "values": ["x", "x"]}]},
        {"fields": "age"},
        {"scheme": "other"},
        {"scheme": "emask", "p": 1, "q": 0.5, "items": ["a"]},
        {"scheme": "mask", "p": 0.9, "fields": None},
        {"scheme": "mask", "p": 0.9, "fields": None, "items": ["a", "a"]},
        {"scheme": "mask", "p": 0.9, "fields": None, "items": ["a"], "max_length": 0},
        {"scheme": "cut-and-paste", "K": 0, "rho": 0.5},
        {"scheme": "matrix", "matrices": [[[1, 0], [0, 1]]]},
        {"scheme": "matrix", "matrices": [[[0.5, 0.5], [0.4, 0.5]], [[0.5, 0.5], [0.5, 0.5]]]},
        {"scheme": "matrix", "matrices": [[[1, 0], [0, 1]], [[1, 0], [0, 1]]]},
        {"confide": "tree"},
    ],
    ids=json.dumps,
)
def test_a_scheme_that_was_tampered_with_never_passes(change):
    scheme, table = perturbed()
    data = copy.deepcopy(scheme.to_dict()) | change
    if change == {"alpha": 1}:
        data["fields"] = data["fields"][:1]  # two cells, where alpha may be 1/19 at most
    passport = Passport.issue(
        Amplification(gamma=19), stage="collect", algorithm="gamma-diagonal", context={"scheme": data}
    )
    checks = list(verify_amplification(table, passport))
    assert not all(check.ok for check in checks)
    assert all("young" not in check.detail for check in checks)


@pytest.mark.parametrize(
    "change",
    [
        {"order": "kept"},
        {"from_records": ["items"]},
        {"from_records": ["max_length"]},
        {"order": None},
        {"order": "sorted"},
        {"from_records": None},
        {"from_records": [["items"]]},
        {"from_records": ["names"]},
    ],
    ids=str,
)
def test_a_passport_that_lost_its_warning_fails(change):
    release = release_perturbed(GammaDiagonal(domains=PEOPLE, gamma=19), _people(40))
    context = {**release.passport.context, **change}
    checks = list(verify_amplification(release.data, release.passport.model_copy(update={"context": context})))
    assert [check.name for check in checks if not check.ok] == ["what the records themselves gave away is said"]


def _people(rows):
    import pyarrow as pa

    return pa.table({"age": ["young", "old"] * (rows // 2), "ill": ["no"] * rows})


def test_a_number_that_no_double_holds_fails_a_check():
    release = release_perturbed(GammaDiagonal(domains=PEOPLE, gamma=19), _people(40))
    for change in ({"gamma": 10**400}, {"alpha": 10**400}):
        context = {**release.passport.context, "scheme": {**release.passport.context["scheme"], **change}}
        checks = list(verify_amplification(release.data, release.passport.model_copy(update={"context": context})))
        assert [check.name for check in checks] == ["the scheme is complete"]
        assert not checks[0].ok


def test_odds_that_no_double_holds_are_infinite():  # found by fuzzing
    assert _per_item({"scheme": "emask", "p": 1e-300, "q": 1e-300}) == math.inf
    assert _per_item({"scheme": "emask", "p": 0.5, "q": 0.9}) == 9
