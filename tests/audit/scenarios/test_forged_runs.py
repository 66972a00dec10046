"""Forged runs of a stream: none is accepted, whatever was changed and however well its hashes fit."""

import os
import random
from collections import Counter

import pytest
from tests.forged_runs import FORMS, KINDS, forged, unforged

from confide import verify

ROUNDS = int(os.environ.get("CONFIDE_FORGERIES", "1500")) // len(KINDS)  # of each kind; equal ones are judged once


def accepted(path, data, passport):
    path.write_bytes(data)
    return verify(passport, artefact=path)


@pytest.mark.parametrize("kind", KINDS)
def test_no_forged_run_is_accepted(kind, tmp_path):
    draw, seen, done = random.Random(kind), set(), Counter()
    path = tmp_path / "out.jsonl"
    for n in range(ROUNDS):
        data, passport, name = forged(draw, kind, n % len(FORMS))
        done[name] += 1
        key = hash((data, passport.model_dump_json(exclude={"created"})))
        if key in seen:
            continue
        seen.add(key)
        assert not accepted(path, data, passport).ok, name
    assert min(done.values()) > 0


@pytest.mark.parametrize("form", range(len(FORMS)))
def test_what_the_forger_starts_from_is_accepted(form, tmp_path):
    data, passport = unforged(form)
    found = accepted(tmp_path / "out.jsonl", data, passport)
    assert found.ok, [check for check in found.checks if not check.ok]
