"""Releases of perturbed records: the passport's gamma, what is refused, and `confide collect perturb`."""

import json
import math
import sys

import numpy as np
import pyarrow as pa
import pytest
from tests.commands import confide

from confide import Passport, Randomness, Transactions, report, verify
from confide.cli import main
from confide.collect import Bins, CutAndPaste, Emask, Fields, GammaDiagonal, Mask, MatrixScheme
from confide.collect.perturbed_release import release_perturbed
from confide.core.errors import CannotMeetError, InputError, UsageError

BASKETS = Transactions.from_lists([["a", "b"], ["c"], [], ["a", "c", "d"]] * 5)
TABLE = pa.table({"age": [18, 40, 77] * 4, "sex": ["F", "M", "M"] * 4})
FIELDS = {"age": Bins((30, 50)), "sex": ["F", "M"]}
TWO = [[0.75, 0.3], [0.25, 0.7]]
CASES = [
    (Emask(p=0.5, q=0.9).for_items(list("abcdef"), max_length=3), BASKETS),
    (Mask(p=0.6).for_items(list("abcd")), BASKETS),
    (CutAndPaste(K=2, rho=0.4, items=("d", "c", "b", "a")), BASKETS),
    (Mask(p=0.561, fields=Fields.of(FIELDS)), TABLE),
    (CutAndPaste(K=2, rho=0.4, fields=Fields.of(FIELDS)), TABLE),
    (GammaDiagonal(domains=FIELDS, gamma=19), TABLE),
    (GammaDiagonal(domains=FIELDS, gamma=4, alpha=0.5), TABLE),
    (MatrixScheme(domains={"sex": ["F", "M"]}, matrix=TWO), TABLE.select(["sex"])),
]


@pytest.mark.parametrize(("scheme", "records"), CASES, ids=lambda x: getattr(x, "kind", ""))
def test_a_release_promises_the_scheme_s_gamma_and_is_verified(scheme, records, tmp_path):
    """The auditor works gamma out from the scheme's numbers with code of its own."""
    release = release_perturbed(scheme, records)
    assert release.verification.ok
    path = tmp_path / ("out.dat" if isinstance(release.data, Transactions) else "out.csv")
    release.write(path)
    assert verify(f"{path}.passport.json").ok
    passport = Passport.read(f"{path}.passport.json")
    assert passport.algorithm == scheme.kind
    assert passport.randomness["source"] == "system"
    assert release.requirement.gamma == pytest.approx(scheme.amplification().gamma)
    assert passport.context["scheme"] == scheme.to_dict()
    assert passport.parameters["epsilon"] == pytest.approx(math.log(release.requirement.gamma))
    assert release.loss["records"] == len(records)
    assert release.owner is not None


def test_a_release_says_that_alpha_promises_nothing():
    release = release_perturbed(CASES[6][0], TABLE)
    assert any("alpha adds no privacy" in text for text in release.passport.does_not_protect_against)


def test_what_a_seed_drew_is_not_released():
    with pytest.raises(UsageError, match="protects nobody and is not released"):
        release_perturbed(CASES[6][0], TABLE, randomness=Randomness.seeded(1))


def test_a_weak_scheme_says_so_in_its_passport_and_on_its_page():
    """gamma for a swapped item is small, for a whole record it is none; who reads the one must read the other."""
    weak = Emask(p=0.5, q=0.94).for_items(list("abcdefghijkl"), max_length=6)
    release = release_perturbed(weak, Transactions.from_lists([["a", "b"], ["c"]] * 10))
    said = [text for text in release.passport.does_not_protect_against if "does not protect a whole record" in text]
    assert len(said) == 1
    assert "one item swapped for another is 15.67" in said[0]
    assert "does not protect a whole record" in report.render(release)
    page = report.render(release)
    assert "Verified, but weak" in page
    assert "holds, but weak" in page
    assert release.passport.promise.startswith("Next to no protection for whole records")
    assert "hardly protect a whole record" in release.passport.headline
    assert [check.name for check in release.verification.weak] == ["amplification"]
    assert "bounds next to nothing" in release.verification.summary()
    assert "holds, but weak" in release.verification._repr_html_()
    strong = report.render(release_perturbed(*CASES[5]))
    assert "Verified, but weak" not in strong
    assert "holds, but weak" not in strong
    assert not any("no protection" in text for text in release_perturbed(*CASES[5]).passport.does_not_protect_against)


