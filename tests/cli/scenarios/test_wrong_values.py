"""Every option of every command, with values that make no sense: one line, which names the option as it is typed."""

import re
import subprocess
import sys

import click
import pytest

from confide.cli.endings.wording import for_the_command, out_of_memory
from confide.cli.root import confide
from confide.collect import Emask, GammaDiagonal
from confide.core.errors import ConfideError
from confide.core.samples.invented_baskets import baskets
from confide.core.samples.people import people
from confide.core.tables.frames import write_table

ARGUMENT = re.compile(r"(?<![-\w.])[a-z][a-z_0-9]*=(?!=)[\w.'\"-]")
NOT_NUMBERS = ["x", ""]
WRONG = {
    "share": ["2", "-1", "0", "nan", "inf", "200%", "5e-324", "1e400"],
    "support": ["0", "-5", "2.5", "0%", "200%", "nan", "inf", "1e400"],
    "float": ["-1", "0", "nan", "inf", "1e400", "5e-324"],
    "number": ["-1", "0", "nan", "inf", "1e400", "200%"],
    "integer range": ["0", "-1", "1.5", "1e3"],
    "float range": ["-1", "2", "nan", "inf"],
    "choice": ["neither"],
    "mark": ["|"],
    "file": ["absent/file.csv"],
}

BASES = {
    "mine itemsets": ["baskets.csv", "-s", "5%", "-o", "sets.jsonl", "--replace"],
    "mine rules": ["baskets.csv", "-s", "5%", "-c", "60%", "-o", "rules.csv", "--replace"],
    "collect plan": ["--rho1", "5%", "--rho2", "50%"],
    "collect plan --scheme emask": ["--scheme", "emask", "--avg-support", "1%", "--records", "100000"],
    "collect plan --scheme mask": ["--scheme", "mask", "--fields", "5", "--gamma", "19"],
    "collect plan --scheme cut-and-paste": ["--scheme", "cut-and-paste", "--fields", "5", "--epsilon", "3"],
    "collect plan --describe": ["--describe", "people.csv", "--columns", "sex,income"],
    "collect perturb": ["baskets.csv", "--scheme", "items.json", "-o", "out.csv", "--replace"],
    "collect mine": ["answers.csv", "--scheme", "fields.json", "-s", "5%", "-o", "mined.csv", "--replace"],
    "collect privacy": ["items.json", "--data", "baskets.csv", "--min-support", "10%", "--seed", "1"],
    "publish transactions": [
        *("baskets.csv", "--k", "3", "--h", "80%", "--p", "2", "--private-prefix", "s:", "-o", "out.csv", "--replace"),
    ],
    "stream plan": ["--min-support", "25"],
    "stream release": [
        *["clicks.jsonl", "--noise-key", "noise.key", "--min-support", "25", "--window", "200"],
        *["-o", "run.jsonl", "--replace"],
    ],
    "stream attack": ["clicks.jsonl", "--min-support", "25", "--window", "200"],
    "stream replay": ["clicks.jsonl", "--limit", "3"],
    "attack transactions": ["baskets.csv", "--private-prefix", "s:", "--samples", "100"],
    "attack collect": ["fields.json", "--samples", "2000", "--seed", "1"],
    "sample baskets": ["-o", "out.csv", "--replace"],
    "sample quest": ["T5I2D1K", "-o", "out.dat", "--replace"],
    "join tree": [
        *("--source", "a=answers.csv", "--source", "b=answers.csv", "--join", "a.sex=b.sex", "--target", "a.size"),
    ],
}


SITES = ["--source", "a=answers.csv", "--source", "b=answers.csv"]
JOINED = [*SITES, "--join", "a.sex=b.sex", "--target", "a.size"]
SERVE = ["collect", "serve", "fields.json", "--store", "s.db", "--port", "0"]
SEND = ["collect", "send", "--field", "sex=F"]
HERE, SAFE = "http://127.0.0.1:9", "https://127.0.0.1:9"

OF_STREAM = ["stream", "release", "clicks.jsonl", "--min-support", "25", "--window", "200", "-o", "x.jsonl"]
PAPER = [*OF_STREAM, "--promise", "none"]
STREAM = [*OF_STREAM[:3], "--noise-key", "noise.key", *OF_STREAM[3:]]

