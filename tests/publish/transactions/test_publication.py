"""What the command decides, called without the command: defaults, faults, notes."""

import dataclasses

import pytest

from confide import Coherence
from confide.core.errors import RequirementError, UsageError
from confide.core.jobs.outcome import Host
from confide.core.samples import baskets
from confide.publish import PublishTransactions, publish_transactions, suppress

SHOP = baskets(800, seed=3)
BY_PREFIX = ("s:",)
SECRETS = tuple(label for label in SHOP.items if label.startswith("s:"))


def test_a_request_gives_the_release_that_suppress_gives():
    request = PublishTransactions(
        records=SHOP, k=5, h=0.5, p=2, private_prefix=BY_PREFIX, nugget_support=0.02, never=("bread",)
    )
    done = publish_transactions(request)
    plain = suppress(SHOP, Coherence(k=5, h=0.5, p=2), private=SECRETS, nugget_support=0.02, never=["bread"])
    assert sorted(done.release.data) == sorted(plain.data)
    assert done.release.loss == plain.loss
    assert done.release.passport.context == plain.passport.context
    assert done.release.verification.ok


def test_the_owner_s_part_is_made_only_when_asked_for():
    request = PublishTransactions(records=SHOP, k=5, h=0.5, p=1, private_prefix=BY_PREFIX)
    assert publish_transactions(request).release.owner is None
    explained = publish_transactions(request, Host(owner=True)).release.owner
    assert explained.facts["public_items_suppressed"] > 0
    counts = [name for name in explained.facts if explained.facts.heading(name).endswith("items hidden")]
    assert counts == ["public_items_suppressed"], "a page says each thing once"


def test_notes_state_the_promise_and_the_cost():
    done = publish_transactions(
        PublishTransactions(records=SHOP, k=5, h=0.5, p=2, private_prefix=BY_PREFIX, nugget_support=0.02)
    )
    loss = done.release.loss
    promise, items, nuggets = done.notes[:3]
    assert promise == Coherence(k=5, h=0.5, p=2).promise()
    assert items.startswith(f"{loss['public_items_suppressed']} of {loss['public_items']} public items suppressed; ")
    assert nuggets == f"{loss['nuggets_lost']} of {loss['nuggets']} frequent itemsets worth keeping lost"


def test_a_heavy_loss_is_pointed_out_and_a_light_one_is_not():
    light = publish_transactions(PublishTransactions(records=SHOP, k=2, p=1))
    heavy = publish_transactions(PublishTransactions(records=SHOP, k=200, p=2))
    assert light.release.loss["share_of_occurrences_lost"] < 0.5 < heavy.release.loss["share_of_occurrences_lost"]
    assert not [text for text in light.notes if "more than half" in text]
    assert [text for text in heavy.notes if "more than half is lost" in text]


def test_private_items_without_a_bound_are_warned_of():
    unbounded = publish_transactions(PublishTransactions(records=SHOP, k=5, p=1, private_prefix=BY_PREFIX))
    assert unbounded.notes[0].startswith("warning: h = 1 sets no bound")
    bounded = publish_transactions(PublishTransactions(records=SHOP, k=5, h=0.5, p=1, private_prefix=BY_PREFIX))
    nothing_private = publish_transactions(PublishTransactions(records=SHOP, k=5, p=1))
    assert not [text for text in (*bounded.notes, *nothing_private.notes) if "warning" in text]


def test_mistakes_that_would_leave_secrets_open_are_refused():
    with pytest.raises(UsageError, match="no item starts with 'zz'"):
        publish_transactions(PublishTransactions(records=SHOP, k=5, p=1, private_prefix=("zz",)))
    with pytest.raises(UsageError, match="none is declared"):
        publish_transactions(PublishTransactions(records=SHOP, k=5, h=0.5, p=1))


def test_a_request_is_checked_when_it_is_made():
    with pytest.raises(RequirementError, match="k=1 protects nobody"):
        PublishTransactions(records=SHOP, k=1, p=2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        PublishTransactions(records=SHOP, k=2, p=2).k = 3
