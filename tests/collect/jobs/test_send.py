"""Sending as a notebook asks for it: one draw, kept, and its price when a second is asked for."""

import json

import pytest

from confide.collect import CollectSend, Emask, GammaDiagonal, send
from confide.core.errors import CannotMeetError, InputError, RequestError, UnreachableError, UsageError
from confide.core.jobs.outcome import Host

SURVEY = GammaDiagonal(domains={"sex": ["f", "m"]}, gamma=19)


def here(keep, **asked):
    return CollectSend(**{"keep": keep, "scheme": SURVEY, "dry_run": True, **asked})


def test_a_record_is_drawn_once_and_kept(tmp_path):
    keep, said = tmp_path / "kept.json", []
    first = send(here(keep, record={"sex": "f"}), Host(say=said.append))
    again = send(here(keep), Host(say=said.append))
    assert again.kept == first.kept
    assert said[:2] == [f"drew a record and kept it in {keep}", "gamma of the one draw about you: 19 (epsilon 2.945)"]
    assert said[2] == f"took the record kept in {keep}"
    assert first.notes == ("the record is not sent",)
    assert first.document["state"] == "not sent"


def test_a_record_comes_from_a_file_or_by_its_fields_but_once(tmp_path):
    (tmp_path / "answer.json").write_text(json.dumps({"sex": "f"}))
    for number, given in enumerate([{"record": tmp_path / "answer.json"}, {"fields": {"sex": "f"}}]):
        assert len(send(here(tmp_path / f"{number}.json", **given)).kept.draws) == 1
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(InputError, match="not JSON"):
        send(here(tmp_path / "kept.json", record=tmp_path / "broken.json"))
    (tmp_path / "twice.json").write_text('{"sex": "f", "sex": "m"}')  # which of the two would be sent?
    with pytest.raises(InputError, match="a key is given twice") as refused:
        send(here(tmp_path / "kept.json", record=tmp_path / "twice.json"))
    assert "'sex'" not in str(refused.value)
    for given in ({}, {"record": {"sex": "f"}, "fields": {"sex": "f"}}):
        with pytest.raises(UsageError, match="give the record once"):
            send(here(tmp_path / "kept.json", **given))


def test_a_fresh_draw_has_a_price_that_must_be_accepted(tmp_path):
    keep = tmp_path / "kept.json"
    send(here(keep, record={"sex": "f"}))
    with pytest.raises(CannotMeetError, match="gamma rises from 19"):
        send(here(keep, record={"sex": "f"}, fresh=True))
    assert send(here(keep, record={"sex": "f"}, fresh=True, accepted=True)).document["draws"] == 2


def test_a_weak_scheme_and_no_scheme_are_refused_before_anything_is_drawn(tmp_path):
    keep = tmp_path / "kept.json"
    with pytest.raises(CannotMeetError, match="nothing was drawn"):
        send(here(keep, record=["a"], scheme=Emask(p=0.99, q=0.99, items=("a", "b"))))
    with pytest.raises(UsageError, match="give the collector's URL, or scheme"):
        here(keep, record=["a"], scheme=None)
    with pytest.raises(RequestError, match="lets no scheme pass"):
        here(keep, record=["a"], max_gamma=1)
    assert not keep.exists()


def test_a_collector_that_does_not_answer_draws_nothing(tmp_path):
    with pytest.raises(UnreachableError):
        send(here(tmp_path / "kept.json", record={"sex": "f"}, url="http://127.0.0.1:9/", dry_run=False))
    assert not (tmp_path / "kept.json").exists()


def test_address_and_file_may_come_in_either_order_and_the_file_alone(tmp_path):
    for url, record in [("http://127.0.0.1:9/", "a.json"), ("a.json", "http://127.0.0.1:9/")]:
        request = here(tmp_path / "k.json", url=url, record=record)
        assert (request.url, str(request.record)) == ("http://127.0.0.1:9/", "a.json")
    alone = here(tmp_path / "k.json", url="a.json")
    assert (alone.url, str(alone.record)) == (None, "a.json")
    with pytest.raises(UsageError, match="one URL"):
        here(tmp_path / "k.json", url="a.json", record="b.json")


def test_a_saved_request_holds_no_answer(tmp_path):
    plain = here(tmp_path / "k.json", scheme=tmp_path / "s.json", fields={"sex": "f"}, items=("tea",)).as_plain()
    assert set(plain) == {"keep", "scheme", "dry_run"}
