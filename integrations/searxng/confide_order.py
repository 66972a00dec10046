"""A SearXNG plugin: results in the order that `confide search serve` on this machine gives them.

In settings.yml, with this file where Python finds it (beside SearXNG's `searx`, for example):

    plugins:
      confide_order.SXNGPlugin:
        active: true

Environment: CONFIDE_KEY_FILE names the file that `confide search serve --key-file` keeps, CONFIDE_ADDRESS where it
listens (http://127.0.0.1:8002 otherwise). Without the program, its key or an answer within a second, SearXNG's order
stays.
"""

import json
import os
import urllib.request
from pathlib import Path

from searx.plugins import Plugin, PluginInfo
from searx.results import calculate_score


class SXNGPlugin(Plugin):
    """Sets the position of each result to its place in the person's order."""

    id = "confide_order"

    def __init__(self, plg_cfg):
        super().__init__(plg_cfg)
        self.info = PluginInfo(self.id, "Confide", "Results in your own order, made on this machine", "general")

    def post_search(self, request, search):
        """Order what was found; SearXNG works out the scores from the positions afterwards."""
        found = list(search.result_container.main_results_map.values())
        found = [result for result in found if result.priority not in ("high", "low")]
        found.sort(key=lambda result: calculate_score(result, result.priority), reverse=True)
        texts = [{"title": result.title or "", "snippet": result.content or ""} for result in found[:200]]
        try:
            order = ask({"query": search.search_query.query, "results": texts})
        except (OSError, ValueError, KeyError) as error:
            self.log.info("the order stays: %s", error)
            return
        for place, number in enumerate([*order, *range(len(texts), len(found))], start=1):
            found[number].positions = [1]
            found[number].positions = [place * calculate_score(found[number], "")]  # takes out the engines' weights


def ask(body):
    """The places that the results had, in their new order; ValueError unless each is there once."""
    key = Path(os.environ["CONFIDE_KEY_FILE"]).read_text(encoding="ascii").strip()
    address = os.environ.get("CONFIDE_ADDRESS", "http://127.0.0.1:8002").rstrip("/") + "/api/order"
    headers = {"Content-Type": "application/json", "X-Confide-Key": key}
    asked = urllib.request.Request(address, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(asked, timeout=1) as answer:
        order = json.load(answer)["order"]
    if sorted(order) != list(range(len(body["results"]))):
        raise ValueError("an answer that is no order")
    return order
