"""Personal search results, with a say in how much of you leaves the machine. In dependency order:

words     texts as terms: stop words, stems
exposed   what may leave: terms and weights
profile   the profile, and the part of it that is exposed
sources   folders, mail, history and bookmarks as documents

Names are imported when first used: `import confide.search` loads neither numba nor a web library.
"""

from typing import TYPE_CHECKING

from confide.core.runtime.lazy import exports

if TYPE_CHECKING:
    from confide.search.exposed import ExposedProfile, Pair
    from confide.search.profile.documents import Document
    from confide.search.profile.exposing import Exposed
    from confide.search.profile.interests import Interest
    from confide.search.profile.profile import Profile, exposure_ratio
    from confide.search.sources.together import Sources

__all__ = [
    "Document",
    "Exposed",
    "ExposedProfile",
    "Interest",
    "Pair",
    "Profile",
    "Sources",
    "exposure_ratio",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "Document": "confide.search.profile.documents",
        "Exposed": "confide.search.profile.exposing",
        "ExposedProfile": "confide.search.exposed",
        "Interest": "confide.search.profile.interests",
        "Pair": "confide.search.exposed",
        "Profile": "confide.search.profile.profile",
        "Sources": "confide.search.sources.together",
        "exposure_ratio": "confide.search.profile.profile",
    },
)
