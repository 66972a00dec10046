"""Whatever is wrong, one clear line on a page, and the server lives."""

import os
import resource
import subprocess
import sys
import urllib.request

import pytest
from tests.commands import confide
from tests.patience import LONG, wait_until
from tests.studio.opened import ask, folder_of_people, open_studio, submit

TABLE = {"table": "people.csv", "schema": "people.schema.toml", "k": "5", "output": "out.csv"}


@pytest.fixture
def opened(tmp_path):
    folder_of_people(tmp_path, 60)
    with open_studio(tmp_path) as studio:
        yield studio
        assert ask(studio.url)[0] == 200, "the server lives"


def fault(answer):
    """The one line on the page."""
    status, page, _ = answer
    assert 'role="alert"' in page, page
    return status, page.partition('role="alert">')[2].partition("</")[0].replace("<p>", "")


@pytest.mark.parametrize("path", ["file", "report", "download", "columns", "run"])
@pytest.mark.parametrize(
    "name", ["../people.csv", "/etc/passwd", ".confide/verdicts.json", "a/../../x.html", "x\0.html"]
)
def test_a_name_outside_the_folder_opens_nothing(opened, path, name):
    query = urllib.parse.urlencode({"table" if path == "columns" else "name": name})
    status, line = fault(ask(opened.url, f"{path}?{query}"))
    assert status == 400 or path == "run"
    assert "no file of this folder" in line or "only reports" in line
    assert str(opened.studio.project.root) not in line


