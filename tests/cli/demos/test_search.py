import re

from confide.cli.demos import search


def test_the_demo_of_search_changes_the_order_of_results(tmp_path):
    summary = search.run(tmp_path).summary
    moved, results = re.search(r"(\d+) of (\d+) results for 'evening' change places", summary).groups()
    assert 0 < int(moved) <= int(results) == 50
