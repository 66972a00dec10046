"""Somebody else's wrapper: the query and the exposed pairs go there, and the ranking comes back."""

from typing import Any

from confide.core.errors import InputError, UnreachableError, UsageError
from confide.core.json_text import canonical_json, read_json
from confide.search.evidence.ordering import check_strength
from confide.search.exposed import ExposedProfile
from confide.search.wrapper.engine import check_query
from confide.search.wrapper.fetching import fetch
from confide.search.wrapper.ranking import Ranking, check_alpha, rank_by_evidence, rank_results
from confide.search.wrapper.results import Result, clean_result, clean_text
from confide.search.wrapper.searxng import MOST_ANSWER
from confide.search.wrapper.wrapper import NOBODY
from confide.web.addresses import web_address

__all__ = ["RemoteWrapper", "request_body"]


def request_body(query: str, exposed: ExposedProfile, alpha: float | None) -> bytes:
    """All that a wrapper is sent: what a preview shows is made by this function too."""
    return canonical_json({"query": query, "profile": exposed.to_dict(), "alpha": alpha}).encode()


class RemoteWrapper:
    """A wrapper that runs as a service, by its address. It is sent the query and the exposed pairs.

    An `alpha` asks it for PPRank. Without one it orders as it was started to; where that is by evidence, `strength` is
    applied here, to the evidence it found, so that it is sent nothing more.
    """

    def __init__(
        self, address: str, *, alpha: float | None = None, strength: float | None = None, seconds: float = 20.0
    ):
        check_alpha(alpha)
        check_strength(strength)
        parts = web_address(address)
        if parts is None:
            raise UsageError(
                f"{address[:80]!r} is not the address of a wrapper; write it like 'https://search.example'"
            )
        self.name, self.alpha, self.strength, self.seconds = parts.netloc, alpha, strength, seconds
        self._address = address.rstrip("/") + "/search"

    def search(self, query: str, exposed: ExposedProfile = NOBODY, *, alpha: float | None = None) -> Ranking:
        """Send the query and the pairs; what comes back is made safe like any engine's answer."""
        if type(exposed) is not ExposedProfile:
            raise UsageError("a wrapper takes an ExposedProfile and nothing else; give it profile.expose(...).profile")
        check_alpha(alpha)
        asked = check_query(query)
        body = request_body(asked, exposed, self.alpha if alpha is None else alpha)
        answer = fetch(
            self._address,
            seconds=self.seconds,
            most=MOST_ANSWER,
            headers={"Content-Type": "application/json"},
            body=body,
        )
        data = read_json(answer.body, what="an answer in JSON", source=self.name)
        if answer.status != 200 or not isinstance(data, dict) or not isinstance(data.get("results"), list):
            raise UnreachableError(f"{self.name} answers with HTTP {answer.status}{_said(data)}")
        return self._ranking(asked, data)

    def _ranking(self, query: str, data: dict[str, Any]) -> Ranking:
        found: list[tuple[Result, float, tuple[str, ...]]] = []
        left_out = 0
        for entry in data["results"][:1_000]:
            if not isinstance(entry, dict) or not isinstance(entry.get("engine_rank"), int):
                raise InputError("answers with a result that has no rank", source=self.name)
            title, url, snippet = (entry.get(name) for name in ("title", "url", "snippet"))
            link = clean_result(entry["engine_rank"], title, url, snippet, names=True)
            left_out += link is None
            score, reasons = entry.get("up_score"), entry.get("reasons")
            if link is not None and isinstance(score, int | float) and not isinstance(score, bool):
                words = reasons[:10] if isinstance(reasons, list) else []
                found.append((link, float(score), tuple(clean_text(word, 100) for word in words)))
        found.sort(key=lambda one: one[0].rank)
        links, scores = [link for link, _, _ in found], [score for _, score, _ in found]
        noted = data.get("notes")
        notes = tuple(clean_text(note, 200) for note in noted[:5]) if isinstance(noted, list) else ()
        if left_out:
            notes += (
                f"{left_out:,} of {len(data['results']):,} results were left out: their addresses are not of the web",
            )
        if data.get("strength") is not None:
            strength = self.strength if self.strength is not None else self._share(data, "strength")
            reasons = [why for _, _, why in found]
            return rank_by_evidence(query, links, scores, reasons, strength=strength, notes=notes)
        return rank_results(query, links, scores, alpha=self._share(data, "alpha"), notes=notes)

    def _share(self, data: dict[str, Any], name: str) -> float:
        """A number from 0 to 1 that an answer must hold."""
        share = data.get(name)
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise InputError(f"answers without {name}", source=self.name)
        return float(share)


def _said(data: Any) -> str:
    line = clean_text(data.get("error"), 200) if isinstance(data, dict) else ""
    return f": {line}" if line else ""
