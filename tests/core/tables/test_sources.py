"""A site's table out of files and real databases; errors that tell neither values nor passwords."""

from datetime import date

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from confide.core.errors import InputError, UnreachableError, UsageError
from confide.core.tables.sources import load_table

ROWS = {"id": [1, 2, 3], "name": ["ada", "bob", None], "since": [date(2020, 1, 2), None, date(2021, 3, 4)]}
SECRET = "hunter2secret"


def one_line(error, *never):
    said = str(error.value)
    assert "\n" not in said
    assert not any(word in said for word in (SECRET, *never))
    return said


# -- files --------------------------------------------------------------------------------------------------------


def test_csv_columns_are_text_unless_declared_and_empty_fields_are_null(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("id,zip,size,since\n1,01234,1.5,2020-01-02\n2,,,\n")
    assert load_table(file=file).to_pylist() == [
        {"id": "1", "zip": "01234", "size": "1.5", "since": "2020-01-02"},
        {"id": "2", "zip": None, "size": None, "since": None},
    ]
    typed = load_table(file=file, types={"id": "integer", "size": "number", "since": "date", "zip": "text"})
    assert typed.schema.types == [pa.int64(), pa.string(), pa.float64(), pa.date32()]
    assert typed.column("since").to_pylist() == [date(2020, 1, 2), None]


def test_parquet_keeps_its_types(tmp_path):
    pq.write_table(pa.table(ROWS), tmp_path / "t.parquet")
    assert load_table(file=tmp_path / "t.parquet").to_pydict() == ROWS


@pytest.mark.parametrize("bad", [0, 1, 6, 10])
def test_a_value_that_is_not_of_its_type_is_named_by_line_and_never_repeated(tmp_path, bad):
    rows = [str(i) for i in range(11)]
    rows[bad] = SECRET
    (tmp_path / "t.csv").write_text("\n".join(["n", *rows]))
    with pytest.raises(InputError) as caught:
        load_table(file=tmp_path / "t.csv", types={"n": "integer"})
    assert f"line {bad + 2}: not of type integer" in one_line(caught)


def test_faults_of_files_are_reported(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        load_table(file=tmp_path / "absent.csv")
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="no column 'c'; columns are: a, b"):
        load_table(file=tmp_path / "t.csv", types={"c": "integer"})
    with pytest.raises(UsageError, match="types are: text"):
        load_table(file=tmp_path / "t.csv", types={"a": "int"})
    with pytest.raises(UsageError, match="leave out table and query"):
        load_table(file=tmp_path / "t.csv", table="t")
    pq.write_table(pa.table(ROWS), tmp_path / "t.parquet")
    with pytest.raises(UsageError, match="a Parquet file has"):
        load_table(file=tmp_path / "t.parquet", types={"id": "integer"})


def test_exactly_one_place_and_one_question():
    for wrong in ({}, {"file": "a.csv", "duckdb": "b"}, {"duckdb": "b"}, {"duckdb": "b", "table": "t", "query": "q"}):
        with pytest.raises(UsageError):
            load_table(**wrong)
    with pytest.raises(UsageError, match="a database has"):
        load_table(duckdb="b", table="t", types={"a": "integer"})


# -- DuckDB -------------------------------------------------------------------------------------------------------


@pytest.fixture
def duck(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "t.duckdb"
    with duckdb.connect(str(path)) as link:
        link.execute("CREATE TABLE people (id INTEGER, name VARCHAR, since DATE, token UUID)")
        link.execute(
            f"INSERT INTO people VALUES (1, 'ada', '2020-01-02', gen_random_uuid()), (2, '{SECRET}', NULL, NULL)"
        )
        link.execute('CREATE SCHEMA s; CREATE TABLE s."odd ""name" AS SELECT 7 AS n')
    return path


def test_duckdb_gives_a_table_or_a_query(duck):
    assert load_table(duckdb=duck, table="people").column("id").to_pylist() == [1, 2]
    assert load_table(duckdb=duck, table='s.odd "name').to_pydict() == {"n": [7]}
    summed = load_table(duckdb=duck, query="SELECT sum(id) AS total, max(token) AS token FROM people")
    assert summed.schema.field("total").type == pa.int64()  # DuckDB sums into 128 bits
    assert len(summed.column("token")[0].as_py()) == 36


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        ({"table": "nobody"}, "nobody does not exist"),
        ({"query": "SELECT nothing FROM people"}, 'column "nothing" not found'),
        ({"query": "SELEC 1"}, "syntax error"),
        ({"query": "SELECT CAST(name AS INTEGER) FROM people"}, "the query failed"),
        ({"query": "INSERT INTO people VALUES (3, 'eve', NULL, NULL)"}, ""),
        ({"query": "CREATE TABLE x AS SELECT 1"}, ""),
        ({"query": "COPY people TO '{tmp}/out.csv'"}, ""),
        ({"query": "SELECT * FROM read_csv('{tmp}/t.csv')"}, ""),
        ({"query": "SELECT id, id FROM people"}, "two columns"),
    ],
)
def test_duckdb_reads_its_own_database_only_and_tells_no_value(duck, tmp_path, ask, says):
    (tmp_path / "t.csv").write_text("a\n1\n")
    before = duck.read_bytes()
    with pytest.raises(InputError) as caught:
        load_table(duckdb=duck, **{name: text.replace("{tmp}", str(tmp_path)) for name, text in ask.items()})
    assert says in one_line(caught)
    assert duck.read_bytes() == before
    assert not (tmp_path / "out.csv").exists()


