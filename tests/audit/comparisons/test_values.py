"""A column read by the auditor: few different texts are numbered by a kernel, just as Arrow numbers them."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from confide.audit.comparisons import values
from confide.audit.comparisons.values import meaning, read_values


def texts(seed):
    """Texts of a random kind: few, many, alike but for one of their bytes, with nulls, empty ones."""
    draw = np.random.default_rng([seed, 31])
    some = [
        [f"v{n}" for n in range(int(draw.integers(1, 40)))],
        [f"v{n}" for n in range(2000)],
        [f"a{n:02}b{n:02}c" for n in range(90)],
        ["", "a", "ab", "a b", "\u00e9", "\u00e9\u00e9", "aa"],
        [""],
        ["x", None, ""],
        [
            f"a{'x' * place}{other}{'x' * (size - place)}z"
            for size in range(4, 16)
            for place in range(size)
            for other in "uv"
        ],
    ][seed % 7]
    chosen = [some[at] for at in draw.integers(0, len(some), int(draw.integers(0, 3000)))]
    kind = pa.large_string() if draw.random() < 0.5 else pa.string()
    column = pa.array(chosen, kind)
    begin = int(draw.integers(0, len(column) + 1)) if draw.random() < 0.4 else 0
    return column[begin:]


@pytest.mark.parametrize("seed", range(42))
def test_texts_are_numbered_as_by_arrow(seed):
    column = texts(seed)
    read = read_values(column, name="town")
    encoded = pc.dictionary_encode(column, null_encoding="encode")
    assert read.codes.tolist() == encoded.indices.to_pylist()
    assert read.different.equals(meaning(encoded.dictionary))
    assert [read.texts[code] for code in read.codes] == [text or "" for text in column.to_pylist()]


def test_few_texts_take_the_kernel_and_texts_that_it_cannot_tell_apart_do_not():
    few = pa.array(["f", "m"] * 50)
    assert values._number_texts(few) is not None
    alike = pa.array([f"a{n:03}{'x' * 9}b{n:03}c" for n in range(400)] * 3)  # the same length, first, middle, last byte
    assert values._number_texts(alike) is None
    assert len(read_values(alike, name="town")) == 400
