"""The attacker who looks people up: by hand, against looking at every row, and on local recodings that overlap."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from confide import Hierarchy, Schema
from confide.audit import attack_table, link_table
from confide.core.errors import InputError, UsageError
from confide.core.tables.schema import Column

SCHEMA = Schema.from_dict({"q": {"role": "quasi-identifier"}, "s": {"role": "sensitive"}})


def test_the_original_is_attacked_as_by_linkage():
    table = pa.table({"q": [1, 1, 1, 2, 2, 3], "s": ["a", "a", "b", "c", "c", "d"]})
    found = attack_table(table, schema=SCHEMA, ruled_out=0)
    other = link_table(table, roles=SCHEMA.roles)
    assert (found.identified, found.mean_success) == (other.unique, other.mean_success)
    assert (found.certain, found.guessed) == (other.certain, other.guessed)
    assert found.certain_after == found.certain  # with nothing ruled out
    assert found.chance_after["s"] == pytest.approx((2 / 3 + 2 / 3 + 1 / 3 + 1 + 1 + 1) / 6)


def test_background_knowledge_excludes_the_commonest_other_values():
    table = pa.table({"q": [1] * 6, "s": ["a", "a", "a", "b", "b", "c"]})
    one, two = (attack_table(table, schema=SCHEMA, ruled_out=r) for r in (1, 2))
    # a without b: 3 of 4; b without a: 2 of 3; c without a: 1 of 3
    assert one.chance_after["s"] == pytest.approx((3 * 3 / 4 + 2 * 2 / 3 + 1 / 3) / 6)
    assert (one.certain_after["s"], two.certain_after["s"]) == (0.0, 1.0)


def covers(label, value):
    if label == "*":
        return True
    low, _, high = label.partition("-")
    return int(low) <= value <= int(high or low)


@pytest.mark.parametrize("seed", range(40))
def test_a_release_is_attacked_as_by_looking_at_every_row(seed):
    """Groups overlap: a person may fit several labels, and a few rows were left out."""
    rng = np.random.default_rng(seed)
    n, r = int(rng.integers(2, 40)), int(rng.integers(0, 3))
    q, s = rng.integers(0, 12, n), rng.integers(0, 4, n)
    labels = []
    for value in q.tolist():
        width = int(rng.integers(0, 5))
        labels.append("*" if width == 4 else f"{value}" if width == 0 else f"{max(0, value - width)}-{value + 1}")
    kept = [row for row in rng.permutation(n).tolist() if rng.random() < 0.9] or [0]
    release = pa.table({"q": [labels[row] for row in kept], "s": [f"v{s[row]}" for row in kept]})
    original = pa.table({"q": q, "s": [f"v{v}" for v in s]})
    found = attack_table(original, schema=SCHEMA, release=release, ruled_out=r)
    matches, certain, sure, chance = [], 0, 0, 0.0
    for value, truth in zip(q.tolist(), (f"v{v}" for v in s), strict=True):
        fitting = [release["s"][row].as_py() for row in range(len(kept)) if covers(release["q"][row].as_py(), value)]
        counts = Counter(fitting)
        matches.append(len(fitting))
        certain += len(counts) == 1
        own = counts.pop(truth, 0)
        left = own + sum(sorted(counts.values())[: max(0, len(counts) - r)])
        sure += own > 0 and own == left
        chance += own / left if own else 0
    assert found.identified == matches.count(1) / n
    assert found.absent == matches.count(0) / n
    assert found.mean_success == pytest.approx(sum(1 / m for m in matches if m) / n)
    assert found.fewest_matches == min((m for m in matches if m), default=0)
    assert found.certain["s"] == certain / n
    assert found.certain_after["s"] == sure / n
    assert found.chance_after["s"] == pytest.approx(chance / n)


def test_labels_are_read_by_the_hierarchy_by_range_and_by_union():
    places = Hierarchy.from_rows([("Ulm", "south", "*"), ("Bonn", "west", "*"), ("Köln", "west", "*")])
    schema = Schema(
        {
            "place": Column(role="quasi-identifier", hierarchy=places),
            "age": Column(role="quasi-identifier", range=(0, 120)),
            "height": Column(role="quasi-identifier", range=(0, 3), step=0.5),
            "s": Column(role="sensitive"),
        }
    )
    people = pa.table(
        {"place": ["Ulm", "Bonn", "Köln"], "age": [30, -5, 44], "height": [1.5, 2.0, 3.0], "s": ["a", "b", "c"]}
    )
    release = pa.table(
        {
            "place": ["south | Bonn", "west", "*"],
            "age": ["20-29 | 30", "-9 to -1", "*"],
            "height": ["[1.5, 2)", "[2, 3]", "[2, 3]"],
            "s": ["a", "b", "c"],
        }
    )
    # Ulm fits the first row, Bonn the second and third, Köln the third
    found = attack_table(people, schema=schema, release=release)
    assert found.identified == pytest.approx(2 / 3)
    assert found.mean_success == pytest.approx((1 + 1 / 2 + 1) / 3)


def test_a_label_that_cannot_be_read_is_refused_and_not_passed_over():
    release = pa.table({"q": ["from 1 up"], "s": ["a"]})
    with pytest.raises(InputError, match="column 'q': 1 labels stand for no value"):
        attack_table(pa.table({"q": [1], "s": ["a"]}), schema=SCHEMA, release=release)


def test_missing_values_are_found_by_their_own_label_and_by_anything():
    original = pa.table({"q": ["1", None, ""], "s": ["a", "b", "c"]})
    found = attack_table(original, schema=SCHEMA, release=pa.table({"q": ["", "1", "*"], "s": ["a", "b", "c"]}))
    assert found.fewest_matches == 2


def test_wrong_use_is_refused():
    table = pa.table({"q": [1], "s": ["a"]})
    with pytest.raises(UsageError, match="ruled_out=-1"):
        attack_table(table, schema=SCHEMA, ruled_out=-1)
    with pytest.raises(InputError, match="no column 's'"):
        attack_table(table.drop_columns("s"), schema=SCHEMA)
    with pytest.raises(InputError, match="no rows"):
        attack_table(table.slice(1), schema=SCHEMA)
    with pytest.raises(UsageError, match="nothing to link by"):
        attack_table(table, schema=Schema.from_dict({"q": {"role": "insensitive"}, "s": {"role": "sensitive"}}))


def test_the_answer_in_words():
    table = pa.table({"q": [1, 1, 2], "s": ["a", "b", "c"]})
    first, second = attack_table(table, schema=SCHEMA, ruled_out=1).lines()
    assert first == "33.3% of 3 people are found; certain: s of 33.3%"
    assert second == "certain once 1 other value can be ruled out: s of 100.0%"
