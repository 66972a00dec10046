"""Any message that fits its schema, at any moment, from anybody: a site answers or refuses, and never breaks."""

import random

import numpy as np
import pyarrow as pa
import pytest
from tests.join.sites import FIGURE_2, FIGURE_2_JOINS, run_of

from confide.core.errors import InputError
from confide.join.coordinator.run_opening import open_run
from confide.join.coordinator.run_record import RunRecord
from confide.join.network.links import serve
from confide.join.protocol.messages import Message
from confide.join.protocol.verbs import VERBS

TEXTS = ["T1", "T2", "T3", "coordinator", "", "x" * 300, "0" * 32, "row", "id"]


def drawn_header(draw, verb, run):
    """A header that fits the verb's model, with odd values."""
    made = {}
    for name, field in VERBS[verb].header.model_fields.items():
        kind = field.annotation
        if name == "run":
            made[name] = run
        elif name in ("token", "session", "attempt"):
            made[name] = draw.choice(["0" * 32, "f" * 32])
        elif kind is bool:
            made[name] = draw.random() < 0.5
        elif kind is float:
            made[name] = draw.choice([0.001, 30.0])
        elif kind in (int, int | None):
            made[name] = draw.choice([0, 1, 2, 3, 99_999])
        elif kind is str:
            made[name] = draw.choice(TEXTS)[:10]
        elif name == "steps":
            made[name] = [(draw.choice(TEXTS), draw.choice(TEXTS)) for _ in range(draw.randrange(4))]
        elif kind == list[int]:
            made[name] = [draw.randrange(9) for _ in range(3)]
        elif kind == list[str]:
            made[name] = [draw.choice(TEXTS) for _ in range(draw.randrange(3))]
        else:
            made[name] = {draw.choice(TEXTS): draw.choice(TEXTS) for _ in range(2)}
    return made


def drawn_columns(draw, verb):
    rows = draw.choice([0, 1, 2, 3, 7])
    made = {}
    for name, types in VERBS[verb].columns.items():
        for column in [f"{name[:-1]}{c}" for c in range(draw.choice([1, 2, 3]))] if name.endswith("*") else [name]:
            kind = draw.choice(types)
            if kind.startswith("list"):
                values = [[draw.randrange(5) for _ in range(draw.randrange(3))] for _ in range(rows)]
                made[column] = pa.array(values, pa.list_(getattr(pa, kind[11:-1])()))
            elif kind == "string":
                made[column] = pa.array(
                    [draw.choice(["0", "3", "-1", "x", "9" * 30]) for _ in range(rows)], pa.string()
                )
            elif kind.startswith("fixed"):
                made[column] = pa.array([draw.randbytes(32) for _ in range(rows)], pa.binary(32))
            else:
                low = 0 if kind.startswith("u") else -2
                made[column] = np.array([draw.choice([low, 0, 1, 2, 5, 100]) for _ in range(rows)], dtype=kind)
    return made


def opened(coordinator):
    """A run that has come as far as its root."""
    record = RunRecord.new(coordinator.question(), None)
    run = coordinator.run(record)
    with run.asker.watching():
        open_run(run, resume=False)
    return record.run


@pytest.mark.parametrize("stage", ["root", "finished"])
@pytest.mark.parametrize("seed", range(8))
def test_a_site_answers_or_refuses_whatever_fits_the_schema(seed, stage):
    draw = random.Random(seed)
    coordinator, sites = run_of(FIGURE_2, FIGURE_2_JOINS, ("T1", "class"), min_branch=1, confidence=None)
    run = opened(coordinator) if stage == "root" else coordinator.train().run
    for site in sites:
        site.outbox.deadline = site.runs.current.inbox.deadline = 0.01
    left_out = ("meet", "introduce", "compare", *(("begin", "propagate", "stop", "finish") if stage == "root" else ()))
    verbs = [verb for verb in VERBS if verb not in left_out]  # the first three start processes, the others end the run
    answered = refused = 0
    for _ in range(300):
        verb = draw.choice(verbs)
        sent = Message(verb, drawn_header(draw, verb, draw.choice([run, run, "0" * 32])), drawn_columns(draw, verb))
        try:
            message, size = Message.from_bytes(sent.to_bytes())
        except InputError:
            continue
        sender = draw.choice(["coordinator"] * 3 + ["T1", "T2", "T3", "stranger"])
        answer = serve(draw.choice(sites), sender, message, size, lambda: False)
        assert answer.header.get("code") != "bug", (verb, sender, sent, answer)
        answered += answer.verb != "failed"
        refused += answer.verb == "failed"
    assert answered > 0
    assert refused > 50
    for site in sites:
        site.outbox.deadline = 60
    coordinator.train(take_over=True)  # and a run works as before
