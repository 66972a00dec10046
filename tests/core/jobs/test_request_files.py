"""Saved requests: what is read is what was written, paths stay true wherever the file is read, faults are one line."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide.core.errors import InputError, UsageError
from confide.core.jobs.catalogue import all_jobs, job_named
from confide.core.jobs.delivery import AnswerFiles
from confide.core.jobs.fields import fields_of
from confide.core.jobs.request_files import read_request, request_text
from confide.mining.jobs import JOBS, MineItemsets, MineRules

ITEMSETS, _ = JOBS


def saved(folder, text, name="r.toml"):
    path = folder / name
    path.write_text(text)
    return path


words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


@given(
    support=st.integers(1, 10**6) | st.floats(0.001, 1),
    item=st.none() | words,
    top=st.none() | st.integers(1, 50),
    replace=st.booleans(),
    suffix=st.sampled_from([".toml", ".json"]),
)
def test_what_is_read_is_what_was_written(tmp_path_factory, support, item, top, replace, suffix):
    folder = tmp_path_factory.mktemp("saved")
    asked = MineItemsets(records=folder / "in" / "b.csv", min_support=support, item=item, top=top)
    files = AnswerFiles(output=folder / "out.parquet", replace=replace)
    path = folder / f"r{suffix}"
    path.write_text(request_text(ITEMSETS, asked, files, path), encoding="utf-8")
    job, read, delivery = read_request(path)
    assert job is ITEMSETS
    assert read == asked
    assert delivery == files


def test_paths_are_relative_to_the_file(tmp_path):
    (tmp_path / "a").mkdir()
    path = tmp_path / "a" / "r.toml"
    text = request_text(
        ITEMSETS, MineItemsets(records=tmp_path / "b.csv", min_support=2), AnswerFiles(output=tmp_path / "o"), path
    )
    assert 'records = "../b.csv"' in text
    assert 'output = "../o"' in text
    path.write_text(text)
    assert read_request(path)[1].records.resolve() == (tmp_path / "b.csv").resolve()


def test_standard_input_stays_standard_input(tmp_path):
    path = saved(tmp_path, 'job = "mine itemsets"\nrecords = "-"\nmin_support = 2\n')
    assert read_request(path)[1].records == Path("-")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("min_support = 2\n", "it must name its job"),
        ('job = "mine gold"\n', "no job is called 'mine gold'; jobs are: .*collect mine, collect p"),
        ('job = "mine itemsets"\nrecords = "b"\n', "min_support is missing: Fewest records"),
        (
            'job = "mine itemsets"\nrecords = "b"\nmin_support = 2\nkay = 1\n',
            "no setting is called 'kay'; settings are",
        ),
        ('job = "mine itemsets"\nrecords = "b"\nmin_support = "2"\n', "min_support='2' is not a support"),
        ('job = "mine itemsets"\nrecords = "b"\nmin_support = 2\nfiles = 1\n', r"\[files\] is not a table"),
        ('job = "mine itemsets"\nrecords = "b"\nmin_support = 2\n[files]\nform = "x"\n', "form='x' is none of: json"),
        ("job = \n", "not a valid TOML file"),
    ],
)
def test_faults_are_one_line_with_the_file(tmp_path, text, message):
    with pytest.raises((InputError, UsageError), match=message) as error:
        read_request(saved(tmp_path, text))
    assert "\n" not in str(error.value)


def test_json_says_the_same(tmp_path):
    plain = {
        "job": "mine rules",
        "records": "b.csv",
        "min_support": 0.1,
        "min_confidence": 0.5,
        "files": {"form": "csv"},
    }
    job, request, delivery = read_request(saved(tmp_path, json.dumps(plain), "r.json"))
    assert job is job_named("mine rules")
    assert request == MineRules(records=tmp_path / "b.csv", min_support=0.1, min_confidence=0.5)
    assert delivery == AnswerFiles(form="csv")


@pytest.mark.parametrize("job", all_jobs(), ids=lambda job: job.name)
def test_no_setting_has_a_name_that_a_request_file_needs(job):
    assert not {"job", "files"} & {field.name for field in fields_of(job.request)}


def test_a_path_that_leads_up_and_down_again_is_said_without_the_detour(tmp_path, monkeypatch):
    """A studio keeps a copy of each run three folders down; an index, for one, writes down the paths that it read."""
    monkeypatch.chdir(tmp_path)
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (deep / "r.toml").write_text('job = "mine itemsets"\nrecords = "../../baskets.csv"\nmin_support = 2\n')
    _, request, _ = read_request(Path("a/b/r.toml"))
    assert request.records == Path("baskets.csv")
    (tmp_path / "elsewhere" / "c").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere" / "c")
    (tmp_path / "elsewhere" / "r.toml").write_text((deep / "r.toml").read_text().replace("../../", "../link/../"))
    _, request, _ = read_request(Path("elsewhere/r.toml"))
    assert request.records.resolve() == tmp_path / "elsewhere" / "baskets.csv", "a link leads where the system says"
