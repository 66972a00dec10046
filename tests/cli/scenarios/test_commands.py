"""The command as a user meets it: examples of every --help, exit codes, wrong flags, broken files, Ctrl-C."""

import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import click
import pyarrow as pa
import pytest
from tests.commands import confide as run
from tests.commands import confide_process
from tests.patience import LONG

from confide import KAnonymity, Release, Transactions
from confide.cli.root import COMMANDS, confide
from confide.collect import Bins, Emask, GammaDiagonal
from confide.collect.service.store import open_store
from confide.core.samples import baskets, people
from confide.core.samples.people import people_schema
from confide.core.tables.frames import write_table
from confide.publish import PublishTable, publish_table
from confide.search import Judged, LocalIndex, add_judgment


def commands(group=confide, path=()):
    """Every command and group, with the words that call it."""
    yield path, group
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            yield from commands(group.get_command(context, name), (*path, name))


EVERY = {" ".join(path): command for path, command in commands()}


def examples(command):
    return re.findall(r"^  (confide .*)$", command.epilog or "", re.MULTILINE)


@pytest.mark.parametrize("name", EVERY)
def test_every_help_ends_with_an_example_of_that_command(name):
    found = examples(EVERY[name])
    assert found, f"confide {name} --help shows no example"
    assert found[-1].startswith(f"confide {name}".strip())
    assert EVERY[name].help, f"confide {name} does not say what it does"


def by_hand():
    """A 3-anonymous table, released."""
    table = pa.table({"age": ["20-29"] * 3 + ["30-39"] * 4, "illness": list("abcabcd")})
    roles = {"age": "quasi-identifier", "illness": "sensitive"}
    return Release.issue(table, KAnonymity(k=3), stage="by hand", algorithm="none", context={"roles": roles})


def collecting(folder):
    """Answers to collect, and schemes to perturb them and the baskets by."""
    answers = people(500).select(["age", "sex", "income"])
    write_table(answers, folder / "answers.csv")
    values = {name: sorted(set(answers[name].to_pylist())) for name in ("sex", "income")}
    scheme = GammaDiagonal(domains={"age": Bins((30, 45, 60)), **values}, gamma=19)
    scheme.write(folder / "answers.scheme.json")
    open_store(str(folder / "answers.duckdb"), scheme).close()
    (folder / "answer.json").write_text(json.dumps({"age": 41, "sex": "female", "income": "30k-50k"}))
    write_table(scheme.perturb(answers), folder / "received.csv")
    Emask(p=0.5, q=0.97).for_items(Transactions.read(folder / "baskets.csv").items).write(
        folder / "baskets.scheme.json"
    )


def joining(folder):
    """Two sites with certificates, their coordinator, and a tree they grew; on ports that are free now."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = min(free.getsockname()[1], 65_000)
    parties = ["--site", "T1", "--site", "T2", "--coordinator", "registry"]
    assert run("sample", "chain", ".", "--port", port, cwd=folder).returncode == 0
    assert run("join", "keys", "keys", *parties, cwd=folder).returncode == 0
    sites = ["--with-site", "T1.toml", "--with-site", "T2.toml"]
    done = run("join", "train", "--config", "join.toml", *sites, "-o", "chain-tree.json", cwd=folder)
    assert done.returncode == 0, done.stderr


def publishing(folder):
    """A release, its mapping, and rows that come later."""
    asked = ("--schema", "registry.schema.toml", "--k", "5", "--method", "incognito", "--mapping", "recoding.json")
    assert run("publish", "table", "registry.csv", "-o", "released.csv", *asked, cwd=folder).returncode == 0
    assert run("sample", "people", "-o", "later.csv", "--rows", "100", cwd=folder).returncode == 0


def sharing(folder):
    """Two owners' trees, and records to try and use the model on."""
    for name, rows, seed in (("patients.csv", 600, 1), ("held-out.csv", 200, 2), ("new.csv", 100, 3)):
        assert run("sample", "people", "-o", name, "--rows", rows, "--seed", seed, cwd=folder).returncode == 0
    draft = ["share", "domains", "patients.csv", "--class", "diagnosis", "-o", "domains.toml"]
    assert run(*draft, cwd=folder).returncode == 0
    for name in ("north.json", "south.json", "learned.json"):
        train = ["share", "train", "patients.csv", "--domains", "domains.toml", "--l", "2", "-o", name]
        assert run(*train, cwd=folder).returncode == 0


