"""One decision tree over tables that may not meet. Modules in dependency order:

key_types             which join columns can be compared
keys                  join values as small numbers, for tables in one process
coding                columns as codes
split_summary         what one table tells a neighbour about splits
table_engine          one table's part in growing a tree over a join
graph                 which tables join on which columns, and where the class is
classes               the classes of the target's records
graph_check           what a join will be like: shared values, dangling records, exact size
engines, growing      the engines of all tables, driven level by level
walking               records of a graph sent down a tree
join_tree             the decision tree of a join, all tables in one process
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
    from confide.join.graph import JoinGraph
    from confide.join.graph_check import JoinCheck
    from confide.join.intersection import IntersectionParty, private_intersection
    from confide.join.join_tree import JoinTree

__all__ = [
    "IntersectionParty",
    "JoinCheck",
    "JoinGraph",
    "JoinTree",
    "private_intersection",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "JoinCheck": "confide.join.graph_check",
        "JoinGraph": "confide.join.graph",
        "JoinTree": "confide.join.join_tree",
        **dict.fromkeys(("IntersectionParty", "private_intersection"), "confide.join.intersection"),
    },
)
