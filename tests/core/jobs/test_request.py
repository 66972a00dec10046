"""A request says each thing once: ranges are checked when it is made, and errors know parameter, value and cure."""

from dataclasses import FrozenInstanceError, dataclass
from typing import Literal

import pytest

from confide.core.errors import RequestError
from confide.core.jobs.fields import fields_of, setting, source
from confide.core.jobs.kinds import Share
from confide.core.jobs.request import Request


@dataclass(frozen=True, kw_only=True)
class Suppress(Request):
    """Suppress items."""

    records: str = source(help="Baskets.")
    k: int = setting(ge=2, because="protects nobody", help="Fewest records.")
    h: Share = setting(1.0, ge=0, le=1, help="Largest share.")
    seconds: float | None = setting(None, above=0, help="How long it may take.")
    utility: Literal["items", "itemsets"] = setting("items", help="What to keep.")
    put_back: bool = setting(True, help="Put back what went needlessly.")
    settings: tuple[int, ...] = setting((), le=9, help="Several numbers.")
    password: str | None = setting(None, secret=True, help="Never saved.")


def test_a_request_is_frozen_and_keeps_what_it_was_given():
    asked = Suppress(records="b.csv", k=5, settings=[1, 2])
    assert (asked.k, asked.h, asked.settings) == (5, 1.0, (1, 2))
    with pytest.raises(FrozenInstanceError):
        asked.k = 3


@pytest.mark.parametrize(
    ("given", "message", "cure"),
    [
        ({"k": 1}, "k=1 protects nobody; use k=2 or more", 2),
        ({"k": 2.5}, "k=2.5 is not a whole number", None),
        ({"h": 1.5}, "h=1.5 is too large; use h=1 or less", 1),
        ({"seconds": 0}, "seconds=0 is too small; use a number above 0", None),
        ({"utility": "all"}, "utility='all' is none of: items, itemsets", None),
        ({"put_back": "no"}, "put_back='no' is neither true nor false", None),
        ({"settings": (3, 12)}, "settings=12 is too large; use settings=9 or less", 9),
    ],
)
def test_a_fault_names_parameter_value_and_cure(given, message, cure):
    with pytest.raises(RequestError) as error:
        Suppress(**{"records": "b.csv", "k": 5} | given)
    assert str(error.value) == message
    assert error.value.parameter in given
    assert error.value.cure == cure
    if cure is not None:  # what is proposed was tried
        Suppress(**{"records": "b.csv", "k": 5} | {error.value.parameter: cure})


def test_defaults_and_secrets_are_not_saved():
    asked = Suppress(records="b.csv", k=5, password="hidden", h=0.5)
    assert asked.as_plain() == {"records": "b.csv", "k": 5, "h": 0.5}


def test_what_is_true_by_default_is_switched_off_on_the_command_line():
    names = {field.name: field.option_name for field in fields_of(Suppress)}
    assert names["put_back"] == "--no-put-back"
    assert names["k"] == "--k"
