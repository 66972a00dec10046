"""What is on the disk of an invented person: short texts on interests that form a tree.

    sport -> cycling  -> derailleur, peloton, ...        a text on cycling nearly always names sport as well,
             swimming -> ...                              so `sport` comes out as the parent of `cycling`
    cooking -> ...

The person has favourites: interests, and their branches, differ several times over in how often they are
written about, and the last one (`illness`) is rare and delicate. Thesis, chapter 5.
"""

from confide.core.errors import RequirementError
from confide.core.samples._draws import Draws

__all__ = ["documents", "figure_30", "interests"]

# Interest -> branch -> the words only this branch uses. Earlier ones are written about more often.
_INTERESTS: dict[str, dict[str, tuple[str, ...]]] = {
    "sport": {
        "cycling": ("derailleur", "peloton", "saddle", "gravel", "puncture"),
        "swimming": ("freestyle", "lane", "goggles", "butterfly"),
        "climbing": ("belay", "carabiner", "boulder", "chalk"),
    },
    "cooking": {
        "baking": ("sourdough", "oven", "crust", "yeast", "kneading"),
        "curry": ("turmeric", "cumin", "coriander", "lentils"),
        "preserves": ("marmalade", "pickles", "jars", "vinegar"),
    },
    "music": {
        "piano": ("sonata", "pedal", "nocturne", "keyboard"),
        "choir": ("soprano", "rehearsal", "hymn", "conductor"),
    },
    "garden": {
        "vegetables": ("compost", "seedlings", "courgette", "greenhouse"),
        "roses": ("pruning", "trellis", "thorns", "blossom"),
    },
    "programming": {
        "compilers": ("parser", "register", "optimiser", "grammar"),
        "databases": ("index", "query", "transaction", "schema"),
    },
    "illness": {
        "insomnia": ("melatonin", "clinic", "nightmares"),
        "anxiety": ("therapist", "panic", "medication"),
    },
}
_SMALL_TALK = """
    about after again another because before better bring could evening every friend good great house idea
    last letter little long looking maybe month morning much never notes often people perhaps place plan
    quite really remember seems small some start still story summer that there thing think thought through
    time today tomorrow very want week weekend well with without work would year yesterday
"""
_FILLER = _SMALL_TALK.split()


def documents(n: int = 200, *, seed: int = 1) -> list[str]:
    """Write `n` short texts, each on one branch of one interest, one in eight also touching a second one.

    Nine in ten texts name the interest beside the branch, and all name the branch; the rest are two to four
    of the branch's own words and filler. `seed`: the same seed gives the same texts on any machine.

    >>> documents(2, seed=1)[1][:58]
    'Perhaps little story before great freestyle swimming lane.'
    """
    if not 0 <= n <= 10_000_000:
        raise RequirementError(f"n={n} is outside 0 to 10,000,000", parameter="n", value=n)
    draws = Draws(seed, "documents")
    return [_document(draws) for _ in range(n)]


def interests() -> dict[str, dict[str, tuple[str, ...]]]:
    """The tree behind `documents`: interest, branch, the branch's own words."""
    return {interest: dict(branches) for interest, branches in _INTERESTS.items()}


def figure_30() -> list[list[str]]:
    """The ten documents of Figure 30 (thesis, page 107), each a list of terms as it is after preprocessing.

    With minsup 2 and delta 0.6 their profile is research 5, sports 3.5, sex 1.5; under research
    personalized/search 3 and AI 2; under sports soccer 2. (The print has "adpative" in D6; it occurs once, so
    nothing hangs on it.)
    """
    return [
        ["sports", "badminton"],
        ["ronaldo", "soccer", "sports"],
        ["sex", "playboy", "picture"],
        ["sports", "soccer", "english premier"],
        ["research", "AI", "algorithm"],
        ["research", "adaptive", "personalized", "search"],
        ["Fox", "channel", "sports", "sex"],
        ["MSN", "search"],
        ["research", "AI", "neuro network"],
        ["personalized", "search", "google", "research"],
    ]


def _document(draws: Draws) -> str:
    words = _words_on_a_topic(draws)
    if draws.uniform() < 1 / 8:
        words += _words_on_a_topic(draws)
    words += [_FILLER[int(draws.uniform() * len(_FILLER))] for _ in range(8 + int(draws.uniform() * 16))]
    return _as_sentences(_shuffled(words, draws), draws)


def _words_on_a_topic(draws: Draws) -> list[str]:
    interest = _favourite(list(_INTERESTS), draws)
    branch = _favourite(list(_INTERESTS[interest]), draws)
    own = _shuffled(_INTERESTS[interest][branch], draws)[: 2 + int(draws.uniform() * 3)]
    return [interest] * (draws.uniform() < 0.9) + [branch] * (1 + (draws.uniform() < 0.5)) + own


def _favourite(choices: list[str], draws: Draws) -> str:
    """One of them, each 0.7 times as likely as the one before."""
    chances = [0.7**rank for rank in range(len(choices))]
    mark = draws.uniform() * sum(chances)
    for choice, chance in zip(choices, chances, strict=True):
        mark -= chance
        if mark < 0:
            return choice
    return choices[-1]


def _shuffled(words: list[str] | tuple[str, ...], draws: Draws) -> list[str]:
    left = list(words)
    return [left.pop(int(draws.uniform() * len(left))) for _ in range(len(left))]


def _as_sentences(words: list[str], draws: Draws) -> str:
    """Break the words into sentences of four to eleven, with capitals and full stops."""
    sentences = []
    while words:
        length = 4 + int(draws.uniform() * 8)
        sentences.append(" ".join(words[:length]).capitalize() + ".")
        words = words[length:]
    return " ".join(sentences)
