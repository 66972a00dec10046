"""`confide report`: the page again, from the passport alone."""

import os
import stat

import pyarrow as pa
from tests.commands import confide

from confide import KAnonymity, Release, report
from confide.core.release import OwnerPart

TABLE = pa.table({"age": ["20-29"] * 3 + ["30-39"] * 4, "illness": list("abcabcd")})
ROLES = {"age": "quasi-identifier", "illness": "sensitive"}


def written(folder):
    made = Release.issue(
        TABLE,
        KAnonymity(k=3),
        stage="by hand",
        algorithm="none",
        context={"roles": ROLES},
        loss={"rows": 2},
        owner=OwnerPart(facts={"why": "rare"}),
    )
    made.write(folder / "t.csv")
    return made


def run(*arguments, cwd):
    return confide("report", *arguments, cwd=cwd)


def test_the_page_is_made_again_and_says_what_fails(tmp_path):
    written(tmp_path)
    done = run("t.csv.passport.json", "-o", "t.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "t.html").read_text()
    assert "Verified" in page
    assert KAnonymity(k=3).promise() in page
    (tmp_path / "t.csv").write_text("age,illness\n20-29,a\n")
    again = run("t.csv.passport.json", "-o", "t.html", "--replace", cwd=tmp_path)
    assert again.returncode == 1
    assert "sha256" in (tmp_path / "t.html").read_text()


def test_an_owners_page_is_for_its_owner_only(tmp_path):
    report.write_owner(written(tmp_path), tmp_path / "owner.html")
    assert stat.S_IMODE(os.stat(tmp_path / "owner.html").st_mode) == 0o600
