"""What all schemes made of blocks share: drawing a question and its answer, the wire, mining, words.

A device draws which block of fields it answers, by weights that are public and independent of anybody's record; then it
answers that block by its law. Both are sent, so what a person reveals is one answer under gamma, whatever was drawn.
"""

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.collect.answers.answer_files import Answers
from confide.collect.designs.answer_intake import collect_answers, count_answers
from confide.collect.designs.design_estimates import BlockEstimator, SupportTally, covers
from confide.collect.designs.design_forecasts import block_error
from confide.collect.designs.field_blocks import Block
from confide.collect.estimating.field_search import search_levels
from confide.collect.estimating.miner_questions import MinedLevels, Question
from confide.collect.fields.field import is_finite
from confide.collect.fields.fields import Fields, is_record
from confide.collect.numbered import MOST_OUTPUTS, NumberedRecords, check_size
from confide.collect.schemes.scheme import Amplified, Scheme
from confide.collect.wording.languages import DeviceSentence
from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.runtime.threads import answers_ctrl_c

if TYPE_CHECKING:
    import pyarrow as pa

    from confide.core.randomness import Randomness

__all__ = ["BlockScheme", "check_answer", "check_bound"]


def check_bound(gamma: Any) -> None:
    """Refuse a gamma that erases the data or bounds nothing."""
    if not is_finite(gamma) or gamma <= 1:
        raise RequirementError(
            f"gamma={gamma} erases the data or bounds nothing; use a finite number above 1, such as 19",
            parameter="gamma",
            value=gamma,
        )


def check_answer(blocks: Sequence[Block], wire: Any) -> None:
    """Raise InputError unless this is an answer to one of the blocks, as it goes over the wire."""
    if not isinstance(wire, list | tuple) or any(type(code) is not int for code in wire):
        raise InputError("a perturbed record must be a list of whole numbers")
    if not wire or not 0 <= wire[0] < len(blocks):
        raise InputError(f"a record begins with the number of its question, 0..{len(blocks) - 1}")
    if any(abs(code) >= 1 << 31 for code in wire):
        raise InputError("a number of an answer is too large; use the collector's scheme file")
    blocks[wire[0]].law.check_one(wire[1:])


