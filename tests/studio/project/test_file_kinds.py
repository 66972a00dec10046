import os

import pyarrow as pa
import pyarrow.parquet as pq
from tests.patience import wait_until
from tests.studio.opened import folder_of_people

from confide.studio.project.file_kinds import FileList
from confide.studio.project.project_folder import Project


def test_each_file_is_what_it_is(tmp_path):
    folder_of_people(tmp_path)
    (tmp_path / "tea.dat").write_text("1 2 3\n4 5\n")
    (tmp_path / "long.csv").write_text("id,item\n1,tea\n1,milk\n")
    (tmp_path / "run.toml").write_text('job = "verify"\nfiles = ["x.passport.json"]\n')
    (tmp_path / "broken.run.toml").write_text("job = [")
    (tmp_path / "out.html").write_text("<p>")
    (tmp_path / "notes.txt").write_text("hello\n")
    (tmp_path / "parts").mkdir()
    pq.write_table(pa.table({"a": [1, 2], "b": [1, 2], "c": [1, 2]}), tmp_path / "parts" / "0.parquet")
    pq.write_table(pa.table({"a": [1], "b": [2], "c": [2]}), tmp_path / "parts" / "1.parquet")
    (tmp_path / "shop.csv").write_text("tea\nmilk,tea\nbread,milk,tea\nmilk,bread\ntea\n")
    (tmp_path / "titled.csv").write_text("My people\nage,sex,town\n1,f,x\n2,m,y\n3,m,y\n")
    found = {file.name: (file.kind, file.rows, file.columns) for file in FileList(Project(tmp_path)).all()}
    assert found["people.csv"] == ("table", 300, 9)
    assert found["people.schema.toml"][0] == "schema"
    assert found["sex.csv"] == ("hierarchy", 2, 2)
    assert found["tea.dat"] == ("baskets", 2, None)
    assert found["long.csv"] == ("baskets", 2, 2)
    assert found["shop.csv"] == ("baskets", 5, None)
    assert found["titled.csv"][0] == "table"
    assert found["run.toml"][0] == found["broken.run.toml"][0] == "run"
    assert found["out.html"][0] == "report"
    assert found["notes.txt"][0] == "other"
    assert found["parts"] == ("table", 3, 3)


def test_hidden_files_and_links_that_lead_out_are_not_listed(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "secret.csv").write_text("a,b\n1,2\n")
    (folder / ".hidden.csv").write_text("a,b\n")
    (folder / "link.csv").symlink_to(tmp_path / "secret.csv")
    (folder / "loop").symlink_to(folder)
    (folder / "bad\nname.csv").write_text("a,b\n")
    assert FileList(Project(folder)).all() == []


def test_nobody_waits_for_the_rows_of_a_large_file(tmp_path):
    """A gigabyte of zeros that takes no room on the disk: counted by a thread, kept until it changes."""
    path = tmp_path / "large.csv"
    with open(path, "wb") as file:
        file.write(b"a,b\n1,2\n")
        file.truncate(1 << 30)
    files = FileList(Project(tmp_path))
    first = files.all()[0]
    assert (first.counting, first.rows, first.columns) == (True, None, 2)
    wait_until(lambda: not files.all()[0].counting)
    assert files.all()[0].rows == 2
    os.truncate(path, 8)
    assert files.all()[0].rows == 1


def test_a_device_or_a_folder_that_goes_away_harms_nobody(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "closed").mkdir()
    (tmp_path / "broken.parquet").write_text("no")
    assert [(file.name, file.kind) for file in FileList(Project(tmp_path)).all()] == [("broken.parquet", "other")]
