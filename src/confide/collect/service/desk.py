"""The desk of a survey: takes answers while it is open, and says how it goes, never what one person sent.

Whether it is open, paused or closed is noted in the store, and so are its questions as people read them: answers to two
wordings cannot be told apart afterwards, so a store with answers refuses a survey that asks otherwise.
"""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

from confide.collect.service.store import Collected, Store, Submission, SubmissionOutcome, collect_records, outcomes
from confide.collect.survey.questions import find_change, questions_record
from confide.collect.survey.survey_progress import SurveyProgress, measure_progress
from confide.core.errors import InputError, UsageError
from confide.core.json_text import read_json
from confide.web.bodies import Refusal

if TYPE_CHECKING:
    from confide.collect.schemes.scheme import Scheme
    from confide.collect.service.group_commit import Recorder
    from confide.collect.service.personal_links import PersonalLinks
    from confide.collect.survey.survey_file import Survey

__all__ = [
    "MAX_RECORDS",
    "STATES",
    "SurveyDesk",
    "TurnedAway",
    "read_state",
    "read_submission",
    "settle_questions",
    "write_state",
]

MAX_RECORDS = 10_000
"""Records a submission may have."""

STATES = ("open", "paused", "closed")
_FRESH = 1.0  # seconds for which the state is not asked again
_CODE = re.compile(r"[A-Za-z0-9_-]{1,64}")
_LINES = {
    "paused": "the survey is paused and takes no answers at the moment; nothing was stored",
    "closed": "the survey is closed and takes no answers any more; nothing was stored",
    "link needed": "this survey takes one answer by each personal link, and none came with this; nothing was stored",
    "link used": "this personal link was used already, or is not complete; nothing was stored",
}


class TurnedAway(Refusal):
    """Refused for a reason that the form has words for."""

    def __init__(self, why: str):
        super().__init__(403, _LINES[why])
        self.why = why


def read_state(store: Store) -> str:
    """Whether the survey of a store is open, paused or closed."""
    noted = store.note("state")
    return noted if noted in STATES else "open"


def write_state(store: Store, state: str) -> None:
    """Open, pause or close it."""
    if state not in STATES:
        line = f"state={state!r} is not a state of a survey; use: {', '.join(STATES)}"
        raise UsageError(line, parameter="state", value=state)
    store.write_note("state", state)


def settle_questions(store: Store, survey: "Survey") -> None:
    """Note the questions; refuse a survey that asks otherwise than the one that answers came in for."""
    noted = store.note("questions")
    if noted is not None and store.count()[0]:
        before = read_json(noted)
        changed = find_change(before if isinstance(before, dict) else {}, survey)
        if changed is not None:
            raise InputError(
                f"the survey has changed since answers came in: {changed}; go back to the earlier file, or use another "
                "store"
            )
    store.write_note("questions", json.dumps(questions_record(survey), ensure_ascii=False))


class SurveyDesk:
    """Takes submissions, by personal links where there are any, and knows how far the survey is."""

    def __init__(
        self,
        scheme: "Scheme",
        recorder: "Recorder",
        *,
        survey: "Survey",
        links: "PersonalLinks | None" = None,
        within: Sequence[float] = (),
    ):
        self.scheme, self.survey, self.links = scheme, survey, links
        self._recorder, self._within = recorder, tuple(within)
        self._state: tuple[float, str] | None = None

    async def state(self) -> str:
        """At most a second old: another collector on the same store, or a command, may change it."""
        now = asyncio.get_running_loop().time()
        if self._state is None or now - self._state[0] > _FRESH:
            self._state = (now, await self._recorder.on_store(read_state))
        return self._state[1]

    async def change_state(self, state: str) -> None:
        """Open, pause or close the survey."""
        await self._recorder.on_store(lambda store: write_state(store, state))
        self._state = None

    async def receive(self, body: bytes) -> dict[str, Any]:
        """Store what came; returns when it is on disk. Raises Refusal for what is not taken."""
        submission, code = read_submission(self.scheme, body)
        state = await self.state()
        if state != "open":
            outcome = await self._find_stored(submission)
            if outcome is None:
                raise TurnedAway(state)
        elif self.links is None:
            outcome = await self._recorder.add(submission)
        else:
            outcome = await self._receive_by_link(self.links, submission, code)
        if outcome is SubmissionOutcome.CONFLICT:
            raise Refusal(409, "this submission id was used for other records; nothing was stored")
        return {"submission": str(submission.id), "records": len(submission.lengths), "state": outcome.value}

    async def _receive_by_link(
        self, links: "PersonalLinks", submission: Submission, code: str | None
    ) -> SubmissionOutcome:
        if code is None:
            raise TurnedAway("link needed")
        if len(submission.lengths) != 1:
            raise Refusal(400, "a personal link takes one record")
        with links.take(code) as free:
            outcome = await (self._recorder.add(submission) if free else self._find_stored(submission))
            if outcome is None:
                raise TurnedAway("link used")
            if free and outcome is not SubmissionOutcome.CONFLICT:
                await links.strike(code)
        return outcome

    async def _find_stored(self, submission: Submission) -> SubmissionOutcome | None:
        """What became of a submission that is stored already; None of one that is not."""
        held = await self._recorder.on_store(lambda store: store.find_codes([submission.id]))
        return outcomes([submission], set(), held)[0] if held else None

    async def progress(self) -> SurveyProgress:
        """How many answered, and how near estimates are: forecast from their number alone."""
        _, records = await self._recorder.count()
        return measure_progress(self.scheme, records, state=await self.state(), within=self._within)

    async def collected(self) -> Collected:
        """Every record, shuffled, to be mined or exported."""
        return await self._recorder.on_store(lambda store: collect_records(self.scheme, store))


def read_submission(scheme: "Scheme", body: bytes) -> tuple[Submission, str | None]:
    """The submission a request's body holds, checked against the scheme, and the code of its personal link.

    Raises Refusal for anything else.
    """
    try:
        sent = read_json(body)
    except InputError as error:
        raise Refusal(400, f"the request is {error}") from None
    if not isinstance(sent, dict) or set(sent) - {"code"} != {"scheme", "submission", "records"}:
        raise Refusal(
            400, 'a request has "scheme", "submission" and "records", with a personal link "code", nothing else'
        )
    if sent["scheme"] != scheme.fingerprint:
        raise Refusal(409, "perturbed by another scheme than this collector's; fetch scheme.json again")
    records = sent["records"]
    if not isinstance(records, list) or not 1 <= len(records) <= MAX_RECORDS:
        raise Refusal(400, f"records must be a list of 1 to {MAX_RECORDS:,} records")
    for number, record in enumerate(records, start=1):
        try:
            scheme.check_wire(record)
        except InputError as error:
            raise Refusal(422, f"record {number} does not fit the scheme: {error}") from None
    return Submission.of(_read_id(sent["submission"]), records), _read_code(sent)


def _read_id(text: object) -> UUID:
    try:
        id = UUID(text) if isinstance(text, str) else None
    except ValueError:
        id = None
    if id is None or str(id) != text or id.version != 4:  # other versions tell the time, or the machine
        raise Refusal(400, "submission must be a random UUID in lower case, such as Python's str(uuid.uuid4())")
    return id


def _read_code(sent: Mapping[str, Any]) -> str | None:
    code = sent.get("code")
    if "code" in sent and not (isinstance(code, str) and _CODE.fullmatch(code)):
        raise Refusal(400, "code must be what stands behind # in a personal link")
    return code
