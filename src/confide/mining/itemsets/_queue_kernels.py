"""What threads that run kernels share: a queue of tasks (one number, taken and raised in one atomic step), and a flag
that tells them to stop.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

__all__ = ["claim", "stopped"]


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


stopped: Any = _stopped
claim: Any = _claim  # to mypy an intrinsic takes the typing context first; kernels call it without
