"""Flows from the start page, in Chromium and by forms: what comes out is what the exported command makes.

In the suite a table and a mining job; with CONFIDE_ALL=1 a job of every stage that can be repeated.
"""

import contextlib
import csv
import html
import io
import json
import os
import re
import shlex
import shutil

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from tests.commands import confide
from tests.patience import LONG, wait_until
from tests.studio.opened import ask, folder_of_people, open_studio, submit

from confide import verify


@pytest.mark.browser
def test_a_table_is_published_by_keyboard_alone_from_the_start_page(tmp_path, browser):
    """Tab, Enter, Space and letters; the nearest that works is a button; the result stands on the same page."""
    folder_of_people(tmp_path, 200)
    with open_studio(tmp_path) as opened:
        page = browser.new_page()
        errors = []
        page.on("console", lambda said: errors.append(said.text) if said.type in ("error", "warning") else None)
        page.goto(opened.url)

        def reach(locator):
            """Press Tab until something has the focus."""
            for _ in range(200):
                page.keyboard.press("Tab")
                if locator.evaluate("element => element === document.activeElement"):
                    return
            raise AssertionError("it cannot be reached by Tab")

        reach(page.get_by_role("link", name="Publish it"))
        page.keyboard.press("Enter")
        page.wait_for_url("**/run?*")
        reach(page.locator("#field-k"))
        page.keyboard.type("5000")
        reach(page.get_by_role("button", name="Run", exact=True))
        page.keyboard.press("Enter")
        cure = page.get_by_role("button", name=re.compile("^Use k = "))
        cure.wait_for()
        assert "k=5000" in page.get_by_role("alert").inner_text()
        reach(cure)
        page.keyboard.press("Enter")
        expect(page.locator(".verdict-line .pill")).to_have_text("Verified")
        assert "every row looks like at least" in page.locator(".verdict-line").inner_text()
        assert page.get_by_role("heading", name="The checks, one by one").is_visible()
        assert "every row looks like" in page.frame_locator("iframe.report").locator("h1").inner_text()
        assert Axe().run(page).response["violations"] == []
        page.get_by_role("link", name="Change the choices").press("Enter")
        page.get_by_role("button", name="Undo").press("Enter")
        expect(page.locator("#field-k")).to_have_value("5000")
        assert errors == []
        page.close()
    assert verify(tmp_path / "people-released.csv.passport.json").ok


@pytest.mark.browser
def test_a_table_that_nobody_prepared_is_published_without_scripts(tmp_path, browser):
    """Latin-1, dates in four ways, blanks, identifiers, 30 columns: every step is a plain form, six presses in all."""
    rows = [
        ";".join(["Patient No", "full name", "Date of birth", "sex", "town", "illness", *(f"q{n}" for n in range(24))])
    ]
    for n in range(240):
        day, month, year = n % 28 + 1, n % 12 + 1, 1950 + n % 40
        ways = (f"{day:02}.{month:02}.{year}", f"{year}-{month:02}-{day:02}", f"{month}/{day}/{year % 100}", "", "?")
        answers = (str((n * k) % 5) for k in range(24))
        town = ("Zürich", "zürich ", "Bern", "St. Gallen")[n % 4]
        rows.append(";".join([f"{n:06}", f"Name {n}", ways[n % 5], "mf"[n % 2], town, f"ill{n % 7}", *answers]))
    (tmp_path / "survey.csv").write_bytes("\r\n".join(rows).encode("latin-1"))
    with open_studio(tmp_path) as opened:
        context = browser.new_context(java_script_enabled=False)
        page, clicks = context.new_page(), []

        def click(locator):
            clicks.append(locator.inner_text())
            locator.click()

        page.goto(opened.url)
        click(page.get_by_role("link", name="Say what its columns are"))
        assert "not UTF-8" in page.get_by_role("alert").inner_text()
        click(page.get_by_role("button", name="Write a copy in UTF-8"))
        page.get_by_label("What town is", exact=True).wait_for()
        page.get_by_label("What illness is", exact=True).select_option("sensitive")
        for n in range(24):
            page.get_by_label(f"Mark q{n}", exact=True).check()
        page.get_by_label("All that are marked are").select_option("insensitive")
        click(page.get_by_role("button", name="Apply"))
        click(page.get_by_role("button", name="Save, and publish it"))
        page.locator("#field-k").fill("4")
        page.locator("#field-method").evaluate("field => { field.closest('details').open = true; }")
        page.locator("#field-method").select_option("mondrian")  # the search of all methods takes its time
        click(page.get_by_role("button", name="Run", exact=True))
        number = int(page.url.rpartition("=")[2])
        wait_until(lambda: opened.studio.jobs.job(number).over)
        page.goto(opened.url + f"job?n={number}")
        assert "values are missing in 48 of 240 rows" in page.get_by_role("alert").inner_text()
        click(page.get_by_role("button", name="Use missing = category, and run again"))
        number = int(page.url.rpartition("=")[2])
        wait_until(lambda: opened.studio.jobs.job(number).over)
        assert opened.studio.jobs.job(number).state == "done", opened.studio.jobs.job(number).error
        wait_until(lambda: opened.studio.verdicts.of("survey-utf8-released.csv.passport.json").state != "waiting")
        page.goto(opened.url + f"job?n={number}")
        expect(page.locator(".verdict-line .pill")).to_have_text("Verified")
        assert len(clicks) == 6
        context.close()
    header = (tmp_path / "survey-utf8-released.csv").read_text().splitlines()[0].split(";")
    assert not {"Patient No", "full name"} & set(header)
    assert "Date of birth" in header


