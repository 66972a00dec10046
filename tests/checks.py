"""Questions asked of every algorithm, whatever it does. `tests/test_checks.py` runs them.

An algorithm is described once, by an `Algorithm`; a new one adds its line to ALGORITHMS there.
"""

import copy
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from confide import Itemsets, Transactions

__all__ = [
    "Algorithm",
    "check_input_is_not_mutated",
    "check_one_by_one_equals_batch",
    "check_same_input_same_result",
    "check_the_constructor_does_no_work",
    "check_order_of_records_does_not_matter",
]


@dataclass(frozen=True, kw_only=True)
class Algorithm:
    """`call(data)` runs it; `plain(result)` brings the result into a form that `==` compares.

    `make` builds the estimator, where there is one; `feed_one` and `feed_many` give it records.
    """

    name: str
    data: Callable[[], Any]
    call: Callable[[Any], Any]
    plain: Callable[[Any], Any] = lambda result: result
    make: Callable[[], Any] | None = None
    feed_one: Callable[[Any, Any], None] | None = None
    feed_many: Callable[[Any, Any], None] | None = None


def frozen(data: Any) -> Any:
    """A deep picture of the input, to compare with later."""
    if isinstance(data, Transactions):
        return data.indptr.tobytes(), data.indices.tobytes(), data.labels
    if isinstance(data, Itemsets):
        return data.offsets.tobytes(), data.items.tobytes(), data.supports.tobytes(), data.labels
    if isinstance(data, pa.Table):
        return data.to_pydict()
    if isinstance(data, tuple | list):
        return [frozen(part) for part in data]
    if isinstance(data, np.ndarray):
        return data.tobytes(), data.dtype, data.shape
    return copy.deepcopy(data)


def check_input_is_not_mutated(algorithm: Algorithm) -> None:
    """The data is bit for bit what it was."""
    data = algorithm.data()
    before = frozen(data)
    algorithm.call(data)
    assert frozen(data) == before


def check_same_input_same_result(algorithm: Algorithm) -> None:
    """Twice the same question, twice the same answer: no thread, hash seed or leftover state decides."""
    answers = [algorithm.plain(algorithm.call(algorithm.data())) for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]


def check_order_of_records_does_not_matter(algorithm: Algorithm) -> None:
    """Mining asks about a set of records; shuffling them changes nothing."""
    data = algorithm.data()
    order = np.random.default_rng(5).permutation(len(data))
    assert algorithm.plain(algorithm.call(data.take(order))) == algorithm.plain(algorithm.call(data))


def check_the_constructor_does_no_work(algorithm: Algorithm) -> None:
    """A constructor stores its arguments as they are: quick, no kernel loaded, every argument an attribute."""
    assert algorithm.make is not None
    made = algorithm.make()
    for name, parameter in inspect.signature(type(made)).parameters.items():
        if parameter.kind is parameter.KEYWORD_ONLY:
            assert hasattr(made, name), f"{name} is not kept"
    assert not [name for name in vars(made) if name.endswith("_") and not name.startswith("_")], "learned too early"
    assert sys.getsizeof(made) < 1000


def check_one_by_one_equals_batch(algorithm: Algorithm) -> None:
    """Records given one at a time or together leave the same state."""
    assert algorithm.make is not None
    assert algorithm.feed_one is not None
    assert algorithm.feed_many is not None
    data = algorithm.data()
    single, batch = algorithm.make(), algorithm.make()
    for record in data:
        algorithm.feed_one(single, record)
    algorithm.feed_many(batch, data)
    assert algorithm.plain(single) == algorithm.plain(batch)
