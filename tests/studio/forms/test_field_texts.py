import pytest

from confide.core.jobs.catalogue import job_named
from confide.studio.forms.field_texts import Faults, asked_by
from confide.studio.project.project_folder import Project

TABLE = job_named("publish table")
GIVEN = {"table": ["people.csv"], "schema": ["s.toml"], "k": ["5"], "output": ["out.csv"]}


def faults_of(tmp_path, **texts):
    with pytest.raises(Faults) as faults:
        asked_by(Project(tmp_path), TABLE, GIVEN | {name: [text] for name, text in texts.items()})
    return {fault.field: fault.line for fault in faults.value.found}


def test_texts_mean_what_they_mean_on_the_command_line(tmp_path):
    texts = GIVEN | {"l": ["3\nhiv=5"], "suppress": ["2%"], "keep_order": ["yes"], "k": ["5"]}
    request, delivery = asked_by(Project(tmp_path), TABLE, texts)
    assert (request.k, request.l, request.suppress, request.keep_order) == (5, {"*": 3.0, "hiv": 5.0}, 0.02, True)
    assert delivery.output == tmp_path / "out.csv"


def test_every_fault_is_told_at_once_and_beside_its_field(tmp_path):
    found = faults_of(tmp_path, k="five", suppress="lots", table="", schema="../s.toml", t="a=1\na=2")
    assert found == {
        "k": "is not a whole number",
        "suppress": "is neither a share (0.5) nor a percentage (50%)",
        "table": "is needed",
        "schema": "no file of this folder has such a name; choose one of those listed",
        "t": "is given twice; give it once",
    }


def test_a_server_is_refused(tmp_path):
    assert "names a server" in faults_of(tmp_path, table="postgresql://db/people")["table"]


def test_what_two_fields_say_together_is_told_too(tmp_path):
    assert "goes with k=" in str(faults_of(tmp_path, k="", alpha="0.5"))


def test_a_population_is_a_number_or_a_file_of_the_folder(tmp_path):
    for text, meant in (("1,000,000", 1_000_000), ("people.csv", tmp_path / "people.csv")):
        request, _ = asked_by(Project(tmp_path), TABLE, GIVEN | {"k_map": ["10"], "population": [text]})
        assert request.population == meant
    assert "give a table of them" in str(faults_of(tmp_path, presence="0,30%", population="5000"))