def test_the_owner_sees_how_the_records_fared_and_the_public_does_not():
    release = release_perturbed(CASES[0][0], BASKETS, keep_order=True)
    facts = release.owner.facts
    kept = sum(len(set(a) & set(b)) for a, b in zip(BASKETS, release.data, strict=True))
    assert facts == {
        "true items": 30,
        "true items still there": kept,
        "false items": len(release.data.indices) - kept,
    }
    assert "kept" not in json.dumps(release.passport.loss)
    gd = release_perturbed(GammaDiagonal(domains=FIELDS, gamma=1e12), TABLE)
    assert gd.owner.facts["records unchanged"] == 12


def test_a_gamma_beyond_all_numbers_is_not_a_promise():
    long = Transactions.from_arrays(np.array([0, 400]), np.arange(400))
    with pytest.raises(CannotMeetError, match=r"records of up to 400 items is e\*\*.*max_length"):
        release_perturbed(Emask(p=0.9, q=0.99), long, labels_from_data=True)


ROWS = 400
NEARLY_TRUE = GammaDiagonal(domains=[ROWS], gamma=1e15)  # a row all but certainly stays what it was


def test_a_release_is_shuffled_and_nobody_can_tell_who_was_first():
    """Of 400 rows in random order one stays where it was, on average; ten or more do once in ten million."""
    truth = pa.table({"a0": [str(i) for i in range(ROWS)]})
    release = release_perturbed(NEARLY_TRUE, truth)
    assert sorted(release.data["a0"].to_pylist()) == sorted(truth["a0"].to_pylist())
    assert sum(a == b for a, b in zip(truth["a0"].to_pylist(), release.data["a0"].to_pylist(), strict=True)) < 10
    frame = release_perturbed(NEARLY_TRUE, truth.to_pandas().set_index(np.arange(ROWS) + 7)).data
    assert frame.index.tolist() == list(range(ROWS))
    baskets = Transactions.from_lists([[str(i)] for i in range(ROWS)])
    sure = Mask(p=0.9999999, items=baskets.labels, max_length=1)
    found = release_perturbed(sure, baskets).data
    assert sum(a == b for a, b in zip(baskets, found, strict=True)) < 10


def test_keeping_the_order_is_said_in_the_passport():
    truth = pa.table({"a0": [str(i) for i in range(ROWS)]})
    release = release_perturbed(NEARLY_TRUE, truth, keep_order=True)
    assert release.data["a0"].to_pylist() == truth["a0"].to_pylist()
    assert any("linking by order" in text for text in release.passport.does_not_protect_against)


def test_labels_of_true_records_become_public_only_when_asked():
    with pytest.raises(UsageError, match=r"names no items.*labels_from_data="):
        release_perturbed(Mask(p=0.6), BASKETS)
    release = release_perturbed(Mask(p=0.6), BASKETS, labels_from_data=True)
    assert any("which items people hold" in text for text in release.passport.does_not_protect_against)


def test_a_scheme_without_a_universe_needs_transactions():
    with pytest.raises(InputError, match="for_items"):
        release_perturbed(Mask(p=0.9), [["a"]], labels_from_data=True)


# -- the command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def run(desk):
    """`confide collect perturb`: (status, what it prints, what it says)."""

    def call(*arguments):
        done = confide("collect", "perturb", *arguments, cwd=desk)
        return done.returncode, done.stdout, done.stderr

    return call


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    folder = tmp_path_factory.mktemp("desk")
    (folder / "t.csv").write_text("age,sex\n18,F\n40,M\n77,M\n")
    (folder / "wrong.csv").write_text("age,sex\n18,F\nM,40\n")
    (folder / "extra.csv").write_text("age,sex,name\n18,F,Ann\n")
    (folder / "ragged.csv").write_text("age,sex\n18,F\n40,M,Ann\n")
    (folder / "empty.csv").write_text("age,sex\n")
    (folder / "b.dat").write_text("1 2 3\n2\n\n3 1\n")
    GammaDiagonal(domains=FIELDS, gamma=19).write(folder / "gd.json")
    Emask(p=0.5, q=0.9).write(folder / "emask.json")
    Mask(p=0.9, items=("1", "2", "3")).write(folder / "three.json")
    Mask(p=0.9, items=("1", "2"), max_length=2).write(folder / "two.json")
    (folder / "later.json").write_text(json.dumps(Mask(p=0.9).to_dict() | {"version": 2}))
    return folder


def test_a_table_is_perturbed_released_and_verified(run, tmp_path):
    status, out, err = run("t.csv", "--scheme", "gd.json", "-o", tmp_path / "o.csv", "--report", tmp_path / "o.html")
    assert status == 0, err
    told = json.loads(out)
    assert told["requirement"] == {"kind": "amplification", "gamma": 19.0}
    assert told["randomness"]["source"] == "system"
    assert verify(tmp_path / "o.csv.passport.json").ok
    assert "19" in (tmp_path / "o.html").read_text()


