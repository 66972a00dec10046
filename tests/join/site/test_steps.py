"""The gate of a site: every message has its phase, one order is carried out at a time, and none is repeated."""

import pytest
from tests.join.sites import small

from confide.core.errors import UnreachableError
from confide.join.network.links import RunStopped, serve
from confide.join.site.steps import STEPS, Phase, Steps

ORDERS = [verb for verb, step in STEPS.items() if step.speaker == "coordinator" and step.phases is not None]


def gate_at(phase):
    """A gate in this phase, reached by carrying out the orders that lead to it."""
    steps = Steps("T1")
    way = {Phase.BEGUN: [], Phase.OPEN: ["propagate"], Phase.FINISHED: ["propagate", "finish"]}
    for verb in way.get(phase, ["propagate", "finish", "ledger"]):
        with steps.carrying_out(verb):
            pass
    assert steps.phase is phase
    return steps


@pytest.mark.parametrize("phase", [Phase.BEGUN, Phase.OPEN, Phase.FINISHED, Phase.OVER])
def test_an_order_is_taken_in_its_own_phase_and_refused_in_all_others(phase):
    for verb in ORDERS:
        steps = gate_at(phase)
        if phase in STEPS[verb].phases:
            with steps.carrying_out(verb):
                pass
        else:
            with (
                pytest.raises(UnreachableError, match=f"T1 cannot take '{verb}' now: the run is in phase '{phase}'"),
                steps.carrying_out(verb),
            ):
                pytest.fail("it was carried out")
            assert steps.phase is phase


def test_a_step_that_failed_half_way_is_not_repeated():
    steps = gate_at(Phase.BEGUN)
    with pytest.raises(ZeroDivisionError), steps.carrying_out("propagate"):
        raise ZeroDivisionError
    assert steps.phase is Phase.CLASSES
    with pytest.raises(UnreachableError, match="phase 'classes'"), steps.carrying_out("propagate"):
        pass
    steps.admit("class-counts")
    with pytest.raises(UnreachableError, match="cannot take 'split-counts' now"):
        steps.admit("split-counts")


def test_two_orders_are_not_carried_out_at_the_same_time():
    steps = gate_at(Phase.OPEN)
    with (
        steps.carrying_out("split"),
        pytest.raises(UnreachableError, match="cannot take 'score' now: it is still carrying out 'split'"),
        steps.carrying_out("score"),
    ):
        pass
    with steps.carrying_out("score"):
        pass


def test_a_run_that_is_stopped_during_a_step_stays_stopped_and_says_why():
    steps = gate_at(Phase.BEGUN)
    with steps.carrying_out("propagate"):
        steps.stop("enough")
    assert steps.phase is Phase.OVER
    with pytest.raises(RunStopped, match="enough"), steps.carrying_out("labels"):
        pass


class Listening:
    """A site whose messages are noted."""

    def __init__(self, site, said):
        self._site, self._said = site, said
        self.name, self.ledger, self.policy = site.name, site.ledger, site.policy

    def handle(self, sender, message, cancelled):
        self._said.append((self._site, sender, message))
        return self._site.handle(sender, message, cancelled)


def test_every_message_of_an_honest_run_passes_and_none_passes_a_second_time():
    coordinator, sites = small()
    said = []
    for site in sites:
        coordinator.link.hall.enter(Listening(site, said))
    coordinator.train()
    assert {message.verb for _, _, message in said} >= {"propagate", "score", "won", "split", "finish", "ledger"}
    for site, sender, message in said:
        if message.verb in STEPS and STEPS[message.verb].phases is not None:
            assert serve(site, sender, message, 0, lambda: False).verb == "failed", message.verb
