"""People of a population: every generalisation is judged as by hand; releases are verified, refused, repeated."""

from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from tests.amounts import some
from tests.oracles.population import judge_levels
from tests.publish.tables.random_tables import random_table

from confide import (
    DeltaPresence,
    DistinctDiversity,
    KAnonymity,
    KMap,
    KMapBySize,
    KMapByWeight,
    SimpleDiversity,
    verify,
)
from confide.core.artefacts.originals import Population
from confide.core.errors import CannotMeetError, InputError, RequirementError, UsageError
from confide.core.requirements.tables import all_of
from confide.core.tables.schema import Column, Schema
from confide.publish import Incognito, KOptimize, Mondrian, TopDownSpecialization


def case(seed):
    """A table, its schema, a population that holds its people, and a requirement."""
    draw = np.random.default_rng(seed)
    frame, schema = random_table(seed)
    names = schema.named("quasi-identifier")
    values = {name: [row[0] for row in schema.columns[name].hierarchy.rows] for name in names}
    more = int(draw.integers(0, 60))
    population = pa.table(
        {name: [*frame[name].to_pylist(), *draw.choice(values[name], more).tolist()] for name in reversed(names)}
    )
    weights = draw.choice([1, 1.5, 2, 7, 30], frame.num_rows)
    frame = frame.append_column("w", pa.array(weights))
    schema = Schema({**schema.columns, "w": Column(role="insensitive")})
    k = int(draw.integers(2, 12))
    low, high = sorted(draw.choice([0, 0.05, 0.1, 0.25, 0.4, 0.5, 0.75, 1], 2, replace=False).tolist())
    kinds = [KMap(k=k), DeltaPresence(low=0, high=high), KMapByWeight(k=k, weight="w")]
    kinds += [DeltaPresence(low=low, high=high)] if (low, high) != (0, 1) else []
    asked = [kinds[int(draw.integers(len(kinds)))]] if high < 1 or draw.random() < 0.5 else kinds[:1]
    if draw.random() < 0.4:
        asked += [KAnonymity(k=2)] if draw.random() < 0.5 else [DistinctDiversity(l=2)]
    return frame, schema, population, all_of(*asked), float(draw.choice([0, 0.1, 0.3]))


@pytest.mark.parametrize("seed", some(range(500), every=10))
def test_every_generalisation_is_judged_as_by_hand_and_the_best_is_released(seed):
    try:
        frame, schema, population, requirement, suppress = case(seed)
    except RequirementError:  # everything allowed: nothing to ask
        return
    names = schema.named("quasi-identifier")
    chains = [{row[0]: row for row in schema.columns[name].hierarchy.rows} for name in names]
    columns = [frame[name].to_pylist() for name in (*names, "s0", "w")]
    rows = [(values[:-2], values[-2], values[-1]) for values in zip(*columns, strict=True)]
    people = list(zip(*(population[name].to_pylist() for name in names), strict=True))
    counted = any(part.counts_population for part in requirement.parts_asked)
    method = Incognito(requirement=requirement, population=population if counted else None, suppress=suppress)
    spans = [range(low, high + 1) for low, high in (schema.columns[name].levels for name in names)]
    by_hand = [judge_levels(rows, people, chains, at, requirement.parts_asked, suppress) for at in product(*spans)]
    try:
        found = method.explore(frame, schema)
    except CannotMeetError:  # known without a look at groups
        assert not any(safe for safe, _ in by_hand)
        return
    assert list(zip(found.safe.ravel().tolist(), found.suppressed.ravel().tolist(), strict=True)) == by_hand
    if not found.safe.any():
        with pytest.raises(CannotMeetError):
            method.publish(frame, schema)
        return
    release = method.publish(frame, schema)
    levels = tuple(release.passport.parameters["levels"][name] for name in names)
    chosen = tuple(level - span.start for level, span in zip(levels, spans, strict=True))
    assert found.safe[chosen]
    assert found.loss[chosen] == pytest.approx(found.loss[found.safe].min())
    assert not release.verification.unproved


