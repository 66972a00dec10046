"""Sampling designs: questions drawn whatever the record, the promise of each, what is refused."""

import itertools
import json

import numpy as np
import pyarrow as pa
import pytest
from tests.oracles import answering as oracle
from tests.oracles.perturbing import assert_follows, gamma

from confide import Randomness
from confide.audit.verifiers.amplification import scheme_gamma
from confide.collect import Bins, SampledDesign, Scheme, perturber_of
from confide.collect.perturbed_release import release_perturbed
from confide.core.errors import InputError, RequirementError, UsageError

FORM = {"age": Bins((30, 50)), "sex": ["F", "M"], "ill": ["no", "yes"]}
MIXED = SampledDesign(
    domains=[2, 3, 2],
    gamma=4.5,
    subsets=[["a0"], ["a0", "a1"], ["a1", "a2"]],
    scheme=["unary", "subset-selection", "k-ary"],
    weights=[1, 2, 3],
)


@pytest.mark.parametrize("scheme", ["k-ary", "unary", "symmetric-unary", "subset-selection", "auto"])
@pytest.mark.parametrize("size", [1, 2])
def test_gamma_is_what_enumeration_finds(scheme, size):
    design = SampledDesign(domains=[2, 3, 2], gamma=2.5, size=size, scheme=scheme)
    laws = [oracle.block_law(design, codes) for codes in itertools.product(*(range(n) for n in (2, 3, 2)))]
    found = float(gamma(laws))
    assert found == pytest.approx(design.amplification().gamma, rel=1e-12)
    assert found <= 2.5
    assert scheme_gamma(json.loads(design.to_json())) == pytest.approx(2.5, rel=1e-6)


def test_draws_follow_the_law_of_the_design():  # false-alarm rate one in a million
    answers = MIXED.perturb(np.tile(np.array([1, 2, 0], dtype=np.int32), (60_000, 1)), randomness=Randomness.seeded(4))
    assert_follows(map(tuple, answers), oracle.block_law(MIXED, (1, 2, 0)))


def test_an_auditor_finds_no_more_than_gamma():
    from confide.audit import audit_perturber

    draw, truths, outputs = perturber_of(MIXED, randomness=Randomness.seeded(6))
    found = audit_perturber(draw, truths=truths, outputs=outputs, samples=200_000, claimed=4.5)
    assert not found.refuted
    assert found.gamma_low > 3.5
    assert audit_perturber(draw, truths=truths, outputs=outputs, samples=200_000, claimed=3).refuted


def test_a_large_design_has_a_smaller_one_to_audit():
    large = SampledDesign(domains=[5, 5, 5, 2], gamma=19, size=3, scheme="hashing")
    small = large.smaller()
    assert small.amplification().gamma == large.amplification().gamma
    assert small.numbered().answers <= 1 << 14
    assert MIXED.smaller() is MIXED


@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_file_reads_back_as_the_same_scheme(size, tmp_path):
    for scheme in ("auto", "hashing", "symmetric-unary"):
        design = SampledDesign(domains=FORM, gamma=19, size=size, scheme=scheme)
        design.write(tmp_path / "s.json", replace=True)
        again = Scheme.read(tmp_path / "s.json")
        assert again == design
        assert again.fingerprint == design.fingerprint


def test_records_of_every_kind_are_answered_and_mined(tmp_path):
    design = SampledDesign(domains=FORM, gamma=19, size=2)
    table = pa.table({"age": [20, 40, 60, 70] * 500, "sex": ["F", "M"] * 1000, "ill": ["no"] * 1500 + ["yes"] * 500})
    sent = design.perturb(table, randomness=Randomness.seeded(1))
    assert sent.column_names == ["question", "answer"]
    assert sent.num_rows == 2000
    found = design.mine(sent, min_support=0.2)
    again = design.mine(sent.to_pandas(), min_support=0.2)
    assert found.columns["estimate"].tolist() == again.columns["estimate"].tolist()
    wires = design.perturb(table.to_pylist(), randomness=Randomness.seeded(1))
    design.check_wire(wires[0])
    assert design.mine(wires, min_support=0.2).columns["estimate"].tolist() == found.columns["estimate"].tolist()
    one = design.perturb({"age": 44, "sex": "F", "ill": "no"})
    assert design.encode(one) == one
    import pyarrow.parquet as pq

    pq.write_table(sent, tmp_path / "sent.parquet")
    stored = design.mine(tmp_path / "sent.parquet", min_support=0.2)
    assert stored.columns["estimate"].tolist() == found.columns["estimate"].tolist()
    assert max(len(items) for items, _ in found) == 2