ONE_WRONG = [  # (the option that is wrong, a call that is right but for it)
    ("--port", [*SERVE, "--port", "70000"]),
    ("--form", [*SERVE, "--form", "absent.toml"]),
    ("--form", [*SERVE, "--form", "answers.csv"]),
    ("--key", [*SERVE, "--certificate", "answers.csv"]),
    ("--allow-origin", [*SERVE, "--allow-origin", "nowhere"]),
    ("--store", ["collect", "serve", "fields.json", "--store", "nowhere/s.db", "--port", "0"]),
    ("--store", ["collect", "serve", "fields.json", "--store", "answers.csv", "--port", "0"]),
    ("--host", [*SERVE, "--host", "999.1.1.1"]),
    ("--sign", [*SERVE, "--export", "e.csv", "--sign", "answers.csv"]),
    ("--export", [*SERVE, "--export", "answers.csv"]),
    ("--export", [*SERVE, "--export", "nowhere/e.csv"]),
    ("--field", ["collect", "send", HERE, "--keep", "k.json", "--field", "sex"]),
    ("--max-gamma", [*SEND, HERE, "--keep", "k.json", "--max-gamma", "0"]),
    ("--max-gamma", [*SEND, HERE, "--keep", "k.json", "--max-gamma", "nan"]),
    ("--ca", [*SEND, HERE, "--keep", "k.json", "--ca", "answers.csv"]),
    ("--ca", [*SEND, SAFE, "--keep", "k.json", "--ca", "answers.csv"]),
    ("--scheme", [*SEND, HERE, "--keep", "k.json", "--scheme", "answers.csv"]),
    ("--keep", [*SEND, HERE, "--keep", "nowhere/k.json"]),
    ("--join", ["join", "check", *SITES, "--join", "a.sex", "--target", "a.size"]),
    ("--join", ["join", "check", *SITES, "--join", "a.sex=b.nope", "--target", "a.size"]),
    ("--target", ["join", "check", *SITES, "--join", "a.sex=b.sex", "--target", "a.nope"]),
    ("--target", ["join", "check", *SITES, "--join", "a.sex=b.sex", "--target", "size"]),
    ("--type", ["join", "check", *JOINED, "--type", "a.size=colour"]),
    ("--type", ["join", "check", *JOINED, "--type", "size"]),
    ("--encoding", ["join", "check", *JOINED, "--encoding", "klingon"]),
    ("--site", ["join", "keys", "made", "--site", "a/b"]),
    ("--days", ["join", "keys", "made", "--site", "A", "--days", "0"]),
    ("--address", ["join", "keys", "made", "--site", "A", "--address", "B=there"]),
    ("--config", ["join", "site", "--config", "absent.toml"]),
    ("--config", ["join", "site", "--config", "answers.csv"]),
    ("--config", ["join", "train", "--config", "absent.toml", "-o", "t.json"]),
    ("--config", ["join", "train", "--config", "answers.csv", "-o", "t.json"]),
    ("--tree", ["join", "predict", "answers.csv", "--config", "absent.toml", "--tree", "fields.json"]),
    ("--tree", ["join", "evaluate", "--config", "absent.toml", "--tree", "fields.json"]),
    ("--config", ["join", "intersect", "--config", "answers.csv", "--with", "B", "--size-only"]),
    ("--output", ["join", "simulate", "answers.csv", "-o", "nowhere/t.json"]),
    ("--key", ["verify", "answers.csv", "--key", "people.csv"]),
    ("--output", ["report", "answers.csv", "-o", "nowhere/x.html"]),
    ("--key", ["passport", "sign", "answers.csv", "--key", "absent.pem"]),
    ("--claimed", ["attack", "collect", "fields.json", "--claimed", "0"]),
    ("--confidence", ["attack", "collect", "fields.json", "--confidence", "2"]),
    ("--private", ["attack", "transactions", "baskets.csv", "--private", "absent.txt"]),
    ("--private-prefix", ["attack", "transactions", "baskets.csv", "--private-prefix", "zz:"]),
    (
        "--private-prefix",
        ["publish", "transactions", "baskets.csv", "--k", "3", "--p", "1", "--private-prefix", "zz:", "-o", "x.csv"],
    ),
    ("--release", ["attack", "transactions", "baskets.csv", "--release", "people.csv"]),
    ("--rows", ["sample", "people", "-o", "p.csv", "--rows", "0"]),
    ("--output", ["sample", "people", "-o", "p.xyz"]),
    ("--output", ["sample", "people", "-o", "nowhere/p.csv"]),
    ("--folder", ["demo", "--folder", "answers.csv"]),
    (
        "--min-support",
        ["stream", "release", "clicks.jsonl", "--noise-key", "n", "--min-support", "5", "--window", "200"],
    ),
    ("--vulnerable", [*STREAM, "--vulnerable", "0"]),
    ("--epsilon", [*STREAM, "--epsilon", "0.001"]),
    ("--noise", [*PAPER, "--noise", "rademacher"]),
    ("--window", [*STREAM, "--window", "24"]),
    ("--every", [*STREAM, "--every", "0"]),
    ("--depth", [*PAPER, "--scheme", "order", "--depth", "0"]),
    ("--epoch", [*PAPER, "--epoch", "0"]),
    ("--state", [*STREAM, "--state", "answers.csv"]),
    ("--state-key", [*STREAM, "--state", "s.state", "--state-key", "answers.csv"]),
    ("--to", [*STREAM, "--to", "redis://127.0.0.1:9/0"]),
    ("--output", [*STREAM[:-1], "answers.csv"]),
    ("--host", [*STREAM, "--serve", "0", "--host", "999.1.1.1"]),
    ("--published", ["stream", "attack", "clicks.jsonl", "--published", "answers.csv"]),
    ("--rate", ["stream", "replay", "clicks.jsonl", "--rate", "0"]),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("wrong")
    baskets(300, seed=1).write(made / "baskets.csv")
    write_table(people(200, seed=1), made / "people.csv")
    scheme = GammaDiagonal(domains={"sex": ["F", "M"], "size": ["1", "2", "3"]}, gamma=19)
    scheme.write(made / "fields.json")
    baskets(300, seed=1).write(made / "clicks.jsonl")
    (made / "answers.csv").write_text("sex,size\n" + "F,1\nM,2\nM,3\n" * 20)
    items = baskets(300, seed=1).items
    Emask(p=0.5, q=0.97, items=tuple(items), max_length=40).write(made / "items.json")
    return made


def command_of(base):
    found = confide
    for word in base.split(" --")[0].split():
        found = found.get_command(click.Context(found), word)
    return found


def wrong_values():
    for base in BASES:
        for option in command_of(base).params:
            if not isinstance(option, click.Option) or option.is_flag or option.name in ("output", "report", "sample"):
                continue
            kind = "choice" if isinstance(option.type, click.Choice) else option.type.name
            numbers = kind in ("share", "support", "float", "number", "integer range", "float range")
            for value in [*WRONG.get(kind, []), *(NOT_NUMBERS if numbers else [])]:
                yield base, max(option.opts, key=len), value


def said(base, option, value, folder, monkeypatch):
    """(what the command answers, whether it was refused)."""
    return answer([*base.split(" --")[0].split(), *BASES[base], f"{option}={value}"], folder, monkeypatch)


def answer(words, folder, monkeypatch):
    monkeypatch.chdir(folder)
    try:
        confide.main(words, standalone_mode=False)
    except ConfideError as error:
        return for_the_command(str(error), words), True
    except click.ClickException as error:
        return error.format_message(), True
    except click.exceptions.Exit as left:
        assert left.exit_code == 0
    return "", False


@pytest.mark.parametrize("base", BASES)
def test_a_wrong_value_is_refused_in_one_line_that_names_the_option(base, folder, monkeypatch, capsys):
    faults = []
    refused = 0
    for one, option, value in wrong_values():
        if one != base:
            continue
        message, was_refused = said(base, option, value, folder, monkeypatch)
        capsys.readouterr()
        refused += was_refused
        if "\n" in message or ARGUMENT.search(message) or "in Python" in message:
            faults.append(f"{option} {value!r}: {message}")
        no_number = value in ("x", "", "nan")
        if no_number and not was_refused:
            faults.append(f"{option} {value!r} was taken")
        idle = "does not use --" in message  # the value of one option made another idle: either may be the wrong one
        if was_refused and not idle and not re.search(rf"(?<![-\w]){option}(?![-\w])", message):
            faults.append(f"{option} {value!r}: the option is not named: {message}")
    assert refused
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("option", "words"), ONE_WRONG, ids=lambda given: given if isinstance(given, str) else given[1]
)
def test_where_one_option_is_wrong_the_error_names_that_one(option, words, folder, monkeypatch):
    before = sorted(folder.iterdir())
    message, refused = answer(words, folder, monkeypatch)
    assert refused
    assert "\n" not in message
    assert re.search(rf"(?<![-\w]){option}(?![-\w])", message), message
    assert sorted(folder.iterdir()) == before


