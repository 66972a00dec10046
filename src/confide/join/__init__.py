"""One decision tree over tables that may not meet. Modules in dependency order:

key_types             which join columns can be compared
keys                  join values as small numbers, for tables in one process
coding                columns as codes
flow                  who tells whom, in which order, and who wins a node
layout                how a table lies in memory, and how work is shared among threads
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
names, verbs, messages  what parties may be called, and what they may say to each other
ledger, policy        what was said; what a site's owner allows to be said
links, transport      how messages travel: within a process, or by Arrow Flight over mutual TLS
certificates          an authority and certificates for a trial
site_keys, summary_messages   join values and summaries, as a site sends them
split_list, routing   a site's own part of the tree, and the way of records through it
comparing, helper, hiding   hidden comparisons, at a party, a helper and the coordinator
inbox, shared_values, site_engine, site_run, site   one private table and its answers
site_graph, run_record, asking, coordinator   who joins whom; the coordinator of a run
telling, secure_tree  who learnt what; the tree that everybody may see
predicting            classes for records whose parts lie at several sites
config, configured    site.toml and join.toml, and the parties they describe
simulation            all sites in one process

Names are imported when first used: `import confide.join` loads neither numba nor pyarrow.
"""

from typing import TYPE_CHECKING

from confide.core.lazy import exports

if TYPE_CHECKING:
    from confide.join.coordinator import Coordinator
    from confide.join.graph import JoinGraph
    from confide.join.graph_check import JoinCheck
    from confide.join.intersection import IntersectionParty, private_intersection
    from confide.join.join_tree import JoinTree
    from confide.join.policy import Policy
    from confide.join.predicting import predict
    from confide.join.secure_tree import SecureTree
    from confide.join.simulation import simulated
    from confide.join.site import Site
    from confide.join.site_graph import SiteGraph

__all__ = [
    "Coordinator",
    "IntersectionParty",
    "JoinCheck",
    "JoinGraph",
    "JoinTree",
    "Policy",
    "SecureTree",
    "Site",
    "SiteGraph",
    "predict",
    "private_intersection",
    "simulated",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "Coordinator": "confide.join.coordinator",
        "Policy": "confide.join.policy",
        "SecureTree": "confide.join.secure_tree",
        "Site": "confide.join.site",
        "SiteGraph": "confide.join.site_graph",
        "predict": "confide.join.predicting",
        "simulated": "confide.join.simulation",
        "JoinCheck": "confide.join.graph_check",
        "JoinGraph": "confide.join.graph",
        "JoinTree": "confide.join.join_tree",
        **dict.fromkeys(("IntersectionParty", "private_intersection"), "confide.join.intersection"),
    },
)
