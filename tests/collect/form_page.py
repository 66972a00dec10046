"""The form as a person uses it in a browser: the survey it asks, filling it in, sending it."""

import json

from confide.collect import Bins, GammaDiagonal

__all__ = ["SURVEY", "fill", "send"]

SURVEY = GammaDiagonal(domains={"age": Bins((35, 55)), "sex": ["F", "M"], "fumé": ["no", "yes"]}, gamma=19)


def fill(page):
    page.wait_for_selector("#send:not([disabled])")
    page.fill("#field-0", "41")
    page.select_option("#field-1", "F")
    page.select_option("#field-2", "yes")


def send(page):
    """Press the button; the body of the request that left the page."""
    with page.expect_request("**/records") as asked:
        page.click("#send")
    page.wait_for_selector("#done:not([hidden])")
    return json.loads(asked.value.post_data)
