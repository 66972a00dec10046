"""The whole of a profile as an orderer needs it: how far each of the person's terms stands out.

It has everything, hidden branches too, so it must not leave the machine. It is no `ExposedProfile`, and wrappers and
services take nothing else; their modules may not even import this one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from confide.search.evidence.background import REPEATED, Background, language_background
from confide.search.evidence.informative import log_ratios
from confide.search.evidence.snippets import Snippets
from confide.search.profile.interests import Interest
from confide.search.profile.profile import Profile

__all__ = ["WholeProfile"]

_LEAST = 3  # own documents that hold a term; fewer say nothing sure
_FEW = 0.1  # of the terms; where fewer stand out, texts and background are the same


@dataclass(frozen=True, eq=False, repr=False)
class WholeProfile:
    """The documents that hold each term, of how many, of which length, and the languages they are in.

    `snippets` is what earlier searches brought.
    """

    counts: Mapping[str, int]
    documents: int
    length: float
    languages: tuple[str, ...]
    snippets: Snippets = field(default_factory=Snippets)

    @classmethod
    def of(cls, profile: Profile) -> "WholeProfile":
        """All of a profile but words taken out for good; of one without documents, the terms of its interests."""
        kept, dropped = profile.collection, frozenset(profile.edits.dropped)
        if kept is None:
            counts = _count_interests(profile.root)
            return cls(counts, profile.n_documents, 0.0, profile.settings.languages, profile.snippets)
        supports = kept.data.supports()
        counts = {
            term: int(count)
            for term, count in zip(kept.data.labels, supports, strict=True)
            if count >= _LEAST and term not in dropped
        }
        length = REPEATED * float(kept.data.lengths.mean())
        return cls(counts, profile.n_documents, length, profile.settings.languages, profile.snippets)

    def ratios(self, background: Background) -> dict[str, float]:
        """How far each term stands out against a background: log(own share / usual share), above 0 only.

        Where the background's texts are the person's own folder there is no contrast: then the list of the language
        decides alone.
        """
        length = self.length or background.length
        found = log_ratios(self.counts, self.documents, length, background, least=_LEAST)
        if background.texts and background.rates and len(found) < _FEW * len(self.counts):
            found = log_ratios(self.counts, self.documents, length, Background(background.rates), least=_LEAST)
        return found

    def background(self) -> Background:
        """The lists of the person's languages, and what earlier searches brought."""
        return self.snippets.beside(language_background(self.languages))


def _count_interests(root: Interest) -> dict[str, int]:
    """Of each term the documents of the largest interest that is called by it."""
    counts: dict[str, int] = {}
    for interest in root.walk():
        for term in interest.terms:
            counts[term] = max(counts.get(term, 0), interest.documents)
    return counts
