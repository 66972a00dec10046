"""`--engine`: folders of Parquet files go in, the answers are those of memory, releases are folders that verify."""

import json
import random
import shutil
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.commands import Done, confide

from confide import Transactions, verify
from confide.collect import Emask, GammaDiagonal
from confide.core.datasets import shuffling
from confide.core.tables.frames import read_table
from confide.publish import GlobalMapping

HERE = Path(__file__).parent


def run(*arguments: object, cwd: Path = HERE) -> Done:
    return confide(*arguments, cwd=cwd)


@pytest.fixture
def folder(tmp_path):
    home = tmp_path / "in"
    home.mkdir()
    for seed in (1, 2):
        run("sample", "baskets", "-o", home / f"{seed}.parquet", "--records", 300, "--seed", seed)
    return home


def test_mining_a_folder_gives_what_memory_gives(folder):
    for command in (["itemsets", folder, "-s", "5%"], ["rules", folder, "-s", "5%", "-c", "0.5"]):
        streamed = run("mine", *command, "--engine", "stream")
        held = run("mine", *command, "--engine", "memory")
        assert "engine stream: as asked (600 rows in 2 Parquet files)" in streamed.stderr
        assert sorted(streamed.stdout.splitlines()) == sorted(held.stdout.splitlines()) != []
    assert "engine memory: it takes up to 1 MB of memory, well below the" in run("mine", *command).stderr


