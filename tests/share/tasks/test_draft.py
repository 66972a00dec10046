"""A first draft of domains: what is left out, and what the draft gives away, is said."""

import pyarrow as pa
import pytest

from confide.core.errors import InputError
from confide.share.tasks.draft import DraftRequest, draft_domains

TABLE = pa.table(
    {
        "name": [f"n{i}" for i in range(300)],
        "town": ["Bath", "York", "Hull"] * 100,
        "age": list(range(300)),
        "ill": ["flu", "none"] * 150,
    }
)


def test_names_are_left_out_and_values_warned_of():
    draft = draft_domains(TABLE, DraftRequest(target="ill"))
    assert [attribute.name for attribute in draft.domains.attributes] == ["town", "age"]
    assert draft.notes[0] == "2 attributes and 2 classes"
    assert draft.notes[1].endswith("too many different values: name")
    assert draft.notes[2].startswith("warning: the draft shows values")


def test_what_is_left_out_on_purpose_is_not_told_again():
    draft = draft_domains(TABLE, DraftRequest(target="ill", leave_out=["name", "age"]))
    assert [attribute.name for attribute in draft.domains.attributes] == ["town"]
    assert len(draft.notes) == 2


def test_an_unknown_column_to_leave_out_is_refused():
    with pytest.raises(InputError, match="no column 'nam' to leave out; columns are: name, town"):
        draft_domains(TABLE, DraftRequest(target="ill", leave_out=["nam"]))
