"""A queue of tasks for threads that run kernels: one shared number, taken and raised in one atomic step."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

__all__ = ["claim"]


@intrinsic
def claim(typing_context, counter):  # type: ignore[no-untyped-def]  # numba reads this signature, not mypy
    """Give `counter[0]` (an int64 array) and raise it by one; no two threads get the same number."""

    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        array = context.make_array(signature.args[0])(context, builder, args[0])
        return builder.atomic_rmw("add", array.data, ir.Constant(ir.IntType(64), 1), "monotonic")

    return types.int64(counter), codegen
