"""Arithmetic modulo p = 2**255 - 19 on eight numbers at once, in the vector unit (AVX-512 IFMA).

A number is five limbs of 51 bits, sum of limb[i] * 2**(51 i). Eight numbers are a *slot*: 40 words, limb by limb, the
eight numbers side by side, so that a limb of all eight is one register. Slots lie in one array of words, the *file*,
and operations name them by number: `multiply(file, out, a, b)`.

    word of limb i of number n in slot s:   file[40 s + 8 i + n]

The vector unit multiplies 52 bits by 52 and adds the lower or the upper half of the product to a word. A limb must
therefore stay below 2**52. Every operation takes and gives limbs below 2**51 + 2**15:

    product    limb sums below 2**55; those above the fifth come back times 19, below 2**60; one carry leaves
               less than 2**51 + 2**14
    sum        below 2**53 before its carry
    difference a + 2p - b, so that no limb is negative; below 2**53 before its carry

No branch and no address depends on a number. Where the processor has no such unit the module must not be used: ask
`available`.
"""

from typing import Any

import numba
from llvmlite import binding, ir
from numba import types
from numba.extending import intrinsic

from confide.core.runtime.jit import kernel

__all__ = ["LANES", "LIMBS", "SLOT", "add", "available", "chosen", "multiply", "square", "subtract"]

LANES, LIMBS = 8, 5
SLOT = LANES * LIMBS

_WORD = ir.IntType(64)
_VECTOR = ir.VectorType(_WORD, LANES)
_LOW = (1 << 51) - 1
_TWICE_P = ((1 << 52) - 38, *[(1 << 52) - 2] * 4)


def available() -> bool:
    """Whether this processor, as numba compiles for it, multiplies 52-bit words eight at a time."""
    settings: Any = numba.config
    if settings.CPU_NAME is not None or settings.CPU_FEATURES is not None:  # compiled for another machine
        return False
    features = binding.get_host_cpu_features()
    return bool(features.get("avx512f") and features.get("avx512ifma"))


class _Registers:
    """Loads, stores and arithmetic of slots, while code for an operation is generated."""

    def __init__(self, context: Any, builder: Any, kind: Any, array: Any):
        self.builder = builder
        # One copy of each operation: copied into every formula, the code takes a minute to compile.
        builder.function.attributes.add("noinline")
        self._file = context.make_array(kind)(context, builder, array).data

    def _at(self, word: Any) -> Any:
        return self.builder.bitcast(self.builder.gep(self._file, [word]), _VECTOR.as_pointer())

    def words(self, slot: Any, number: int) -> list[Any]:
        """The addresses of `number` vectors from a slot on."""
        first = self.builder.mul(slot, _WORD(SLOT))
        return [self._at(self.builder.add(first, _WORD(LANES * i))) for i in range(number)]

    def load(self, slot: Any) -> list[Any]:
        return [self.read(place) for place in self.words(slot, LIMBS)]

    def read(self, place: Any) -> Any:
        found = self.builder.load(place)
        found.align = 8
        return found

    def write(self, value: Any, place: Any) -> None:
        self.builder.store(value, place).align = 8

    def store(self, limbs: list[Any], slot: Any) -> None:
        for value, place in zip(limbs, self.words(slot, LIMBS), strict=True):
            self.write(value, place)

    def constant(self, value: int) -> Any:
        return ir.Constant(_VECTOR, [value] * LANES)

    def product(self, half: str, total: Any, a: Any, b: Any) -> Any:
        """`total` plus the lower ("l") or upper ("h") 52 bits of a * b."""
        kind = ir.FunctionType(_VECTOR, [_VECTOR] * 3)
        name = f"llvm.x86.avx512.vpmadd52{half}.uq.512"
        function = self.builder.module.globals.get(name) or ir.Function(self.builder.module, kind, name)
        return self.builder.call(function, [total, a, b])

    def carried(self, limbs: list[Any]) -> list[Any]:
        """What passes 51 bits goes on to the next limb; from the last, times 19, to the first."""
        builder, shift, low = self.builder, self.constant(51), self.constant(_LOW)
        over = [builder.lshr(limb, shift) for limb in limbs]
        rest = [builder.and_(limb, low) for limb in limbs]
        around = builder.mul(over[-1], self.constant(19))
        return [builder.add(limb, more) for limb, more in zip(rest, [around, *over[:-1]], strict=True)]

    def folded(self, lower: list[Any], upper: list[Any]) -> list[Any]:
        """The ten sums of a product as five limbs: `upper` sums stand one limb higher, and for twice as much."""
        builder = self.builder
        sums = [
            builder.add(low, builder.shl(high, self.constant(1)))
            for low, high in zip([*lower, self.constant(0)], [self.constant(0), *upper], strict=True)
        ]
        return self.carried([builder.add(sums[i], builder.mul(sums[i + 5], self.constant(19))) for i in range(LIMBS)])


