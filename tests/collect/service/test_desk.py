"""The desk: one answer by each personal link, states that outlive the collector, questions that stay as they were."""

import uuid

import pytest
from tests.collect.health_survey import SURVEY, TEXT, scheme_for
from tests.collector import Collector, ask, refusal, submission
from tests.commands import confide

from confide.collect import GammaDiagonal
from confide.collect.service.client import Client
from confide.collect.service.desk import read_state, settle_questions, write_state
from confide.collect.service.store import opened
from confide.collect.survey.survey_file import Survey
from confide.core.errors import InputError, UsageError

SCHEME = GammaDiagonal(domains={"sex": ["f", "m"], "smokes": ["no", "yes"]}, gamma=19)


def codes_of(path):
    return [line.partition("#")[2] for line in path.read_text().splitlines()]


def test_a_link_takes_one_answer_however_often_it_is_sent(tmp_path):
    links = tmp_path / "links.txt"
    with Collector(tmp_path, SCHEME, str(tmp_path / "a.duckdb"), "--links", str(links), "--people", "3") as collector:
        first, second, _ = codes_of(links)
        body = submission(SCHEME, [[0, 1]])
        status, said, _ = ask(collector.url + "records", body)
        assert (status, said["why"]) == (403, "link needed")
        status, said, _ = ask(collector.url + "records", {**body, "code": "x" * 22})
        assert (status, said["why"]) == (403, "link used")
        assert ask(collector.url + "records", {**body, "code": first})[1]["state"] == "stored"
        assert ask(collector.url + "records", {**body, "code": first})[1]["state"] == "already stored"
        status, said, _ = ask(collector.url + "records", {**submission(SCHEME, [[1, 1]]), "code": first})
        assert (status, said["why"]) == (403, "link used")
        status, said, _ = ask(collector.url + "records", {**body, "records": [[1, 0]], "code": second})
        assert status == 409
        assert codes_of(links).count(second) == 1, "what was not stored strikes no link off"
        status, said, _ = ask(collector.url + "records", {**submission(SCHEME, [[1, 1]] * 2), "code": second})
        assert status == 400
        _, sent = Client(f"{collector.url}form#{second}").send({"sex": "f", "smokes": "no"}, keep=tmp_path / "k.json")
        assert not sent.repeated
        assert second not in codes_of(links)
        assert collector.stop() == 0
    stored = (tmp_path / "a.duckdb").read_bytes()
    assert not any(code.encode() in stored for code in (first, second))
    with opened(str(tmp_path / "a.duckdb")) as store:
        assert store.count() == (2, 2)


def test_a_link_whose_answer_was_stored_before_a_kill_is_struck_off_by_the_same_answer(tmp_path):
    links = tmp_path / "links.txt"
    with Collector(tmp_path, SCHEME, str(tmp_path / "a.duckdb"), "--links", str(links), "--people", "2") as collector:
        code = codes_of(links)[0]
        text = links.read_text()
        body = {**submission(SCHEME, [[0, 1]]), "code": code}
        assert ask(collector.url + "records", body)[1]["state"] == "stored"
        collector.kill()
        links.write_text(text)  # as if the kill had come between the store and the file
        collector.start()
        assert ask(collector.url + "records", body)[1]["state"] == "already stored"
        assert code not in codes_of(links)
        status, said, _ = ask(collector.url + "records", {**submission(SCHEME, [[1, 1]]), "code": code})
        assert (status, said["why"]) == (403, "link used")


def test_a_closed_survey_takes_nothing_new_and_stays_closed(tmp_path):
    key = tmp_path / "team.key"
    with Collector(tmp_path, SCHEME, str(tmp_path / "a.duckdb"), "--team-key", str(key)) as collector:
        client = Client(collector.url)
        id = uuid.uuid4()
        client.submit([[0, 1]], submission=id)
        secret = key.read_text().strip()
        for state in ("paused", "closed"):
            assert client.team_progress(secret, state=state)["state"] == state
            assert f"This survey {'is paused' if state == 'paused' else 'has ended'}" in ask(collector.url + "form")[1]
            with pytest.raises(InputError, match=f"the survey is {state}"):
                client.submit([[1, 1]])
            assert client.submit([[0, 1]], submission=id).repeated, "a lost acknowledgement can still be had"
        collector.kill()
        collector.start()
        with pytest.raises(InputError, match="the survey is closed"):
            client.submit([[1, 1]])
        assert client.team_progress(secret, state="open")["state"] == "open"
        assert not client.submit([[1, 1]]).repeated


def test_the_command_reads_and_changes_the_state_of_a_store(tmp_path):
    store = tmp_path / "a.duckdb"
    with opened(str(store), SCHEME) as held:
        assert read_state(held) == "open"
        with pytest.raises(UsageError, match="is not a state of a survey"):
            write_state(held, "over")
    said = confide("collect", "survey", str(store), "--state", "paused", "--within", "2", cwd=tmp_path)
    assert '"state": "paused"' in said.stdout
    assert '"answers": "fewer than 5"' in said.stdout
    with opened(str(store)) as held:
        assert read_state(held) == "paused"


def test_a_survey_that_asks_otherwise_is_refused_once_answers_came_in(tmp_path):
    scheme = scheme_for(1000)
    file = tmp_path / "survey.toml"
    file.write_text(TEXT)
    serve = ("collect", "serve", tmp_path / "s.json", "--store", tmp_path / "a.duckdb", "--port", "0", "--form", file)
    scheme.write(tmp_path / "s.json")
    with opened(str(tmp_path / "a.duckdb"), scheme) as store:
        settle_questions(store, SURVEY)
        settle_questions(store, Survey(questions={}))  # nobody has answered yet
        settle_questions(store, SURVEY)
    with Collector(tmp_path, scheme, str(tmp_path / "a.duckdb"), "--form", str(file)) as collector:
        answer = {
            name: "not asked" if name == "packs" else next(iter(q.answers)) for name, q in SURVEY.questions.items()
        }
        Client(collector.url).submit([scheme.encode(scheme.perturb(answer))])
        collector.stop()
    file.write_text(TEXT.replace("Do you smoke?", "Do you ever smoke?"))
    status, line = refusal(*serve)
    assert status == 2
    assert "the survey has changed since answers came in: question 'smokes' (its texts in 'en')" in line
    assert "\n" not in line


@pytest.mark.postgres
def test_a_postgresql_store_keeps_notes_too(postgres):
    with opened(postgres, SCHEME) as store:
        assert store.note("state") is None
        write_state(store, "paused")
        write_state(store, "closed")
        assert read_state(store) == "closed"
        assert store.find_codes([uuid.uuid4()]) == {}
