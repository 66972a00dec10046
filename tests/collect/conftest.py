"""What several tests of collecting open."""

import pytest


@pytest.fixture
def visit(browser):
    """Opens a page in a context of its own; any error in the page, or request to elsewhere, fails the test."""
    faults, contexts = [], []

    def open_page(url, path="form", **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda request: request.url.startswith(url) or faults.append(request.url))
        page.goto(url + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not faults
