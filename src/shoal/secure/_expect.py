"""Checks of what the other party sent, before anything is computed from it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ProtocolError


def fields(message: object, *names: str) -> list[Any]:
    """Values of a mapping that has exactly these keys."""
    if not isinstance(message, dict) or set(message) != set(names):
        raise ProtocolError(f"expected a message with the fields {', '.join(names)}.")
    return [message[name] for name in names]


def array(
    value: object, dtype: type[np.generic], shape: tuple[int, ...], what: str
) -> NDArray[Any]:
    """Return the value when it is an array of this type and shape."""
    if not isinstance(value, np.ndarray) or value.dtype != dtype or value.shape != shape:
        raise ProtocolError(f"expected {what} as {np.dtype(dtype)} of shape {shape}.")
    return value


def octets(value: object, size: int, what: str) -> bytes:
    """Return the value when it is a byte string of this size."""
    if not isinstance(value, bytes) or len(value) != size:
        raise ProtocolError(f"expected {what} of {size} bytes.")
    return value


def integers(value: object, count: int, bound: int, what: str) -> list[int]:
    """Return the value when it is a list of that many integers from 0 to below `bound`."""
    if (
        not isinstance(value, list)
        or len(value) != count
        or not all(type(item) is int and 0 <= item < bound for item in value)
    ):
        raise ProtocolError(f"expected {count} integers in range for {what}.")
    return value