def test_links_that_lead_out_are_not_followed(opened, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.html").write_text("secret")
    (opened.studio.project.root / "link.html").symlink_to(outside / "secret.html")
    status, line = fault(ask(opened.url, "report?name=link.html"))
    assert (status, "leads out of this folder" in line) == (400, True)
    assert "link.html" not in ask(opened.url)[1]


@pytest.mark.parametrize(
    ("key", "headers"),
    [
        ("x" * 32, {}),
        ("KEY", {"Host": "evil.example"}),
        ("KEY", {"Origin": "https://evil.example"}),
        ("KEY", {"Origin": "null"}),
        ("KEY", {"Origin": "http://127.0.0.1:1"}),
    ],
)
@pytest.mark.parametrize("form", [None, {"invent": "people"}])
def test_a_stale_or_foreign_key_another_host_or_origin_gets_nothing(opened, key, headers, form):
    url = f"{opened.guard.url}{key.replace('KEY', opened.guard.key)}/"
    status, text, _ = ask(url, "", form, headers)
    assert (status, "Nothing is here" in text) == (404, True)
    assert opened.studio.jobs.all() == []


def test_a_broken_run_file_is_shown_with_its_fault_and_can_be_undone(opened):
    submit(opened.url, "publish table", "save", wanted="r", **TABLE)
    path = opened.studio.project.root / "r.run.toml"
    before = path.read_text()
    path.write_text("job = [")
    status, line = fault(ask(opened.url, "run?name=r.run.toml"))
    assert (status, "r.run.toml" in line) == (422, True)
    assert "Broken" in ask(opened.url)[1]
    ask(opened.url, "run", {"name": "r.run.toml", "do": "undo"})
    assert path.read_text() == before


def test_a_table_that_changes_or_vanishes_during_a_job_is_one_line(opened):
    root = opened.studio.project.root
    submit(opened.url, "publish table", "save", wanted="r", **TABLE)
    (root / "people.csv").write_text("id,name\n1,2,3\n")
    ask(opened.url, "run", {"name": "r.run.toml", "do": "use:{}"})
    wait_until(lambda: opened.studio.jobs.job(1).over)
    assert fault(ask(opened.url, "job?n=1"))[1].startswith("people.csv, line 2: ")
    (root / "people.csv").unlink()
    ask(opened.url, "run", {"name": "r.run.toml", "do": "use:{}"})
    wait_until(lambda: opened.studio.jobs.job(2).over)
    assert fault(ask(opened.url, "job?n=2"))[1] == "people.csv: no such file"
    assert fault(ask(opened.url, "columns?table=people.csv"))[1].endswith("is not in the folder any more")


def test_two_tabs_that_change_one_run(opened):
    submit(opened.url, "publish table", "save", wanted="r", **TABLE)
    form = {"job": "publish table", "name": "r.run.toml", "base": "1", "do": "save", **TABLE}
    assert ask(opened.url, "run", {**form, "k": "7"})[0] == 200
    status, line = fault(ask(opened.url, "run", {**form, "k": "9"}))
    assert (status, "changed in another window" in line) == (409, True)
    page = ask(opened.url, "run", {**form, "k": "9"})[1]
    assert 'name="base" value="2"' in page, "what was entered is kept, and saving once more keeps it"
    assert 'value="9"' in page
    assert "k = 7" in (opened.studio.project.root / "r.run.toml").read_text()


@pytest.mark.parametrize(
    "texts", [{"k": "1"}, {"k": "five"}, {"table": ""}, {"t": "2", "suppress": "150%"}, {"schema": "../x"}]
)
def test_a_wrong_setting_is_said_beside_its_field_and_what_was_entered_stays(opened, texts):
    status, page, _ = submit(opened.url, "publish table", "start", wanted="r", **(TABLE | texts))
    assert status == 422
    assert 'class="fault"' in page
    for text in texts.values():
        assert text in page
    assert opened.studio.jobs.all() == []


def test_what_is_no_number_of_a_job_or_no_job_is_one_line(opened):
    for path in (
        "job?n=x",
        "job?n=99",
        "job?n=-1",
        "progress?n=" + "9" * 40,
        "run?job=nothing",
        "columns?table=no.csv",
    ):
        status, line = fault(ask(opened.url, path))
        assert status in (400, 422)
        assert line


def test_a_csv_of_two_gigabytes_is_refused_or_read_beside_the_server(tmp_path):
    """A file of zeros that takes no room: the pages stay quick, and the server small."""
    with open(tmp_path / "large.csv", "wb") as file:
        file.write(b"a,b\n1,2\n")
        file.truncate(2 << 30)
    with open_studio(tmp_path) as opened:
        assert "counting" in ask(opened.url)[1]
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert ask(opened.url, "file?name=large.csv")[0] == 200
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kilobytes


def test_five_thousand_columns_are_paged(tmp_path):
    names = [f"c{n}" for n in range(5000)]
    (tmp_path / "t.csv").write_text(",".join(names) + "\n" + ",".join("1" for _ in names) + "\n")
    with open_studio(tmp_path) as opened:
        wait_until(lambda: opened.studio.copies.look("t.csv") is not None)
        status, page, _ = ask(opened.url, "columns?table=t.csv&rows=yes")
        assert (status, page.count('name="marked"')) == (200, 60)
        assert len(page) < 400_000
        assert ask(opened.url, "columns?table=t.csv&letters=c4999")[1].count('name="marked"') == 1
        form = {"table": "t.csv", "schema": "t.schema.toml", "do": "save", "role-0": "identifier"}
        assert ask(opened.url, "columns", form)[0] == 200
    assert (tmp_path / "t.schema.toml").read_text().count("[columns.") == 5000


FULL = """
import sys, resource
from tests.studio.opened import open_studio, submit, ask
from pathlib import Path
with open_studio(Path(sys.argv[1])) as opened:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    import signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    status, page, _ = submit(opened.url, "publish schema", "save", wanted="r", table="people.csv")
    print(status, "cannot write" in page)
    print(ask(opened.url)[0], ask(opened.url, "tools")[0])
"""


def test_a_full_disk_is_one_line(tmp_path):
    """No file may grow in that process: what a full disk answers to every write."""
    folder_of_people(tmp_path, 30)
    command = [sys.executable, "-c", FULL, str(tmp_path)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=LONG, env=os.environ | {"PYTHONPATH": path_of()}
    )
    assert done.stdout.split() == ["409", "True", "200", "200"], done.stderr
    assert not list(tmp_path.glob("*.run.toml"))


def path_of():
    return os.pathsep.join([str(p) for p in sys.path if p])


def test_a_folder_that_is_not_there_or_a_missing_extra_is_one_line(tmp_path):
    done = confide("studio", "nowhere", cwd=tmp_path)
    assert (done.returncode, done.stderr.strip()) == (
        2,
        "confide: nowhere is not a folder; make it first, or name another",
    )
    done = confide("studio", ".", "--port", "99999", cwd=tmp_path)
    assert (done.returncode, "65,535" in done.stderr or "65535" in done.stderr) == (2, True)
