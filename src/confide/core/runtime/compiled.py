"""Kernels compiled by numba, and what they do in one machine instruction. `jit` hands them out.

Kernels are compiled when first called and kept on disk, so a machine compiles each of them once. Five traps
are handled here so that no kernel has to think of them:

- with neither the package folder nor the home directory writable, numba refuses to decorate a cached
  function at all; then we compile without the cache;
- numba compiles again when a kernel's own file has changed, but not when one has that it imports from: it would go on
  with the old kernels, constants or layout of a tuple, or fail to read what it kept where a tuple has another name now;
- two processes that compile one kernel at the same time write the same files (`_keep_apart`);
- the first compilation takes seconds during which a user sees nothing; then one line on stderr says why;
- an interrupt that arrives while numba prepares a call, or packs its result, ends the process with a fault of memory.

Importing this module imports numba (0.5 s), so only `_kernels` modules do, and they are imported late.
"""

import hashlib
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, cast

import numba
from llvmlite import ir
from numba import types
from numba.core import event
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.compiler import CompileResult
from numba.core.registry import CPUDispatcher
from numba.extending import intrinsic

from confide.core.carried.wheel import CARRY_INTO, carry, find_carried
from confide.core.runtime.threads import UNDISTURBED, end_if_interrupted

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["claim", "first_to_say", "kernel", "load_word", "popcount", "prefetch", "stopped", "trailing_zeros"]

_SAID_RECENTLY = 120.0  # seconds

Kernel = Callable[..., Any]
"""To mypy a kernel takes and gives anything: numba infers its types, and checks them, when it is first called."""


class _Interruptible(CPUDispatcher):
    """A kernel that does not begin in a thread that is to end, and that can be told from what calls it.

    Kernels that call it see its twin, `inner`: what only they call needs no wrapper for Python and no machine code of
    its own, since it becomes a part of theirs.
    """

    inner: "_Inner"

    @property
    def _numba_type_(self) -> Any:
        return types.Dispatcher(getattr(self, "inner", self))  # one that was pickled and loaded has no twin

    def __call__(self, *args: Any) -> Any:
        end_if_interrupted()
        return _call(self, *args)


class _Inner(CPUDispatcher):
    """A kernel as other kernels call it: kept as LLVM's bitcode."""

    def enable_caching(self) -> None:
        self._cache: Any = _BitcodeCache(self.py_func)  # type: ignore[no-untyped-call]


class _Bitcode(CompileResultCacheImpl):
    def reduce(self, data: Any) -> Any:
        data.library.serialize_using_object_code = data.library.serialize_using_bitcode
        return super().reduce(data)  # type: ignore[no-untyped-call]


class _BitcodeCache(FunctionCache):
    _impl_class = _Bitcode


class _WithCarried:
    """What is kept of a kernel: by numba on this machine, or by the wheel it came with."""

    def __init__(self, compiled: Any):
        self._function, self._kept = compiled.py_func, compiled._cache
        self._state = _source(compiled.__module__)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kept, name)

    def load_overload(self, types: Any, context: Any) -> Any:
        """The kernel for these types of arguments, or None."""
        found = self._kept.load_overload(types, context)
        if found is None and (carried := find_carried(self._function, self._state, types)) is not None:
            context.refresh()
            found = CompileResult._rebuild(context, *carried)  # type: ignore[no-untyped-call]
        return found

    def save_overload(self, types: Any, result: Any) -> None:
        """Keep the kernel for these types; while a wheel is built, for that."""
        if CARRY_INTO in os.environ:
            carry(self._function, self._state, types, result._reduce(), Path(os.environ[CARRY_INTO]))
        else:
            self._kept.save_overload(types, result)


_call = CPUDispatcher.__call__
UNDISTURBED.add(_Interruptible.__call__.__code__)


def kernel(function: Kernel) -> Kernel:
    """Compile `function` with numba: no Python objects, no interpreter lock, kept on disk where possible."""
    compiled = _dispatcher(_Interruptible, function, no_cfunc_wrapper=True)
    compiled.inner = _dispatcher(_Inner, function, "inner.", no_cfunc_wrapper=True, no_cpython_wrapper=True)
    compiled._cache = _WithCarried(compiled)
    return cast(Kernel, compiled)


def _dispatcher(kind: type[CPUDispatcher], function: Kernel, mark: str = "", **options: bool) -> Any:
    """What numba calls a dispatcher: it compiles the function for the types it is called with, or finds it on disk."""
    decorate: Any = numba.njit
    made = decorate(nogil=True, **options)(function)
    made.__class__ = kind
    try:
        made.enable_caching()
    except RuntimeError as error:
        if "cannot cache" not in str(error):
            raise
    else:
        _keep_apart(made._cache._cache_file, mark + _source(function.__module__)[:16])
    return made


