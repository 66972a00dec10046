"""A site's split list: where records go, what its owner reads, and what is kept."""

import numpy as np
import pytest

from confide.core.errors import InputError
from confide.join.site.split_list import OwnSplit, SplitList
from confide.mining.trees.table import TreeColumn

AGES = TreeColumn(name="age", kind="numeric", data=np.array([20.0, 30.0, np.nan]))


@pytest.mark.parametrize(
    ("threshold", "missing", "goes", "said"),
    [
        (25.0, 0, [0, 1, -1], {"left up to": 25.0}),
        (25.0, 1, [0, 1, 0], {"left up to": 25.0, "missing numbers go": "left"}),
        (25.0, 2, [0, 1, 1], {"left up to": 25.0, "missing numbers go": "right"}),
        (np.inf, 2, [0, 0, 1], {"left up to": "any number", "missing numbers go": "right"}),
    ],
)
def test_a_missing_number_goes_where_it_went_in_training(tmp_path, threshold, missing, goes, said):
    split = OwnSplit(node=0, column="age", children=2, cut=(3, 4, missing), threshold=threshold, number=0)
    kept = SplitList("0" * 32, "table", folder=tmp_path)
    kept.add([split])
    kept.save()
    again = SplitList.load(tmp_path).splits[0]
    assert again == split
    assert again.branch(AGES).tolist() == goes
    assert again.said() == {"node": 0, "column": "age", **said}


def test_a_list_of_an_older_form_is_refused(tmp_path):
    SplitList("0" * 32, "table", folder=tmp_path).save()
    file = tmp_path / "splits.json"
    file.write_text(file.read_text().replace('"version": 2', '"version": 1'))
    with pytest.raises(InputError, match="older form; train again"):
        SplitList.load(tmp_path)
