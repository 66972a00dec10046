"""Every word on the page of a release is traced: to a check, to a closed list, or to what stands apart as not checked.

Each field of each passport is changed, one after the other, in releases of every stage, method and promise. Either the
auditor refuses, or the part of the page that stands under its verdict stays as it was: what it says is found out from
the files. What it says is then traced, word by word, to the auditor's answer and to lists of our own.
"""

import json
import re
from functools import cache

import pytest
from tests.amounts import some
from tests.every_release import RELEASES, write_release
from tests.report.made import Page

from confide import Passport, Release, verify
from confide.core.requirements import Requirement
from confide.core.stages import STAGES
from confide.report import render
from confide.report.blocks import facts
from confide.report.passport_facts import identity, making

CLOSED = "the passport does not say how clients drew"  # all that an answer of the auditor may say in place of another
MARK = "differential privacy, epsilon 0.01"
SAID = re.compile(r'<section aria-labelledby="said".*?</section>', re.DOTALL)
HEAD = re.compile(r"<style>.*?</style>", re.DOTALL)
EVERY = pytest.mark.parametrize("name", RELEASES)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Each release as it is written once: its passport as plain data, and where it lies."""

    @cache
    def write(name):
        folder = tmp_path_factory.mktemp("release")
        write_release(name, folder)
        beside = folder / f"{name}.passport.json"
        return beside, json.loads(beside.read_text())

    return write


def answer(beside, passport):
    """The auditor's answer to a passport, and the page of the release, if it can be read at all."""
    beside.write_text(json.dumps(passport))
    outcome = verify(beside)
    if not outcome.ok:
        return outcome, ""
    return outcome, render(Release.described(Passport.read(beside), verification=outcome))


def checked_text(page):
    """All that stands under the verdict: the page without what is said apart as not checked."""
    apart = SAID.search(page)
    assert apart is not None
    return Page(HEAD.sub("", page.replace(apart.group(), ""))).text


def changes(plain, path=()):
    """(path, changed value) for each field: another text, another number, a list longer or shorter, a key more."""
    if isinstance(plain, dict):
        yield path, {**plain, MARK: MARK}
        yield path, {**plain, MARK: 5000}
        for key, value in plain.items():
            yield path, {other: inner for other, inner in plain.items() if other != key}
            yield path, {(MARK if other == key else other): inner for other, inner in plain.items()}
            yield from changes(value, (*path, key))
    elif isinstance(plain, list):
        yield path, [*plain, MARK]
        yield path, [*plain, *plain[:1]]
        yield path, plain[:-1]
        for place, value in enumerate(plain):
            yield from changes(value, (*path, place))
    elif isinstance(plain, bool) or plain is None:
        yield path, not plain
        yield path, MARK
    elif isinstance(plain, str):
        yield path, MARK
        yield path, f"{plain} {MARK}"
        yield path, ""
    else:
        yield path, plain + 1
        yield path, plain / 2
        yield path, 5000
        yield path, MARK


def put(plain, path, value):
    """The same with another value at this place."""
    if not path:
        return value
    changed = dict(plain) if isinstance(plain, dict) else list(plain)
    changed[path[0]] = put(changed[path[0]], path[1:], value)
    return changed


@EVERY
def test_no_accepted_change_of_a_passport_shows_under_the_verdict(written, name):
    beside, passport = written(name)
    outcome, page = answer(beside, passport)
    assert outcome.ok, outcome.summary()
    before = checked_text(page)
    accepted = 0
    for path, value in some(list(changes(passport)), every=16, first=len(name)):
        outcome, page = answer(beside, put(passport, path, value))
        if not outcome.ok:
            continue
        accepted += 1
        after = checked_text(page)
        assert MARK not in after, path
        assert not any(MARK in line for line in outcome.lines()), path
        # What the checks take as given (other roles, other counts), and a weaker promise, which was checked as claimed.
        if path[:1] not in (("context",), ("requirement",)):
            more = tokens(after) - tokens(before) - tokens(str(len(outcome.checks)))
            assert not [word for word in more if re.search("[0-9]", word)], path
            assert more <= tokens(f"{CLOSED} {passport['promise']}"), path
    assert accepted  # at least when it was made is nobody's to check


@EVERY
def test_with_all_that_nobody_can_check_changed_at_once_the_page_says_the_same(written, name):
    beside, passport = written(name)
    outcome, page = answer(beside, passport)
    found = outcome.findings
    changed = passport | {"headline": MARK, "created": MARK, "versions": {"confide": MARK}}
    changed["loss"] = {key: passport["loss"][key] for key in passport["loss"] if key in found.figures} | {MARK: MARK}
    if passport["stage"] in ("collect", "stream"):  # there all figures follow from the files
        changed["loss"].pop(MARK)
    for part in ("algorithm", "parameters", "randomness"):
        if part not in found.settled and not (part == "randomness" and passport["stage"] == "collect"):
            changed[part] = MARK if part == "algorithm" else {MARK: MARK}
    if passport["stage"] in ("publish table", "stream"):  # whose headlines are compared with their figures
        changed["headline"] = passport["headline"]
    outcome, forged = answer(beside, changed)
    assert outcome.ok, outcome.summary()
    assert checked_text(forged) == checked_text(page)
    assert MARK in Page(SAID.search(forged).group()).text


def tokens(text):
    return {word.rstrip(".") for word in re.findall(r"[^\s\"'(),;:]+", text)}


@cache
def words_of_templates():
    from confide.report.release_pages import _environment

    loader = _environment().loader
    texts = [
        loader.get_source(_environment(), name)[0] for name in ("base.html.j2", "parts.html.j2", "release.html.j2")
    ]
    return tokens(" ".join(re.sub(r"<[^>]*>|[{}%|=\[\]~]", " ", text) for text in texts))


@EVERY
def test_every_word_under_the_verdict_has_a_source(written, name):
    beside, passport = written(name)
    outcome, page = answer(beside, passport)
    known = Passport.read(beside)
    requirement = Requirement.from_dict(known.requirement)
    words, found = known.words_of(requirement), outcome.findings
    limits = [
        text for text in known.does_not_protect_against if text not in known.unknown_caveats(requirement, found.caveats)
    ]
    terms = requirement.words_in_other_terms(known.kind_of_file, known.context)
    shown = [*facts(found.figures), *identity(known, found.settled)]
    sources = [
        *(text for check in outcome.checks for text in (check.name, check.detail)),  # the auditor's answer
        *outcome.not_provable,
        found.sentence,
        *(str(fact) for fact in shown),
        *(words.promise, *words.stops, *limits),  # the requirement's own words, and a closed list of limits
        *requirement.limits_by_heading(limits),
        *terms,
        *terms.values(),
        *STAGES,
        f"All {len(outcome.checks)} checks hold. They were run by separate code, which does not use the code that made",
        "the release, but the promise is so weak that it bounds next to nothing. Read it with care. Verified, but weak",
        "Not verified as a whole. The file is in order, but does not say all that is promised.",
        known.artefact.name,
        f"{known.artefact.name}.passport.json",
    ]
    for heading, group in making(known, found.settled):  # what the files settle of how it was made
        sources += [heading, *(str(fact) for fact in group)]
    allowed = tokens(" ".join(sources)) | words_of_templates()
    strange = {word for word in tokens(checked_text(page)) if word not in allowed and word.lower() not in allowed}
    assert not strange
