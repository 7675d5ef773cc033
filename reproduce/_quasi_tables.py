"""The two public tables in which the quasi-identifier paper looks for keys, coded once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.datasets import Dataset, adult, covtype
from shoal.discover.sources._partition import CodeTable
from shoal.tables._frequency import group_keys
from shoal.tables._row_codes import code_array, stack_codes
from shoal.typing import Counts

ADULT = (
    "age", "workclass", "education", "education-num", "marital-status", "occupation",
    "relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week",
    "native-country", "income",
)  # fmt: skip
"""The paper's 14 attributes: all but the sampling weight."""


def adult_table() -> CodeTable:
    """Adult's 29,096 different rows; the paper says "around 30000"."""
    table = _coded(adult(missing="keep").select(ADULT))
    _, first = np.unique(_groups(table, range(table.n_columns)), return_index=True)
    return table.take(np.sort(first))


def covtype_table() -> CodeTable:
    """Forest cover types without the class: 581,012 rows of 54 attributes, all different."""
    data = covtype()
    return _coded(data.select(data.names[:54]))


def count_distinct(table: CodeTable, columns: Sequence[int]) -> int:
    """Distinct combinations, counted by other code than the searches use."""
    return int(_groups(table, columns).max(initial=-1)) + 1


def _groups(table: CodeTable, columns: Sequence[int]) -> Counts:
    return group_keys(np.ascontiguousarray(table.codes[list(columns)].T))[0]


def _coded(data: Dataset) -> CodeTable:
    columns = [code_array(name, _array(data, name)) for name in data.names]
    return CodeTable(data.names, stack_codes(columns, data.n_rows))


def _array(data: Dataset, name: str) -> np.ndarray[tuple[int], np.dtype[np.generic]]:
    values = data[name]
    return values if isinstance(values, np.ndarray) else np.fromiter(values, object, len(values))
