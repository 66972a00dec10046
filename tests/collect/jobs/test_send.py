"""Sending as a notebook asks for it: one draw, kept, and its price when a second is asked for."""

import pytest

from confide.collect import Emask, GammaDiagonal, SendRequest, send
from confide.collect.jobs.send import will_draw
from confide.core.errors import CannotMeetError, UnreachableError, UsageError

SURVEY = GammaDiagonal(domains={"sex": ["f", "m"]}, gamma=19)


def test_a_record_is_drawn_once_and_kept(tmp_path):
    keep = tmp_path / "kept.json"
    assert will_draw(keep, fresh=False, accepted=False)
    first = send(SendRequest(record={"sex": "f"}, keep=keep, scheme=SURVEY))
    assert not will_draw(keep, fresh=True, accepted=False)
    again = send(SendRequest(record=None, keep=keep, scheme=SURVEY))
    assert again.kept == first.kept
    assert first.notes == (
        f"drew a record and kept it in {keep}",
        "gamma of the one draw about you: 19 (epsilon 2.945)",
        "the record is not sent",
    )
    assert again.notes[0] == f"took the record kept in {keep}"
    assert first.to_dict()["state"] == "not sent"


def test_a_fresh_draw_has_a_price_that_must_be_accepted(tmp_path):
    keep = tmp_path / "kept.json"
    send(SendRequest(record={"sex": "f"}, keep=keep, scheme=SURVEY))
    with pytest.raises(CannotMeetError, match="gamma rises from 19"):
        send(SendRequest(record={"sex": "f"}, keep=keep, scheme=SURVEY, fresh=True))
    done = send(SendRequest(record={"sex": "f"}, keep=keep, scheme=SURVEY, fresh=True, accepted=True))
    assert done.to_dict()["draws"] == 2


def test_a_weak_scheme_and_no_scheme_are_refused_before_anything_is_drawn(tmp_path):
    keep = tmp_path / "kept.json"
    with pytest.raises(CannotMeetError, match="nothing was drawn"):
        send(SendRequest(record=["a"], keep=keep, scheme=Emask(p=0.99, q=0.99, items=("a", "b"))))
    with pytest.raises(UsageError, match="give the collector's url"):
        send(SendRequest(record=["a"], keep=keep))
    assert not keep.exists()


def test_a_collector_that_does_not_answer_draws_nothing(tmp_path):
    with pytest.raises(UnreachableError):
        send(SendRequest(record={"sex": "f"}, keep=tmp_path / "kept.json", url="http://127.0.0.1:9/", scheme=SURVEY))
    assert not (tmp_path / "kept.json").exists()
