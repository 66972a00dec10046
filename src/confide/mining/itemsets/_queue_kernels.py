"""A queue of tasks for threads that run kernels: one shared number, taken and raised in one atomic step."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

__all__ = ["claim"]


@intrinsic
def _claim(typing_context: Any, counter: Any) -> Any:
    """Give `counter[0]` (an int64 array) and raise it by one; no two threads get the same number."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        return builder.atomic_rmw("add", array.data, ir.Constant(ir.IntType(64), 1), "monotonic")

    return types.int64(counter), codegen


claim: Any = _claim  # to mypy an intrinsic takes the typing context first; kernels call it without