def test_a_skipped_question_is_an_answer_like_any_other():
    design = SampledDesign(domains={"sex": ["F", "M"], "ill": ["no", "yes"]}, gamma=19, size=1, skipped="no answer")
    assert design.fields.sizes == (3, 3)
    table = pa.table({"sex": ["F", None] * 2000, "ill": ["", "yes"] * 2000})
    answers = design.perturb(table, randomness=Randomness.seeded(2))
    found = {items[0]: support for items, support in design.mine(answers, min_support=0.3)}
    assert set(found) == {"sex=F", "sex=no answer", "ill=yes", "ill=no answer"}
    design.check_wire(design.perturb({"sex": "F"}))
    design.check_wire(design.perturb([None, "yes"]))
    assert Scheme.from_json(design.to_json()) == design


def test_a_release_is_verified_and_a_forged_answer_is_seen():
    from confide.audit.verifiers.amplification import verify_amplification

    design = SampledDesign(domains=FORM, gamma=19, size=2)
    table = pa.table({"age": [20, 40] * 20, "sex": ["F", "M"] * 20, "ill": ["no", "yes"] * 20})
    release = release_perturbed(design, table)
    assert release.requirement.gamma == 19
    assert all(check.ok for check in verify_amplification(release.data, release.passport))
    forged = release.data.set_column(1, "answer", pa.array(["99"] * 40))
    assert not all(check.ok for check in verify_amplification(forged, release.passport))
    strange = release.data.set_column(0, "question", pa.array(["7"] * 40))
    assert not all(check.ok for check in verify_amplification(strange, release.passport))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gamma": 1}, "gamma=1 erases the data"),
        ({"size": 0}, "size=0 is not a number of fields"),
        ({"size": 2, "subsets": [["sex"]]}, "size=2 or subsets, not both"),
        ({"subsets": [["sex", "ill"]]}, "no subset asks for 'age'"),
        ({"subsets": [["sex", "sex"], ["age"], ["ill"]]}, "one twice"),
        ({"subsets": ["sex", "age"]}, "list of lists"),
        ({"scheme": "magic"}, "scheme='magic' is not a way to answer"),
        ({"weights": [1]}, "1 weights for 1 subsets|schemes and 1 weights"),
        ({"size": 1, "weights": [1, 0, 2]}, "weight=0"),
        ({"domains": {"zip": 2000, "job": 1000}, "size": 2}, "subset zip, job has 2,000,000 combinations"),
        ({"domains": [2] * 60, "size": 3}, "34,220 subsets"),
        ({"skipped": "none"}, "'age' is cut at edges"),
    ],
    ids=str,
)
def test_bad_designs_get_one_line(options, message):
    if options == {"weights": [1]}:
        options = {"size": 2, "weights": [1]}
    with pytest.raises(RequirementError, match=message) as caught:
        SampledDesign(**{"domains": FORM, "gamma": 19, **options})
    assert "\n" not in str(caught.value)


def test_what_a_design_does_not_cover_is_said():
    singles = SampledDesign(domains=FORM, gamma=19, size=1)
    sent = singles.perturb([{"age": 20, "sex": "F", "ill": "no"}] * 50, randomness=Randomness.seeded(1))
    with pytest.raises(UsageError, match="asks for at most 1 fields together"):
        singles.mine(sent, min_support=0.1, max_length=2)
    assert all(len(items) == 1 for items, _ in singles.mine(sent, min_support=0.1))
    some_pairs = SampledDesign(domains=FORM, gamma=19, subsets=[["age", "sex"], ["ill"]])
    assert any("age and ill is one" in note for note in some_pairs.mining_notes())
    with pytest.raises(InputError, match="columns question and answer"):
        singles.mine(pa.table({"a": [1]}), min_support=0.1)
    with pytest.raises(InputError, match="not made of whole numbers"):
        singles.mine(pa.table({"question": ["0"], "answer": ["F"]}), min_support=0.1)
