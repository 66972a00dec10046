"""Errors say as data what their one line says: the parameter that was refused, its value, and what works."""

import ast
import math
from pathlib import Path

import pytest

from confide import (
    AlphaK,
    Amplification,
    BetaLikeness,
    Coherence,
    DeltaDisclosure,
    EntropyDiversity,
    Exposure,
    KAnonymity,
    LimitedExchange,
    OutputPrivacy,
    RecursiveDiversity,
    SimpleDiversity,
    TCloseness,
)
from confide.core import errors
from confide.core.errors import CannotMeetError, ConfideError, RequestError, RequirementError, show_cures

SRC = Path(errors.__file__).parents[1]

REFUSED = [
    (Coherence, {"h": 0.5, "k": 1, "p": 2}, "k"),
    (Coherence, {"h": 5, "k": 2, "p": 2}, "h"),
    (Coherence, {"h": 0.5, "k": 2, "p": 0}, "p"),
    (KAnonymity, {"k": 0}, "k"),
    (SimpleDiversity, {"l": 1}, "l"),
    (EntropyDiversity, {"l": 1}, "l"),
    (RecursiveDiversity, {"c": 0, "l": 2}, "c"),
    (AlphaK, {"alpha": 2, "k": 2}, "alpha"),
    (TCloseness, {"t": 1}, "t"),
    (BetaLikeness, {"beta": 0}, "beta"),
    (DeltaDisclosure, {"delta": math.inf}, "delta"),
    (Amplification, {"gamma": 1}, "gamma"),
    (Exposure, {"min_detail": 2}, "min_detail"),
    (LimitedExchange, {"min_records": 0}, "min_records"),
    (OutputPrivacy, {"epsilon": -1, "delta": 0.4, "min_support": 25, "vulnerable": 5}, "epsilon"),
]


@pytest.mark.parametrize(("requirement", "settings", "parameter"), REFUSED)
def test_a_requirement_says_as_data_what_it_refuses(requirement, settings, parameter):
    with pytest.raises(RequirementError) as refusal:
        requirement(**settings)
    error = refusal.value
    assert error.parameter == parameter
    assert error.value == settings[parameter]
    assert f"{parameter}={settings[parameter]}" in str(error)


@pytest.mark.parametrize(("requirement", "settings", "parameter"), REFUSED)
def test_a_cure_that_is_named_works(requirement, settings, parameter):
    """Where a refusal knows a setting that works, asking again with it is not refused for this parameter."""
    with pytest.raises(RequirementError) as refusal:
        requirement(**settings)
    for cure in refusal.value.cures:
        requirement(**{**settings, **cure})


def test_counts_are_cured():
    with pytest.raises(RequirementError) as refusal:
        KAnonymity(k=1)
    assert refusal.value.cures == ({"k": 2},)


def test_each_side_words_a_request_error():
    error = RequestError("min_support", 0, "finds everything; use {} or more", cure=1)
    assert str(error) == "min_support=0 finds everything; use min_support=1 or more"
    command = error.worded(lambda name, value: f"--{name.replace('_', '-')} {value}")
    assert command == "--min-support 0 finds everything; use --min-support 1 or more"
    assert (error.parameter, error.value, error.cures) == ("min_support", 0, ({"min_support": 1},))


def test_a_message_is_one_line_whatever_a_file_names():
    assert "\n" not in str(ConfideError("no column 'a\nb\x1b[0m'"))


def test_cures_are_listed_in_the_text_and_kept():
    error = CannotMeetError("l=4 cannot be met", parameter="l", value=4, cures=[{"l": 2, "c": 3.0}], advice="or wait")
    assert str(error) == f"l=4 cannot be met; nearest that works: {show_cures(error.cures)}; or wait"
    assert error.cures == ({"l": 2, "c": 3.0},)


def test_a_refusal_that_begins_with_a_setting_carries_it():
    """`raise UsageError(f"k={k} ...")` without `parameter=` would leave programs to read the text."""
    bare = []
    for path in SRC.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and len(node.exc.args) == 1:
                text, names = node.exc.args[0], {keyword.arg for keyword in node.exc.keywords}
                refuses = ast.unparse(node.exc.func) in ("UsageError", "RequirementError", "CannotMeetError")
                if refuses and "parameter" not in names and _begins_with_setting(text):
                    bare.append(f"{path.relative_to(SRC)}:{node.lineno}")
    assert not bare


def _begins_with_setting(text):
    parts = text.values if isinstance(text, ast.JoinedStr) else []
    first = parts[0].value if parts and isinstance(parts[0], ast.Constant) else ""
    return len(parts) > 1 and first.endswith("=") and first[:-1].isidentifier()