def _keep_apart(kept: Any, state: str) -> None:
    """Give what numba keeps of a kernel names of its own for each state of the source, and let one process save at a
    time.

    Numba numbers the files of a kernel by what its index lists. Two processes that compile it for different types at
    the same time would take the same number, and later one type's code would be called for the other.
    """
    mark = f".{state}."
    kept._index_path = str(kept._index_path).removesuffix(".nbi") + f"{mark}nbi"
    kept._data_name_pattern = kept._data_name_pattern.replace(".{number:d}.nbc", f"{mark}{{number:d}}.nbc")
    save = kept.save

    def save_alone(key: Any, data: Any) -> None:
        with _lock(Path(kept._index_path).parent / "saving"):
            save(key, data)

    kept.save = save_alone


@contextmanager
def _lock(file: Path) -> Iterator[None]:
    """Let one process at a time into the block, where files can be locked; a process that dies leaves no lock."""
    if fcntl is None:
        yield
        return
    with file.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


_IMPORT = re.compile(r"^from (\S+) import (\([^)]*\)|.*)$", re.MULTILINE)


@cache
def _source(module: str) -> str:
    """A digest of a module's file; of one that holds kernels, with those of its package that it imports.

    Modules import before they define, so for all kernels of a module it is the same.
    """
    try:
        text = Path(getattr(sys.modules[module], "__file__", None) or "").read_text()
    except OSError:
        return ""
    parts = [text]
    if module == "confide.core.runtime.jit":
        parts.append(_source(__name__))
    if module != __name__ and "@kernel" in text:
        for name, what in _IMPORT.findall(text):
            if name.partition(".")[0] == module.partition(".")[0]:
                below = [f"{name}.{word}" for word in re.findall(r"\w+", what)]
                parts += map(_source, [other for other in below if other in sys.modules] or [name])
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@intrinsic
def _popcount(typing_context: Any, word: Any) -> Any:
    """Count the set bits of an unsigned 64-bit word, in one machine instruction."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


@intrinsic
def _trailing_zeros(typing_context: Any, word: Any) -> Any:
    """Number of zero bits below the lowest set bit of an unsigned 64-bit word; 64 for zero."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), codegen


@intrinsic
def _load_word(typing_context: Any, text: Any, position: Any) -> Any:
    """The eight bytes from `position` of a contiguous byte array as one word, lowest byte first.

    No bounds are checked: the caller makes sure that position + 8 <= len(text).
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        byte = builder.gep(array.data, [args[1]])
        word = builder.load(builder.bitcast(byte, ir.IntType(64).as_pointer()))
        word.align = 1
        if sys.byteorder == "big":
            word = builder.bswap(word)
        return word

    return types.uint64(text, types.int64), codegen


@intrinsic
def _prefetch(typing_context: Any, table: Any, row: Any, column: Any) -> Any:
    """Ask for the cache line of table[row, column] of a contiguous table, without waiting for it.

    No bounds are checked; a place outside the table is not read but may be asked for in vain.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        width = builder.extract_value(array.shape, 1)
        place = builder.gep(array.data, [builder.add(builder.mul(args[1], width), args[2])])
        pointer = builder.bitcast(place, ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", (pointer.type,), kind)
        read, keep, data = number(0), number(3), number(1)
        builder.call(function, [pointer, read, keep, data])
        return context.get_dummy_value()

    return types.void(table, types.int64, types.int64), codegen


@intrinsic
def _claim(typing_context: Any, counter: Any) -> Any:
    """Give `counter[0]` (an int64 array) and raise it by one; no two threads get the same number."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        return builder.atomic_rmw("add", array.data, ir.Constant(ir.IntType(64), 1), "monotonic")

    return types.int64(counter), codegen


@intrinsic
def _stopped(typing_context: Any, flag: Any) -> Any:
    """Whether `flag[0]` (an int64 array) has been set; read anew each time, for another thread sets it."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        value = builder.load_atomic(array.data, "monotonic", 8)
        return builder.icmp_signed("!=", value, ir.Constant(ir.IntType(64), 0))

    return types.boolean(flag), codegen


# To mypy an intrinsic takes the typing context first, as numba's compiler calls it; kernels call it without.
popcount: Any = _popcount
trailing_zeros: Any = _trailing_zeros
load_word: Any = _load_word
prefetch: Any = _prefetch
claim: Any = _claim
stopped: Any = _stopped


def first_to_say(folder: Path, *, now: float | None = None) -> bool:
    """Whether no other process said within the last minutes that it compiles: the first leaves a mark in `folder`.

    A command may start several processes, and all of them compile the same kernels at the same time.
    """
    mark = folder / "compiling"
    try:
        if (time.time() if now is None else now) - mark.stat().st_mtime < _SAID_RECENTLY:
            return False
        mark.unlink()
    except OSError:
        pass
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return False
    except OSError:  # not to be written: better said twice than never
        pass
    return True


class _Announcer(event.Listener):
    """Says on stderr that kernels are being compiled: once per process, and once for processes started together."""

    def __init__(self) -> None:
        self.announced = False

    def on_start(self, event: Any) -> None:
        if not self.announced:
            self.announced = True
            if first_to_say(Path(__file__).parent / "__pycache__"):
                print("confide: compiling kernels for this machine (once, some seconds)", file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:compile", _Announcer())  # type: ignore[no-untyped-call]
