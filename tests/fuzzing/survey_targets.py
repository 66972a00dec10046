"""Surveys: their file, their links, the key of the team, and requests to the form and to the team's page."""

import json
import uuid

from confide.collect.service.desk import SurveyDesk, write_state
from confide.collect.service.group_commit import Recorder
from confide.collect.service.notice import ended_page, form_page, notice_page
from confide.collect.service.personal_links import PersonalLinks, write_links
from confide.collect.service.server import application
from confide.collect.service.store import open_store
from confide.collect.service.team import TeamPage
from confide.collect.survey.question_results import question_results
from confide.collect.survey.questions import check_survey, find_change, questions_record
from confide.collect.survey.survey_file import read_survey
from confide.core.errors import InputError
from confide.core.json_text import read_json
from confide.web.guard import Guard, read_key, read_or_make_key
from tests.collect.health_survey import SURVEY, TEXT, scheme_for

__all__ = ["SURVEY_READERS", "form_application", "team_application"]

SCHEME = scheme_for(1000)
ANSWERS = SCHEME.perturb(
    [
        {name: next(iter(question.answers)) for name, question in SURVEY.questions.items()} | {"packs": packs}
        for packs in ("not asked", "few", "many")
    ]
)
RECORDS = [SCHEME.encode(one) for one in ANSWERS]
STATES = ("open", "paused", "closed")


def _show_survey(path):
    """A survey is read to be asked: every page in every language, and the results in its words."""
    survey = read_survey(path)
    check_survey(survey, SCHEME)
    assert find_change(json.loads(json.dumps(questions_record(survey))), survey) is None
    for language in survey.all_languages:
        for make in (notice_page, form_page):
            make(SCHEME, "T", survey, language, links=True)
        for state in STATES[1:]:
            ended_page("T", state, survey, language)
        question_results(SCHEME, ANSWERS, survey=survey, language=language)


def _survey_as_json(path):
    path.write_text(json.dumps(SURVEY.model_dump(by_alias=True, exclude_none=True)))


def _show_survey_of_json(path):
    """The same from a survey that is TOML whatever was done to it: changes reach the checks behind the syntax."""
    value = read_json(path.read_bytes())
    if not isinstance(value, dict):
        raise InputError("is not a table")
    file = path.with_suffix(".toml")
    file.write_bytes("\n".join(f"{_text(k)} = {_toml(v)}" for k, v in value.items()).encode(errors="surrogatepass"))
    _show_survey(file)


def _toml(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(name)} = {_toml(part)}" for name, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return '""' if value is None else _text(value) if isinstance(value, str) else json.dumps(value).lower()


def _text(value):
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


SURVEY_READERS = {
    "survey.toml": (lambda path: path.write_text(TEXT), _show_survey),
    "survey.json": (_survey_as_json, _show_survey_of_json),
    "links.txt": (lambda path: write_links(path, address="https://a.example/", people=20), PersonalLinks),
    "team.key": (read_or_make_key, read_key),
}
"""File name: (what writes a good one, what reads it)."""


def _submission(number, **more):
    id = str(uuid.UUID(int=number, version=4))
    return {"scheme": SCHEME.fingerprint, "submission": id, "records": [RECORDS[number % 3]], **more}


def form_application(folder):
    """(application, posts, what may be fetched) of a form with personal links."""
    write_links(folder / "links.txt", address="https://a.example/", people=50)
    codes = [line.partition("#")[2] for line in (folder / "links.txt").read_text().splitlines()]
    recorder = Recorder(open_store(str(folder / "answers.duckdb"), SCHEME), lambda line: None)
    desk = SurveyDesk(SCHEME, recorder, survey=SURVEY, links=PersonalLinks(folder / "links.txt"))
    posts = [("records", _submission(n, code=code)) for n, code in enumerate(codes)]
    pages = [f"{page}?lang={language}" for page in ("", "form") for language in ("de", "EN", "nl", "%ff", "de&lang=en")]
    return application(desk, recorder), posts, [*pages, "form#x", "scheme.json", "promise.json", "count", "records"]


def team_application(folder, address, proxy):
    """(application for everybody, the one inside, guard, posts, what may be fetched) of the team's page."""
    store = open_store(str(folder / "answers.duckdb"), SCHEME)
    write_state(store, "open")
    recorder = Recorder(store, lambda line: None)
    desk = SurveyDesk(SCHEME, recorder, survey=SURVEY, within=(2, 3))
    team = TeamPage(desk, [address], title="T", key=folder / "team.key", proxies=[proxy])
    inner = application(desk, recorder)
    guard = Guard(address, key=read_key(folder / "team.key"))
    posts = [("state", {"state": state}) for state in (*STATES, "over")] + [("state", {}), ("results", {})]
    shares = [f"results?support={share}" for share in ("50", "0", "1e400", "nan", "-1", "\xb2", "5&support=x", "%00")]
    plain = ["", "results", *shares, "answers.zip", "progress.json", "collect.css", "state", "..%2f", "%00"]
    return team.before(inner), inner, guard, posts, plain