def test_the_same_seed_writes_the_same_file_and_no_passport(run, tmp_path):
    texts = []
    for name in ("a.dat", "b.dat"):
        status, out, err = run("b.dat", "--scheme", "emask.json", "-o", tmp_path / name, "--seed", "7")
        assert status == 0, err
        assert "protects nobody and gets no passport" in err
        assert "never rises above" not in err
        assert json.loads(out) == {"scheme": "emask", "records": 4, "randomness": Randomness.seeded(7).describe()}
        texts.append((tmp_path / name).read_text())
    assert texts[0] == texts[1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.dat", "b.dat"]


def test_a_longest_record_not_declared_is_that_of_the_file(run, tmp_path):
    status, _, err = run("b.dat", "--scheme", "emask.json", "-o", tmp_path / "a.dat", "--labels-from-data")
    assert status == 0, err
    assert "warning: learning which items people hold" in err
    passport = Passport.read(tmp_path / "a.dat.passport.json")
    scheme = passport.context["scheme"]
    assert (scheme["items"], scheme["max_length"]) == (["1", "2", "3"], 3)
    said = [text for text in passport.does_not_protect_against if "labels_from_data" in text]
    assert len(said) == 2  # items, and the longest record
    assert verify(tmp_path / "a.dat.passport.json").ok


def test_verify_does_not_pass_a_promise_that_bounds_nothing_as_a_good_one(run, tmp_path, monkeypatch, capsys):
    """EMASK over whole baskets holds for a factor of 10^13: exit 0, but never plainly "holds"."""
    Emask(p=0.9, q=0.99).for_items(["1", "2", "3", "4", "5", "6"], max_length=3).write(tmp_path / "weak.json")
    status, _, err = run("b.dat", "--scheme", tmp_path / "weak.json", "-o", tmp_path / "w.dat")
    assert status == 0
    assert "Next to no protection for whole records" in err
    monkeypatch.setattr(sys, "argv", ["confide", "verify", str(tmp_path / "w.dat.passport.json")])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr().err
    assert ended.value.code == 0
    assert "holds, but what it promises bounds next to nothing" in said
    assert "  weak amplification: " in said


def test_order_is_kept_by_an_option_that_warns(run, tmp_path):
    status, _, err = run("t.csv", "--scheme", "gd.json", "-o", tmp_path / "o.csv", "--keep-order")
    assert status == 0
    assert "warning: linking by order" in err
    assert verify(tmp_path / "o.csv.passport.json").ok


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["t.csv", "--scheme", "none.json"], 2, "none.json: no such file"),
        (["t.csv", "--scheme", "later.json"], 2, "later.json: a scheme of version 2"),
        (["t.csv", "--scheme", "t.csv"], 2, "not JSON"),
        (["wrong.csv", "--scheme", "gd.json"], 2, "record 2: a value of field 'age'"),
        (["extra.csv", "--scheme", "gd.json"], 2, "the scheme does not ask for name, which would be sent unperturbed"),
        (["empty.csv", "--scheme", "gd.json"], 2, "holds no records"),
        (["t.csv", "--scheme", "gd.json", "--max-length", "3"], 2, "leave out --max-length"),
        (["b.dat", "--scheme", "two.json"], 2, "not in the scheme's universe"),
        (["b.dat", "--scheme", "two.json", "--max-length", "3"], 2, "--max-length 2"),
        (["b.dat", "--scheme", "emask.json", "--max-length", "3"], 2, "names no items"),
        (["b.dat", "--scheme", "three.json"], 2, "does not say how long a record may be"),
        (["b.dat", "--scheme", "three.json", "--max-length", "2"], 2, "longer than --max-length 2"),
        (["b.dat", "--scheme", "emask.json", "--seed", "-1"], 2, "seed"),
        (["t.csv", "--scheme", "gd.json", "--seed", "1", "--report", "r.html"], 2, "a seeded draw is not released"),
        (["ragged.csv", "--scheme", "gd.json"], 2, "ragged.csv, line 3: 3 cells where the header has 2"),
    ],
)
def test_wrong_use_ends_in_one_clear_line(arguments, status, message, run, tmp_path):
    ended, out, err = run(*arguments, "-o", tmp_path / "o.csv")
    assert (ended, out) == (status, ""), err
    assert message in err
    assert "Ann" not in err  # a person's value
    assert not (tmp_path / "o.csv").exists()
