"""What the team reads of a survey at the command line: tables of at most 80 columns, whatever is asked."""

import pyarrow as pa
import pyarrow.csv
import pytest
from tests.commands import confide

from confide import Randomness
from confide.collect import GammaDiagonal

LONG = "how-often-did-you-drink-more-than-five-glasses-in-one-evening-during-the-last-twelve-months"
SURVEY = f"""
[questions.{LONG}]
text = "How often did you drink more than five glasses in one evening during the last twelve months?"
answers = {{ never-in-all-that-time-as-far-as-i-remember = "Never", once-or-more = "Once or more" }}

[questions.smokes]
text = "Do you smoke?"
answers = {{ no = "No", yes = "Yes" }}
"""


@pytest.mark.parametrize("named", [(), ("--survey", "survey.toml"), ("--rules", "30%")], ids=["", "survey", "rules"])
def test_a_table_keeps_to_80_columns_and_leaves_out_nothing(tmp_path, monkeypatch, named):
    monkeypatch.setenv("COLUMNS", "80")
    answers = ["never-in-all-that-time-as-far-as-i-remember", "once-or-more"]
    scheme = GammaDiagonal(domains={LONG: answers, "smokes": ["no", "yes"]}, gamma=19)
    people = pa.table({LONG: answers * 600, "smokes": ["no", "yes", "no"] * 400})
    scheme.write(tmp_path / "s.json")
    pyarrow.csv.write_csv(scheme.perturb(people, randomness=Randomness.seeded(1)), tmp_path / "answers.csv")
    (tmp_path / "survey.toml").write_text(SURVEY)
    asked = ("answers.csv", "--scheme", "s.json", "--min-support", "5%", "--table", *named)
    done = confide("collect", "mine", *asked, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    words = "".join(line[1:].partition("│")[0].strip() if "rules" not in str(named) else line for line in lines)
    assert LONG.replace("-", "") in "".join(filter(str.isalpha, words)), "folded, not cut"
    assert "…" not in done.stdout
