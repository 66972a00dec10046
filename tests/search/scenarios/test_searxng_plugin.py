"""The SearXNG plugin over a stub of what it calls there: SearXNG is not on PyPI."""

import importlib.util
import logging
import sys
import types
from pathlib import Path

import pytest
from tests.search.page_server import search_page

from confide.search import LocalIndex, LocalRanker, Profile
from confide.search.page.session import Session

NOTES = [f"the gearbox and engine of car number {n}, and how to repair it" for n in range(20)]
WEIGHTS = {"a": 1.0, "b": 3.0}


def calculate_score(result, priority):
    """As SearXNG of August 2026 does: the engines' weights, over each position."""
    weight = len(result.positions)
    for engine in result.engines:
        weight *= WEIGHTS[engine]
    return 0 if priority == "low" else sum(weight / (1 if priority == "high" else p) for p in result.positions)


class Plugin:
    log = logging.getLogger("plugin")

    def __init__(self, plg_cfg):
        self.active = plg_cfg.active


@pytest.fixture
def plugin(monkeypatch):
    modules = {"searx": {}, "searx.plugins": {"Plugin": Plugin, "PluginInfo": types.SimpleNamespace}}
    modules["searx.plugins"]["PluginInfo"] = lambda *given: given
    modules["searx.results"] = {"calculate_score": calculate_score}
    for name, content in modules.items():
        made = types.ModuleType(name)
        made.__dict__.update(content)
        monkeypatch.setitem(sys.modules, name, made)
    file = Path(__file__).parents[3] / "integrations" / "searxng" / "confide_order.py"
    spec = importlib.util.spec_from_file_location("confide_order", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.SXNGPlugin(types.SimpleNamespace(active=True))


def result(title, content, engines, positions, priority=""):
    return types.SimpleNamespace(
        title=title, content=content, engines=set(engines), positions=positions, priority=priority
    )


def a_search():
    found = [
        result("Jaguar", "a large cat of the forest", "ab", [1, 1]),
        result("Jaguar in the zoo", None, "b", [2]),
        result("Advice", "", "a", [1], "high"),
        result("Jaguar", "its engine and the gearbox", "a", [3]),
    ]
    container = types.SimpleNamespace(main_results_map=dict(enumerate(found)))
    return types.SimpleNamespace(search_query=types.SimpleNamespace(query="jaguar"), result_container=container), found


def places(found):
    return sorted(range(len(found)), key=lambda i: -calculate_score(found[i], found[i].priority))


def test_results_come_in_the_order_of_the_program(plugin, monkeypatch, tmp_path):
    profile = Profile.build(NOTES, minsup=3)
    with search_page(Session(profile, LocalRanker(profile, LocalIndex.build([("a", "tea")])))) as guard:
        (tmp_path / "key").write_text(guard.key + "\n")
        monkeypatch.setenv("CONFIDE_KEY_FILE", str(tmp_path / "key"))
        monkeypatch.setenv("CONFIDE_ADDRESS", guard.url)
        search, found = a_search()
        assert plugin.post_search(None, search) is None
        scores = [round(calculate_score(one, one.priority), 6) for one in found]
        assert [scores[i] for i in (3, 0, 1)] == [1, 0.5, 0.333333]
        assert found[2].positions == [1]  # what SearXNG puts first is left there


@pytest.mark.parametrize("key", ["x" * 32, None])
def test_without_the_program_or_its_key_the_engine_s_order_stays(plugin, monkeypatch, tmp_path, key):
    monkeypatch.setenv("CONFIDE_ADDRESS", "http://127.0.0.1:9")
    if key is not None:
        (tmp_path / "key").write_text(key)
        monkeypatch.setenv("CONFIDE_KEY_FILE", str(tmp_path / "key"))
    search, found = a_search()
    before = places(found)
    plugin.post_search(None, search)
    assert places(found) == before
