"""A tree that its owner may publish, as the command makes it."""

import numpy as np
import pyarrow as pa
import pytest

from confide import KAnonymity, RecursiveDiversity, SimpleDiversity, verify
from confide.core.errors import CannotMeetError, InputError, UsageError
from confide.share.domains import Domains
from confide.share.tasks.train import TrainingRequest, train

DOMAINS = Domains.from_dict(
    {
        "class": "ill",
        "classes": ["asthma", "flu", "none", "rare"],
        "attributes": {
            "age": {"bins": [0, 20, 40, 60, 120]},
            "town": {"values": ["Bath", "Hull", "York"]},
            "income": {"values": ["high", "low"], "sensitive": True},
        },
    }
)


def people(n=600, seed=1):
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 100, n)
    town = rng.choice(["Bath", "York"], n)
    ill = np.where(age > 60, "flu", np.where(town == "Bath", "asthma", "none"))
    ill = np.where(rng.random(n) < 0.4, rng.choice(["asthma", "flu", "none"], n), ill)
    income = rng.choice(["high", "low"], n)
    return pa.table({"name": [f"n{i}" for i in range(n)], "age": age, "town": town, "income": income, "ill": ill})


@pytest.mark.parametrize("method", ["merging", "ldm", "atp"])
@pytest.mark.parametrize("requirement", [KAnonymity(k=30), SimpleDiversity(l=2), RecursiveDiversity(c=3, l=2)])
def test_what_is_trained_is_released_and_verifies_from_its_files(tmp_path, method, requirement):
    done = train(people(), DOMAINS, TrainingRequest(requirement=requirement, method=method))
    done.release.write(tmp_path / "tree.json")
    found = verify(tmp_path / "tree.json.passport.json")
    assert found.ok, found.summary()
    tree = done.release.data
    assert tree.declared
    assert tree.classes == DOMAINS.classes  # those nobody has, too
    assert {attribute.name for attribute in tree.attributes} == {"age", "town"}
    assert "name" in done.notes[0]
    assert "income" in done.notes[0]


def test_marginals_are_published_under_the_same_promise_or_not_at_all():
    request = TrainingRequest(requirement=KAnonymity(k=30))
    tree = train(people(), DOMAINS, request).release.data
    assert {stump.nodes[0].attribute for stump in tree.marginals} == {"age", "town"}
    for stump in tree.marginals:
        assert all(node.total >= 30 for node in stump.nodes if node.is_leaf)
        assert stump.nodes[0].total == tree.nodes[0].total
    without = train(people(), DOMAINS, TrainingRequest(requirement=KAnonymity(k=30), marginals=False))
    assert without.release.data.marginals == ()


def test_what_cannot_be_kept_is_refused_with_what_can():
    with pytest.raises(CannotMeetError, match="nearest that works: l="):
        train(people(), DOMAINS, TrainingRequest(requirement=SimpleDiversity(l=4)))
    with pytest.raises(CannotMeetError, match="nearest that works: k=600"):
        train(people(), DOMAINS, TrainingRequest(requirement=KAnonymity(k=601)))


def test_one_leaf_left_is_said():
    done = train(people(), DOMAINS, TrainingRequest(requirement=KAnonymity(k=500)))
    assert done.notes[-1].startswith("warning: nothing is left of the tree but one leaf")


def test_wrong_tables_get_one_line():
    with pytest.raises(InputError, match="no column 'town', which is asked for"):
        train(people().drop_columns(["town"]), DOMAINS, TrainingRequest(requirement=KAnonymity(k=2)))
    strange = people().set_column(2, "town", pa.array(["Wells"] * 600))
    with pytest.raises(InputError, match="not in the declared domain") as error:
        train(strange, DOMAINS, TrainingRequest(requirement=KAnonymity(k=2)))
    assert "Wells" not in str(error.value)
    with pytest.raises(UsageError, match="method='best'"):
        TrainingRequest(requirement=KAnonymity(k=2), method="best")
