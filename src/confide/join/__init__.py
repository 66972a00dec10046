"""One decision tree over tables that may not meet. Modules in dependency order:

key_encoding          join values as bytes: one value, one encoding
intersection          the join values two sites share, found without showing the others
hidden_party          one party of a hidden comparison: a process with mpyc's runtime
hidden_winner         who splits best, by comparing hidden scores among three parties or more
sources               a site's table out of CSV, Parquet, DuckDB or PostgreSQL

Names are imported when first used: `import confide.join` loads neither numba nor pyarrow.
"""

from typing import TYPE_CHECKING

from confide.core.lazy import exports

if TYPE_CHECKING:
    from confide.join.intersection import IntersectionParty, private_intersection

__all__ = [
    "IntersectionParty",
    "private_intersection",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        **dict.fromkeys(("IntersectionParty", "private_intersection"), "confide.join.intersection"),
    },
)
