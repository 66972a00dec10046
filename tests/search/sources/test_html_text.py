"""Text out of pages that strangers wrote: what a reader sees, in time that grows with the length and no faster."""

import time

import pytest

from confide.search.sources.html_text import html_text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>tea<br>leaves", "tea\nleaves"),
        ("<STYLE>p { color: red }</STYLE >ink", "ink"),
        ("<script>if (a < b) '</p>'</script>after", "after"),
        ("<svg><text>drawn</text></svg>seen", "seen"),
        ("before<script>never ends", "before"),
        ("before<!-- never ends", "before"),
        ("a <!-- <b> --> c", "a c"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("<!DOCTYPE html><?xml?><b>bold</b>ly", "boldly"),
        ("caf&eacute; &lt;b&gt; &#x1F375; &nope;", "caf\u00e9 <b> \U0001f375 &nope;"),
        ("cut <a href='https", "cut <a href='https"),
        ("", ""),
    ],
)
def test_a_reader_sees_the_text(page, text):
    assert html_text(page) == text


@pytest.mark.parametrize(
    "piece",
    ["<", "<a", "<!", "<!--", "</", "<![CDATA[", "<?", "<a href='", "&", "&#", "<script>", "</script", "<a b=c ",
     "x<y ", "<svg>", "<!-- -", "</a", "<style", "<p"],
)  # fmt: skip
def test_a_megabyte_of_anything_takes_no_longer_than_a_moment(piece):
    page = (piece * (1_000_000 // len(piece) + 1))[:1_000_000]
    begin = time.process_time()
    html_text(page)
    assert time.process_time() - begin < 60  # Python's own parser: more than an hour
