"""Tables in files that one person may see, as `confide join check` and `confide join tree` ask for them."""

import json
from dataclasses import replace

import pyarrow as pa
import pytest

from confide.core.errors import CannotMeetError, InputError, RequestError, UsageError
from confide.core.jobs.catalogue import job_named
from confide.core.jobs.delivery import DocumentFile
from confide.core.jobs.outcome import Host
from confide.core.jobs.request_files import read_request, request_text
from confide.core.tables.frames import write_table
from confide.join import JoinGraph, JoinTree
from confide.join.jobs.requests import JoinCheckRequest, JoinIntersect, JoinTreeRequest
from confide.join.jobs.table_files import grow_tree, look_at_tables

PERSONS = pa.table({"id": ["a", "b", "c", "d"], "town": ["x", "x", "y", "y"], "ill": ["yes", "no", "yes", "no"]})
VISITS = pa.table({"person": ["a", "b", "b", "c", "d"], "ward": ["1", "2", "2", "1", "2"]})


@pytest.fixture
def request_of(tmp_path):
    """A request for the tree of two tables in files."""
    write_table(PERSONS, tmp_path / "persons.csv")
    write_table(VISITS, tmp_path / "visits.csv")
    return JoinTreeRequest(
        sources={"persons": tmp_path / "persons.csv", "visits": tmp_path / "visits.csv"},
        joins=["persons.id=visits.person"],
        target="persons.ill",
        types={"visits.ward": "text"},
        exclude=["persons.id", "visits.person"],
    )


def test_the_tree_of_files_is_that_of_the_graph(request_of, tmp_path):
    outcome = grow_tree(request_of)
    tables = {"persons": PERSONS, "visits": VISITS}
    graph = JoinGraph(tables=tables, joins=[("persons.id", "visits.person")], target="persons.ill")
    grown = JoinTree(exclude=["persons.id", "visits.person"]).fit(graph).tree_
    assert outcome.document == json.loads(grown.to_json())
    assert grow_tree(request_of, Host(output=tmp_path / "tree.json")).document is None, "it goes to the file instead"
    outcome.save(tmp_path / "tree.json", False)
    assert json.loads((tmp_path / "tree.json").read_text()) == outcome.document


def test_tables_by_name_are_saved_relative_to_the_request(request_of, tmp_path):
    path = tmp_path / "deep" / "tree.toml"
    path.parent.mkdir()
    text = request_text(job_named("join tree"), request_of, DocumentFile(), path)
    assert '"visits" = "../visits.csv"' in text
    path.write_text(text)
    _, again, _ = read_request(path)
    assert {name: file.resolve() for name, file in again.sources.items()} == request_of.sources
    assert replace(again, sources=request_of.sources) == request_of
    assert request_of.inputs() == list(request_of.sources.values())


def test_a_check_fails_after_it_has_said_everything(request_of, tmp_path):
    asked = JoinCheckRequest(sources=request_of.sources, joins=request_of.joins, target="persons.ill")
    outcome = look_at_tables(asked)
    assert outcome.failure is None
    assert list(outcome.tables) == [
        "Tables",
        "Joins",
        "Columns, in records that join",
        "What could be told for certain, before any split",
    ]
    assert [row["table"] for row in outcome.tables["Tables"]()] == ["persons", "visits"]
    write_table(VISITS.slice(0, 1), tmp_path / "visits.csv", replace=True)
    assert isinstance(look_at_tables(asked).failure, InputError), "one class alone joins"


def test_a_run_that_a_policy_forbids_is_shown_and_then_refused(trial):
    asked = JoinCheckRequest(config=trial / "join.toml")
    assert look_at_tables(asked).failure is None
    file = trial / "T1.toml"
    file.write_text(file.read_text().replace("certain_classes = 1.0\n", ""))
    outcome = look_at_tables(asked)
    assert isinstance(outcome.failure, CannotMeetError)
    assert outcome.document["certain"]


@pytest.mark.parametrize(
    ("settings", "error", "text"),
    [
        ({"target": None}, UsageError, "name the class column"),
        ({"joins": ["persons.id"]}, RequestError, "is not of the form A.x=B.y"),
        ({"confidence": 1.0}, RequestError, "confidence=1.0 is too large"),
        ({"types": {"visits.ward": "colour"}}, RequestError, "is none of: text, integer, number, date"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_any_file_is_read(request_of, settings, error, text):
    with pytest.raises(error, match=text):
        replace(request_of, **settings)


def test_either_a_run_or_tables_are_checked(request_of, trial):
    with pytest.raises(UsageError, match=r"give either JOIN.TOML, or sources"):
        JoinCheckRequest()
    with pytest.raises(UsageError, match=r"give either JOIN.TOML, or sources"):
        JoinCheckRequest(config=trial / "join.toml", sources=request_of.sources)


def test_shared_values_need_a_file_and_their_number_none(tmp_path):
    asked = {"config": tmp_path / "T1.toml", "neighbour": "T2"}
    with pytest.raises(UsageError, match="say where the shared values go"):
        JoinIntersect(**asked).check_delivery(DocumentFile())
    with pytest.raises(UsageError, match="say where the shared values go"):
        JoinIntersect(**asked, size_only=True).check_delivery(DocumentFile(output=tmp_path / "shared.csv"))
    JoinIntersect(**asked, size_only=True).check_delivery(DocumentFile())
