"""Arrays of numbers in few bytes: the first bytes of all numbers, then the second bytes, and so on, and zstd.

Numbers of few groups leave most of these bytes zero. An array may be written as its difference to another that the
reader has: where a person's group or value stayed the same, that is zero too.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["pack_array", "unpack_array"]

_LEVEL = 1
_MOST = 1 << 40  # numbers
_TYPES: dict[str, np.dtype[Any]] = {"i4": np.dtype("<i4"), "u8": np.dtype("<u8")}


def pack_array(numbers: NDArray[Any], *, beside: NDArray[Any] | None = None) -> tuple[dict[str, Any], bytes]:
    """The array as bytes, and what a reader needs to know of them; of its difference to `beside` if that is shorter.

    >>> about, packed = pack_array(np.zeros(1000, dtype=np.int32))
    >>> len(packed) < 40, int(unpack_array(about, packed).sum())
    (True, 0)
    """
    import pyarrow as pa

    kind = f"{numbers.dtype.kind}{numbers.dtype.itemsize}"
    codec = pa.Codec("zstd", compression_level=_LEVEL)
    tried = [numbers]
    if beside is not None:
        tried.append(numbers - np.resize(beside, len(numbers)) if len(beside) else numbers)
    packed = [bytes(codec.compress(_planes(one.astype(_TYPES[kind])), asbytes=True)) for one in tried]
    best = min(range(len(packed)), key=lambda i: len(packed[i]))
    return {"kind": kind, "length": len(numbers), "beside": bool(best), "bytes": len(packed[best])}, packed[best]


def unpack_array(about: dict[str, Any], packed: bytes, *, beside: NDArray[Any] | None = None) -> NDArray[Any]:
    """What `pack_array` packed; ValueError where `about` does not fit it."""
    import pyarrow as pa

    kind, length = _TYPES[about["kind"]], about["length"]
    if isinstance(length, bool) or not isinstance(length, int) or not 0 <= length < _MOST:
        raise ValueError("no length of an array")
    try:
        plain = pa.Codec("zstd").decompress(packed, decompressed_size=length * kind.itemsize, asbytes=True)
    except OSError as error:
        raise ValueError("an array of another length") from error
    planes = np.frombuffer(plain, dtype=np.uint8).reshape(kind.itemsize, length)
    numbers = np.ascontiguousarray(planes.T).reshape(-1).view(kind)
    if about["beside"] and beside is not None:
        numbers = numbers + np.resize(beside, length)
    return numbers.astype(kind.newbyteorder("="))


def _planes(numbers: NDArray[Any]) -> bytes:
    return np.ascontiguousarray(numbers.view(np.uint8).reshape(len(numbers), numbers.dtype.itemsize).T).tobytes()