def test_an_option_is_blamed_only_where_it_is_clear():
    words = ["verify", "p.json", "--key", "k.pem"]
    assert for_the_command("k.pem: not a key", words) == "--key k.pem: not a key"
    assert for_the_command("p.json: no passport", words) == "p.json: no passport"
    words = ["join", "check", "--source", "a=a.csv", "--join", "a.x=b.y", "--target", "b.y"]
    assert for_the_command("no column 'b.y'", words) == "no column 'b.y'"  # of two options
    assert for_the_command("no column 'a.x'", words) == "--join a.x=b.y: no column 'a.x'"


def test_words_of_python_become_words_of_the_command():
    words = ["mine", "itemsets"]
    assert for_the_command("min_support=0 is out of range", words) == "--min-support 0 is out of range"
    assert for_the_command("x exists; say replace=True", words) == "x exists; say --replace"
    assert for_the_command("a shorter max_length", words) == "a shorter --max-length"
    assert for_the_command("no column 'max_length'; columns are: a=b", words).startswith("no column 'max_length'")


def test_a_table_with_a_row_per_item_is_not_doubted_where_its_columns_are_named(folder, monkeypatch, capsys):
    """A sheet of customers and products, as a spreadsheet of another country saves it."""
    (folder / "sheet.csv").write_text("Customer;Product\n1;Tee\n1;Brot\n2;Milch\n2;Brot\n")
    message, refused = answer(["mine", "itemsets", "sheet.csv", "-s", "1"], folder, monkeypatch)
    assert refused
    assert "--id and --item" in message
    capsys.readouterr()
    words = ["mine", "itemsets", "sheet.csv", "--id", "Customer", "--item", "Product", "-s", "2", "--csv"]
    assert answer(words, folder, monkeypatch) == ("", False)
    shown = capsys.readouterr()
    assert shown.out == "items,support\nBrot,2\n"
    assert "warning" not in shown.err


