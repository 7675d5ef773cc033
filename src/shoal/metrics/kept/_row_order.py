"""An order of rows that only their content decides: a release has the same figures in any order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.frames._frame import Frame
from shoal.schema._text import texts


def order_by_content(frame: Frame, names: Sequence[str]) -> NDArray[np.int64]:
    """Positions of the rows, ordered by what stands in some columns; equal rows lie together.

    Every row gets one number, a sum over columns of a fixed random number times the rank of its
    text.  Two different rows get the same one with a chance of about 1 in 2^60, and then keep the
    order that they have.

    Examples
    --------
    >>> one = Frame.from_columns({"age": [20, 30, 20], "town": ["A", "B", "C"]})
    >>> two = Frame.from_columns({"age": [20, 20, 30], "town": ["C", "A", "B"]})
    >>> for frame in (one, two):
    ...     print(frame.take(order_by_content(frame, ["age", "town"])).values("town"))
    ['A', 'C', 'B']
    ['A', 'C', 'B']
    """
    drawn = np.random.default_rng(0).integers(2**63, size=len(names), dtype=np.uint64)
    total = np.zeros(frame.n_rows, np.uint64)
    for name, factor in zip(names, drawn | np.uint64(1), strict=True):
        codes, values = frame.factorize(name)
        said = texts(values)
        rank = {text: number for number, text in enumerate(sorted({str(text) for text in said}), 1)}
        ranks = np.array([*(rank[str(text)] for text in said), 0], np.uint64)
        total += ranks[codes] * factor  # wraps around, on purpose
    return np.argsort(total, kind="stable")