def register():
    """3,000 people, 300 of them in a table with a row each, and the schema."""
    draw = np.random.default_rng(7)
    people = pa.table(
        {
            "age": draw.integers(0, 60, 3000),
            "sex": draw.choice(["f", "m"], 3000),
            "zip": [str(z) for z in draw.integers(1000, 1060, 3000)],
        }
    )
    table = people.take(pa.array(draw.choice(3000, 300, replace=False)))
    table = table.append_column("ill", pa.array(draw.choice(["a", "b", "c"], 300)))
    table = table.append_column("w", pa.array(draw.integers(1, 20, 300)))
    schema = {
        "age": {"role": "quasi-identifier", "range": [0, 99]},
        "sex": {"role": "quasi-identifier"},
        "zip": {"role": "quasi-identifier", "hierarchy": {"build": "masks"}},
        "ill": {"role": "sensitive"},
        "w": {"role": "insensitive"},
    }
    return table, schema, people


TABLE, SCHEMA, PEOPLE = register()


def test_a_release_is_counted_again_by_whoever_has_the_population(tmp_path):
    path = tmp_path / "out.csv"
    release = Incognito(requirement=KMap(k=10), population=PEOPLE).publish(TABLE, SCHEMA)
    release.write(path)
    assert release.loss["smallest_group"] < 10  # the population hides them, not the table
    alone = verify(f"{path}.passport.json")
    assert alone.ok
    assert [check.name for check in alone.unproved] == ["people of the population"]
    assert "not checked" in alone.verdict()
    assert any("its promise" in text for text in alone.unchecked)
    schema = Schema.from_dict(SCHEMA)
    counted = verify(f"{path}.passport.json", evidence=Population(table=PEOPLE, schema=schema))
    assert counted.ok
    assert not counted.unproved
    assert not any("its promise" in text for text in counted.unchecked)
    fewer = verify(f"{path}.passport.json", evidence=Population(table=PEOPLE.slice(0, 1500), schema=schema))
    assert [check.name for check in fewer.failed] == ["k-map"]


def test_a_column_that_others_know_by_the_schema_cannot_be_left_out_of_the_count(tmp_path):
    """The release counts by age and zip alone; whoever checks says that others know the sex, too."""
    path, hidden = tmp_path / "out.csv", {**SCHEMA, "sex": {"role": "insensitive"}}
    Incognito(requirement=KMap(k=10), population=PEOPLE, suppress=0.3).publish(TABLE, hidden).write(path)
    own = Population(table=PEOPLE, schema=Schema.from_dict(hidden))
    assert verify(f"{path}.passport.json", evidence=own).ok
    checked = verify(f"{path}.passport.json", evidence=Population(table=PEOPLE, schema=Schema.from_dict(SCHEMA)))
    assert [check.name for check in checked.failed] == ["it counts by what the schema says others can know"]


def test_whom_nobody_covers_is_said_and_k_covers_them():
    release = Incognito(requirement=KMap(k=10), population=PEOPLE).publish(TABLE, SCHEMA)
    known = "for someone who knows that the person is in the table"
    assert any(known in text for text in release.passport.does_not_protect_against)
    both = Incognito(requirement=KMap(k=10) & KAnonymity(k=3), population=PEOPLE).publish(TABLE, SCHEMA)
    assert not any(known in text for text in both.passport.does_not_protect_against)


def test_persons_with_several_rows_count_by_the_people_who_fit():
    whose = pa.array([f"p{i // 2}" for i in range(300)])
    schema = {**SCHEMA, "who": {"role": "person"}}
    asked = KMap(k=10) & KAnonymity(k=2)
    release = Incognito(requirement=asked, population=PEOPLE).publish(TABLE.append_column("who", whose), schema)
    assert release.verification.ok
    assert release.loss["fewest_persons"] >= 2


