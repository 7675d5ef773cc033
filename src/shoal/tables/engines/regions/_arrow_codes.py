"""Codes of values in Arrow columns; the same on the driver and in workers."""
# ruff: noqa: PLC0415  PyArrow is an extra; it is there when a Spark table is

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from shoal.errors import TableError
from shoal.typing import Codes


class ArrowCodes(NamedTuple):
    """Every value that a column has, and its code.

    `values` is an Arrow array of values, none of them missing; `codes` has the code of each, and
    behind them the missing value's.

    Examples
    --------
    >>> import pyarrow as pa
    >>> known = ArrowCodes(pa.array(["b", "a"]), np.array([1, 0, 2], np.int32))
    >>> known.of(pa.array(["a", None, "b", "b"])).tolist()
    [0, 2, 1, 1]
    """

    values: Any
    codes: Codes

    def of(self, column: Any) -> Codes:
        """Code of each value of an Arrow column.

        Raises
        ------
        TableError
            If there is a value that was not there when values were counted.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        places = pc.index_in(whole, value_set=self.values.cast(whole.type))
        if places.null_count > whole.null_count:
            raise TableError(
                "the table has values that were not there when it was read before: it gives other "
                "rows each time. Write it to files first, and release those."
            )
        filled = places.fill_null(len(self.values)).to_numpy(zero_copy_only=False)
        codes: Codes = self.codes[filled].astype(np.int32, copy=False)
        return codes


def spark_type(kind: Any) -> Any:
    """The Arrow type in which Spark takes values back: moments by one zone, the same moments."""
    import pyarrow as pa

    return pa.timestamp("us", "UTC") if getattr(kind, "tz", None) is not None else kind
