"""What the studio says of a release: never that it is verified where a part of its promise is not."""

import pytest
from tests.every_release import write_release

from confide.studio.project.project_folder import Project
from confide.studio.work.verdicts import Verdicts


@pytest.mark.parametrize(
    ("name", "state"), [("group-k.csv", "good"), ("population.csv", "open"), ("continued.csv", "open")]
)
def test_what_takes_more_than_the_file_is_not_called_verified(tmp_path, name, state):
    write_release(name, tmp_path)
    found = Verdicts(Project(tmp_path))._verify(f"{name}.passport.json")
    assert found["state"] == state
    assert any(check.get("unproved") for check in found["checks"]) == (state == "open")
