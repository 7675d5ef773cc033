"""Cells of a DuckDB relation, and its rows released where they are."""

from __future__ import annotations

import itertools
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.schema import Schema
from shoal.tables._count_kernels import match_words
from shoal.tables._engine import STAR, ReleasedRows, RowOptions, Witness
from shoal.tables._frequency import FrequencyTable, pack_codes
from shoal.tables._people import People
from shoal.tables._range_columns import range_columns
from shoal.tables._recoded import Recoded
from shoal.tables._row_order import put_in_order
from shoal.tables.engines._sql import name_sql, value_sql
from shoal.typing import Codes, Native

if TYPE_CHECKING:
    from shoal.tables.engines._duck_engine import DuckEngine

_numbers = itertools.count()


@dataclass(frozen=True, eq=False)
class CompressedRelation:
    """A relation, its cells, and what stands in the rows for each code.

    `keys` holds for every quasi-identifier the distinct values' texts in SQL and their codes, with
    the code of a missing value behind them.
    """

    engine: DuckEngine
    schema: Schema
    cells: FrequencyTable
    keys: dict[str, tuple[list[str], Codes]] = field(repr=False)
    people: People | None = field(default=None, repr=False)

    def rows(self, recoded: Recoded, output: RowOptions) -> ReleasedRows:
        """The released rows as a relation, and their witness."""
        select, witness = self._select(recoded, output)
        return ReleasedRows(self.engine.query(select), witness)

    def release(self, recoded: Recoded, output: RowOptions) -> Native:
        """The released rows as a relation."""
        return self.rows(recoded, output).table

    def write(self, recoded: Recoded, output: RowOptions, path: Path) -> Witness:
        """Write the released rows to a file, without holding them in memory."""
        select, witness = self._select(recoded, output)
        self.engine.copy(select, path)
        return witness

    def _select(self, recoded: Recoded, output: RowOptions) -> tuple[str, Witness]:
        group = recoded.group_of[self.cell_of_rows()]
        kept = np.flatnonzero((group >= 0) | output.keep_suppressed).astype(np.int64)
        kept = put_in_order(kept, output)
        source, labels = self._label_by_row(recoded, output, group, kept)
        names = [name for name in self.engine.names if self.schema[name].is_released]
        columns = [f"{labels[name]} AS {name_sql(name)}" if name in labels else name_sql(name)
                   for name in names]  # fmt: skip
        columns += [f"{labels[name]} AS {name_sql(name)}" for name in labels if name not in names]
        select = f"SELECT {', '.join(columns)} FROM {source} WHERE shoal_at >= 0 ORDER BY shoal_at"
        return select, Witness(kept, self.engine.paths or self.engine.query("FROM source"))

    def _label_by_row(
        self,
        recoded: Recoded,
        output: RowOptions,
        group: NDArray[np.int64],
        kept: NDArray[np.int64],
    ) -> tuple[str, dict[str, str]]:
        """Labels of whole combinations, found per row and laid beside the rows by position."""
        hidden = group < 0
        place = np.full(len(group), -1, np.int64)
        place[kept] = np.arange(len(kept))
        beside: dict[str, NDArray[Any]] = {"shoal_at": place}
        label_sql = {}
        for index, labels in enumerate(recoded.labels):
            if recoded.is_untouched(index) and not (hidden.any() and output.keep_suppressed):
                continue
            # a row carries the number of its label; the texts are written into the query once
            used, code = np.unique(recoded.codes[:, index], return_inverse=True)
            texts = [labels.texts[label] for label in used] + [STAR]
            column = f"shoal_{index}"
            beside[column] = np.append(code, len(used)).astype(np.int32)[group]
            listed = ", ".join(map(value_sql, texts))
            label_sql[labels.coding.name] = f"CAST([{listed}][{column} + 1] AS VARCHAR)"
        if output.ranges:
            for number, (name, values) in enumerate(range_columns(recoded, output.ranges).items()):
                beside[f"shoal_r{number}"] = np.append(values, np.nan)[group]
                label_sql[name] = f"shoal_r{number}"
        table = f"shoal_labels_{os.getpid()}_{next(_numbers)}"
        self.engine.store(table, beside)
        return f"source POSITIONAL JOIN {table}", label_sql

    def cell_of_rows(self) -> NDArray[np.int64]:
        """Cell of each row, in the order of the rows."""
        sizes = np.array([coding.n_codes for coding in self.cells.codings], np.int32)
        words: list[str] = []
        room = 0
        for coding, size in zip(self.cells.codings, sizes.tolist(), strict=True):
            keys, codes = self.keys[coding.name]
            looked_up = self.engine.lookup_sql(
                coding.name, keys, codes[:-1].tolist(), max(int(codes[-1]), 0)
            )
            code = f"CAST({looked_up} AS UBIGINT)"
            # codes of several columns share a word of 64 bits, as in pack_codes
            if not words or room * max(size, 1) > 2**63:
                words.append(code)
                room = 1
            else:
                words[-1] += f" + {code} * {room}::UBIGINT"
            room *= max(size, 1)
        listed = ", ".join(f"{word} AS w{i}" for i, word in enumerate(words))
        rows = self.engine.fetch(f"SELECT {listed} FROM source")
        packed = np.array([rows[f"w{i}"] for i in range(len(words))], np.uint64)
        return match_words(pack_codes(self.cells.keys, sizes), packed)