@pytest.mark.browser
def test_a_hierarchy_is_changed_on_its_ruler_and_by_dragging(tmp_path, browser):
    """By arrow keys and by mouse; what is made is a plain CSV, and the release follows it."""
    folder_of_people(tmp_path, 200)
    with open_studio(tmp_path) as opened:
        wait_until(lambda: opened.studio.copies.look("people.csv") is not None)
        page = browser.new_page(viewport={"width": 1280, "height": 4000})
        errors = []
        page.on("console", lambda said: errors.append(said.text) if said.type in ("error", "warning") else None)
        for _ in range(2):  # two levels fewer, so that one is left to be cut
            ask(opened.url, "hierarchy", {"name": "age.csv", "do": "remove-level", "level": "2"})
        page.goto(opened.url + "hierarchy?name=age.csv")
        field = page.locator("[name=cuts]")
        field.fill("40, 60")
        handle = page.get_by_role("slider", name="Cut 1")
        handle.focus()
        page.keyboard.press("ArrowLeft")
        expect(field).to_have_value("39, 60")
        box = page.get_by_role("slider", name="Cut 2").bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] + 80, box["y"] + box["height"] / 2)
        page.mouse.up()
        moved = int(field.input_value().split(", ")[1])
        assert moved > 62
        page.get_by_role("button", name="Cut there").click()
        page.wait_for_load_state("networkidle")
        groups = {row[1] for row in csv.reader((tmp_path / "age.csv").open(), delimiter=";")}
        assert {f"39-{moved - 1}"} < groups
        assert len(groups) == 3
        page.goto(opened.url + "hierarchy?name=occupation.csv")
        nodes = page.locator(".groups .node[data-level='1']")
        onto, moved_value = nodes.nth(0), page.locator(".groups .node[data-level='0']").last
        label, value = onto.get_attribute("data-label"), moved_value.get_attribute("data-label")
        page.locator(".groups details").last.evaluate("details => { details.open = true; }")
        moved_value.drag_to(onto)
        expect(page.get_by_role("button", name="Undo")).to_be_enabled()
        rows = {row[0]: row[1] for row in csv.reader((tmp_path / "occupation.csv").open(), delimiter=";")}
        assert rows[value] == label
        assert errors == []
        page.close()
        texts = TABLE | {"k": "3", "method": "incognito", "output": "out.csv"}
        submit(opened.url, "publish table", "start", wanted="after", **texts)
        wait_until(lambda: opened.studio.jobs.all()[0].over)
        assert opened.studio.jobs.all()[0].state == "done", opened.studio.jobs.all()[0].error
    assert verify(tmp_path / "out.csv.passport.json").ok
    released = {row["age"] for row in csv.DictReader((tmp_path / "out.csv").open())}
    assert all(age == "*" or age in groups or age.isdigit() for age in released)