@dataclass(frozen=True, kw_only=True)
class BlockScheme(Scheme):
    """A scheme whose devices answer one of `blocks`; `domains` as `Fields.of` takes them."""

    domains: Any
    gamma: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "domains", Fields.of(self.domains))
        check_bound(self.gamma)

    @property
    @abstractmethod
    def blocks(self) -> tuple[Block, ...]:
        """The questions, by their numbers."""

    @property
    def fields(self) -> Fields:
        """The fields, in order."""
        found: Fields = self.domains
        return found

    @property
    def universe(self) -> tuple[str, ...]:
        return self.fields.columns

    @property
    def sends_items(self) -> bool:
        return False

    @property
    def longest(self) -> int:
        return len(self.fields)

    # -- at the client --------------------------------------------------------------------------------------------

    def perturb(self, records: Any, *, randomness: "Randomness | None" = None) -> Any:
        """Answer for one record (a dict, or values in field order) or a batch.

        One record gives a list [question, number, ...], a list of records a list of them, an array of codes or cells
        `Answers`, and a frame a frame with the columns question and answer.
        """
        from confide.core.randomness import Randomness
        from confide.core.tables import frames as tables

        source = Randomness.system() if randomness is None else randomness
        drawn = self.draw_answers(self.encode_truth(records), source)
        if is_record(records):
            return next(iter(drawn))
        if isinstance(records, np.ndarray):
            return drawn
        if isinstance(records, Sequence):
            return list(drawn)
        return tables.like(drawn.to_table(), records)

    def encode_truth(self, records: Any) -> NDArray[np.int32]:
        """The codes of one true record, or of many; a row each."""
        if is_record(records):
            return np.array([self.fields.encode_one(records)], dtype=np.int32)
        return self.fields.encode(records)

    @answers_ctrl_c
    def draw_answers(self, codes: NDArray[np.int32], randomness: "Randomness") -> Answers:
        """One answer for each row of codes, known to be within their fields."""
        bounds = np.cumsum([block.weight for block in self.blocks])
        questions = np.searchsorted(bounds, randomness.integers(int(bounds[-1]), len(codes)), side="right")
        lengths = np.zeros(len(codes), dtype=np.int64)
        parts = []
        for b, block in enumerate(self.blocks):
            rows = np.flatnonzero(questions == b)
            if len(rows):
                indptr, drawn = block.law.draw(block.join(self.fields.sizes, codes[rows]), randomness)
                lengths[rows] = np.diff(indptr)
                parts.append((rows, indptr, drawn))
        ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        out = np.empty(ends[-1], dtype=np.int32)
        for rows, indptr, drawn in parts:
            out[np.repeat(ends[:-1][rows] - indptr[:-1], np.diff(indptr)) + np.arange(len(drawn))] = drawn
        return Answers(questions.astype(np.int32), ends, out)

    def encode(self, record: Any) -> list[int]:
        """A perturbed record is what goes over the wire already."""
        if not isinstance(record, list | tuple):
            raise InputError("a perturbed record must be a list of whole numbers, as perturb gives it")
        self.check_wire(record)
        return list(record)

    def check_wire(self, wire: Any) -> None:
        check_answer(self.blocks, wire)

    # -- about itself ---------------------------------------------------------------------------------------------

    def amplification(self, max_length: int | None = None) -> Amplified:
        """The largest gamma of a block: which one is answered does not depend on the record."""
        return Amplified.of(max(block.law.attained for block in self.blocks))

    def condition_number(self, length: int) -> float:
        """Of the law of the best block that asks for so many fields; infinite where none does."""
        laws = [block.law for block in self.blocks if len(block.positions) >= length]
        return min((float((law.p + (law.size - 1) * law.q) / (law.p - law.q)) for law in laws), default=math.inf)

    def standard_error(self, *, length: int, support: float = 0.02, records: int) -> float:
        """Standard error of a support, as a share, for itemsets over `length` fields; nan where none can be estimated.

        An average over the choices of fields; see `design_forecasts`.
        """
        return block_error(self.blocks, self.fields.sizes, length=length, support=support, records=records)

    def standard_error_at(self, gamma: float, *, length: int, support: float, records: int) -> float:
        return self._at(gamma).standard_error(length=length, support=support, records=records)

    @abstractmethod
    def _at(self, gamma: float) -> "BlockScheme":
        """A scheme of the same kind under another gamma."""

    @property
    def mean_bytes(self) -> float:
        """Bytes of one answer as it is sent, on average, numbers counted by their digits."""
        total = sum(block.weight for block in self.blocks)
        found = 0.0
        for b, block in enumerate(self.blocks):
            largest = max(block.law.size, block.law.parameters().get("prime", 0))
            found += block.weight * (len(str(b)) + block.law.mean_length * (1 + len(str(largest))))
        return found / total

    def loss(self, perturbed: Any) -> dict[str, Any]:
        return {"records": len(perturbed)}

    def compared(self, records: Any, perturbed: Any) -> dict[str, int]:
        tally = count_answers(self.blocks, perturbed)
        return {f"people asked for {self._named(b)}": int(n) for b, n in enumerate(tally.people)}

    def _named(self, b: int) -> str:
        return ", ".join(self.fields.names[i] for i in self.blocks[b].positions)

    def numbered(self) -> NumberedRecords:
        """Records are cells; answers are numbered block by block."""
        laws = [block.law for block in self.blocks]
        check_size(max(self.fields.cells, sum(law.answers for law in laws)))
        starts = np.concatenate([[0], np.cumsum([law.answers for law in laws])])

        def draw(truth: int, times: int, randomness: "Randomness | None") -> NDArray[np.int64]:
            answers = self.perturb(np.full(times, truth, dtype=np.int64), randomness=randomness)
            found = np.empty(times, dtype=np.int64)
            for b, law in enumerate(laws):
                rows = np.flatnonzero(answers.questions == b)
                here = answers[rows]
                found[rows] = starts[b] + law.number_answers(here.indptr, here.codes)
            return found

        def truth(cell: int) -> dict[str, str]:
            row = self.fields.split(np.array([cell]))[0]
            return dict(zip(self.fields.names, self.fields.decode_one(row), strict=True))

        def answer(number: int) -> dict[str, str]:
            b = int(np.searchsorted(starts, number, side="right")) - 1
            codes = laws[b].numbered_answer(number - int(starts[b]))
            return {"question": self._named(b), "answer": " ".join(map(str, codes))}

        return NumberedRecords(truths=self.fields.cells, answers=int(starts[-1]), draw=draw, truth=truth, answer=answer)

    def _is_small(self, fields: Fields) -> bool:
        """Whether an auditor can try every answer of this scheme over these fields."""
        audited = self._over(fields)
        return fields.cells <= MOST_OUTPUTS and sum(block.law.answers for block in audited.blocks) <= MOST_OUTPUTS

    @abstractmethod
    def _over(self, fields: Fields) -> "BlockScheme":
        """The same laws over other fields, with hash functions small enough to list where there are some."""

    def smaller(self) -> "BlockScheme":
        """Over its first fields, as many as leave answers few enough to list."""
        if self.fields.cells <= MOST_OUTPUTS and sum(block.law.answers for block in self.blocks) <= MOST_OUTPUTS:
            return self
        kept = self.fields.first(self._is_small)
        if not self._is_small(kept):
            kept = Fields.of({kept.names[0]: list(kept.fields[0].values[:3])})
        return self._over(kept)

    def question(self) -> DeviceSentence:
        return self.fields.question()

    def device_steps(self) -> tuple[DeviceSentence, ...]:
        """For several questions, how one is drawn and what is done for the first one."""
        first = self.blocks[0].law.step()
        if len(self.blocks) == 1:
            return (first, DeviceSentence.of("not which"))
        names = tuple(self.fields.names[i] for i in self.blocks[0].positions)
        return (
            DeviceSentence.of("one of", n=len(self.blocks), names=names),
            first,
            DeviceSentence.of("shows question"),
        )

    # -- at the server --------------------------------------------------------------------------------------------

    def unpack(self, lengths: NDArray[np.int32], codes: NDArray[np.int32]) -> Answers:
        return Answers.unpack(lengths, codes)

    def released(self, records: Any) -> "pa.Table":
        return records.to_table()

    def covers(self, chosen: tuple[int, ...]) -> bool:
        """Whether some block asks for these fields together."""
        return covers(self.blocks, chosen)

    def estimator(self, perturbed: Any) -> BlockEstimator:
        """Estimates of any itemset over fields that are asked together, from these answers."""
        return BlockEstimator(self.blocks, self.fields.sizes, self._count(perturbed))

    def _count(self, perturbed: Any) -> SupportTally:
        return count_answers(self.blocks, perturbed)

    def reconstruct(self, perturbed: Any, *, method: str = "em") -> NDArray[np.float64]:
        """The shares of people with each combination of values: an axis for each field, none negative, 1 in all.

        `method` is "em" (the likeliest shares) or "simplex" (the nearest to the unbiased estimates). They err less than
        unbiased estimates where people are few, and are biased; see `joint_shares`.
        """
        from confide.collect.designs.joint_shares import METHODS, em_shares, simplex_shares

        if method not in METHODS:
            raise UsageError(
                f"method={method!r} is not a way to reconstruct; use: {', '.join(METHODS)}",
                parameter="method",
                value=method,
            )
        if method == "simplex":
            return simplex_shares(self.blocks, self.fields.sizes, self._count(perturbed))
        answers = collect_answers(perturbed)
        self._count(answers)  # refuses what no device could have sent
        return em_shares(self.blocks, self.fields.sizes, answers)

    def search(self, perturbed: Any, question: Question) -> MinedLevels:
        if question.counter is not None:
            raise UsageError(f"a {self.kind} scheme counts answers, not candidates; leave out counter")
        widest = max(len(block.positions) for block in self.blocks)
        if question.max_length is not None and question.max_length > widest:
            raise UsageError(
                f"max_length={question.max_length}: this scheme asks for at most {widest} fields together, so longer "
                f"sets cannot be estimated; use max_length={widest}, or a design with larger subsets",
                parameter="max_length",
                value=question.max_length,
            )
        tally = self._count(perturbed)
        wanted = question.wanted(tally.records)
        estimator = BlockEstimator(self.blocks, self.fields.sizes, tally)
        levels = search_levels(estimator, self.fields, wanted, covers=self.covers)
        return MinedLevels(levels=levels, wanted=wanted, labels=self.fields.columns, records=tally.records)

    def mining_notes(self) -> tuple[str, ...]:
        """Which lengths cannot be estimated, and whether all sets of the others can."""
        widest = max(len(block.positions) for block in self.blocks)
        if widest == len(self.fields):
            return ()
        return (f"people were asked for at most {widest} fields together: longer sets cannot be estimated",)

    @staticmethod
    def _plain(gamma: float) -> float:
        return int(gamma) if isinstance(gamma, float) and gamma.is_integer() else gamma

    @classmethod
    @abstractmethod
    def from_parameters(cls, data: Mapping[str, Any]) -> "BlockScheme":
        """Read back what `parameters` gave."""
