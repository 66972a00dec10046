"""The owner's jobs: domains drafted, a tree trained, a tree that exists made fit to be published."""

import numpy as np
import pyarrow as pa
import pytest

from confide import KAnonymity, RecursiveDiversity, SimpleDiversity, verify
from confide.core.errors import CannotMeetError, InputError, UsageError
from confide.share.anonymization.anonymize import anonymize_tree
from confide.share.domains import Domains
from confide.share.jobs.publishing import anonymize, draft_domains, train
from confide.share.jobs.requests import ShareAnonymize, ShareDomains, ShareTrain

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
    done = train(ShareTrain(table=people(), domains=DOMAINS, requirement=requirement, method=method))
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
    tree = train(ShareTrain(table=people(), domains=DOMAINS, k=30)).release.data
    assert {stump.nodes[0].attribute for stump in tree.marginals} == {"age", "town"}
    for stump in tree.marginals:
        assert all(node.total >= 30 for node in stump.nodes if node.is_leaf)
        assert stump.nodes[0].total == tree.nodes[0].total
    without = train(ShareTrain(table=people(), domains=DOMAINS, requirement=KAnonymity(k=30), marginals=False))
    assert without.release.data.marginals == ()


def test_what_cannot_be_kept_is_refused_with_what_can():
    with pytest.raises(CannotMeetError, match="nearest that works: l="):
        train(ShareTrain(table=people(), domains=DOMAINS, requirement=SimpleDiversity(l=4)))
    with pytest.raises(CannotMeetError, match="nearest that works: k=600"):
        train(ShareTrain(table=people(), domains=DOMAINS, requirement=KAnonymity(k=601)))


def test_one_leaf_left_is_said():
    done = train(ShareTrain(table=people(), domains=DOMAINS, requirement=KAnonymity(k=500)))
    assert done.notes[-1].startswith("warning: nothing is left of the tree but one leaf")


def test_wrong_tables_get_one_line():
    with pytest.raises(InputError, match="no column 'town', which is asked for"):
        train(ShareTrain(table=people().drop_columns(["town"]), domains=DOMAINS, requirement=KAnonymity(k=2)))
    strange = people().set_column(2, "town", pa.array(["Wells"] * 600))
    with pytest.raises(InputError, match="not in the declared domain") as error:
        train(ShareTrain(table=strange, domains=DOMAINS, requirement=KAnonymity(k=2)))
    assert "Wells" not in str(error.value)
    with pytest.raises(UsageError, match="method='best'"):
        ShareTrain(table=people(), domains=DOMAINS, k=2, method="best")


# -- a tree that exists ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fine():
    return train(ShareTrain(table=people(), domains=DOMAINS, requirement=KAnonymity(k=5))).release.data


def test_marginals_that_keep_another_promise_are_left_out_and_a_note_says_so(fine):
    assert fine.marginals
    done = anonymize(ShareAnonymize(tree=fine, requirement=KAnonymity(k=100)))
    assert done.release.data.marginals == ()
    assert done.release.verification.ok
    assert done.notes[0].startswith("the tree's marginals are left out")
    assert done.notes[1:] == (
        "At least 100 records match every path to a leaf of the tree.",
        done.release.passport.headline,
    )
    assert all(node.total >= 100 for node in done.release.data.nodes if node.is_leaf)


def test_without_marginals_it_is_what_anonymize_tree_gives(fine):
    plain = anonymize(ShareAnonymize(tree=fine, requirement=KAnonymity(k=100))).release.data
    done = anonymize(ShareAnonymize(tree=plain, requirement=KAnonymity(k=200)))
    assert done.release.data == anonymize_tree(plain, KAnonymity(k=200)).data
    assert len(done.notes) == 2


def test_a_tree_that_cannot_keep_it_is_refused(fine):
    with pytest.raises(CannotMeetError):
        anonymize(ShareAnonymize(tree=fine, requirement=KAnonymity(k=601)))


# -- a draft of domains -----------------------------------------------------------------------------------------------

TABLE = pa.table(
    {
        "name": [f"n{i}" for i in range(300)],
        "town": ["Bath", "York", "Hull"] * 100,
        "age": list(range(300)),
        "ill": ["flu", "none"] * 150,
    }
)


def test_names_are_left_out_and_values_warned_of():
    draft = draft_domains(ShareDomains(table=TABLE, target="ill"))
    assert [attribute.name for attribute in draft.answer.attributes] == ["town", "age"]
    assert draft.notes[0] == "2 attributes and 2 classes"
    assert draft.notes[1].endswith("too many different values: name")
    assert draft.notes[2].startswith("warning: the draft shows values")


def test_what_is_left_out_on_purpose_is_not_told_again():
    draft = draft_domains(ShareDomains(table=TABLE, target="ill", leave_out=["name", "age"]))
    assert [attribute.name for attribute in draft.answer.attributes] == ["town"]
    assert len(draft.notes) == 2


def test_an_unknown_column_to_leave_out_is_refused():
    with pytest.raises(InputError, match="no column 'nam' to leave out; columns are: name, town"):
        draft_domains(ShareDomains(table=TABLE, target="ill", leave_out=["nam"]))
