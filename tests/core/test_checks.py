"""What a verifier answers, in words and as plain values."""

from confide.core.checks import Check, Findings, Verification
from confide.core.figures import Figure, Figures

HELD = Check(name="size", ok=True, detail="10 bytes")
LITTLE = Check(name="gamma", ok=True, weak=True)
BROKEN = Check(name="k", ok=False, detail="a group of 2")


def test_verdicts():
    assert Verification.of([HELD]).verdict() == "holds"
    assert Verification.of([HELD, LITTLE]).verdict() == "holds, but what it promises bounds next to nothing"
    assert Verification.of([LITTLE, BROKEN]).verdict() == "FAILS"
    assert Verification.of([]).verdict() == "FAILS"


def test_every_check_has_its_line():
    told = Verification.of([HELD, LITTLE, BROKEN], not_provable=["the input"]).lines()
    assert told == ["ok   size: 10 bytes", "weak gamma", "FAIL k: a group of 2", "not provable here: the input"]


def test_plain_values():
    plain = Verification.of([BROKEN], not_provable=["the input"], unchecked=["its headline"]).to_dict()
    assert plain == {
        "ok": False,
        "found": {"sentence": "", "figures": {}},
        "not_checked": ["its headline"],
        "checks": [{"name": "k", "ok": False, "detail": "a group of 2", "weak": False}],
        "not_provable": ["the input"],
    }


def test_what_was_found_counts_where_its_check_holds():
    figure = Figures(Figure("rows", 7, "count"))
    good = Check(name="rows", ok=True, findings=Findings(sentence="Seven rows.", figures=figure, key=("rows",)))
    bad = Check(name="groups", ok=False, findings=Findings(sentence="No group.", settled=frozenset({"algorithm"})))
    found = Verification.of([bad, good]).findings
    assert (found.sentence, dict(found.figures), found.key, found.settled) == (
        "Seven rows.",
        {"rows": 7},
        ("rows",),
        frozenset(),
    )
