"""People drawn for an attack by nearest rows."""

from __future__ import annotations

import numpy as np

from shoal._checks import check_integer
from shoal.attacks.rows._match_kernels import CellRanges
from shoal.attacks.rows._row_tables import RowTables


def draw_people(
    tables: RowTables, most: int, rng: np.random.Generator
) -> tuple[CellRanges, CellRanges]:
    """At most so many people of the original, and so many of the control rows."""
    check_integer("n_attacks", most, 1)
    return _drawn(tables.people, most, rng), _drawn(tables.control, most, rng)


def _drawn(cells: CellRanges, most: int, rng: np.random.Generator) -> CellRanges:
    rows = np.sort(rng.permutation(len(cells.low))[:most])
    return CellRanges(cells.low[rows], cells.high[rows])