def test_text_and_numbers_of_a_population_are_those_of_the_table():
    as_text = PEOPLE.set_column(0, "age", PEOPLE["age"].cast(pa.string()))
    one, other = (Incognito(requirement=KMap(k=10), population=p).publish(TABLE, SCHEMA) for p in (PEOPLE, as_text))
    assert one.loss == other.loss


def test_people_who_lack_a_value_are_counted_nowhere():
    gaps = pa.concat_tables([PEOPLE, pa.table({"age": [5] * 900, "sex": [""] * 900, "zip": ["1000"] * 900})])
    one, other = (Incognito(requirement=KMap(k=10), population=p).publish(TABLE, SCHEMA) for p in (PEOPLE, gaps))
    assert one.loss == other.loss
    assert other.passport.parameters["population"] == 3000


def test_longer_values_of_the_population_change_hierarchies_for_both():
    longer = pa.concat_tables([PEOPLE, pa.table({"age": [5], "sex": ["f"], "zip": ["10001"]})])
    assert Incognito(requirement=KMap(k=10), population=longer).publish(TABLE, SCHEMA).verification.ok


def test_rows_of_a_sample_ask_for_fewer_rows_in_every_method():
    asked = KMapBySize(k=10, population=3000, sample=300)
    assert asked.k_prime == 4
    for method in (Mondrian, Incognito):
        release = method(requirement=asked).publish(TABLE, SCHEMA)
        assert release.loss["smallest_group"] >= 4


def test_weights_are_taken_where_groups_join():
    asked = KMapByWeight(k=8, weight="w")
    for publisher in (
        Incognito(requirement=asked, local=True),
        Incognito(requirement=asked & SimpleDiversity(l=2), suppress=0.05),
        TopDownSpecialization(requirement=asked),
    ):
        assert publisher.publish(TABLE, SCHEMA).verification.ok


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: Mondrian(requirement=KMap(k=5), population=PEOPLE), UsageError, "does not take k-map.*use Incognito"),
        (lambda: KOptimize(requirement=KMapByWeight(k=5, weight="w")), UsageError, "does not take k-map-by-weight"),
        (lambda: Incognito(requirement=KMap(k=5)), UsageError, "give population=, a table of them"),
        (lambda: Incognito(requirement=KAnonymity(k=5), population=PEOPLE), UsageError, "neither is asked for"),
        (lambda: Incognito(requirement=KMap(k=5), population=PEOPLE.slice(0, 299)), InputError, "fewer than the 300"),
        (lambda: Incognito(requirement=KMap(k=5), population=PEOPLE.drop(["zip"])), InputError, "no column 'zip'"),
        (lambda: Incognito(requirement=KMap(k=5000), population=PEOPLE), CannotMeetError, "more than the 3,000 people"),
        (lambda: Incognito(requirement=KMapByWeight(k=5, weight="x")), UsageError, "'x' is not in the table"),
        (lambda: Incognito(requirement=KMapByWeight(k=5, weight="ill")), UsageError, "has the role sensitive"),
        (
            lambda: Incognito(requirement=KMapBySize(k=5, population=900, sample=30)),
            UsageError,
            "smaller than the table",
        ),
    ],
)
def test_what_cannot_be_counted_is_one_clear_line(make, error, words):
    with pytest.raises(error, match=words) as raised:
        make().publish(TABLE, SCHEMA)
    assert "\n" not in str(raised.value)


def test_weights_that_are_none_are_refused():
    for weights in ([0.5] * 300, ["many"] * 300, [None, *[2] * 299]):
        table = TABLE.set_column(TABLE.column_names.index("w"), "w", pa.array(weights))
        with pytest.raises(InputError, match=r"'w'.*holds sampling weights"):
            Incognito(requirement=KMapByWeight(k=5, weight="w")).publish(table, SCHEMA)


def test_means_fit_nobody_in_particular():
    schema = {**SCHEMA, "age": {"role": "quasi-identifier", "range": [0, 99], "release": "mean"}}
    with pytest.raises(UsageError, match="leave out release="):
        Incognito(requirement=KMap(k=5), population=PEOPLE).publish(TABLE, schema)
