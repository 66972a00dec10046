import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from confide.core.errors import UsageError
from confide.studio.project.project_folder import Project
from confide.studio.project.versions import Versions

STEPS = st.lists(
    st.one_of(st.sampled_from(["undo", "redo", "restart"]), st.integers(0, 3), st.just("by hand")), max_size=12
)


@given(steps=STEPS)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_undo_and_redo_are_those_of_an_editor(tmp_path, steps):
    """Beside a list and a place in it, across restarts and changes that others make to the file."""
    shutil.rmtree(tmp_path)
    tmp_path.mkdir()
    versions, texts, at = Versions(Project(tmp_path)), ["first"], 0
    versions.save("x.toml", "first")
    for number, step in enumerate(steps):
        if step == "restart":
            versions = Versions(Project(tmp_path))
        elif step == "undo" and at:
            at -= 1
            versions.undo("x.toml")
        elif step == "redo" and at < len(texts) - 1:
            at += 1
            versions.redo("x.toml")
        elif step in ("undo", "redo"):
            with pytest.raises(UsageError, match="has no"):
                getattr(versions, step)("x.toml")
        else:
            text = f"hand {number}" if step == "by hand" else f"text {step}"
            if text != texts[at]:
                texts, at = [*texts[: at + 1], text], at + 1
            if step == "by hand":
                (tmp_path / "x.toml").write_text(text)
            else:
                versions.save("x.toml", text)
        current = versions.current("x.toml")
        assert (current.text, current.earlier, current.later) == (texts[at], at, len(texts) - 1 - at)
        assert (tmp_path / "x.toml").read_text() == texts[at]


def test_two_windows_never_overwrite_each_other_in_silence(tmp_path):
    versions = Versions(Project(tmp_path))
    first = versions.save("x.toml", "first")
    theirs = versions.save("x.toml", "theirs", base=first.number)
    with pytest.raises(UsageError, match="changed in another window"):
        versions.save("x.toml", "ours", base=first.number)
    assert (tmp_path / "x.toml").read_text() == "theirs"
    versions.save("x.toml", "ours", base=theirs.number)
    assert versions.undo("x.toml").text == "theirs"


def test_what_dies_between_two_writes_loses_nothing(tmp_path):
    """The text is kept, then the file is written, then the history: each of the moments between is repaired."""
    versions = Versions(Project(tmp_path))
    versions.save("x.toml", "one")
    folder = tmp_path / ".confide" / "versions" / "x.toml"
    (folder / "000002.txt").write_text("two")  # killed before the file was written
    assert versions.current("x.toml").text == "one"
    (tmp_path / "x.toml").write_text("two")  # killed before the history was
    found = Versions(Project(tmp_path)).current("x.toml")
    assert (found.text, found.earlier) == ("two", 1)
    (folder / "history.json").write_text("{")
    assert Versions(Project(tmp_path)).current("x.toml").text == "two"


def test_versions_are_for_the_owner(tmp_path):
    Versions(Project(tmp_path)).save("x.toml", "one")
    for path in (tmp_path / ".confide").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0
