"""Collect, join and stream: what their pages show is what the jobs answer; the collector is real, and counts live."""

import html
import json
import re
import urllib.request
import uuid

import pytest
from tests.commands import confide
from tests.patience import wait_until
from tests.studio.opened import ask, folder_of_people, open_studio, submit

from confide.collect.schemes.scheme import Scheme
from confide.studio.project.project_folder import Project
from confide.studio.stages.live_runs import read_run_end
from confide.studio.stages.site_graphs import draw_sites


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    folder = folder_of_people(tmp_path_factory.mktemp("folder"), 300)
    values = ["--values", "sex=female,male", "--values", "diagnosis=none,asthma,other"]
    confide("collect", "plan", *values, "--gamma", "19", "-o", "ask.json", cwd=folder)
    confide("sample", "chain", "chain", "--rows", 40, cwd=folder)
    confide("sample", "baskets", "-o", "stream.jsonl", "--records", 300, cwd=folder)
    with open_studio(folder) as studio:
        yield studio


def page_of(opened, path, form=None):
    status, page, _ = ask(opened.url, path, form)
    assert status == 200, page
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def ended(opened):
    wait_until(lambda: all(job.over for job in opened.studio.jobs.all()))
    job = opened.studio.jobs.all()[0]
    assert job.state == "done", (job.error, job.words())
    return job


def test_a_collector_counts_live_and_its_answers_are_estimated_with_error_bars(opened):
    assert "sex female male diagnosis none asthma other" in page_of(opened, "collect?scheme=ask.json")
    page_of(opened, "collect", {"scheme": "ask.json", "do": "collect", "store": "ask.duckdb"})
    job = opened.studio.jobs.all()[0]
    wait_until(lambda: "collecting at" in " ".join(opened.studio.jobs.job(job.number).words()))
    assert "0 records held in ask.duckdb" in page_of(opened, "collect?scheme=ask.json")
    address = re.search(r"http://127\.0\.0\.1:\d+/", " ".join(opened.studio.jobs.job(job.number).words()))[0]
    scheme = Scheme.read(opened.studio.project.root / "ask.json")
    for _ in range(3):
        body = {"scheme": scheme.fingerprint, "submission": str(uuid.uuid4()), "records": [[0, 0]] * 100}
        sent = urllib.request.Request(
            f"{address}records", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        assert json.load(urllib.request.urlopen(sent))["state"] == "stored"
    wait_until(lambda: "300 records held in ask.duckdb" in page_of(opened, "collect?scheme=ask.json"))
    page_of(opened, "collect", {"scheme": "ask.json", "do": "end", "n": job.number})
    assert ended(opened).number == job.number
    page_of(opened, "collect", {"scheme": "ask.json", "do": "take", "store": "ask.duckdb"})
    assert ended(opened).files == {"output": "ask-answers.csv"}
    form = {"scheme": "ask.json", "do": "estimate", "perturbed": "ask-answers.csv", "min_support": "5%"}
    page_of(opened, "collect", form)
    rows = [json.loads(line) for line in ended(opened).answer().splitlines()]
    shown = page_of(opened, "collect?scheme=ask.json")
    for row in rows:
        numbers = (row["estimate"], row["selected_low"], row["selected_high"])
        assert f"{', '.join(row['items'])} {' '.join(f'{number:.0f}' for number in numbers)}" in shown


def test_a_collector_listens_nowhere_else_when_it_is_started_from_here(opened):
    texts = {"scheme": "ask.json", "store": "other.duckdb", "port": "0", "host": "0.0.0.0"}
    status, page, _ = submit(opened.url, "collect serve", "start", wanted="open", **texts)
    assert (status, "speaks to other machines" in page) == (422, True)
    status, page, _ = submit(
        opened.url,
        "collect serve",
        "start",
        wanted="proxy",
        **texts | {"host": "127.0.0.1", "trusted_proxies": "10.0.0.1"},
    )
    assert (status, "speaks to other machines" in page) == (422, True)


def test_a_join_shows_its_sites_what_they_allow_and_who_learned_what(opened):
    graph = draw_sites(Project(opened.studio.project.root), "chain/join.toml")
    assert [(site.name, site.is_target) for site in graph.sites] == [("T1", True), ("T2", False)]
    assert [(a.name, b.name, on) for a, b, on in graph.lines] == [("T1", "T2", "j1")]
    shown = page_of(opened, "join?config=chain/join.toml")
    assert "the class of up to 100% of the people for certain" in shown
    page_of(opened, "join", {"config": "chain/join.toml", "do": "simulate"})
    rows = [json.loads(line) for line in ended(opened).answer().splitlines()]
    shown = page_of(opened, "join?config=chain/join.toml")
    for row in rows:
        assert f"{row['who']} {row['from']} {row['learned']}" in shown
    page_of(opened, "join", {"config": "chain/join.toml", "do": "check"})
    checked = json.loads(ended(opened).answer())
    shown = page_of(opened, "join?config=chain/join.toml")
    assert f"{checked['source_rows']} records in 2 tables join to {checked['joined_rows']}" in shown


def test_a_site_whose_configuration_lies_elsewhere_is_not_read(opened):
    text = (opened.studio.project.root / "chain" / "join.toml").read_text()
    (opened.studio.project.root / "chain" / "far.toml").write_text(text.replace("T2.toml", "../../T2.toml"))
    shown = page_of(opened, "join?config=chain/far.toml")
    assert "T2.toml is not in this folder" in shown


def test_a_stream_is_drawn_while_it_is_written(opened):
    texts = {"records": "stream.jsonl", "min_support": "20", "window": "100", "every": "20", "seed": "1"}
    submit(opened.url, "stream release", "start", wanted="s", output="run.jsonl", **texts)
    ended(opened)
    root = opened.studio.project.root
    whole = (root / "run.jsonl").read_bytes()
    shown = page_of(opened, "stream?run=run.jsonl")
    assert "Release 11 , after 300 records, of the last 100" in shown
    done = confide("stream", "look", "run.jsonl", cwd=root)
    for row in [json.loads(line) for line in done.stdout.splitlines()][:10]:
        assert f"{', '.join(row['items'])} {row['value']} {row['low']} {row['high']}" in shown
    lines = whole.splitlines(keepends=True)
    (root / "half.jsonl").write_bytes(b"".join(lines[:6]) + lines[6][:50])
    assert read_run_end(opened.studio.project, "half.jsonl").newest.number == 5
    (root / "half.jsonl").write_bytes(lines[0])
    assert "No release yet" in page_of(opened, "stream?run=half.jsonl")


@pytest.mark.parametrize(
    "path",
    ["collect?scheme=people.csv", "collect?scheme=../x", "join?config=no.toml", "join?config=people.schema.toml",
     "stream?run=people.csv", "stream?run=no.jsonl", "collect?scheme=ask.json&n=99"],
)  # fmt: skip
def test_what_is_not_what_a_page_is_for_is_one_line(opened, path):
    status, page, _ = ask(opened.url, path)
    assert (status, 'role="alert"' in page) == (400, True)


@pytest.mark.parametrize("form", [{}, {"do": "dance"}, {"do": "estimate"}, {"do": "collect", "store": "../x"}])
def test_an_act_that_cannot_be_is_one_line(opened, form):
    assert ask(opened.url, "collect", {"scheme": "ask.json", **form})[0] == 400
    assert ask(opened.url, "join", {"config": "chain/join.toml", "do": form.get("do", "")})[0] == 400
