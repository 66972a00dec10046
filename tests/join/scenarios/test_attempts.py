"""A run taken up again takes no summary of the attempt before it, however late it arrives."""

import numpy as np
import pyarrow as pa
import pytest
from tests.join.sites import sites_of

from confide.core.errors import UsageError
from confide.join.protocol.messages import Message
from confide.join.protocol.summary_messages import class_counts

RUN, FIRST, SECOND = "a" * 32, "b" * 32, "c" * 32


def begin(attempt, *, resume):
    header = {
        "run": RUN,
        "criterion": "information_gain",
        "min_leaf": 2,
        "max_depth": None,
        "take_over": False,
        "deadline": 30.0,
        "position": 1,
        "is_target": False,
        "neighbours": ["T1"],
        "resume": resume,
        "attempt": attempt,
    }
    return Message("begin", header)


def test_a_summary_of_an_earlier_attempt_at_the_same_run_is_refused(tmp_path):
    # Cut cables deliver late: numbered by join values that were agreed on anew, it would join the wrong records.
    frames = {"T1": pa.table({"a": [1, 2], "class": ["x", "y"]}), "T2": pa.table({"a": [1, 2]})}
    _, site = sites_of(frames, [(("T1", ["a"]), ("T2", ["a"]))], ("T1", "class"), state=tmp_path)
    counts = np.array([[1, 0], [0, 1]], dtype=np.int64)

    def send(attempt):
        return site.handle("T1", class_counts(counts, run=attempt, step=0, certain_classes=1.0), lambda: False)

    site.handle("coordinator", begin(FIRST, resume=False), lambda: False)
    assert send(FIRST).verb == "done"
    site.handle("coordinator", begin(SECOND, resume=True), lambda: False)
    for stale in (FIRST, RUN):
        with pytest.raises(UsageError, match="knows no such run"):
            send(stale)
    assert send(SECOND).verb == "done"
