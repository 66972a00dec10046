"""Personal search results, with a say in how much of you leaves the machine. In dependency order:

words        texts as terms: stop words, stems
entropy      how much a tree of interests says: self-information, entropy, expRatio
exposed      what may leave: terms and weights
evidence     how much a text speaks of a person's subjects, against a background
profile      the profile, and the part of it that is exposed
sources      folders, mail, history and bookmarks as documents
wrapper      an engine's results in a person's order
local        results ordered here, by the whole profile
evaluation   when a profile helps, by judged queries
page         the page: sliders, both orders, judging
jobs         what the command line asks for, and who does it

Names are imported when first used: `import confide.search` loads neither numba nor a web library.
"""

from typing import TYPE_CHECKING

from confide.core.runtime.lazy import exports

if TYPE_CHECKING:
    from confide.search.evaluation.judgments import Judged, add_judgment, cut_queries, read_judgments
    from confide.search.evaluation.precision import average_precision
    from confide.search.evaluation.trials import Evaluation, Trial, evaluate
    from confide.search.exposed import ExposedProfile, Pair
    from confide.search.local.ranker import LocalRanker
    from confide.search.profile.documents import Document
    from confide.search.profile.exposing import Exposed
    from confide.search.profile.interests import Interest
    from confide.search.profile.profile import Profile, exposure_ratio
    from confide.search.sources.together import Sources
    from confide.search.wrapper.engine import Engine, open_engine
    from confide.search.wrapper.json_engine import JsonEngine
    from confide.search.wrapper.local_index import LocalIndex
    from confide.search.wrapper.ranking import RankedResult, Ranking, usual_alpha
    from confide.search.wrapper.remote import RemoteWrapper
    from confide.search.wrapper.results import Result
    from confide.search.wrapper.searxng import SearXNG
    from confide.search.wrapper.wrapper import Wrapper

__all__ = [
    "Document",
    "Engine",
    "Evaluation",
    "Exposed",
    "ExposedProfile",
    "Interest",
    "JsonEngine",
    "Judged",
    "LocalIndex",
    "LocalRanker",
    "Pair",
    "Profile",
    "RankedResult",
    "Ranking",
    "RemoteWrapper",
    "Result",
    "SearXNG",
    "Sources",
    "Trial",
    "Wrapper",
    "add_judgment",
    "average_precision",
    "cut_queries",
    "evaluate",
    "exposure_ratio",
    "open_engine",
    "read_judgments",
    "usual_alpha",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        **dict.fromkeys(
            ("Judged", "add_judgment", "cut_queries", "read_judgments"), "confide.search.evaluation.judgments"
        ),
        "average_precision": "confide.search.evaluation.precision",
        **dict.fromkeys(("Evaluation", "Trial", "evaluate"), "confide.search.evaluation.trials"),
        "Document": "confide.search.profile.documents",
        "Engine": "confide.search.wrapper.engine",
        "Exposed": "confide.search.profile.exposing",
        "ExposedProfile": "confide.search.exposed",
        "Interest": "confide.search.profile.interests",
        "JsonEngine": "confide.search.wrapper.json_engine",
        "LocalIndex": "confide.search.wrapper.local_index",
        "LocalRanker": "confide.search.local.ranker",
        "Pair": "confide.search.exposed",
        "Profile": "confide.search.profile.profile",
        "RankedResult": "confide.search.wrapper.ranking",
        "Ranking": "confide.search.wrapper.ranking",
        "RemoteWrapper": "confide.search.wrapper.remote",
        "Result": "confide.search.wrapper.results",
        "SearXNG": "confide.search.wrapper.searxng",
        "Sources": "confide.search.sources.together",
        "Wrapper": "confide.search.wrapper.wrapper",
        "exposure_ratio": "confide.search.profile.profile",
        "open_engine": "confide.search.wrapper.engine",
        "usual_alpha": "confide.search.wrapper.ranking",
    },
)
