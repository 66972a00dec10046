"""Any engine that answers JSON, by a mapping file."""

import json

import pytest
from tests.search.engines import Handler, engine

from confide.core.errors import ConfideError, InputError
from confide.search import Wrapper, open_engine


def test_a_mapping_file_says_where_things_are(tmp_path, monkeypatch):
    monkeypatch.setenv("EXAMPLE_KEY", "s3cret")

    def other(self, page):
        found = {"data": {"items": [{"name": "Tea", "href": "https://a.example/", "summary": "green"}]}}
        self.answer(200, json.dumps(found).encode())

    monkeypatch.setattr(Handler, "other", other, raising=False)
    with engine("other") as server:
        file = tmp_path / "engine.toml"
        file.write_text(
            f'url = "{server.address}/api?text={{query}}&n={{count}}"\nresults = "data.items"\ntitle = "name"\n'
            'link = "href"\nsnippet = "summary"\n[headers]\nAuthorization = "Bearer $EXAMPLE_KEY"\n'
        )
        found = Wrapper(file, alpha=0).search("green tea/ü").results
        assert [(link.title, link.url, link.snippet) for link in found] == [("Tea", "https://a.example/", "green")]
        assert server.seen[0].startswith("GET /api?text=green%20tea%2F%C3%BC&n=50 HTTP")
        assert "Authorization: Bearer s3cret" in server.seen[0]
        assert "s3cret" not in repr(open_engine(file))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "has url"),
        ('url = "https://a.example/"', "{query}"),
        ('url = "ftp://a.example/{query}"', "http"),
        ('url = "https://{query}.example/"', "host"),
        ('url = "https://a.example/{query}"\nother = 1', "other"),
        ('url = "https://a.example/{query}"\ntitle = 1', "must be text"),
        ('url = "https://a.example/{query}"\n[headers]\nX = "$NOT_SET_ANYWHERE"', "NOT_SET_ANYWHERE"),
        ("url = ", "TOML"),
    ],
)
def test_a_file_that_describes_no_engine_gets_one_line(tmp_path, text, line):
    file = tmp_path / "engine.toml"
    file.write_text(text)
    with pytest.raises(ConfideError, match=line.replace("{", r"\{")) as refused:
        open_engine(file)
    assert "\n" not in str(refused.value)


def test_another_shape_of_answer_gets_one_line(tmp_path):
    with engine() as server:
        file = tmp_path / "engine.toml"
        file.write_text(f'url = "{server.address}/?q={{query}}"\nresults = "data.items"\n')
        with pytest.raises(InputError, match=r"without a list at 'data.items'"):
            open_engine(file).search("tea")
