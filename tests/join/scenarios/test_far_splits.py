"""What a site that is no neighbour learns of a split, so that the words in passports stay true."""

import numpy as np
import pyarrow as pa
from tests.join.sites import run_of

from confide.join.protocol.messages import Message
from confide.join.protocol.policy import Policy


def test_summaries_carry_the_splits_of_far_sites_on_as_the_passport_says():
    # A, B, C in a row, keys unique: what A reads in B's first split summary is on which side of C's split each is.
    rng = np.random.default_rng(0)
    salary = rng.permutation(50)
    frames = {
        "A": pa.table({"p": range(50), "ill": np.where((salary > 30) ^ (rng.random(50) < 0.1), "yes", "no")}),
        "B": pa.table({"p": range(50), "q": range(100, 150)}),
        "C": pa.table({"q": range(100, 150), "salary": salary}),
    }
    joins = [(("A", ("p",)), ("B", ("p",))), (("B", ("q",)), ("C", ("q",)))]
    policies = {name: Policy(forbid=[c for c in frame.column_names if c in "pq"]) for name, frame in frames.items()}
    heard = []
    coordinator, sites = run_of(
        frames, joins, ("A", "ill"), policies=policies, confidence=None, heard=lambda *said: heard.append(said)
    )
    tree = coordinator.train()
    assert tree.nodes[0].site == "C"
    told = next(body for sender, to, verb, body in heard if (sender, to, verb) == ("B", "A", "split-counts"))
    entries = Message.from_bytes(told)[0].columns["keys"].to_pylist()
    side = {key: child for child, keys in enumerate(entries) for key in keys}
    first = next(split for split in sites[2].own_part() if split["node"] == 0)
    truth = (salary > first["left up to"]).astype(int)
    assert [side[key] for key in sites[0].runs.current.values.keys["B"].tolist()] == truth.tolist()
    said = tree.release(min_records=1, parameters={}).passport.does_not_protect_against
    assert any("splits of farther sites" in words for words in said)
