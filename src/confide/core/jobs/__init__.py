"""Jobs: what a user asks for, as one object; command line, files, forms and reference are derived. In dependency order:

kinds           kinds of values: read from text, checked, saved
fields          what a field says once: meaning, range, default, choices
request         the base of all requests: frozen, checked when made
outcome         what a job gives back
delivery        where it goes
catalogue       a job, and all of them by name
records         requests that read baskets or tables
promised_columns  what is asked of which sensitive column
ledger_use      requests whose release is recorded in a ledger
table_promise   requests that ask something of a table
request_files   requests as TOML and JSON
forms           a plain description of a job, to draw a form from
"""

from confide.core.jobs.catalogue import Job, job_named
from confide.core.jobs.fields import setting, source
from confide.core.jobs.forms import form_of
from confide.core.jobs.outcome import Outcome
from confide.core.jobs.request import Request
from confide.core.jobs.request_files import read_request, request_text

__all__ = [
    "Job",
    "Outcome",
    "Request",
    "form_of",
    "job_named",
    "read_request",
    "request_text",
    "setting",
    "source",
]
