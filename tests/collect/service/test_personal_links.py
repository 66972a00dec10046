"""Personal links: one answer each, struck off the file, and never beside an answer."""

import asyncio

import pytest

from confide.collect.service.personal_links import PersonalLinks, hold_links, write_links
from confide.core.errors import InputError, UsageError


@pytest.fixture
def file(tmp_path):
    write_links(tmp_path / "links.txt", address="https://a.example/", people=50)
    return tmp_path / "links.txt"


def codes_of(path):
    return [line.partition("#")[2] for line in path.read_text().splitlines()]


def test_links_are_different_secrets_that_only_their_owner_can_read(file):
    lines = file.read_text().splitlines()
    assert len(set(lines)) == 50
    assert all(line.startswith("https://a.example/form#") for line in lines)
    assert all(len(code) >= 22 for code in codes_of(file))
    assert file.stat().st_mode & 0o077 == 0


def test_a_struck_link_is_gone_from_the_file_and_the_others_keep_their_order(file):
    before = codes_of(file)
    links = PersonalLinks(file)
    struck = [before[i] for i in (40, 3, 17, 0)]

    async def strike():
        await asyncio.gather(*map(links.strike, struck))

    asyncio.run(strike())
    assert codes_of(file) == [code for code in before if code not in struck]
    assert len(links) == 46
    assert file.stat().st_mode & 0o077 == 0
    with PersonalLinks(file).take(struck[0]) as free:
        assert not free


def test_a_link_that_is_being_used_cannot_be_used_by_another(file):
    links = PersonalLinks(file)
    code = codes_of(file)[0]
    with links.take(code) as first, links.take(code) as second:
        assert (first, second) == (True, False)
    with links.take(code) as again:
        assert again


def test_a_link_stays_if_the_file_cannot_be_written(file, monkeypatch):
    links = PersonalLinks(file)
    code = codes_of(file)[0]

    def fail(text):
        raise UsageError("cannot write")

    monkeypatch.setattr(links, "_write", fail)
    with pytest.raises(UsageError, match="cannot write"):
        asyncio.run(links.strike(code))
    monkeypatch.undo()
    assert code in codes_of(file)
    asyncio.run(links.strike(codes_of(file)[1]))  # the earlier one is made up for
    assert len(codes_of(file)) == 48


def test_mistakes_are_one_line(file, tmp_path):
    with (
        pytest.raises(UsageError, match="say for how many people"),
        hold_links(tmp_path / "no", address="", people=None),
    ):
        pass
    held = {"address": "x", "people": None}
    in_use = pytest.raises(UsageError, match="in use by another collector")
    with hold_links(file, **held), in_use, hold_links(file, **held):
        pass
    (tmp_path / "bad").write_text("not a link\n")
    with pytest.raises(InputError, match="line 1 is not a link"):
        PersonalLinks(tmp_path / "bad")
    with pytest.raises(UsageError, match="people=0"):
        write_links(tmp_path / "none", address="x", people=0)
