"""Types that several layers share."""

from os import PathLike
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Codes: TypeAlias = NDArray[np.int32]
"""Integer codes of one column, or a row of codes per cell."""

Counts: TypeAlias = NDArray[np.int64]
"""Numbers of rows."""

Flags: TypeAlias = NDArray[np.bool_]
"""One truth value per group, cell or row."""

Floats: TypeAlias = NDArray[np.float64]
"""Real numbers."""

Native: TypeAlias = Any
"""A table in the caller's own library, or a path to one."""

PathText: TypeAlias = str | PathLike[str]
"""Where a file is."""


class Progress(Protocol):
    """How the library tells a caller how far it is; a plain function will do."""

    def __call__(self, done: int, total: int, what: str, /) -> None:
        """`done` of `total` pieces of `what`; a `total` of 0 means that nobody knows."""
