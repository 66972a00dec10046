"""Kinds of values that a field of a request holds: how each is read from text, checked and saved.

    annotation of the field    on the command line    in a TOML or JSON file
    int                        5                      5
    float                      2.5                    2.5
    Edge                       35 or 0.5              35 or 0.5
    Share                      0.5 or 50%             0.5
    Support                    5, 0.01 or 1%          5 or 0.01
    WholeOrInfinity            3 or inf               3 or "inf"
    bool                       --flag                 true
    str                        text                   "text"
    Literal["a", "b"]          a                      "a"
    Path                       a path                 a path relative to the file
    tuple[KIND, ...]           2,5,10                 [2, 5, 10]
    tuple[KIND, KIND]          two words              [a, b]
    Wholes, Numbers, Shares    5, or 5,10 to explore  5 or [5, 10]
    WholesOrInfinity           3, or 3,inf            3 or [3, "inf"]
    Labels                     a path                 a path, or ["bread", "tea"]
    dict[str, KIND]            age=35,55              { age = [35, 55] }
    NumbersByColumn, ...       5, or hiv=5            5 or { hiv = 5, "*" = 3 }
    KIND | None                left out               left out

A kind raises ValueError with a sentence's end ("is not a number"); the field puts its name and value in front.

one_value    one value of each kind
many_values  several of them
annotations  the kind that an annotation means
"""

from confide.core.jobs.kinds.annotations import (
    Edge,
    Labels,
    NumbersByColumn,
    Share,
    Shares,
    SharesByColumn,
    Support,
    WholeOrInfinity,
    Wholes,
    WholesOrInfinity,
    kind_of,
    names_files,
)
from confide.core.jobs.kinds.many_values import Named, PerColumn, Several, Together, Trials
from confide.core.jobs.kinds.one_value import (
    ChoiceKind,
    File,
    Flag,
    Kind,
    PopulationKind,
    RecordsKind,
    ShareKind,
    Whole,
)

__all__ = [
    "ChoiceKind",
    "Edge",
    "File",
    "Flag",
    "Kind",
    "Labels",
    "Named",
    "NumbersByColumn",
    "PerColumn",
    "PopulationKind",
    "RecordsKind",
    "Several",
    "Share",
    "ShareKind",
    "Shares",
    "SharesByColumn",
    "Support",
    "Together",
    "Trials",
    "Whole",
    "WholeOrInfinity",
    "Wholes",
    "WholesOrInfinity",
    "kind_of",
    "names_files",
]
