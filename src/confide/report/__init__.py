"""A release as one HTML page: opens offline, runs no script, prints well. Modules in dependency order:

formats         numbers, shares and names as a reader expects them
blocks          nested values as text, short lists and small tables
drawing         a chart as inline SVG, with a text alternative
svg_diagrams    boxes with lines between them as inline SVG
passport_facts  what a passport says: how the release was made, and which one it is
said            what stands apart on a page as the word of whoever made the release
release_pages   the pages: a release for everybody, its owner's part, an index of several, a study before a release
notebook        what a notebook shows for a release or a verification
templates/      their HTML, and one style sheet that every page carries inside

The public page and the owner's page are rendered by different functions from different templates; nothing of
`Release.owner` or `Release.data` is ever handed to the public one.
"""

from typing import TYPE_CHECKING

from confide.core.runtime.lazy import exports

if TYPE_CHECKING:
    from confide.report.release_pages import (
        IndexEntry,
        render,
        render_index,
        render_owner,
        render_study,
        write,
        write_index,
        write_owner,
        write_study,
    )

__all__ = [
    "IndexEntry",
    "render",
    "render_index",
    "render_owner",
    "render_study",
    "write",
    "write_index",
    "write_owner",
    "write_study",
]

__getattr__, __dir__ = exports(__name__, dict.fromkeys(__all__, "confide.report.release_pages"))
