"""What a stage releases keeps its promise as it is read back, in every format that the stage writes."""

import numpy as np
import pyarrow as pa
import pytest
from tests.share.trees import random_requirement, random_tree

from confide import Coherence, KAnonymity, Transactions, verify
from confide.collect import GammaDiagonal, Mask
from confide.collect.perturbed_release import release_perturbed
from confide.core.artefacts.kinds import read_released, same_data, type_of
from confide.core.errors import CannotMeetError
from confide.core.release import passport_path
from confide.publish import Mondrian, suppress
from confide.share import anonymize_tree

ITEMS = ("dat", "csv", "jsonl", "parquet", "dat.gz", "jsonl.zst", "parquet.zst")
TABLES = ("csv", "csv.gz", "csv.zst", "parquet")


def baskets(seed):
    draw = np.random.default_rng(seed)
    names = ["tea", "1", "01", "nuts", "s:a", "s:b"]
    return Transactions.from_lists([[n for n in names if draw.random() < 0.5] or ["tea"] for _ in range(60)])


def table(seed):
    draw = np.random.default_rng(seed)
    dose = draw.choice([0.0, -0.0, float("nan"), 1.5], 60)
    return pa.table({"age": draw.integers(0, 9, 60), "sex": draw.choice(["F", "M"], 60), "dose": dose})


def suppressed(seed):
    return suppress(baskets(seed), Coherence(h=0.9, k=3, p=2), private=["s:a", "s:b"])


def perturbed_items(seed):
    return release_perturbed(Mask(p=0.9).for_items(["tea", "1", "01", "nuts", "s:a", "s:b"]), baskets(seed))


def perturbed_fields(seed):
    return release_perturbed(GammaDiagonal(domains={"sex": ["F", "M"]}, gamma=9), table(seed).select(["sex"]))


def published(seed):
    roles = {"age": "quasi-identifier", "sex": "quasi-identifier", "dose": "sensitive"}
    return Mondrian(requirement=KAnonymity(k=3)).publish(table(seed), {name: {"role": roles[name]} for name in roles})


def shared(seed):
    return anonymize_tree(random_tree(seed), random_requirement(seed))


@pytest.mark.parametrize(
    ("make", "form"),
    [
        *((make, form) for make in (suppressed, perturbed_items) for form in ITEMS),
        *((make, form) for make in (perturbed_fields, published) for form in TABLES),
        (shared, "json"),
    ],
)
def test_a_release_keeps_its_promise_in_every_format(make, form, tmp_path):
    written = 0
    for seed in range(4):
        try:
            release = make(seed)
        except CannotMeetError:
            continue
        path = tmp_path / f"out{seed}.{form}"
        release.write(path)
        found = verify(passport_path(path))
        assert found.ok, found.summary()
        kind = type_of(release.artefact)
        assert same_data(read_released(path.read_bytes(), path.name, type=kind).data, release.artefact, type=kind)
        written += 1
    assert written
