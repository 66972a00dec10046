"""How files are read is one object, which a job hands to every reader; nothing is kept between calls."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import confide
from confide.core.datasets.intake import as_records, as_rows
from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.errors import InputError, UsageError
from confide.core.jobs.outcome import Host
from confide.core.tables.reading import PLAIN, Reading
from confide.core.transactions.container import Transactions
from confide.mining.jobs import MineItemsets, mine_itemsets
from confide.publish import PublishTable, publish_table

SCHEMA = {"age": {"role": "quasi-identifier", "range": [0, 99]}, "ill": {"role": "sensitive"}}


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ({"engine": "abacus"}, "no engine 'abacus'; engines are: auto, memory, stream, spark"),
        (
            {"engine": "stream", "spark_master": "local"},
            "a Spark master counts with engine spark only, not with stream",
        ),
    ],
)
def test_an_engine_that_is_none_is_refused(words, line):
    with pytest.raises(UsageError, match=line):
        Reading(**words)


def test_a_master_asks_for_spark():
    assert Reading(spark_master="local[1]").engine == "spark"
    assert PLAIN.options == dict.fromkeys(("delimiter", "encoding", "sheet"))


def test_a_job_reads_each_of_its_files_by_its_own_words(tmp_path):
    """The table and the population have two marks to choose from, and a letter that is not UTF-8."""
    for name, ages in (("people", (21, 22, 38, 39)), ("everybody", (20, 21, 22, 38, 39, 40))):
        rows = [f"{age};M\xfcller, {i};x" for i, age in enumerate(ages)]
        (tmp_path / f"{name}.csv").write_bytes("\n".join(["age;name, first;ill", *rows, ""]).encode("latin-1"))
    asked = {"table": tmp_path / "people.csv", "k_map": 2, "population": tmp_path / "everybody.csv"}
    schema = SCHEMA | {"name, first": {"role": "identifier"}}
    with pytest.raises(InputError):
        publish_table(PublishTable(**asked, schema=schema))
    done = publish_table(PublishTable(**asked, schema=schema, delimiter=";", encoding="latin-1"))
    assert done.release.delimiter == ";"
    assert done.release.data.num_rows == 4
    with pytest.raises(InputError):  # the words of that call are gone with it
        publish_table(PublishTable(**asked, schema=schema))


def test_an_engine_is_handed_on_and_not_kept(tmp_path):
    Transactions.from_lists([["a", "b"], ["a"]]).write(tmp_path / "b.parquet")
    said = []
    stored = as_records(tmp_path / "b.parquet", reading=Reading(engine="stream", say=said.append))
    assert isinstance(stored, StoredTransactions)
    assert said == ["engine stream: as asked (2 rows in 1 Parquet files)"]
    found = mine_itemsets(
        MineItemsets(records=tmp_path / "b.parquet", min_support=1, engine="stream"), Host(say=said.append)
    )
    assert len(found.answer) == 3
    assert said[1:2] == said[:1]
    assert isinstance(as_records(tmp_path / "b.parquet"), Transactions)


def test_rows_are_read_by_the_words_for_text_and_by_the_engine_for_parquet(tmp_path):
    (tmp_path / "t.csv").write_text("a;b,c\n1;2,3\n")
    assert as_rows(tmp_path / "t.csv", reading=Reading(delimiter=";")).column_names == ["a", "b,c"]
    pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "t.parquet")
    assert as_rows(tmp_path / "t.parquet", reading=Reading(engine="stream")).in_memory is False
    assert as_rows(tmp_path / "t.parquet").num_rows == 2


def test_the_default_of_a_script_is_set_by_nothing_of_ours():
    folder = Path(confide.__file__).parent
    calls = [path for path in folder.rglob("*.py") if "using_engine(" in path.read_text(encoding="utf-8")]
    assert [path.name for path in calls] == ["choice.py"]
