"""Hiding beside broader names: what `suppress` would have kept, in public figures, and only where it is asked for."""

from collections import Counter

import pytest
from tests.amounts import some
from tests.commands import confide
from tests.oracles.broader_names import ncp
from tests.publish.transactions.test_generalise import SECRETS, draw
from tests.report.made import Page

from confide import Coherence, Transactions
from confide.core.errors import CannotMeetError
from confide.core.jobs.outcome import Host
from confide.core.samples.invented_baskets import baskets
from confide.publish import PublishTransactions, generalise, publish_transactions, suppress
from confide.report import render

SHOP = baskets(400, seed=2)


def compare(rows, requirement, **options):
    """The row of hiding, and that of broader names, with the other figures of the release."""
    loss = generalise(rows, requirement, beside_hiding=True, **options).loss
    return loss["beside_hiding"]["hiding items"], loss["beside_hiding"]["broader names"], loss


@pytest.mark.parametrize("seed", some(range(200), every=10))
def test_hiding_keeps_what_a_release_by_hiding_keeps(seed):
    rows, _, requirement = draw(seed)
    baskets = [sorted(row) for row in rows]
    try:
        hiding, names, loss = compare(baskets, requirement, private=SECRETS)
    except CannotMeetError:
        return
    public = Counter(label for row in rows for label in row - set(SECRETS))
    try:
        held = {label for row in suppress(baskets, requirement, private=SECRETS).data for label in row}
    except CannotMeetError:
        held = set()
    lost = sum(n for label, n in public.items() if label not in held)
    shown = max(lost, requirement.k - 1) if lost else 0
    assert hiding["gone"] == hiding["NCP"] == round(shown / public.total(), 3)
    assert hiding["as they are"] == round(1 - hiding["gone"], 3)
    exactly = ncp(rows, {label: label if label in held else "" for label in public})
    assert hiding["NCP"] >= exactly - 5e-4  # never fewer lost than are, but for the rounding
    assert hiding["items per name, median"] in (1, len(public))
    assert (names["as they are"], names["gone"], names["NCP"]) == (loss["share_exact"], loss["share_gone"], loss["ncp"])


def test_fewer_than_k_entries_that_would_go_are_not_counted():
    rows = [["a", "b"]] * 50 + [["a", "rare"]] * 2 + [["a"]] * 2
    hiding, _, _ = compare(rows, Coherence(h=1, k=5, p=1))
    entries = sum(map(len, rows))
    assert hiding["gone"] == round(4 / entries, 3) != round(2 / entries, 3)


def test_where_hiding_leaves_nothing_all_is_gone():
    rows = [[f"i{n}"] for n in range(8)]  # no item is in two records; "one of several" is
    hiding, names, _ = compare(rows, Coherence(h=1, k=2, p=1))
    assert (hiding["as they are"], hiding["gone"], hiding["NCP"], hiding["bits"]) == (0, 1, 1, 3)
    assert hiding["items per name, median"] == 8
    assert (names["under a broader name"], names["gone"]) == (1, 0)


def test_items_to_keep_and_never_to_publish_count_for_both():
    rows = [["a", "b", "never"], ["a", "c"], ["b", "c"], ["a", "d"], ["b", "d"], ["c", "d"]]
    hiding, names, _ = compare(rows, Coherence(h=1, k=2, p=2), keep=["c"], never=["never"])
    assert hiding["as they are"] >= 3 / 12
    assert names["as they are"] >= 3 / 12


def test_hiding_is_worked_out_where_a_page_is_wanted():
    request = PublishTransactions(records=SHOP, k=5, h=0.5, p=2, by="generalise", private_prefix=("s:",))
    plain, shown = publish_transactions(request), publish_transactions(request, Host(page=True))
    assert "beside_hiding" not in plain.release.loss
    assert not [note for note in plain.notes if "hiding" in note]
    row = shown.release.loss["beside_hiding"]["hiding items"]
    said = f"would keep {row['as they are']:.1%} of these entries and lose {row['gone']:.1%}"
    assert [note for note in shown.notes if said in note]
    assert {each["loss"]: each["value"] for each in shown.rows()}["beside_hiding: hiding items: gone"] == row["gone"]
    page = Page(render(shown.release)).text
    checked, _, apart = page.partition("Said by whoever made it")[2].partition("Not checked")
    assert "Hiding items beside broader names" in apart
    assert "Hiding items beside broader names" not in checked
    assert f"{row['gone']:.1%}" in apart


def test_the_command_works_it_out_for_its_report(tmp_path):
    Transactions.from_lists([["a", "b"], ["a", "c"], ["b", "c"], ["a", "d"]] * 3).write(tmp_path / "in.csv")
    asked = ("publish", "transactions", "in.csv", "--by", "generalise", "--k", "2", "--p", "2")
    assert "beside_hiding" not in confide(*asked, "-o", "out.csv", cwd=tmp_path).stdout
    assert "beside_hiding" in confide(*asked, "-o", "o.csv", "--report", "r.html", cwd=tmp_path).stdout
    assert "Hiding items beside broader names" in (tmp_path / "r.html").read_text()
