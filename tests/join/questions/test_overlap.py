"""Join values asked for outside a run: right, within both policies, and what a hostile neighbour gets."""

import json
import secrets

import pyarrow as pa
import pytest

from confide.core.errors import CannotMeetError, InputError, UnreachableError, UsageError
from confide.join import Policy, Site
from confide.join.intersection.party import IntersectionParty
from confide.join.intersection.size import SizeParty
from confide.join.network.links import Hall
from confide.join.protocol.ledger import Ledger
from confide.join.protocol.messages import Message
from confide.join.protocol.summary_messages import points_column, points_of

A = pa.table({"key": ["a", "b", "b", "c", None, "e"], "year": [1, 1, 2, 3, 4, 5], "x": [1, 2, 3, 4, 5, 6]})
B = pa.table({"id": ["b", "c", "c", "d"], "jahr": [1, 3, 3, 9]})
ANY = Policy(intersections="values")


def pair(*, mine=ANY, theirs=ANY, on=1, state=None):
    """Sites A and B that join on one column or two, and everything they say."""
    said = []
    hall = Hall(lambda *message: said.append(message))
    a = Site("A", A, neighbours={"B": ["key", "year"][:on]}, coordinator="C", policy=mine)
    b = Site("B", B, neighbours={"A": ["id", "jahr"][:on]}, coordinator="C", policy=theirs, state=state)
    for site in (a, b):
        site.connect(hall.link(site.name, site.ledger, site.policy))
        hall.enter(site)
    return a, b, hall, said


@pytest.mark.parametrize(
    ("on", "shared"), [(1, [{"key": "b"}, {"key": "c"}]), (2, [{"key": "b", "year": 1}, {"key": "c", "year": 3}])]
)
def test_the_asking_site_learns_which_of_its_values_both_have(on, shared):
    a, _, _, _ = pair(on=on)
    found = a.overlap("B")
    assert found.values.to_pylist() == shared
    assert found.summary() == {"own_values": 4 + (on == 2), "neighbour_values": 3, "shared_values": 2}


def test_the_size_alone_is_found_and_no_point_of_the_asking_side_comes_back(tmp_path):
    a, _, _, said = pair(state=tmp_path)
    found = a.overlap("B", size_only=True)
    assert (found.shared, found.values) == (2, None)
    assert [verb for _, _, verb, _ in said] == ["offer", "offered", "return", "settled"]
    assert Message.from_bytes(said[1][3])[0].entries == 3  # B's own points, and none of A's
    assert not list(tmp_path.glob("shared-with-*"))


def test_the_neighbour_keeps_the_values_for_its_own_owner_alone(tmp_path):
    a, _, _, _ = pair(state=tmp_path)
    a.overlap("B")
    kept = tmp_path / "shared-with-A.csv"
    assert kept.read_text() == "id\nb\nc\n"
    assert kept.stat().st_mode & 0o777 == 0o600


def test_nothing_crosses_but_points_types_and_the_size():
    a, _, _, said = pair()
    a.overlap("B")
    crossed = b"".join(data for _, _, _, data in said)
    for word in (b"key", b"year", b'"x"', b"jahr"):
        assert word not in crossed


@pytest.mark.parametrize(
    ("mine", "theirs", "size_only", "whose"),
    [
        (Policy(), ANY, True, "A"),
        (ANY, Policy(), True, "B"),
        (ANY, Policy(intersections="size"), False, "B"),
        (Policy(intersections="size"), ANY, False, "A"),
    ],
)
def test_both_policies_bind(mine, theirs, size_only, whose):
    a, _, _, said = pair(mine=mine, theirs=theirs)
    with pytest.raises(CannotMeetError, match=f"policy of {whose} allows no such intersection") as caught:
        a.overlap("B", size_only=size_only)
    assert "intersections = " in str(caught.value)
    assert not any(verb == "offered" for _, _, verb, _ in said)


def test_a_policy_that_leaves_out_the_kind_sends_no_size():
    a, _, _, _ = pair(theirs=Policy(intersections="size", allow=["intersection-1", "intersection-2", "intersection-3"]))
    with pytest.raises(CannotMeetError, match="no message of kind 'intersection-size'"):
        a.overlap("B", size_only=True)


def test_columns_that_cannot_be_compared_are_named_by_place():
    hall = Hall()
    a = Site("A", A, neighbours={"B": ["year"]}, coordinator="C", policy=ANY)
    b = Site("B", B, neighbours={"A": ["id"]}, coordinator="C", policy=ANY)
    for site in (a, b):
        site.connect(hall.link(site.name, site.ledger, site.policy))
        hall.enter(site)
    with pytest.raises(InputError, match="join column 1 is large_string at B and int64 at A"):
        a.overlap("B")
    with pytest.raises(UsageError, match="Z is not a neighbour of A; neighbours are: B"):
        a.overlap("Z")


def test_an_exchange_is_in_both_ledgers_and_in_no_run_of_a_tree(tmp_path):
    a, b, _, _ = pair(state=tmp_path)
    b.ledger.begin("0" * 32)
    a.overlap("B", size_only=True)
    assert b.ledger.lines() == ()
    lines = [json.loads(line) for line in (tmp_path / "ledger.jsonl").read_text().splitlines()]
    assert [line["kind"] for line in lines if "kind" in line] == [
        "intersection-1",
        "intersection-2",
        "intersection-3",
        "intersection-size",
    ]
    assert len({line["run"] for line in lines}) == 1
    assert [line["used"] for line in lines if "budget" in line] == [1]


