"""The two public tables in which the quasi-identifier paper looks for keys, coded once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.datasets import adult
from shoal.datasets._dataset import Dataset
from shoal.datasets._public import census_income, covtype
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


def census_table() -> CodeTable:
    """Census-income's different rows: 41 attributes, a stand-in for a table of 10 million.

    The paper's table has 41 attributes of the census of 2000, of adults only.  This one, of 1994
    and 1995, has other attributes, a sampling weight among them, and people of every age: what it
    gives can be shown beside the published numbers, and not be compared with them.
    """
    data = census_income()
    table = _coded(data.select(data.names[:41]))
    _, first = np.unique(_groups(table, range(table.n_columns)), return_index=True)
    return table.take(np.sort(first))


def planted_table(key_size: int, n_values: int, n_others: int, seed: int) -> CodeTable:
    """A table whose minimum key is known: `key_size` columns, every combination of them once.

    With d values each they have d**m rows.  No m - 1 columns of d values tell that many rows apart,
    and the other columns have fewer values than these: so no key has fewer than m columns.

    Parameters
    ----------
    key_size, n_values : int
        Columns of the key, and values of each.
    n_others : int
        Further columns, of random values from fewer than `n_values`.
    seed : int
        Of these, and of the order of the columns.
    """
    rng = np.random.default_rng(seed)
    grid = np.indices((n_values,) * key_size).reshape(key_size, -1)
    others = rng.integers(0, n_values - 1, (n_others, grid.shape[1]))
    codes = np.concatenate([grid, others])[rng.permutation(key_size + n_others)]
    names = tuple(f"c{i}" for i in range(len(codes)))
    return CodeTable(names, np.ascontiguousarray(codes, np.int32))


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
