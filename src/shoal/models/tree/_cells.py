"""Counted rows as training rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError, SchemaError
from shoal.models._input import Input
from shoal.privacy._model import POPULATION
from shoal.schema._coding import Coding
from shoal.tables import FrequencyTable
from shoal.typing import Codes


def read_cells(cells: FrequencyTable) -> Input:
    """Cells as a table: numbers and dates on the number line, everything else as text."""
    table = np.empty((cells.n_groups, len(cells.codings)), object)
    for column, coding in enumerate(cells.codings):
        by_number = coding.kind in ("numeric", "date")
        values = [
            None if value is None else float(number) if by_number else value
            for value, number in zip(coding.texts, coding.numbers, strict=True)
        ]
        table[:, column] = np.array([*values, None], object)[cells.keys[:, column]]
    return Input(cells.names, table)


def expand_cells(
    cells: FrequencyTable, target: str
) -> tuple[NDArray[np.int64], Codes, dict[str, tuple[Coding, Codes]]]:
    """Cell and class of every row behind the cells, and the private columns.

    Private columns are known cell by cell.  Rows of a cell are told apart by no public test, so it
    does not matter to any span which of them has which private value.
    """
    if target not in cells.histograms:
        raise SchemaError(
            f"column {target!r} is not counted in the cells. Make it the target of the schema."
        )
    if POPULATION in cells.histograms:
        raise ParameterError("a tree cannot be grown under a model that needs a population.")
    classes = cells.histograms[target]
    cell_of_row = np.repeat(classes.group_of_entry, classes.counts)
    private = {
        name: (histogram.coding, np.repeat(histogram.codes, histogram.counts))
        for name, histogram in cells.histograms.items()
    }
    return cell_of_row, private[target][1], private
