"""A fault in a kernel: two entries that it wrote are exchanged. For tests of what is released beside what was read.

Kernels run as the plain Python that they are written in, so that a fault can be put into each of them, those that only
other kernels call included. What a kernel wrote are the arrays it returns, and those among its arguments that it
changed. One core works, and new arrays hold zeros: the same fault does the same every time.
"""

import contextvars
import ctypes
import importlib
import pkgutil
import random
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from confide.core.runtime import compiled, interpreted
from confide.core.runtime.threads import limited_cores

PATIENCE = 10.0
"""Seconds after which a fault is taken to have made an endless loop."""

INTRINSICS = {
    getattr(compiled, name): getattr(interpreted, name)
    for name in ("claim", "load_word", "popcount", "prefetch", "stopped", "trailing_zeros")
}


def kernels_of(*packages: str) -> dict[str, Any]:
    """Every kernel of these packages, by "module:name"."""
    found = {}
    for package in packages:
        home = importlib.import_module(package)
        for module in pkgutil.walk_packages(home.__path__, prefix=f"{package}."):
            if module.name.endswith("_kernels"):
                loaded = importlib.import_module(module.name)
                for name, value in vars(loaded).items():
                    if isinstance(value, compiled.CPUDispatcher) and value.py_func.__module__ == module.name:
                        found[f"{module.name}:{name}"] = value
    return found


@contextmanager
def as_python(kernels: dict[str, Any], wrap: Callable[[str, Any], Any]) -> Iterator[None]:
    """Each kernel as `wrap` makes it of its name and its plain Python, wherever a module of ours has it.

    Other kernels stay compiled, and go on calling compiled ones. All kernels are imported first: a module that is
    imported meanwhile would keep the plain Python for good. New arrays hold zeros where a module of ours asks for them,
    not in numpy itself: a kernel compiled meanwhile would take that over, wrongly, and keep it on the disk.
    """
    kernels_of("confide")
    made = {id(kernel): wrap(name, kernel.py_func) for name, kernel in kernels.items()}
    bits = kernels_of("confide.core.runtime")
    made |= {id(kernel): kernel.py_func for kernel in bits.values()}
    plain_modules = {name.partition(":")[0] for name in (*kernels, *bits)}
    by_hand = {id(intrinsic): plain for intrinsic, plain in INTRINSICS.items()}
    changed = []
    for home, module in [pair for pair in sys.modules.items() if pair[0].startswith("confide.")]:
        if home.endswith("kernels") and home not in plain_modules:
            continue
        here = made | by_hand if home in plain_modules else made
        here = here | {id(np): _zeroing_numpy()}
        for name, value in list(vars(module).items()):
            if id(value) in here and not name.startswith("__"):
                changed.append((module, name, value))
                setattr(module, name, here[id(value)])
    try:
        with limited_cores(1), np.errstate(all="ignore"):
            yield
    finally:
        for module, name, value in changed:
            setattr(module, name, value)


@cache
def _zeroing_numpy() -> ModuleType:
    """numpy, but for arrays without values, which hold zeros."""
    zeroing = ModuleType("numpy")
    vars(zeroing).update(vars(np) | {"empty": np.zeros, "empty_like": np.zeros_like})
    return zeroing


def until_it_ends(work: Callable[[], Any]) -> Any:
    """What `work` answers; TimeoutError, raised in the loop itself, where it does not end."""
    found: list[Any] = []
    before, here = set(threading.enumerate()), contextvars.copy_context()

    def run() -> None:
        try:
            found.append(here.run(work))
        except BaseException as error:  # raised below
            found.append(error)

    worker = threading.Thread(target=run, daemon=True)
    worker.start()
    worker.join(PATIENCE)
    while worker.is_alive():
        for thread in set(threading.enumerate()) - before:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(thread.ident or 0), ctypes.py_object(TimeoutError)
            )
        worker.join(1.0)
    if isinstance(found[0], BaseException):
        raise found[0]
    return found[0]


def arrays_in(given: Any) -> list[np.ndarray]:
    """The arrays in arguments or results, tuples of them included."""
    if isinstance(given, np.ndarray):
        return [given]
    if isinstance(given, tuple | list):
        return [array for part in given for array in arrays_in(part)]
    return []


class Fault:
    """Exchanges two entries in what one kernel writes, or only returns, in one of its calls; counts what it wrote."""

    def __init__(self, target: str | None, seed: int = 0, skip: int = 0, *, returned: bool = False):
        self.target, self.skip, self.returned = target, skip, returned
        self.draw = random.Random(seed)
        self.wrote: dict[str, int] = {}
        self.called: dict[str, int] = {}
        self.done = False

    def wrap(self, name: str, plain: Any) -> Any:
        if self.target is not None and name != self.target:
            return plain

        def call(*given: Any) -> Any:
            self.called[name] = self.called.get(name, 0) + 1
            if self.done:
                return plain(*given)
            before = [(array, array.copy()) for array in arrays_in(given)]
            answer = plain(*given)
            changed = [array for array, was in before if not np.array_equal(array, was)]
            written = [] if self.returned else changed
            written += [array for array in arrays_in(answer) if all(array is not other for other in written)]
            written = [array for array in written if array.size > 1 and array.flags.writeable]
            different = [array for array in written if (array.flat[:] != array.flat[0]).any()]
            if different:
                self.wrote[name] = self.wrote.get(name, 0) + 1
                if self.target is not None and self.wrote[name] > self.skip:
                    self.done = True
                    self._exchange(self.draw.choice(different))
            return answer

        return call

    def _exchange(self, array: np.ndarray) -> None:
        flat = array.reshape(-1) if array.flags.c_contiguous else array.flat
        one = self.draw.randrange(array.size)
        others = [at for at in range(array.size) if flat[at] != flat[one]]
        other = self.draw.choice(others)
        flat[one], flat[other] = flat[other].copy(), flat[one].copy()
