"""A tree that may not be published becomes one that may, as the command makes it."""

import pytest
from tests.share.tasks.test_train import DOMAINS, people

from confide import KAnonymity
from confide.core.errors import CannotMeetError
from confide.share.anonymization.anonymize import anonymize_tree
from confide.share.tasks.anonymize import AnonymizingRequest, anonymize
from confide.share.tasks.train import TrainingRequest, train


@pytest.fixture(scope="module")
def fine():
    return train(people(), DOMAINS, TrainingRequest(requirement=KAnonymity(k=5))).release.data


def test_marginals_that_keep_another_promise_are_left_out_and_a_note_says_so(fine):
    assert fine.marginals
    done = anonymize(fine, AnonymizingRequest(requirement=KAnonymity(k=100)))
    assert done.release.data.marginals == ()
    assert done.release.verification.ok
    assert done.notes[0].startswith("the tree's marginals are left out")
    assert done.notes[1:] == (
        "At least 100 records match every path to a leaf of the tree.",
        done.release.passport.headline,
    )
    assert all(node.total >= 100 for node in done.release.data.nodes if node.is_leaf)


def test_without_marginals_it_is_what_anonymize_tree_gives(fine):
    plain = anonymize(fine, AnonymizingRequest(requirement=KAnonymity(k=100))).release.data
    done = anonymize(plain, AnonymizingRequest(requirement=KAnonymity(k=200)))
    assert done.release.data == anonymize_tree(plain, KAnonymity(k=200)).data
    assert len(done.notes) == 2


def test_what_cannot_be_kept_is_refused(fine):
    with pytest.raises(CannotMeetError):
        anonymize(fine, AnonymizingRequest(requirement=KAnonymity(k=601)))