@pytest.mark.parametrize("value", ["20%", "0.2"])
def test_a_confidence_may_be_given_in_percent(value, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    confide.main(["mine", "rules", "baskets.csv", "-s", "2%", "-c", value, "--csv"], standalone_mode=False)
    assert capsys.readouterr().out


@pytest.mark.parametrize("text", ["nan", "inf", "-inf%"])
def test_a_share_is_a_number(text, folder, monkeypatch):
    monkeypatch.chdir(folder)
    with pytest.raises((click.UsageError, ConfideError)):
        confide.main(["mine", "rules", "baskets.csv", "-s", "2%", "-c", text], standalone_mode=False)


@pytest.mark.parametrize(("words", "near"), [(["verfy"], "verify"), (["publish", "tabel"], "table")])
def test_a_mistyped_command_is_answered_with_the_nearest(words, near):
    done = subprocess.run([sys.executable, "-m", "confide", *words], capture_output=True, text=True)
    assert done.returncode == 2
    assert f"No such command {words[-1]!r}; did you mean {near!r}?" in done.stderr


def test_advice_where_memory_runs_out_names_only_options_that_the_command_has():
    for words, command in every_command():
        known = {name for option in command.params for name in (*option.opts, *option.secondary_opts)}
        advised = out_of_memory(words)
        assert set(re.findall(r"--[a-z-]+", advised)) <= known, words
        assert ("--min-support" in advised) == ("--min-support" in known), words
    assert "--" not in out_of_memory(["verify", "baskets.passport.json"])
    assert "--engine stream" in out_of_memory(["publish", "table", "people.parquet"])
    assert "--" not in out_of_memory(["search", "query", "tea"])  # whose --engine is another


def every_command(group=confide, words=()):
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from every_command(command, (*words, name))
        else:
            yield [*words, name], command
