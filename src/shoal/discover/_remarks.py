"""What the reader of a result should know about the columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.discover.covers._coverage import AllPairs, Coverage, DistinctRows, SampledPairs
from shoal.discover.covers._far_coverage import FarCoverage


def remark_constant(names: Sequence[str], coverage: Coverage) -> tuple[str, ...]:
    """Columns that separate nothing of what was examined."""
    if isinstance(coverage, SampledPairs):
        idle = ~coverage.differs.any(axis=1)
        words = "differs in no sampled pair: it separates next to nothing"
    elif isinstance(coverage, FarCoverage):
        values = coverage.values()
        return remark_one_value(names, [j for j, n in enumerate(values) if n < 2])
    elif isinstance(coverage, AllPairs | DistinctRows):
        codes = coverage.partition.table.codes
        idle = codes.max(axis=1, initial=0) == codes.min(axis=1, initial=2**31 - 1)
        return remark_one_value(names, np.flatnonzero(idle).tolist())
    else:
        return ()
    return tuple(f"column {names[j]!r} {words}." for j in np.flatnonzero(idle).tolist())


def remark_one_value(names: Sequence[str], columns: Sequence[int]) -> tuple[str, ...]:
    """Columns that have one value in all rows."""
    words = "is constant among the rows examined: it separates nothing"
    return tuple(f"column {names[j]!r} {words}." for j in columns)
