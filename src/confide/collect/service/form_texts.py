"""What the owner of a collector says on its form: an introduction, whom to ask, what people agree to, other words.

    language = "de"                                 # of the words below, for screen readers
    introduction = "Wir fragen für die Stadt ..."
    contact = "Stadt, Amt für Gesundheit, 01234 5678"
    consent = "Ich bin einverstanden, dass ..."     # must be ticked before anything is drawn

    [bounds.age]                                    # a number outside is asked for again
    min = 0
    max = 120

    [words]                                         # any of WORDS in another language
    send = "Senden"

What is promised about privacy is worked out from the scheme and stays as it is: an owner can add to it, not reword it.
"""

from os import PathLike
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from confide.core.errors import InputError
from confide.core.files import read_toml
from confide.core.json_text import faults_of

__all__ = ["WORDS", "FormTexts", "read_form_texts"]

WORDS = {
    "choose": "Choose…",
    "which": "Which of these apply to you?",
    "search": "Search {n} items",
    "ticked": "{n} ticked",
    "ticked of": "{n} of at most {most} ticked",
    "only the range": "Only the range counts: {ranges}.",
    "up to": "up to {high}",
    "from to": "{low} to {high}",
    "or more": "{low} or more",
    "above up to": "above {low} up to {high}",
    "above": "above {low}",
    "send": "Draw and send",
    "send none": "None applies: draw and send",
    "send again": "Send the same record again",
    "send fresh": "Draw a new record and send",
    "sending": "Sending…",
    "answer all": "Please answer every question.",
    "number": "{name}: please give a number{bounds}.",
    "bounds": " from {min} to {max}",
    "agree first": "Please tick that you agree before you send.",
    "nothing ticked": "Nothing is ticked. If none of these applies to you, press the button again.",
    "thanks": "Thank you! Your answer has arrived.",
    "thanks again": "Thank you. This record was stored before.",
    "all that left": "This is all that left your device:",
    "empty": "an empty record",
    "more": "and {n} more",
    "answered": "You have answered already.",
    "answered text": "Your device kept the record it drew. Sending again sends that record and reveals nothing more.",
    "someone else": "Someone else answers on this device",
    "someone else text": "Only for another person: a second answer of the same person adds to what can be learned.",
    "so far": "{n} answers so far",
    "so far few": "Fewer than 5 answers so far",
}
"""The words of the form that may be given in another language; what stands in braces is filled in."""

_Text = Field(default="", max_length=5000)


class Bounds(BaseModel):
    """Of a number: the form asks again for one outside."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    min: float | None = Field(default=None, allow_inf_nan=False)
    max: float | None = Field(default=None, allow_inf_nan=False)

    @model_validator(mode="after")
    def _rising(self) -> "Bounds":
        if self.min is not None and self.max is not None and self.min >= self.max:
            raise ValueError("min must be below max")
        return self


class FormTexts(BaseModel):
    """What an owner adds to the form; see this module's text."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    language: str = Field(default="en", pattern="^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$")
    introduction: str = _Text
    contact: str = _Text
    consent: str = _Text
    bounds: dict[str, Bounds] = Field(default_factory=dict)
    words: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _known(self) -> "FormTexts":
        unknown = [name for name in self.words if name not in WORDS]
        if unknown:
            raise ValueError(f"no words {unknown[0][:60]!r}; words are: {', '.join(WORDS)}")
        return self

    def all_words(self) -> dict[str, str]:
        """Every word of the form, in the owner's language where given."""
        return {**WORDS, **self.words}


def read_form_texts(path: str | PathLike[str]) -> FormTexts:
    """Read them from a TOML file."""
    given = read_toml(path)
    try:
        return FormTexts(**given)
    except ValidationError as error:
        raise InputError(faults_of(error), source=Path(path)) from None
