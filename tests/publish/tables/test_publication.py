import pyarrow as pa
import pytest

from confide.core.errors import CannotMeetError, InputError, UsageError
from confide.core.requirements.tables import KAnonymity, RecursiveDiversity, SimpleDiversity
from confide.core.samples.people import people, people_hierarchies, people_schema
from confide.core.tables.hierarchy import Hierarchy
from confide.publish import GlobalMapping, TableRequest, publish_table
from confide.publish.tables.methods import METHODS, publisher_named

PEOPLE = people(600)
SCHEMA = {name: dict(spec) for name, spec in people_schema().items()}
for column, levels in people_hierarchies().items():
    SCHEMA[column]["hierarchy"] = Hierarchy.from_rows(levels)


@pytest.mark.parametrize("method", [name for name in METHODS if name != "k-optimize"])
def test_every_method_gives_a_verified_release_and_global_ones_a_mapping(method):
    requirement = KAnonymity(k=4) & RecursiveDiversity(c=6, l=2)
    done = publish_table(PEOPLE, TableRequest(requirement=requirement, schema=SCHEMA, method=method, suppress=0.1))
    assert done.release.verification.ok
    assert method.startswith(done.release.passport.algorithm.partition(" ")[0])
    assert (done.mapping is None) == (method not in ("incognito", "top-down"))
    if done.mapping is not None:
        assert GlobalMapping.from_json(done.mapping.to_json()) == done.mapping


def test_auto_takes_what_loses_least_and_says_why():
    done = publish_table(PEOPLE, TableRequest(requirement=SimpleDiversity(l=2), schema=SCHEMA))
    assert done.method in ("mondrian", "one-dimensional")
    assert done.notes[0].startswith(f"chose {done.method}: it loses least")
    alone = publish_table(PEOPLE, TableRequest(requirement=KAnonymity(k=3), schema=SCHEMA))
    assert alone.method == "mondrian"
    assert any("nothing is asked of the sensitive columns" in note for note in alone.notes)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"method": "magic"}, UsageError, "choose among auto, mondrian"),
        ({"suppress": 1.5}, UsageError, "is not a share of the rows"),
        ({"loss": "beauty"}, UsageError, "losses are"),
        ({"requirement": KAnonymity(k=601)}, CannotMeetError, "larger than the table"),
        ({"requirement": SimpleDiversity(l=40)}, CannotMeetError, "the largest that works"),
        (
            {"schema": {**SCHEMA, "age": {"role": "quasi-identifier", "hierarchy": Hierarchy.flat(["1"])}}},
            InputError,
            "lacks",
        ),
        ({"schema": {name: spec for name, spec in SCHEMA.items() if name != "sex"}}, InputError, "'sex' has no role"),
        ({"schema": {**SCHEMA, "age": {"role": ["sensitive", "quasi-identifier"]}}}, InputError, "role must be one of"),
    ],
)
def test_bad_requests_get_one_line(change, error, words):
    with pytest.raises(error, match=words) as caught:
        publish_table(PEOPLE, TableRequest(**{"requirement": KAnonymity(k=3), "schema": SCHEMA, **change}))
    assert "\n" not in str(caught.value)


def test_missing_values_are_refused_by_default():
    ages = PEOPLE["age"].to_pylist()
    gaps = PEOPLE.set_column(2, "age", pa.array([None, *ages[1:]]))
    with pytest.raises(InputError, match="values are missing"):
        publish_table(gaps, TableRequest(requirement=KAnonymity(k=3), schema=SCHEMA))
    done = publish_table(gaps, TableRequest(requirement=KAnonymity(k=3), schema=SCHEMA, missing="drop"))
    assert done.release.data.num_rows == 599


def test_a_method_is_made_with_its_options():
    assert publisher_named("mondrian-relaxed", requirement=KAnonymity(k=2)).relaxed
    assert publisher_named("incognito-local", requirement=KAnonymity(k=2)).local
