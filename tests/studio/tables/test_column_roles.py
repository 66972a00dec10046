import pytest
from tests.commands import confide
from tests.patience import wait_until
from tests.studio.opened import ask, folder_of_people, open_studio

from confide.core.errors import UsageError
from confide.core.tables.schema import Schema
from confide.studio.project.project_folder import Project
from confide.studio.tables.column_roles import changed_schema, read_roles
from confide.studio.tables.copies import Copies


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return folder_of_people(tmp_path_factory.mktemp("folder"), 300)


@pytest.fixture(scope="module")
def look(folder):
    copies = Copies(Project(folder))
    wait_until(lambda: copies.look("people.csv") is not None)
    return copies.look("people.csv")


def test_a_table_without_a_schema_gets_one_that_publishes_it(folder, look):
    project = Project(folder)
    text = changed_schema(project, "people.csv", look, "new.schema.toml", {"income": "quasi-identifier"})
    (folder / "new.schema.toml").write_text(text)
    schema = Schema.read(folder / "new.schema.toml")
    assert schema.roles["income"] == "quasi-identifier"
    assert schema.roles["name"] == "identifier"
    done = confide(
        "publish", "table", "people.csv", "--schema", "new.schema.toml", "--k", 3, "-o", "out.csv", cwd=folder
    )
    assert done.returncode == 0, done.stderr


def test_what_a_schema_says_stays_but_for_the_roles_that_change(folder, look):
    project = Project(folder)
    before = read_roles(project, "people.schema.toml")
    text = changed_schema(project, "people.csv", look, "people.schema.toml", {"sex": "insensitive"})
    (folder / "after.toml").write_text(text)
    changed = read_roles(project, "after.toml")
    assert changed["sex"] == {"role": "insensitive"}
    assert {name: entries for name, entries in changed.items() if name != "sex"} == {
        name: entries for name, entries in before.items() if name != "sex"
    }


def test_a_role_that_there_is_not_is_refused(folder, look):
    with pytest.raises(UsageError, match="no role is called 'king'"):
        changed_schema(Project(folder), "people.csv", look, "x.schema.toml", {"sex": "king"})


def test_several_columns_are_changed_at_once_and_back_again(tmp_path):
    folder_of_people(tmp_path, 50)
    schema = tmp_path / "people.schema.toml"
    before = Schema.read(schema).roles
    with open_studio(tmp_path) as opened:
        wait_until(lambda: "What it is" in ask(opened.url, "columns?table=people.csv")[1])
        page = {"table": "people.csv", "schema": schema.name}
        form = {**page, "do": "marked", "marked": ["2", "3", "4"], "role": "insensitive"}
        assert ask(opened.url, "columns", form)[0] == 200
        after = Schema.read(schema).roles
        assert {name for name in after if after[name] != before[name]} == {"age", "sex", "postcode"}
        ask(opened.url, "columns", {**page, "do": "undo"})
        assert Schema.read(schema).roles == before
        status, text, _ = ask(opened.url, "columns", {**form, "marked": []})
        assert (status, "no column is marked" in text) == (400, True)
        status, text, _ = ask(opened.url, "columns", {**form, "base": "99"})
        assert (status, "changed in another window" in text) == (400, True)
