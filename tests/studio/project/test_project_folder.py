import pytest

from confide.core.errors import UsageError
from confide.studio.project.project_folder import Project


@pytest.mark.parametrize(
    "name",
    [
        "", ".", "..", "../x.csv", "a/../../x.csv", "/etc/passwd", "//etc/passwd", ".confide/studio", "a/.git/config",
        ".hidden.csv", "a\\..\\x", "x\0.csv", "x\n.csv", "a" * 300, "link/people.csv", "link.csv",
    ],
)  # fmt: skip
def test_no_name_leads_out_of_the_folder(tmp_path, name):
    folder, outside = tmp_path / "project", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    (outside / "people.csv").write_text("a\n1\n")
    (folder / "link").symlink_to(outside)
    (folder / "link.csv").symlink_to(outside / "people.csv")
    with pytest.raises(UsageError, match=r"leads out|no file of this folder"):
        Project(folder).place(name)


def test_names_and_paths_of_the_folder_go_both_ways(tmp_path):
    project = Project(tmp_path)
    (tmp_path / "a").mkdir()
    for name in ("people.csv", "a/b.csv", "ü b.csv", "two..dots.csv"):
        assert project.name_of(project.place(name)) == name
    assert project.name_of(tmp_path / "a" / ".." / "people.csv") == "people.csv"
    with pytest.raises(UsageError, match="not in this folder"):
        project.name_of(tmp_path.parent / "people.csv")


def test_notes_are_for_the_owner_and_never_elsewhere(tmp_path):
    project = Project(tmp_path)
    assert project.notes("jobs", "1").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / ".confide").stat().st_mode & 0o777 == 0o700
    other = tmp_path / "other"
    other.mkdir()
    (other / ".confide").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError):
        Project(other).notes()
    (tmp_path / "elsewhere").mkdir()
    with pytest.raises(UsageError, match="leads out"):
        Project(other).notes()


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "x").write_text("")
    with pytest.raises(UsageError, match="is not a folder"):
        Project(tmp_path / "x")