def prepared(folder):
    """The files that the runs below read."""
    folder_of_people(folder, 200)
    confide("sample", "baskets", "-o", "baskets.csv", "--records", 300, cwd=folder)
    confide("sample", "baskets", "-o", "stream.jsonl", "--records", 300, cwd=folder)
    confide("sample", "chain", "chain", "--rows", 60, cwd=folder)
    confide("share", "domains", "people.csv", "--class", "income", "-o", "domains.toml", cwd=folder)
    for seed in (1, 2):
        train = ["share", "train", "people.csv", "--domains", "domains.toml", "--k", "5"]
        confide(*train, "--max-depth", seed, "-o", f"tree-{seed}.json", cwd=folder)
    values = ["--values", "sex=female,male", "--values", "smokes=no,yes"]
    confide("collect", "plan", *values, "--gamma", "19", "-o", "ask.json", cwd=folder)
    (folder / "people-2.csv").write_text("sex,smokes\n" + "female,no\nmale,yes\nmale,no\n" * 100)
    confide(
        "collect", "perturb", "people-2.csv", "--scheme", "ask.json", "--seed", "1", "-o", "answers.csv", cwd=folder
    )
    whole = ["people.csv", "--schema", "people.schema.toml", "--k", "5", "--method", "incognito", "--keep-order"]
    confide("publish", "table", *whole, "-o", "before.csv", "--mapping", "mapping.json", cwd=folder)
    released = ["stream.jsonl", "--min-support", "25", "--window", "100", "--seed", "1"]
    confide("stream", "release", *released, "-o", "run.jsonl", cwd=folder)
    confide("sample", "documents", "notes", "--texts", "60", "--seed", "1", cwd=folder)
    confide("search", "profile", "build", "--documents", "notes", "-o", "me.profile", cwd=folder)
    found = [{"title": f"Result {n}", "snippet": "bread"} for n in range(3)]
    (folder / "found.json").write_text(json.dumps({"query": "bread", "results": found}))


TABLE = {"table": "people.csv", "schema": "people.schema.toml"}
RUNS = {
    "publish table": TABLE | {"k": "5", "method": "mondrian", "keep_order": "yes", "output": "out.csv"},
    "publish transactions": {
        "records": "baskets.csv", "k": "3", "p": "1", "h": "0.8", "private_prefix": "s:", "keep_order": "yes",
        "output": "out.csv",
    },
    "publish taxonomy": {"records": "baskets.csv", "private_prefix": "s:", "output": "out.csv"},
    "publish schema": {"table": "people.csv", "output": "proposed"},
    "mine itemsets": {"records": "baskets.csv", "min_support": "5%", "kind": "closed", "output": "out.csv"},
    "mine rules": {"records": "baskets.csv", "min_support": "5%", "min_confidence": "50%", "output": "out.csv"},
    "share domains": {"table": "people.csv", "target": "income", "output": "out.toml"},
    "sample quest": {"name": "T5I2D300", "seed": "4", "output": "out.dat"},
    "stream release": {
        "records": "stream.jsonl", "min_support": "25", "window": "100", "seed": "1", "output": "out.jsonl",
    },
    "join simulate": {"config": "chain/join.toml", "output": "out.json"},
    "publish apply": {"mapping": "mapping.json", "table": "people.csv", "output": "out.csv"},
    "collect plan": {"values": "sex=female,male\nsmokes=no,yes", "gamma": "19", "output": "out.json"},
    "collect perturb": {
        "records": "people-2.csv", "scheme": "ask.json", "seed": "1", "keep_order": "yes", "output": "out.csv",
    },
    "collect mine": {"perturbed": "answers.csv", "scheme": "ask.json", "min_support": "10%", "output": "out.csv"},
    "collect privacy": {"scheme": "ask.json"},
    "share train": {"table": "people.csv", "domains": "domains.toml", "k": "5", "output": "out.json"},
    "share anonymize": {"tree": "tree-2.json", "k": "12", "output": "out.json"},
    "share generate": {"tree": "tree-2.json", "rows": "200", "seed": "1", "output": "out.csv"},
    "share learn": {"trees": ["tree-1.json", "tree-2.json"], "test": "people.csv", "target": "income", "seed": "1"},
    "join check": {"config": "chain/join.toml"},
    "join tree": {
        "sources": "a=chain/T1.csv\nb=chain/T2.csv", "joins": "a.j1=b.j1", "target": "a.class", "output": "out.json",
    },
    "stream plan": {"min_support": "25", "error": "15%", "window": "100", "every": "20"},
    "stream look": {"run": "run.jsonl"},
    "stream attack": {"records": "stream.jsonl", "published": "run.jsonl"},
    "search index": {"documents": "notes", "output": "out.sqlite"},
    "search profile show": {"profile": "me.profile"},
    "search order": {"results": "found.json", "profile": "me.profile"},
    "search profile expose": {"profile": "me.profile", "min_detail": "5%", "output": "out.json"},
    "verify": {"passports": "before.csv.passport.json"},
    "report": {"passport": "before.csv.passport.json", "output": "out.html"},
    "passport show": {"passport": "before.csv.passport.json"},
    "attack tree": {"trees": "tree-2.json"},
    "attack transactions": {"records": "baskets.csv", "known": "1", "samples": "50", "seed": "1"},
    "attack table": TABLE,
    "publish utility": TABLE | {"release": "people.csv"},
}  # fmt: skip


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    folder = tmp_path_factory.mktemp("folder")
    prepared(folder)
    with open_studio(folder) as studio:
        yield studio


