"""Types that several layers share."""

from os import PathLike
from typing import Any, TypeAlias

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