def test_publishing_a_folder_writes_parts_that_verify(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(shuffling, "PART_RECORDS", 100)
    options = ["--k", 3, "--h", 0.5, "--p", 2, "--private-prefix", "s:"]
    out = tmp_path / "out"
    done = run(
        "publish", "transactions", folder, "-o", out, *options, "--engine", "stream", "--report", tmp_path / "o.html"
    )
    assert done.returncode == 0, done.stderr
    held = run("publish", "transactions", folder, "-o", tmp_path / "mem.jsonl", *options)
    mine, theirs = (json.loads(one.stdout)["loss"] for one in (done, held))
    assert {name: mine[name] for name in theirs if "worst" not in name}.items() <= theirs.items()
    assert len(list(out.glob("part-*.parquet"))) > 1
    assert run("verify", tmp_path / "out.passport.json").returncode == 0
    assert sorted(Transactions.read(tmp_path / "mem.jsonl")) == sorted(
        record for part in out.glob("*.parquet") for record in Transactions.read(part)
    )
    again = run("publish", "transactions", folder, "-o", out, *options, "--engine", "stream")
    assert again.returncode == 2
    assert "exists; say --replace" in again.stderr
    moved = tmp_path / "elsewhere"
    shutil.move(out, moved)
    assert run("verify", tmp_path / "out.passport.json").returncode == 1
    assert run("verify", tmp_path / "out.passport.json", "--artefact", moved).returncode == 0


def test_perturbing_and_mining_a_folder(folder, tmp_path):
    labels = [f"i{n}" for n in range(6)]
    true = Transactions.from_lists([["i0", "i1"]] * 6000 + [["i2"]] * 4000)
    shutil.rmtree(folder)
    folder.mkdir()
    true.write(folder / "a.parquet")
    (tmp_path / "s.json").write_text(Emask(p=0.9, q=0.9).for_items(labels, max_length=2).to_json())
    out = tmp_path / "noisy"
    done = run("collect", "perturb", folder, "--scheme", tmp_path / "s.json", "-o", out, "--engine", "stream")
    assert done.returncode == 0, done.stderr
    answer = verify(tmp_path / "noisy.passport.json")
    assert answer.ok, answer.summary()
    options = ["--scheme", tmp_path / "s.json", "-s", "30%"]
    streamed, held = (run("collect", "mine", out, *options, "--engine", one) for one in ("stream", "memory"))
    assert streamed.returncode == held.returncode == 0, streamed.stderr
    assert streamed.stdout == held.stdout
    rows = {tuple(row["items"]): row for row in map(json.loads, streamed.stdout.splitlines())}
    # 6,000 true ones; the interval of six standard errors misses them once in five hundred million runs
    assert abs(rows[("i0", "i1")]["estimate"] - 6000) < 6 * rows[("i0", "i1")]["std_error"]


def test_perturbing_and_mining_a_folder_of_tables(tmp_path):
    home, out = tmp_path / "answers", tmp_path / "noisy"
    home.mkdir()
    for part in range(2):
        rows = pa.table({"sex": ["F", "F", "M"] * 1000, "smokes": ["no", "yes", "no"] * 1000, "name": ["x"] * 3000})
        pq.write_table(rows, home / f"{part}.parquet")
    scheme = GammaDiagonal(domains={"sex": ["F", "M"], "smokes": ["no", "yes"]}, gamma=19)
    (tmp_path / "s.json").write_text(scheme.to_json())
    given = ["collect", "perturb", home, "--scheme", tmp_path / "s.json", "-o", out, "--engine", "stream"]
    refused = run(*given)
    assert refused.returncode == 2
    assert "name, which would be sent unperturbed" in refused.stderr.splitlines()[-1]
    done = run(*given, "--columns", "sex,smokes")
    assert done.returncode == 0, done.stderr
    assert "engine stream: as asked (6,000 rows in 2 Parquet files)" in done.stderr
    assert run("verify", tmp_path / "noisy.passport.json").returncode == 0
    options = ["--scheme", tmp_path / "s.json", "-s", "20%"]
    streamed, held = (run("collect", "mine", out, *options, "--engine", one) for one in ("stream", "memory"))
    assert streamed.returncode == held.returncode == 0, streamed.stderr
    assert streamed.stdout == held.stdout
    rows = {tuple(row["items"]): row for row in map(json.loads, streamed.stdout.splitlines())}
    # 4,000 true ones; six standard errors are passed in one of five hundred million runs
    assert abs(rows[("sex=F",)]["estimate"] - 4000) < 6 * rows[("sex=F",)]["std_error"]


@pytest.fixture
def table(tmp_path):
    home = tmp_path / "people"
    home.mkdir()
    draw = random.Random(4)
    for part in range(3):
        rows = [(draw.randrange(20, 60), f"z{draw.randrange(4)}", f"d{draw.randrange(3)}") for _ in range(100)]
        columns = dict(zip(("age", "zip", "ill"), map(list, zip(*rows, strict=True)), strict=True))
        pq.write_table(pa.table(columns), home / f"{part}.parquet")
    (tmp_path / "s.toml").write_text(
        '[columns.age]\nrole = "quasi-identifier"\nrange = [0, 99]\n[columns.zip]\nrole = "quasi-identifier"\n'
        '[columns.ill]\nrole = "sensitive"\n'
    )
    return home


def test_publishing_a_folder_of_tables_writes_parts_that_verify(table, tmp_path, monkeypatch):
    monkeypatch.setattr(shuffling, "PART_RECORDS", 90)
    options = ["--schema", tmp_path / "s.toml", "--k", 6, "--diversity", "distinct", "--l", 2, "--suppress", "2%"]
    for method in ("incognito", "k-optimize", "top-down"):
        out, held = tmp_path / f"out-{method}", tmp_path / f"{method}.csv"
        how = [*options, "--method", method]
        page = tmp_path / f"{method}.html"
        done = run("publish", "table", table, "-o", out, *how, "--engine", "stream", "--owner-report", page)
        assert done.returncode == 0, done.stderr
        assert "engine stream: as asked (300 rows in 3 Parquet files)" in done.stderr
        meant = run("publish", "table", table, "-o", held, *how)
        assert "engine memory: it takes up to 1 MB" in meant.stderr
        assert json.loads(done.stdout) == json.loads(meant.stdout)
        assert len(list(out.glob("part-*.parquet"))) > 1
        assert run("verify", f"{out}.passport.json").returncode == 0
        rows = [row for part in out.glob("*.parquet") for row in pq.read_table(part).to_pylist()]
        shown = Counter(tuple(map(str, row.values())) for row in rows)
        assert shown == Counter(tuple(map(str, row.values())) for row in read_table(held).to_pylist())
    chosen = run("publish", "table", table, "-o", tmp_path / "auto", *options, "--engine", "stream")
    assert "chose incognito: the rows are not in memory" in chosen.stderr
    mapping = tmp_path / "m.json"
    run(
        "publish",
        "table",
        table,
        "-o",
        tmp_path / "m",
        *options,
        "--engine",
        "stream",
        "--method",
        "incognito",
        "--mapping",
        mapping,
    )
    assert GlobalMapping.read(mapping).columns.keys() == {"age", "zip"}
    part = next((tmp_path / "auto").glob("*.parquet"))
    part.write_bytes(part.read_bytes()[:-9])
    assert run("verify", tmp_path / "auto.passport.json").returncode == 1


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["-o", "o.csv"], "without .csv"),
        (["-o", "o", "--method", "mondrian"], "recodes groups of rows"),
        (["--dry-run"], "needs --output, a folder"),
        (["-o", "o", "--pseudonyms", "s.toml"], "all rows in memory"),
    ],
)
def test_what_a_table_in_files_cannot_be_is_said_in_one_line(more, said, table, tmp_path):
    wanted = ["publish", "table", "people", "--schema", "s.toml", "--k", 3, "--engine", "stream", *more]
    done = run(*wanted, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr.splitlines()[-1]
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(("o", "."))]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["mine", "itemsets", "x.csv", "-s", "1", "--engine", "stream"], "give a .parquet file, or a folder of them"),
        (["mine", "itemsets", "in", "-s", "1", "--engine", "stream", "--spark-master", "local"], "engine spark only"),
        (["publish", "table", "x.csv", "--schema", "x.toml", "--k", "2", "-o", "o", "--engine", "stream"], "a folder"),
        (
            ["publish", "transactions", "in", "--k", "2", "--p", "2", "-o", "o.csv", "--engine", "stream"],
            "without .csv",
        ),
        (
            [
                "publish",
                "transactions",
                "in",
                "--k",
                "2",
                "--p",
                "2",
                "--method",
                "k-anonymizer",
                "-o",
                "o",
                "--engine",
                "stream",
            ],
            "splits all records into groups",
        ),
    ],
)
def test_what_cannot_be_is_said_in_one_line(arguments, said, folder, tmp_path):
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr.splitlines()[-1]
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(("o", "."))]
