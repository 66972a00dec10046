"""Many answers at once: in memory, and as a table that can be written to a file and read back.

An answer is the number of its question (which block of fields was asked) and a few whole numbers; see `answer_laws`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["COLUMNS", "Answers", "read_answers"]

COLUMNS = ("question", "answer")
"""Of a table of answers: the number of the question, and the answer's whole numbers with blanks between them."""


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers end to end: `questions[i]`, and `codes[indptr[i]:indptr[i + 1]]`.

    `len`, iteration (each as it goes over the wire) and taking rows by an array of numbers work as for a list.
    """

    questions: NDArray[np.int32]
    indptr: NDArray[np.int64]
    codes: NDArray[np.int32]

    @classmethod
    def from_wire(cls, wires: Sequence[Sequence[int]]) -> "Answers":
        """From lists [question, number, ...], known to be whole numbers."""
        lengths = np.array([len(wire) for wire in wires], dtype=np.int32)
        return cls.unpack(lengths, np.array([code for wire in wires for code in wire], dtype=np.int32))

    @classmethod
    def unpack(cls, lengths: NDArray[np.int32], codes: NDArray[np.int32]) -> "Answers":
        """From lists [question, number, ...] end to end, of these lengths."""
        if len(lengths) and lengths.min() < 1:
            raise InputError("an answer begins with the number of its question; one is empty")
        starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        rest = np.ones(len(codes), dtype=np.bool_)
        rest[starts[:-1]] = False
        return cls(codes[starts[:-1]], starts - np.arange(len(starts)), codes[rest])

    def __len__(self) -> int:
        return len(self.questions)

    def __iter__(self) -> Iterator[list[int]]:
        codes = self.codes.tolist()
        bounds = self.indptr.tolist()
        for i, question in enumerate(self.questions.tolist()):
            yield [question, *codes[bounds[i] : bounds[i + 1]]]

    def __getitem__(self, rows: NDArray[np.int64]) -> "Answers":
        lengths = np.diff(self.indptr)[rows]
        indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        at = np.repeat(self.indptr[:-1][rows] - indptr[:-1], lengths) + np.arange(indptr[-1])
        return Answers(self.questions[rows], indptr, self.codes[at])

    def to_table(self) -> "pa.Table":
        """As an Arrow table with the columns of `COLUMNS`, both of text."""
        import pyarrow as pa
        import pyarrow.compute as pc

        texts = pa.ListArray.from_arrays(pa.array(self.indptr, pa.int32()), pa.array(self.codes).cast(pa.string()))
        question, answer = COLUMNS
        return pa.table({question: pa.array(self.questions).cast(pa.string()), answer: pc.binary_join(texts, " ")})


def read_answers(table: Any) -> Answers:
    """Read back what `to_table` gave, whatever kind of frame it is now."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from confide.core.tables.frames import to_table

    read = to_table(table)
    if read.column_names != list(COLUMNS):
        raise InputError(f"answers have the columns {' and '.join(COLUMNS)}, not: {', '.join(read.column_names)}")
    question, answer = (read[name].combine_chunks() for name in COLUMNS)
    if question.null_count or answer.null_count:
        answer, question = pc.fill_null(answer.cast(pa.string()), ""), question
    try:
        parts = pc.split_pattern(answer.cast(pa.string()), " ")
        parts = parts.combine_chunks() if isinstance(parts, pa.ChunkedArray) else parts
        empty = pc.equal(answer.cast(pa.string()), "").to_numpy(zero_copy_only=False)
        texts = parts.flatten()
        blank = pc.equal(texts, "").to_numpy(zero_copy_only=False)
        if int(blank.sum()) != int(empty.sum()):
            raise InputError("the numbers of an answer have one blank between them, and none around them")
        codes = texts.filter(pa.array(~blank)).cast(pa.int32()).to_numpy(zero_copy_only=False)
        questions = question.cast(pa.string()).cast(pa.int32())
    except pa.ArrowInvalid:
        raise InputError("an answer is not made of whole numbers; perturb the records first") from None
    if questions.null_count:
        raise InputError("the number of a question is missing")
    lengths = np.diff(parts.offsets.to_numpy(zero_copy_only=False)) - empty
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Answers(questions.to_numpy(zero_copy_only=False), indptr, np.asarray(codes, dtype=np.int32))
