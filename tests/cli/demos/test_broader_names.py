"""The demo's part of broader names: a release that verifies, and a summary with the figures of its page."""

import json

from confide.audit.verify import verify
from confide.cli.demos import DemoPart
from confide.cli.demos.broader_names import run
from confide.core.samples.invented_baskets import baskets, departments


def test_the_part_says_what_broader_names_keep_that_hiding_loses(tmp_path):
    part = run(tmp_path)
    assert DemoPart.from_json(part.to_json()) == part
    (beside,) = part.passports
    assert verify(beside).ok
    passport = json.loads(beside.read_text())
    rows = passport["loss"]["beside_hiding"]
    assert rows["hiding items"]["gone"] > 0.3 > rows["broader names"]["gone"] == 0
    assert f"lose {rows['hiding items']['gone']:.1%}" in part.summary
    assert f"Broader names keep {rows['broader names']['as they are']:.1%}" in part.summary
    assert {"dairy", "fruit", "pets"} & set(passport["context"]["names"])
    assert "hiding items" in part.page.read_text()


def test_every_public_item_of_the_shop_has_a_shelf():
    assert set(departments().items) == {label for label in baskets(20_000).items if not label.startswith("s:")}