def _operation(inputs: int, code: Any) -> Any:
    """An intrinsic that loads `inputs` slots, and stores what `code(registers, *slots)` makes of them."""

    def typed(typing_context: Any, file: Any, out: Any, a: Any, b: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            registers = _Registers(context, builder, signature.args[0], args[0])
            registers.store(code(registers, *(registers.load(slot) for slot in args[2 : 2 + inputs])), args[1])
            return context.get_dummy_value()

        return types.void(file, types.int64, types.int64, types.int64), codegen

    return intrinsic(typed)


def _product(registers: _Registers, a: list[Any], b: list[Any]) -> list[Any]:
    lower, upper = ([registers.constant(0)] * 9 for _ in range(2))
    for i in range(LIMBS):
        for j in range(LIMBS):
            lower[i + j] = registers.product("l", lower[i + j], a[i], b[j])
            upper[i + j] = registers.product("h", upper[i + j], a[i], b[j])
    return registers.folded(lower, upper)


def _squared(registers: _Registers, a: list[Any]) -> list[Any]:
    sums = {half: [registers.constant(0)] * 9 for half in "lh"}
    for half, found in sums.items():
        for i in range(LIMBS):  # each mixed product occurs twice
            for j in range(i + 1, LIMBS):
                found[i + j] = registers.product(half, found[i + j], a[i], a[j])
        found[:] = [registers.builder.shl(value, registers.constant(1)) for value in found]
        for i in range(LIMBS):
            found[2 * i] = registers.product(half, found[2 * i], a[i], a[i])
    return registers.folded(sums["l"], sums["h"])


def _sum(registers: _Registers, a: list[Any], b: list[Any]) -> list[Any]:
    return registers.carried([registers.builder.add(x, y) for x, y in zip(a, b, strict=True)])


def _difference(registers: _Registers, a: list[Any], b: list[Any]) -> list[Any]:
    builder = registers.builder
    above = [builder.add(x, registers.constant(most)) for x, most in zip(a, _TWICE_P, strict=True)]
    return registers.carried([builder.sub(x, y) for x, y in zip(above, b, strict=True)])


_multiply: Any = _operation(2, _product)
_square: Any = _operation(1, _squared)
_add: Any = _operation(2, _sum)
_subtract: Any = _operation(2, _difference)


@intrinsic
def _chosen(typing_context: Any, file: Any, out: Any, table: Any, place: Any) -> Any:
    """Copy four slots, the entry `place` (from 1) of eight in `table`; all are read, whatever the place."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        registers = _Registers(context, builder, signature.args[0], args[0])
        entries = [builder.add(args[2], _WORD(4 * i)) for i in range(8)]
        masks = []
        for i in range(8):
            one = builder.sext(builder.icmp_signed("==", args[3], _WORD(i + 1)), _WORD)
            first = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), one, ir.IntType(32)(0))
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
            masks.append(builder.shuffle_vector(first, ir.Constant(_VECTOR, ir.Undefined), zeros))
        places = [registers.words(entry, 4 * LIMBS) for entry in entries]
        for word, goes in enumerate(registers.words(args[1], 4 * LIMBS)):
            found = registers.constant(0)
            for entry, mask in zip(places, masks, strict=True):
                found = builder.or_(found, builder.and_(registers.read(entry[word]), mask))
            registers.write(found, goes)
        return context.get_dummy_value()

    return types.void(file, types.int64, types.int64, types.int64), codegen


_choose: Any = _chosen


@kernel
def multiply(file: Any, out: int, a: int, b: int) -> None:
    """Slot `out` becomes the product of the slots a and b; out may be one of them, here and below."""
    _multiply(file, out, a, b)


@kernel
def square(file: Any, out: int, a: int) -> None:
    """Slot `out` becomes the square of slot a."""
    _square(file, out, a, a)


@kernel
def add(file: Any, out: int, a: int, b: int) -> None:
    """Slot `out` becomes the sum."""
    _add(file, out, a, b)


@kernel
def subtract(file: Any, out: int, a: int, b: int) -> None:
    """Slot `out` becomes a minus b."""
    _subtract(file, out, a, b)


@kernel
def chosen(file: Any, out: int, table: int, place: int) -> None:
    """The four slots from `out` on become entry `place` (1 to 8; 0: zeros) of the table of eight at slot `table`."""
    _choose(file, out, table, place)
