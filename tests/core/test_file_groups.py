"""Several files appear together or not at all, whatever fails on the way."""

import os
import stat
import subprocess
import sys

import pytest

from confide.core.errors import UsageError
from confide.core.file_groups import check_outputs, file_group


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_files_appear_when_the_block_ends_well(tmp_path):
    with file_group() as group:
        group.place(tmp_path / "a.csv").write_text("a")
        group.place(tmp_path / "b.json").write_text("b")
        assert all(name.startswith(".confide-") for name in names(tmp_path))
    assert names(tmp_path) == ["a.csv", "b.json"]


def test_a_failure_leaves_nothing(tmp_path):
    with pytest.raises(RuntimeError), file_group() as group:
        group.place(tmp_path / "a.csv").write_text("a")
        raise RuntimeError
    assert names(tmp_path) == []


def test_files_that_exist_are_kept_unless_replaced(tmp_path):
    (tmp_path / "a.csv").write_text("old")
    with pytest.raises(UsageError, match="exists"), file_group() as group:
        group.place(tmp_path / "a.csv")
    with file_group(replace=True) as group:
        group.place(tmp_path / "a.csv").write_text("new")
    assert (tmp_path / "a.csv").read_text() == "new"
    assert names(tmp_path) == ["a.csv"]


def test_a_file_that_appears_meanwhile_is_left_alone_and_the_others_are_taken_back(tmp_path):
    with pytest.raises(UsageError, match="appeared while"), file_group() as group:
        group.place(tmp_path / "a.csv").write_text("ours")
        group.place(tmp_path / "b.csv").write_text("ours")
        (tmp_path / "b.csv").write_text("theirs")
    assert names(tmp_path) == ["b.csv"]
    assert (tmp_path / "b.csv").read_text() == "theirs"


def test_replaced_files_are_put_back_when_a_later_one_fails(tmp_path):
    (tmp_path / "a.csv").write_text("old")
    with pytest.raises(UsageError, match="nothing was written"), file_group(replace=True) as group:
        group.place(tmp_path / "a.csv").write_text("new")
        group.place(tmp_path / "b.csv").write_text("new")
        (tmp_path / "b.csv").mkdir()  # a folder cannot be replaced by a file
    assert (tmp_path / "a.csv").read_text() == "old"


def test_what_is_on_its_way_is_for_its_owner_only(tmp_path):
    with file_group() as group:
        hidden = group.place(tmp_path / "a.csv").parent
        (hidden / "a.csv").write_text("a")
        assert stat.S_IMODE(os.stat(hidden).st_mode) == 0o700


def test_outputs_are_checked_before_the_work(tmp_path):
    source = tmp_path / "in.csv"
    source.write_text("x")
    with pytest.raises(UsageError, match="is the input"):
        check_outputs([source], inputs=[source], replace=True)
    with pytest.raises(UsageError, match="are the same file"):
        check_outputs([tmp_path / "o", tmp_path / "." / "o"])
    with pytest.raises(UsageError, match="does not exist"):
        check_outputs([tmp_path / "none" / "o"])
    with pytest.raises(UsageError, match="is a folder"):
        check_outputs([tmp_path], replace=True)
    os.symlink(tmp_path / "nowhere", tmp_path / "link")
    with pytest.raises(UsageError, match="exists"):  # a link that leads nowhere is in the way all the same
        check_outputs([tmp_path / "link"])
    check_outputs([tmp_path / "o", None], inputs=[source, None])
    assert names(tmp_path) == ["in.csv", "link"]


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path):
    if os.path.ismount("/proc"):
        with pytest.raises(UsageError, match="cannot write in the folder /proc"):
            check_outputs([type(tmp_path)("/proc/out.csv")])


def test_kill_9_in_the_middle_leaves_the_old_files(tmp_path):
    (tmp_path / "a.csv").write_text("old")
    code = (
        "import os, signal\nfrom pathlib import Path\nfrom confide.core.file_groups import file_group\n"
        "with file_group(replace=True) as group:\n"
        f"    group.place(Path({str(tmp_path)!r}) / 'a.csv').write_text('new')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == -9
    assert (tmp_path / "a.csv").read_text() == "old"
    assert [name for name in names(tmp_path) if not name.startswith(".confide-")] == ["a.csv"]
