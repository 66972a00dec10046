"""Many runs, a job each: started one after the other, cancelled, resumed, and going on in another server."""

import csv
import io
import json
import re

import pytest
from tests.commands import confide
from tests.patience import wait_until
from tests.studio.opened import ask, folder_of_people, open_studio

from confide.core.errors import InputError, UsageError
from confide.studio.project.project_folder import Project
from confide.studio.work.comparisons import Comparisons
from confide.studio.work.running_jobs import RunningJobs

SLOW = 'job = "sample people"\nrows = 3_000_000\n[files]\noutput = "../{name}.csv"\n'
QUICK = 'job = "sample people"\nrows = 10\n[files]\noutput = "../{name}.csv"\nreplace = true\n'


@pytest.fixture
def begun(tmp_path):
    project = Project(tmp_path)
    jobs = RunningJobs(project)
    comparisons = Comparisons(project, jobs)
    (tmp_path / "c").mkdir()

    def begin(text, names):
        for name in names:
            (tmp_path / "c" / f"{name}.run.toml").write_text(text.format(name=name))
        comparisons.begin("c", "sample people", [f"c/{name}.run.toml" for name in names])
        return comparisons, jobs

    yield begin
    if comparisons.names():
        comparisons.cancel("c")
    wait_until(lambda: all(job.over for job in jobs.all()))


def test_two_jobs_at_once_until_all_are_done(tmp_path, begun):
    comparisons, jobs = begun(QUICK, "abcde")
    wait_until(lambda: not comparisons.of("c").on)
    found = comparisons.of("c")
    assert [job.state for _, job in found.runs] == ["done"] * 5
    assert len(jobs.all()) == 5
    assert (found.waiting, found.running) == ([], [])


def test_what_is_cancelled_is_resumed_and_what_is_done_is_not_run_again(tmp_path, begun):
    comparisons, jobs = begun(SLOW, "abcd")
    wait_until(lambda: len(comparisons.of("c").running) == 2 and all(job.pid for job in comparisons.of("c").running))
    comparisons.cancel("c")
    wait_until(lambda: not comparisons.of("c").running)
    assert len(comparisons.of("c").unsettled) == 4
    assert {job.state for job in jobs.all()} == {"cancelled"}
    for name in "ac":
        (tmp_path / "c" / f"{name}.run.toml").write_text(QUICK.format(name=name))
    (tmp_path / "c" / "b.run.toml").write_text("job = [")  # somebody broke it meanwhile
    (tmp_path / "c" / "d.run.toml").write_text(QUICK.format(name="d"))
    comparisons.resume("c")
    wait_until(lambda: not comparisons.of("c").on and not comparisons.of("c").running)
    states = {run: job.state if job else None for run, job in comparisons.of("c").runs}
    assert [states[f"c/{name}.run.toml"] for name in "acd"] == ["done"] * 3
    assert states["c/b.run.toml"] in (None, "cancelled"), "a run that cannot be read is left, and stops nothing else"
    before = len(jobs.all())
    (tmp_path / "c" / "b.run.toml").write_text(QUICK.format(name="b"))
    comparisons.resume("c")
    wait_until(lambda: not comparisons.of("c").on)
    assert len(jobs.all()) == before + 1


def test_another_server_goes_on_where_the_first_was_killed(tmp_path, begun):
    (tmp_path / "c" / "a.run.toml").write_text(QUICK.format(name="a"))
    notes = Project(tmp_path).notes("comparisons") / "c.json"
    plain = {"job": "sample people", "runs": ["c/a.run.toml"], "on": True, "since": 0}
    notes.write_text(json.dumps(plain))
    jobs = RunningJobs(Project(tmp_path))
    comparisons = Comparisons(Project(tmp_path), jobs)
    comparisons.go_on()
    wait_until(lambda: not comparisons.of("c").on)
    assert [job.state for job in jobs.all()] == ["done"]
    notes.write_text("{")
    with pytest.raises(InputError, match="not the record of a comparison"):
        comparisons.of("c")
    with pytest.raises(UsageError):
        comparisons.of("../c")
    notes.unlink()


def test_methods_by_settings_are_one_list_one_chart_and_one_table(tmp_path):
    folder_of_people(tmp_path, 150)
    texts = {"job": "publish table", "table": "people.csv", "schema": "people.schema.toml", "suppress": "0"}
    with open_studio(tmp_path) as opened:
        status, page, _ = ask(opened.url, "compare", texts | {"k": "2, five", "method": ["mondrian"]})
        assert (status, "k is not a whole number" in page) == (422, True)
        many = ",".join(str(k) for k in range(2, 40))
        status, page, _ = ask(opened.url, "compare", texts | {"k": many, "method": ["mondrian", "incognito"]})
        assert (status, "these are 76 runs" in page) == (422, True)
        assert not list(tmp_path.glob("compare-*"))
        form = texts | {"k": "2, 5, 100", "method": ["mondrian", "incognito"]}
        status, page, where = ask(opened.url, "compare", form)
        assert status == 200, page
        name = where.rpartition("=")[2]
        wait_until(lambda: not opened.studio.comparisons.of(name).on)
        _, page, _ = ask(opened.url, f"compare?name={name}")
        assert "6 of 6 runs of publish table are over" in page
        rows = list(csv.DictReader(io.StringIO(ask(opened.url, f"comparison?name={name}")[1])))
        assert [(row["method"], row["k"]) for row in rows] == [
            (method, k) for method in ("mondrian", "incognito") for k in ("2", "5", "100")
        ]
        done = [row for row in rows if row["state"] == "done"]
        assert page.count("<circle") == len(done) >= 4
        words = ["people.csv", "--schema", "people.schema.toml", "--dry-run", "--json"]
        for row in (done[0], done[-1]):
            own = ["--k", row["k"], "--method", row["method"]]
            answer = json.loads(confide("publish", "table", *words, *own, cwd=tmp_path).stdout)
            assert float(row["detail_lost"]) == answer["loss"]["detail_lost"]
        link = re.search(r'href="(run\?[^"]*)" aria-label="Publish with k = 5, mondrian"', page)[1]
        _, form, _ = ask(opened.url, link.replace("&amp;", "&"))
        assert 'id="field-k" name="k" value="5"' in form
        assert "<option selected>mondrian</option>" in form
        assert not list(tmp_path.glob("*released*")), "nothing is written but run files"
        assert ask(opened.url, "compare", {"name": name, "do": "dance"})[0] == 400
        assert ask(opened.url, "compare?name=nothing")[0] == 400