# -- a neighbour that breaks the rules --------------------------------------------------------------------------------


class Hostile:
    """Site A as it pleases: any values, any order of messages, as often as it likes."""

    def __init__(self, *, theirs, state=None):
        _, self.victim, hall, _ = pair(theirs=theirs, state=state)
        self.link = hall.link("A", Ledger("A"))

    def offer(self, values, *, size_only=True, exchange=None):
        """(exchange, party, the victim's answer) for values that A invented."""
        exchange = exchange or secrets.token_hex(16)
        kind = SizeParty if size_only else IntersectionParty
        party = kind(values, context=f"{kind.__name__} {exchange} A B")
        header = {"run": exchange, "types": ["large_string"], "size_only": size_only}
        message = Message("offer", header, {"point": points_column(party.start())})
        return exchange, party, self.link.call("B", message, timeout=60)

    def size(self, values):
        """The size of the intersection with these values."""
        exchange, party, answer = self.offer(values)
        return self.returned(exchange, party.finish(answer_of(answer)))

    def returned(self, exchange, points):
        back = Message("return", {"run": exchange}, {"point": points_column(points)})
        return self.link.call("B", back, timeout=60).header["size"]


def answer_of(message):
    from confide.join.intersection.party import Answer

    doubled = 32 * message.header["doubled"]
    return Answer(points_of(message)[:doubled], points_of(message)[doubled:])


def test_sizes_are_bisected_as_long_as_the_budget_lasts_which_outlives_the_site(tmp_path):
    # What the docs say remains: each question tells whether one value is there, until none is left.
    policy = Policy(intersections="size", max_intersections=3)
    hostile = Hostile(theirs=policy, state=tmp_path)
    junk = [f"junk {i}" for i in range(20)]
    assert [hostile.size(["b", "c", *junk[:5]]), hostile.size(["b", "zz", *junk[:5]])] == [2, 1]
    hostile = Hostile(theirs=policy, state=tmp_path)
    hostile.size(["b"])
    with pytest.raises(CannotMeetError, match="allows A 3 intersections in all"):
        hostile.size(["c"])


def test_a_question_that_is_refused_is_counted_too():
    hostile = Hostile(theirs=Policy(intersections="size", max_intersections=2, max_key_ratio=1))
    for _ in range(2):
        with pytest.raises(CannotMeetError, match="3 are allowed"):
            hostile.offer(["a", "b", "c", "d"])
    with pytest.raises(CannotMeetError, match="2 intersections in all"):
        hostile.offer(["a"])


def test_a_small_size_is_not_told():
    hostile = Hostile(theirs=Policy(intersections="size", min_records=2))
    assert hostile.size(["b", "c"]) == 2
    for guess in (["b"], ["zz"]):
        with pytest.raises(CannotMeetError, match="from 2 values on, and it is smaller"):
            hostile.size(guess)


def test_a_small_domain_cannot_be_listed():
    every = [chr(code) for code in range(ord("a"), ord("z") + 1)] + [f"{i:02}" for i in range(10)]
    hostile = Hostile(theirs=Policy(intersections="values"))
    with pytest.raises(CannotMeetError, match="holds 36 values against 3 here, and 30 are allowed"):
        hostile.offer(every, size_only=False)


def test_points_are_returned_once_and_in_their_own_exchange():
    hostile = Hostile(theirs=ANY)
    exchange, party, answer = hostile.offer(["b"])
    finished = party.finish(answer_of(answer))
    with pytest.raises(UsageError, match="did not offer"):
        hostile.returned(secrets.token_hex(16), finished)
    with pytest.raises(UsageError, match="did not offer"):  # the failed try has ended the exchange
        hostile.returned(exchange, finished)
    exchange, party, answer = hostile.offer(["b"])
    finished = party.finish(answer_of(answer))
    assert hostile.returned(exchange, finished) == 1
    with pytest.raises(UsageError, match="did not offer"):
        hostile.returned(exchange, finished)


def test_a_size_only_answer_cannot_be_turned_into_values():
    # The victim must not double the asking side's points in size-only mode, whatever is asked for afterwards.
    hostile = Hostile(theirs=Policy(intersections="size"))
    _, _, answer = hostile.offer(["b", "c"])
    assert answer.header["doubled"] == 0
    with pytest.raises(CannotMeetError, match="their size only"):
        hostile.offer(["b", "c"], size_only=False)


def test_only_a_neighbour_may_ask():
    _, _, hall, _ = pair()
    header = {"run": "0" * 32, "types": ["large_string"], "size_only": True}
    offer = Message("offer", header, {"point": points_column(SizeParty(["b"]).start())})
    for other in ("C", "stranger"):
        with pytest.raises(UsageError, match=f"{other} is not a neighbour of B"):
            hall.link(other, Ledger(other)).call("B", offer, timeout=60)


def test_a_neighbour_that_names_an_impossible_size_is_caught():
    a, b, _, _ = pair()
    honest = b.overlaps.answer
    b.overlaps.answer = lambda sender, message: (
        Message("settled", {"run": message.header["run"], "size": 9})
        if message.verb == "return"
        else honest(sender, message)
    )
    for size_only in (True, False):
        with pytest.raises(UnreachableError, match="cannot be true"):
            a.overlap("B", size_only=size_only)
