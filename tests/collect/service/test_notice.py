"""The pages people read: every scheme explained with its own numbers."""

import math

import pytest

from confide.cli.root import confide
from confide.collect import CutAndPaste, Emask, GammaDiagonal, Mask, MatrixScheme
from confide.collect.fields.fields import Fields
from confide.collect.service.notice import form_page, notice_page, posterior, promise
from confide.core.requirements import Amplification

ITEMS = tuple("abcdefgh")
EXPECTED = {
    "mask": (
        Mask(p=0.6, fields=Fields.of({"sex": ["F", "M"], "age": 3, "pay": 3})),
        ["You are asked for sex, age and pay", "chance of 60%", "anyway with a chance of 40%", "gamma: 11.4"],
    ),
    "emask": (
        Emask(p=0.5, q=0.96, items=ITEMS, max_length=1),
        ["which of 8 items apply to you, at most 1 of them", "chance of 50%", "chance of 4%", "gamma: 24"],
    ),
    "cut": (
        CutAndPaste(K=3, rho=0.494, items=ITEMS),
        ["draws a number from 0 to 3", "chance of 49%", "gamma: 15.42", "two draws together have a gamma of 237.7"],
    ),
    "matrix": (MatrixScheme(domains=[2], matrix=[[0.75, 0.25], [0.25, 0.75]]), ["for your a0", "gamma: 3"]),
    "weak": (
        Emask(p=0.9, q=0.99, items=ITEMS),
        ["This is weak protection", "posterior: 5% becomes at most 100%", "x 10^"],
    ),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_the_notice_explains_each_scheme_with_its_own_numbers(name):
    scheme, expected = EXPECTED[name]
    page = notice_page(scheme, "T")
    for text in expected:
        assert text in page, text
    assert ("weak protection" in page) == (name == "weak")


def test_what_the_scheme_says_cannot_become_markup():
    nasty = GammaDiagonal(domains={"<script>alert(1)</script>": ['"><img src=x>', "b"]}, gamma=3)
    assert "<script>alert" not in notice_page(nasty, "<i>")
    assert "<i>" not in notice_page(nasty, "<i>") + form_page(nasty, "<i>")


def test_the_notice_says_how_often_the_truth_itself_is_sent():
    """With few cells and gamma 19 it mostly is: a page that says it never leaves the device would lie."""
    few = GammaDiagonal(domains={"sex": ["F", "M"], "smokes": ["no", "yes"]}, gamma=19)
    page = notice_page(few, "T")
    assert "as they are" in page
    assert "your own answers are sent with a chance of 86% in all" in " ".join(page.split())
    for text in (page, form_page(few, "T")):
        assert "never leave" not in text
        assert "stay on this device" not in text


def test_bounds_on_the_notice_are_rounded_up():
    page = notice_page(GammaDiagonal(domains=[4, 4], gamma=19.3), "T")
    assert "5% becomes at most 50.4%" in page
    assert "gamma: 19.3<" in page


def test_the_command_that_tells_of_privacy_rounds_up_too(tmp_path, capsys):
    GammaDiagonal(domains=[4, 4], gamma=19.3).write(tmp_path / "s.json")
    confide.main(["collect", "privacy", str(tmp_path / "s.json"), "--prior", "0.05"], standalone_mode=False)
    said = capsys.readouterr().err
    assert "gamma 19.3 (epsilon 2.9602)" in said  # 2.96010...
    assert "never rises above 0.504" in said  # 0.50391...


def test_the_form_of_a_weak_scheme_warns_and_that_of_a_strong_one_does_not():
    weak, strong = EXPECTED["weak"][0], EXPECTED["cut"][0]
    assert "This is weak protection" in form_page(weak, "T")
    assert "may become 100%" in " ".join(form_page(weak, "T").split())
    assert "weak protection" not in form_page(strong, "T")


@pytest.mark.parametrize("gamma", [1.5, 19, 1e6])
def test_the_posterior_is_the_requirements_own(gamma):
    assert posterior(math.log(gamma), 0.05) == pytest.approx(Amplification(gamma=gamma).posterior(0.05))
    assert posterior(5000.0, 0.05) == 1


def test_a_gamma_too_large_for_a_number_is_still_stated():
    huge = Emask(p=0.9, q=0.99, items=tuple(str(i) for i in range(1000)))
    assert promise(huge)["gamma"] is None
    assert promise(huge)["epsilon"] > 1000
    assert "gamma: " in notice_page(huge, "T")