def test_what_is_not_a_duckdb_file_is_reported(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        load_table(duckdb=tmp_path / "absent.duckdb", table="t")
    (tmp_path / "garbage.duckdb").write_bytes(b"garbage" * 1000)
    with pytest.raises(InputError, match="not a valid DuckDB database"):
        load_table(duckdb=tmp_path / "garbage.duckdb", table="t")


# -- PostgreSQL ---------------------------------------------------------------------------------------------------


@pytest.fixture
def server(postgres, monkeypatch):
    """A database with a table; the address without its password, which is in the environment."""
    import adbc_driver_postgresql.dbapi as adbc

    with adbc.connect(postgres) as link, link.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE people (id bigint, name text, since date, fee numeric(10, 2), visits numeric, big numeric, "
            "token uuid, active boolean)"
        )
        cursor.execute(
            "INSERT INTO people VALUES (1, 'ada', '2020-01-02', 1.50, 7, 1e60, "
            "'9f2c0f3e-0000-4000-8000-000000000001', true), "
            f"(2, '{SECRET}', NULL, NULL, 8, NULL, NULL, false)"
        )
        link.commit()
    monkeypatch.setenv("PGPASSWORD", "confide")
    monkeypatch.setenv("SITE_DATABASE", postgres)
    return postgres.replace(":confide@", "@")


@pytest.mark.postgres
def test_postgresql_gives_a_table_or_a_query_in_plain_types(server):
    people = load_table(postgres=server, table="public.people")
    kinds = dict(zip(people.column_names, people.schema.types, strict=True))
    assert kinds["id"] == kinds["visits"] == pa.int64()
    assert kinds["fee"] == pa.decimal128(38, 2)
    assert kinds["big"] == pa.float64()
    assert people.column("token")[0].as_py() == "9f2c0f3e-0000-4000-8000-000000000001"
    assert people.column("since").to_pylist() == [date(2020, 1, 2), None]
    assert load_table(postgres_env="SITE_DATABASE", query="SELECT id FROM people ORDER BY id").to_pydict() == {
        "id": [1, 2]
    }


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("ask", "says"),
    [
        ({"table": "nobody"}, '"nobody" does not exist'),
        ({"query": "SELECT nothing FROM people"}, 'column "nothing" does not exist'),
        ({"query": "SELEC 1"}, "syntax error"),
        ({"query": "SELECT CAST(name AS integer) FROM people"}, "the query failed (SQLSTATE 22P02)"),
        ({"query": "DELETE FROM people"}, "must only read"),
        ({"query": "SET TRANSACTION READ WRITE; DELETE FROM people"}, "multiple commands"),
    ],
)
def test_postgresql_is_only_read_and_tells_no_value(server, ask, says):
    with pytest.raises(InputError) as caught:
        load_table(postgres=server, **ask)
    assert says in one_line(caught, "confide:confide")
    assert load_table(postgres=server, table="people").num_rows == 2


@pytest.mark.postgres
def test_a_server_that_takes_too_long_is_left(server):
    for deadline in (0.3, 3, 30):  # on a busy machine it may not even have been reached within 0.3 s
        with pytest.raises(UnreachableError) as caught:
            load_table(postgres=server, query="SELECT pg_sleep(600)", deadline=deadline)
        if f"did not answer within {deadline} s" in str(caught.value):
            return
    raise caught.value


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda a: a.replace("confide@", f"confide:{SECRET}@"), "a wrong one"),
        (lambda a: a.replace("/test_", "/other_"), "no such database"),
        (lambda a: f"postgresql://confide:{SECRET}@127.0.0.1:1/x", "connection refused"),
        (lambda a: f"postgresql://confide:{SECRET}@nowhere.invalid/x", "no host of that name"),
    ],
)
def test_a_server_out_of_reach_is_named_without_credentials(server, monkeypatch, change, says):
    monkeypatch.setenv("SITE_DATABASE", change(server))
    with pytest.raises(UnreachableError) as caught:
        load_table(postgres_env="SITE_DATABASE", table="people")
    assert says in one_line(caught)
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("address", [f"postgresql://u:{SECRET}@h/d", f"postgresql://u@h/d?password={SECRET}"])
def test_a_password_in_the_configuration_is_refused(address):
    with pytest.raises(UsageError, match="PGPASSWORD") as caught:
        load_table(postgres=address, table="t")
    one_line(caught)


@pytest.mark.parametrize(
    "address",
    ["", "nonsense", f"host=h password={SECRET}", f"mysql://u:{SECRET}@h/d", f"postgresql://u:{SECRET}@h:x/d"],
)
def test_an_address_that_is_none_is_refused_unrepeated(monkeypatch, address):
    monkeypatch.setenv("SITE_DATABASE", address)
    with pytest.raises(InputError, match=r"must read postgresql://|holds no address") as caught:
        load_table(postgres_env="SITE_DATABASE", table="t")
    one_line(caught)
