"""The team's page: for whoever has its key, from this machine or over TLS, and never about one person."""

import io
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

import pytest
from tests.collect.health_survey import SURVEY, TEXT, scheme_for
from tests.collector import Collector, ask
from tests.commands import confide

from confide import Randomness
from confide.collect.service.client import Client
from confide.collect.service.team import TeamPage

SCHEME = scheme_for(2000)


ANSWER = {name: "not asked" if name == "packs" else next(iter(q.answers)) for name, q in SURVEY.questions.items()}


def collecting(folder):
    (folder / "survey.toml").write_text(TEXT)
    given = ("--form", str(folder / "survey.toml"), "--team-key", str(folder / "team.key"), "--within", "2,3")
    return Collector(folder, SCHEME, str(folder / "a.duckdb"), *given)


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with collecting(tmp_path_factory.mktemp("team")) as collector:
        sent = SCHEME.perturb([ANSWER] * 1000, randomness=Randomness.seeded(1))
        Client(collector.url).submit([SCHEME.encode(one) for one in sent])
        yield collector


def page_of(collector):
    return f"{collector.url}{(Path(collector.store).parent / 'team.key').read_text().strip()}/"


def test_a_few_answers_are_not_counted_out(tmp_path):
    with collecting(tmp_path) as collector:
        page = page_of(collector)
        assert ask(page + "answers.zip")[0] == 409
        Client(collector.url).submit([SCHEME.encode(SCHEME.perturb(ANSWER)) for _ in range(4)])
        said = ask(page)[1]
        assert "Fewer than 5" in said
        assert "answers are needed for the wanted margins" in said
        assert "Results are shown once there are 5 answers" in ask(page + "results")[1]
        assert ask(page + "progress.json")[1]["answers"] == "fewer than 5"


def test_the_page_counts_and_forecasts_and_shows_results(running):
    page = page_of(running)
    said = ask(page)[1]
    assert "1,000" in said
    assert "± " in said
    results = ask(page + "results?support=50")[1]
    assert "Do you smoke?" in results
    assert '<rect class="share"' in results
    assert "How old are you? Under 35" in results.partition("Answers that go together")[2]
    for support in ("x", "0", "0.01", "nan", "101"):
        assert "Give a percentage from 0.1 to 100" in ask(f"{page}results?support={support}")[1]


def test_the_download_is_a_release_that_verifies(running, tmp_path):
    with urllib.request.urlopen(page_of(running) + "answers.zip") as answer:
        archive = zipfile.ZipFile(io.BytesIO(answer.read()))
    assert sorted(archive.namelist()) == ["answers.csv", "answers.csv.passport.json", "scheme.json"]
    archive.extractall(tmp_path)
    assert confide("verify", "answers.csv.passport.json", cwd=tmp_path).returncode == 0


def test_nobody_gets_in_without_the_key_or_from_another_page(running):
    page = page_of(running)
    key = page.removeprefix(running.url)
    for path in ("team", f"x{key}", key[:-3] + "/", f"{key}nothing"):
        assert ask(running.url + path)[0] == 404
    foreign = urllib.request.Request(page + "state", data=b"state=closed", headers={"Origin": "https://evil.example"})
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(foreign)
    named = urllib.request.Request(page, headers={"Host": "evil.example"})
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(named)
    assert "The survey is open" in ask(page)[1]


@pytest.mark.parametrize(
    ("client", "tls", "proxies", "may"),
    [
        ("127.0.0.1", False, (), True),
        ("192.0.2.7", False, (), False),
        ("192.0.2.7", True, (), True),
        ("192.0.2.7", False, ("192.0.2.7",), True),
        (None, False, (), False),
    ],
)
def test_without_tls_the_key_is_taken_only_from_here_or_a_trusted_proxy(client, tls, proxies, may):
    class Desk:
        survey = SURVEY

    team = TeamPage(Desk(), ["http://127.0.0.1:8000/"], title="T", tls=tls, proxies=proxies)
    assert team._may_ask({"client": None if client is None else (client, 1)}) is may


def test_behind_a_proxy_the_page_is_at_the_public_address():
    class Desk:
        survey = SURVEY

    team = TeamPage(Desk(), ["http://127.0.0.1:8000/", "https://answers.example.org/"], title="T")
    assert team.entrance.startswith("https://answers.example.org/")