@pytest.mark.parametrize("name", RUNS if os.environ.get("CONFIDE_ALL") else ("publish table", "mine rules"))
def test_what_the_studio_makes_is_what_the_exported_command_makes(opened, name, tmp_path):
    """Byte for byte, where no chance plays a part or a seed is given; the answer on standard output, too."""
    folder = opened.studio.project.root
    prepared_names = {path.name for path in folder.iterdir()}
    status, page, where = submit(opened.url, name, "start", wanted=name, **RUNS[name])
    assert status == 200, page
    number = int(where.rpartition("=")[2])
    wait_until(lambda: opened.studio.jobs.job(number).over)
    job = opened.studio.jobs.job(number)
    assert job.state == "done", (job.error, job.words())
    _, page, _ = ask(opened.url, f"run?name={job.run}")
    command = html.unescape(re.search(r"<pre tabindex=\"0\">(confide .*?)</pre>", page, re.DOTALL)[1])
    for path in folder.iterdir():
        if path.name in prepared_names and path.is_file() and not path.name.endswith(".run.toml"):
            (tmp_path / path.name).write_bytes(path.read_bytes())
    for below in ("chain", "notes"):
        shutil.copytree(folder / below, tmp_path / below)
    done = confide(*shlex.split(command)[1:], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert comparable(job.answer()) == comparable(done.stdout)
    if name == "publish table":  # the script does the same as the command
        script = re.search(r"As Python</summary><pre tabindex=\"0\">(.*?)</pre>", page, re.DOTALL)[1]
        assert html.unescape(script).count("release.write") == 1
        (tmp_path / "out.csv").rename(tmp_path / "by-command.csv")
        (tmp_path / "out.csv.passport.json").unlink()
        with contextlib.chdir(tmp_path), contextlib.redirect_stdout(io.StringIO()):
            exec(html.unescape(script), {})
        assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "by-command.csv").read_bytes()
    output = RUNS[name].get("output")
    if output is None:
        return
    ours, theirs = folder / output, tmp_path / output
    pairs = [(ours, theirs)] if ours.is_file() else [(path, theirs / path.name) for path in sorted(ours.iterdir())]
    for one, other in pairs:
        assert without_run(one.read_bytes(), name) == without_run(other.read_bytes(), name)
    for path in [ours] if ours.is_file() else [*ours.iterdir()]:
        path.unlink()
    (folder / f"{output}.passport.json").unlink(missing_ok=True)


def without_run(data, name):
    """A tree that sites train, without the numbers that its run draws anew each time: no seed is taken for them."""
    if name != "join simulate":
        return data
    tree = json.loads(data)
    ledger = [{name: value for name, value in line.items() if name != "bytes"} for line in tree["ledger"]]
    return ledger, tree["classes"], len(tree["nodes"])


def comparable(text):
    """An answer without what differs from run to run."""
    return re.sub(r'"(seconds|took|bytes)": [0-9.e-]+', "", text)


def test_baskets_are_published_and_attacked(tmp_path):
    confide("sample", "baskets", "-o", "baskets.csv", "--records", 400, cwd=tmp_path)
    with open_studio(tmp_path) as opened:
        texts = {"records": "baskets.csv", "k": "3", "p": "1", "private_prefix": "s:", "output": "out.csv"}
        submit(opened.url, "publish transactions", "start", wanted="b", report="out.html", **texts)
        wait_until(lambda: opened.studio.jobs.job(1).over)
        attack = {"records": "baskets.csv", "release": "out.csv", "known": "1", "samples": "50", "seed": "1"}
        submit(opened.url, "attack transactions", "start", wanted="a", private_prefix="s:", **attack)
        wait_until(lambda: opened.studio.jobs.job(2).over)
        assert [job.state for job in opened.studio.jobs.all()] == ["done", "done"]
        assert "For the owner only" in ask(opened.url, "job?n=2")[1]
        assert "For the owner only" not in ask(opened.url, "job?n=1")[1]
        wait_until(lambda: opened.studio.verdicts.of("out.csv.passport.json").state == "good", seconds=LONG)
        assert "Verified" in ask(opened.url, "verify")[1]
