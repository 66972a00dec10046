"""site.toml and join.toml: every fault at once, in words; and the trial that `confide sample chain` lays out."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.join.sites import shape

from confide.cli.derived.commands import command_of
from confide.core.errors import InputError, UsageError
from confide.core.jobs.catalogue import job_named
from confide.join.configuration.config_files import JoinConfig, SiteConfig
from confide.join.configuration.graph import check_join, graph_of, graph_of_files
from confide.join.configuration.parties import credentials_of, simulation_of, site_of, start_server

SITE = """
name = "hospital"
listen = "127.0.0.1:7001"
coordinator = "registry"
state = "state"
[table]
file = "hospital.csv"
class = "ill"
[neighbours.insurer]
address = "127.0.0.1:7002"
on = ["patient"]
"""
JOIN = """
name = "registry"
target = "hospital"
edges = [["hospital", "insurer"]]
[sites.hospital]
address = "127.0.0.1:7001"
[sites.insurer]
address = "127.0.0.1:7002"
"""


def write(folder, name, text):
    (folder / name).write_text(text)
    return folder / name


def test_a_site_is_read_with_its_paths_from_the_files_own_folder(tmp_path):
    config = SiteConfig.read(write(tmp_path, "site.toml", SITE))
    assert config.path("x") == tmp_path / "x"
    assert config.table.class_column == "ill"
    assert config.neighbours["insurer"].on == ["patient"]
    assert JoinConfig.read(write(tmp_path, "join.toml", JOIN)).edges == [("hospital", "insurer")]


def test_the_files_of_the_docs_can_be_read_and_fit_each_other(tmp_path):
    page = (Path(__file__).parents[3] / "docs" / "join" / "sites.md").read_text(encoding="utf-8")
    site, join, helper, named = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    top, section = named.split("\n[helper]")
    join = join.replace("hide_gains = false\n", top) + f"[helper]{section}"
    hospital = SiteConfig.read(write(tmp_path, "site.toml", site))
    run = JoinConfig.read(write(tmp_path, "join.toml", join))
    third = SiteConfig.read(write(tmp_path, "helper.toml", helper))
    assert hospital.coordinator == third.coordinator == run.name
    assert run.helper is not None
    assert (third.name, third.listen) == (run.helper.name, run.helper.address)
    hospital.effective_policy().check_run(max_depth=run.tree.max_depth, min_leaf=run.tree.min_leaf, owner="hospital")


def test_a_helper_writes_nothing_and_needs_no_state_folder(tmp_path):
    read = SiteConfig.read(write(tmp_path, "helper.toml", SITE[: SITE.index("state =")]))
    assert read.table is None


def test_all_faults_are_reported_at_once(tmp_path):
    text = (
        SITE.replace("127.0.0.1:7001", "nowhere")
        .replace('"hospital"', '"no name"')
        .replace("ill", 'ill"\ncolour = "red')
    )
    with pytest.raises(InputError) as error:
        SiteConfig.read(write(tmp_path, "site.toml", text))
    for words in (
        "site.toml",
        "name: is not a valid party name",
        "listen: must be HOST:PORT",
        "table.colour: is not known here",
    ):
        assert words in str(error.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("file =", "duckdb ="), "duckdb needs either query or table"),
        (('file = "hospital.csv"', ""), "exactly one of file, duckdb"),
        (('[neighbours.insurer]\naddress = "127.0.0.1:7002"\non = ["patient"]', ""), "a helper has neither"),
        (("neighbours.insurer", "neighbours.hospital"), "cannot be its own neighbour"),
        (('on = ["patient"]', "on = []"), "neighbours.insurer.on"),
        (('state = "state"', ""), "state is missing"),
        (('state = "state"', 'folder = "x"'), "folder: cannot be given"),
        (("[table]", '[policy]\nallow = ["gossip"]\n[table]'), "no kind 'gossip'; kinds are: heartbeat"),
        (("[table]", "[policy]\nmin_records = 0\n[table]"), "policy.min_records"),
        (("[table", "[table\n"), "not a valid TOML file"),
    ],
)
def test_a_faulty_site_is_refused_with_the_place(tmp_path, change, message):
    with pytest.raises(InputError, match=message):
        SiteConfig.read(write(tmp_path, "site.toml", SITE.replace(*change)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('"hospital", "insurer"', '"hospital", "bank"'), "'bank', which is not a site"),
        (('target = "hospital"', 'target = "bank"'), "target 'bank' is not a site"),
        (("edges = ", 'third = "bank"\nedges = '), "neither the coordinator nor the"),
        (("edges = ", "deadline = -1\nedges = "), "deadline"),
        (("[sites.insurer]", '[tree]\ncriterion = "luck"\n[sites.insurer]'), "tree.criterion"),
    ],
)
def test_a_faulty_join_is_refused_with_the_place(tmp_path, change, message):
    with pytest.raises(InputError, match=message):
        JoinConfig.read(write(tmp_path, "join.toml", JOIN.replace(*change)))


def test_the_trial_of_sample_chain_simulates(trial):
    coordinator, sites = simulation_of(JoinConfig.read(trial / "join.toml"))
    assert len(coordinator.train().nodes) > 1
    assert [site.name for site in sites] == ["T1", "T2"]
    assert not (trial / "T1-state").exists(), "a simulation leaves nothing behind"


def test_the_certificate_must_be_of_the_party(trial):
    config = SiteConfig.read(trial / "T1.toml")
    with pytest.raises(InputError, match="certificate is of 'T1', but the configuration of 'T2'"):
        credentials_of(config.tls, trial, "T2")
    with pytest.raises(UsageError, match="mutual TLS only"):
        credentials_of(None, trial, "T1")


def test_a_missing_column_is_named_before_anything_is_served(trial):
    text = (trial / "T2.toml").read_text()
    write(trial, "T2.toml", text.replace('on = ["j1"]', 'on = ["j9"]'))
    with pytest.raises(InputError, match="T2 has no join column 'j9'; columns are: j1, x1"):
        start_server(SiteConfig.read(trial / "T2.toml"))


def test_a_policy_may_be_a_file_of_its_own(trial):
    text = (trial / "T2.toml").read_text().replace('[policy]\nmin_records = 1\nintersections = "values"\n', "")
    write(trial, "T2.toml", 'policy_file = "policy.toml"\n' + text)
    write(trial, "policy.toml", 'forbid = ["x1"]\nmin_records = 3\n')
    site = site_of(SiteConfig.read(trial / "T2.toml"))
    assert site.policy.min_records == 3
    assert "x1" not in site.attributes
    write(trial, "policy.toml", "forbidden = []\n")
    with pytest.raises(InputError, match=r"policy\.toml: forbidden: is not known here"):
        site_of(SiteConfig.read(trial / "T2.toml"))


def test_a_forbidden_join_column_still_joins_in_a_check_beforehand(trial):
    known = graph_of(JoinConfig.read(trial / "join.toml")).check(exclude=["T2.x1"])
    text = (trial / "T2.toml").read_text().replace("[policy]\n", '[policy]\nforbid = ["j1", "x1"]\n')
    write(trial, "T2.toml", text)
    graph = graph_of(JoinConfig.read(trial / "join.toml"))
    assert graph.check() == known
    assert "x1" not in graph.attributes("T2")
    checked = CliRunner().invoke(command_of(job_named("join check")), [str(trial / "join.toml")])
    assert check_join(trial / "join.toml").as_dict() == json.loads(checked.stdout)
    columns = {column["column"] for column in json.loads(checked.stdout)["columns"]}
    assert "T1.j1" in columns
    assert "T2.j1" not in columns


def test_a_simulation_needs_every_sites_configuration(trial):
    text = (trial / "join.toml").read_text()
    write(trial, "join.toml", text.replace('config = "T2.toml"\n', ""))
    with pytest.raises(UsageError, match="add config ="):
        simulation_of(JoinConfig.read(trial / "join.toml"))


def test_a_site_may_keep_its_table_in_a_database(trial):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(trial / "t2.db")) as link:
        link.execute(f"CREATE TABLE records AS SELECT * FROM read_csv('{trial / 'T2.csv'}')")
    from_csv = simulation_of(JoinConfig.read(trial / "join.toml"))[0].train()
    lines = (trial / "T2.toml").read_text().splitlines()
    kept = [line for line in lines if not line.startswith(("file", "types"))]
    kept.insert(kept.index("[table]") + 1, 'duckdb = "t2.db"\nquery = "SELECT * FROM records"')
    write(trial, "T2.toml", "\n".join(kept))
    from_database = simulation_of(JoinConfig.read(trial / "join.toml"))[0].train()
    assert shape(from_database) == shape(from_csv)


def test_tables_in_files_are_one_graph_with_declared_types(tmp_path):
    write(tmp_path, "people.csv", "town,age,ill\nA,30,yes\nB,40,no\n")
    write(tmp_path, "towns.csv", "name,air\nA,7\nB,2\n")
    files = {"people": tmp_path / "people.csv", "towns": tmp_path / "towns.csv"}
    joins, target = [("people.town", "towns.name")], "people.ill"
    graph = graph_of_files(files, joins=joins, target=target, types={"people.age": "integer"})
    assert [str(field.type) for field in graph.tables["people"].schema] == ["string", "int64", "string"]
    inferred = graph_of_files(files, joins=joins, target=target)
    assert [str(field.type) for field in inferred.tables["people"].schema] == ["string", "int64", "string"]
    assert str(inferred.tables["towns"].schema.field("air").type) == "int64"
    kept = graph_of_files(files, joins=[("people.age", "towns.air")], target=target, types={"people.ill": "text"})
    assert {str(kept.tables[t].schema.field(c).type) for t, c in (("people", "age"), ("towns", "air"))} == {"string"}
    assert graph.check().summary == "4 records in 2 tables join to 2"
    with pytest.raises(UsageError, match=r"a type is given for 'air', which is in no table; tables are: people, towns"):
        graph_of_files(files, joins=joins, target=target, types={"air": "integer"})
