"""What an attack by nearest rows is carried out on: tables on common scales, and people drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal._checks import check_integer
from shoal.attacks.rows._match_kernels import CellRanges, Scales
from shoal.attacks.rows._row_tables import RowTables, read_row_tables
from shoal.schema import Schema
from shoal.typing import Native


@dataclass(frozen=True, eq=False)
class AttackSetup:
    """The tables, and at most so many people of the original and of the control rows.

    `others` is None where there are no control rows.
    """

    tables: RowTables
    people: CellRanges
    others: CellRanges | None
    rng: np.random.Generator

    @property
    def n_rows(self) -> int:
        """Rows of the release."""
        return len(self.tables.released.low)

    def scales(self, columns: NDArray[np.int64]) -> Scales:
        """How rows are compared by some columns."""
        return Scales(columns, self.tables.scale, self.tables.covers)


def draw_setup(
    release: Native,
    original: Native,
    control: Native | None,
    schema: Schema | None,
    n_attacks: int,
    random_state: int,
) -> AttackSetup:
    """Read the tables and draw people."""
    check_integer("n_attacks", n_attacks, 1)
    tables = read_row_tables(release, original, control, schema)
    rng = np.random.default_rng(random_state)
    people, others = (_drawn(cells, n_attacks, rng) for cells in (tables.people, tables.control))
    return AttackSetup(tables, people, None if control is None else others, rng)


def _drawn(cells: CellRanges, most: int, rng: np.random.Generator) -> CellRanges:
    rows = np.sort(rng.permutation(len(cells.low))[:most])
    return CellRanges(cells.low[rows], cells.high[rows])