def streaming(folder):
    """A recorded stream, and a run of it."""
    rows = enumerate(baskets(3000, seed=4))
    lines = [json.dumps({"items": row, "time": 1_700_000_000 + i}) + "\n" for i, row in rows]
    (folder / "clicks.jsonl").write_text("".join(lines))
    run_of = ["stream", "release", "clicks.jsonl", "-o", "frequent.jsonl", "--min-support", "25", "--window", "1000"]
    run_of += ["--noise-key", "first.key"]
    assert run(*run_of, cwd=folder).returncode == 0


def recording(folder):
    """A ledger of two releases about the same people, and its key."""
    key = ["people.ledger", "--ledger-key", "people.key"]
    assert run("ledger", "new", *key, cwd=folder).returncode == 0
    roles = people_schema() | {"id": {"role": "person"}, "income": {"role": "identifier"}}
    for k in (50, 100):
        kept = {"ledger": folder / "people.ledger", "ledger_key": folder / "people.key"}
        publish_table(PublishTable(table=people(120), schema=roles, k=k, **kept)).release.write(folder / f"k{k}.csv")


def searching(folder):
    """A person's notes, their profile, an index of them, what is exposed, and what they judged."""
    assert run("sample", "documents", "notes", "--texts", 150, cwd=folder).returncode == 0
    for words in (
        ["profile", "build", "--documents", "notes", "-o", "my.profile"],
        ["profile", "expose", "my.profile", "--min-detail", "2%", "-o", "exposed.json"],
        ["index", "--documents", "notes", "-o", "notes.sqlite"],
    ):
        done = run("search", *words, cwd=folder)
        assert done.returncode == 0, done.stderr
    found = [{"title": "Evening", "snippet": text} for text in ("a long day", "a plan for the oven")]
    (folder / "found.json").write_text(json.dumps({"query": "evening", "results": found}))
    for query in ("evening", "family week"):
        links = LocalIndex.open(folder / "notes.sqlite").search(query)
        add_judgment(folder / "judged.jsonl", Judged(query, frozenset(link.url for link in links[1:6:2])))


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A folder with the files that examples speak of."""
    folder = tmp_path_factory.mktemp("desk")
    assert run("sample", "baskets", "-o", "baskets.csv", cwd=folder).returncode == 0
    assert run("sample", "people", "-o", "registry.csv", cwd=folder).returncode == 0
    (folder / "sets.toml").write_text('job = "mine itemsets"\nrecords = "baskets.csv"\nmin_support = 0.05\n')
    by_hand().write(folder / "people.csv")
    assert run("passport", "keys", "signing.pem", cwd=folder).returncode == 0
    publishing(folder)
    collecting(folder)
    joining(folder)
    sharing(folder)
    streaming(folder)
    searching(folder)
    recording(folder)
    return folder


def run_until_it_serves(example, cwd):
    """Start a command that serves, wait for the line with its address, and end it as a user does."""
    command = [sys.executable, "-u", "-m", "confide", *shlex.split(example)[1:]]
    started = subprocess.Popen(command, cwd=cwd, stderr=subprocess.PIPE, text=True)
    watch = threading.Timer(60, started.kill)
    watch.start()
    said = []
    for line in started.stderr:
        said.append(line)
        if re.search(r" at [\w+]+://\S+:\d+", line):
            started.send_signal(signal.SIGINT)
            break
    said.append(started.stderr.read())
    assert started.wait() == 0, "".join(said)
    watch.cancel()
    assert "Traceback" not in "".join(said)


# `confide compile` runs before the tests of a fresh clone (`conftest.py`), where it has something to do.
EXAMPLES = sorted({line for command in EVERY.values() for line in examples(command)} - {"confide compile"})
# One of each command runs in a process of its own, which imports nothing that the command does not.
AS_A_USER = {example.split()[1]: example for example in EXAMPLES}.values()


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_runs(example, desk, tmp_path):
    if not re.match(r"confide (sample|passport keys|join keys) ", example):  # these make what they name
        shutil.copytree(desk, tmp_path, dirs_exist_ok=True)
    if re.match(r"confide (collect serve|join site|search serve|search wrapper|studio) ", example):
        run_until_it_serves(example, tmp_path)
        return
    if example.startswith("confide stream release"):  # it makes what others look at
        for made in tmp_path.glob("frequent.jsonl*"):
            made.unlink()
    start = confide_process if example in AS_A_USER else run
    done = start(*shlex.split(example)[1:], cwd=tmp_path)
    unreachable = ".example.org" in example  # a name that stands for the reader's own server
    assert done.returncode == (3 if unreachable else 0), done.stderr
    assert "Traceback" not in done.stderr


def test_a_simulated_join_prints_who_learned_what_also_when_it_keeps_the_tree(desk, tmp_path):
    done = run("join", "simulate", "join.toml", "--csv", "-o", tmp_path / "tree.json", cwd=desk)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("who,from,learned,messages,entries,bytes\nT1,T2,")
    assert (tmp_path / "tree.json").exists()
    printed = run("join", "simulate", "join.toml", "--csv", cwd=desk).stdout
    assert printed.count("\n") == done.stdout.count("\n")


def test_help_names_every_command(tmp_path):
    text = confide_process("--help", cwd=tmp_path).stdout
    assert all(re.search(rf"^  {name} ", text, re.MULTILINE) for name in COMMANDS)


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["mine", "itemsets", "none.dat", "-s", "5"], 2, "none.dat: no such file"),
        (["mine", "itemsets", "baskets.csv"], 2, "min-support"),
        (["mine", "itemsets", "baskets.csv", "-s", "many"], 2, "neither a count"),
        (["mine", "itemsets", "baskets.csv", "-s", "0"], 2, "count of 1 or more"),
        (["mine", "itemsets", "baskets.csv", "-s", "1.5"], 2, "nor a share above 0 and up to 1"),
        (["mine", "itemsets", "baskets.csv", "-s", "5", "--kind", "best"], 2, "best"),
        (["mine", "itemsets", "baskets.csv", "-s", "5%", "-o", "out.xlsx"], 2, "out.xlsx"),
        (["mine", "itemsets", "baskets.csv", "-s", "5%", "-o", "baskets.csv"], 2, "is the input"),
        (["mine", "itemsets", "baskets.csv", "-s", "5%", "-o", "signing.pem"], 2, "exists"),
        (["mine", "itemsets", "baskets.csv", "-s", "5%", "-o", "no/out.csv"], 2, "does not exist"),
        (["mine", "itemsets", "signing.pem", "-s", "5"], 2, "does not say the format"),
        (["mine", "rules", "baskets.csv", "-s", "5%", "-c", "2"], 2, "min-confidence"),
        (["verify"], 2, "PASSPORT"),
        (["verify", "baskets.csv"], 1, "passport"),
        (["verify", "people.csv.passport.json", "--key", "baskets.csv"], 2, "not a public key"),
        (["passport", "keys", "signing.pem"], 2, "never overwritten"),
        (["passport", "show", "baskets.csv"], 2, "not a valid passport"),
        (["sample", "quest", "T10", "-o", "q.dat"], 2, "T10"),
        (["nothing"], 2, "No such command"),
        (["mine", "--colour"], 2, "No such option"),
    ],
)
def test_wrong_use_ends_in_one_clear_line(arguments, status, message, desk):
    done = run(*arguments, cwd=desk)
    assert done.returncode == status, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_broken_file_is_named_with_its_line(desk, tmp_path):
    (tmp_path / "t.csv").write_bytes(b"id,item\n1,milk\n1\n")
    done = run("mine", "itemsets", "t.csv", "-s", "1", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.strip() == "confide: t.csv, line 3: 1 cell where the header has 2"


def test_data_goes_to_stdout_as_json_lines_csv_or_a_table(desk):
    asked = ["mine", "itemsets", "baskets.csv", "-s", "20%"]
    lines = run(*asked, cwd=desk).stdout.splitlines()
    records = [json.loads(line) for line in lines]
    assert all(set(record) == {"items", "support"} for record in records)
    assert len(run(*asked, "--csv", cwd=desk).stdout.splitlines()) == len(records) + 1
    assert f"{len(records)} itemsets" in run(*asked, "--table", cwd=desk).stdout


def test_a_passport_verifies_until_a_byte_or_a_row_changes(tmp_path):
    by_hand().write(tmp_path / "t.csv")
    passport = tmp_path / "t.csv.passport.json"
    good = run("verify", passport, cwd=tmp_path)
    assert good.returncode == 0, good.stderr

    original = (tmp_path / "t.csv").read_text()
    (tmp_path / "t.csv").write_text(original.replace("a", "b", 1))
    changed = run("verify", passport, cwd=tmp_path)
    assert changed.returncode == 1
    assert re.search(r"FAIL .*sha256", changed.stderr)

    (tmp_path / "t.csv").write_text(original.replace("20-29", "18-19", 1))
    claims = json.loads(passport.read_text())
    changed_file = (tmp_path / "t.csv").read_bytes()
    claims["artefact"] |= {"sha256": hashlib.sha256(changed_file).hexdigest(), "bytes": len(changed_file)}
    passport.write_text(json.dumps(claims))
    unique = run("verify", passport, cwd=tmp_path)
    assert unique.returncode == 1
    assert re.search(r"FAIL .*k-anonymity|FAIL .*group", unique.stderr), unique.stderr
    assert "18-19" not in unique.stderr


def test_a_signed_passport_is_checked_against_a_trusted_key(tmp_path):
    by_hand().write(tmp_path / "t.csv")
    for name in ("a.pem", "b.pem"):
        assert run("passport", "keys", name, cwd=tmp_path).returncode == 0
    assert (tmp_path / "a.pem").stat().st_mode & 0o077 == 0
    assert run("passport", "sign", "t.csv.passport.json", "--key", "a.pem", cwd=tmp_path).returncode == 0
    assert run("verify", "t.csv.passport.json", "--key", "a.pem.pub", cwd=tmp_path).returncode == 0
    other = run("verify", "t.csv.passport.json", "--key", "b.pem.pub", cwd=tmp_path)
    assert other.returncode == 1
    assert "another key" in other.stderr


def test_a_passport_that_does_not_hold_is_not_signed(tmp_path):
    by_hand().write(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_text("age,illness\n1,a\n")
    run("passport", "keys", "a.pem", cwd=tmp_path)
    refused = run("passport", "sign", "t.csv.passport.json", "--key", "a.pem", cwd=tmp_path)
    assert refused.returncode == 1
    assert "not signed" in refused.stderr


def worked(process):
    """Seconds that a process has computed: time on the clock says little on a busy machine."""
    times = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="this system does not say how long a process computed")
def test_ctrl_c_ends_in_one_line_and_no_file(tmp_path):
    command = [sys.executable, "-m", "confide", "sample", "quest", "T20I8D2M", "-o", "q.dat"]
    started = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    while worked(started) < 1.0:  # then it draws records; before that Python itself starts, which is not ours to end
        time.sleep(0.05)
    started.send_signal(signal.SIGINT)
    _, words = started.communicate(timeout=LONG)
    assert started.returncode == 130
    assert "Traceback" not in words
    assert words.strip().endswith("no file was left half-written")
    assert not list(tmp_path.iterdir())


def test_a_reader_that_leaves_early_is_not_an_error(desk):
    command = f"{shlex.quote(sys.executable)} -m confide mine itemsets baskets.csv -s 2 --max-length 2 | head -1"
    done = subprocess.run(command, cwd=desk, shell=True, capture_output=True, text=True)
    assert done.returncode == 0
    assert "Error" not in done.stderr
    assert "Broken" not in done.stderr


def test_people_can_be_invented_twice_in_one_folder(tmp_path):
    assert run("sample", "people", "-o", "north.csv", "--rows", 50, cwd=tmp_path).returncode == 0
    kept = (tmp_path / "age.csv").read_bytes()
    done = run("sample", "people", "-o", "south.csv", "--rows", 50, "--seed", 2, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "age.csv").read_bytes() == kept
    assert (tmp_path / "south.schema.toml").read_bytes() == (tmp_path / "north.schema.toml").read_bytes()
    (tmp_path / "age.csv").write_text("1;*\n2;*\n")
    done = run("sample", "people", "-o", "east.csv", "--rows", 50, cwd=tmp_path)
    assert (done.returncode, (tmp_path / "east.csv").exists()) == (2, False)
    assert "age.csv exists" in done.stderr


def test_people_are_sought_in_a_table_of_invoice_lines(tmp_path):
    (tmp_path / "lines.csv").write_text("invoice;what;price\n1;milk;1,2\n1;tea;3\n2;milk;1,2\n")
    done = run("attack", "transactions", "lines.csv", "--id", "invoice", "--item", "what", "--known", 1, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
