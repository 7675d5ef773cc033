"""Loaders of the other public data sets that the methods were published on."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from shoal.datasets._columns import CENSUS_INCOME, COVTYPE
from shoal.datasets._dataset import Dataset, Values, from_rows
from shoal.datasets._sources import find_data
from shoal.errors import ParameterError
from shoal.tables.engines._duck_connection import connect

_CRX_NUMERIC = {"A2": float, "A3": float, "A8": float, "A11": int, "A14": int, "A15": int}
_LUNG_AGREED = {"ph.ecog": 1, "ph.karno": 80, "pat.karno": 80, "wt.loss": 7}
_LUNG_SITES = {"A": (1, 5), "B": (6, 12), "C": (13, 33)}  # first and last institution
_LUNG_HOW = "Run `shoal datasets fetch lung`, or `pip install lifelines`, which carries it"
_BY_HAND = "`shoal datasets list` says where to get it"


LUNG_RANGES = {
    "age": (30.0, 90.0),
    "sex": (1.0, 2.0),
    "ph.ecog": (0.0, 4.0),
    "ph.karno": (40.0, 100.0),
    "pat.karno": (20.0, 100.0),
    "wt.loss": (-30.0, 80.0),
}
"""Predictors of :func:`lung_sites`, and the ranges that the sites agreed on."""


def credit(*, missing: Literal["drop", "keep"] = "drop") -> Dataset:
    """Japanese credit screening (`crx`): 690 rows, 653 without missing values.

    Examples
    --------
    >>> credit().n_rows  # doctest: +SKIP
    653
    """
    names = [f"A{i}" for i in range(1, 17)]
    rows = _rows(find_data("crx/crx.data", how=_BY_HAND), "?")
    if missing == "drop":
        rows = [row for row in rows if None not in row]
    return from_rows(f"credit-{missing}", names, rows, _CRX_NUMERIC)


def lung() -> Dataset:
    """NCCTG lung cancer: 228 patients of 18 institutions; `status` is 1 for a death, else 0.

    Examples
    --------
    >>> lung().n_rows  # doctest: +SKIP
    228
    """
    path = find_data(
        "ncctg-lung/lung.csv", package="lifelines", inside="datasets/lung.csv", how=_LUNG_HOW
    )
    header, *rows = _rows(path, "NA")
    names = [str(name) for name in header]
    data = from_rows("lung", names, rows, dict.fromkeys(names, _whole))
    status = np.asarray(data["status"])
    if status.max() == 2:  # 1 censored, 2 dead in the original coding
        status = status - 1
    return Dataset("lung", {**data.columns, "status": status})


def lung_sites() -> dict[str, Dataset]:
    """NCCTG lung cancer as three sites, A, B and C, of 73, 67 and 87 patients, by institution.

    `time`, `status` and six predictors; where one is missing, a number that the
    sites agreed on.  One patient without an institution is left out.

    Examples
    --------
    >>> {name: site.n_rows for name, site in lung_sites().items()}  # doctest: +SKIP
    {'A': 73, 'B': 67, 'C': 87}
    """
    data = lung()
    institution = np.array([0 if number is None else number for number in data["inst"]])
    columns = {
        name: np.array([_LUNG_AGREED[name] if v is None else v for v in data[name]])
        for name in ("time", "status", *LUNG_RANGES)
    }
    whole = Dataset("lung", columns)
    return {
        name: whole.where((institution >= first) & (institution <= last))
        for name, (first, last) in _LUNG_SITES.items()
    }


def groceries() -> list[tuple[str, ...]]:
    """9,835 market baskets of 169 items.

    Examples
    --------
    >>> len(groceries())  # doctest: +SKIP
    9835
    """
    path = find_data("groceries/groceries.csv", how=_BY_HAND)
    with path.open(encoding="utf-8", newline="") as file:
        return [tuple(item.strip() for item in row) for row in csv.reader(file) if row]


def covtype() -> Dataset:
    """Forest cover types: 581,012 rows, 54 attributes and the class.

    Examples
    --------
    >>> covtype().n_rows  # doctest: +SKIP
    581012
    """
    path = find_data("covtype/covtype.data.gz", how="Run `shoal datasets fetch covtype`")
    return _big("covtype", path, COVTYPE, ",")


def census_income(part: Literal["train", "test"] = "train") -> Dataset:
    """Census-income (KDD): 199,523 and 99,762 rows, 41 attributes and the income class.

    Examples
    --------
    >>> census_income("test").n_rows  # doctest: +SKIP
    99762
    """
    if part not in ("train", "test"):
        raise ParameterError("census_income: part is train or test.")
    file = "data" if part == "train" else "test"
    how = "Run `shoal datasets fetch census-income`"
    path = find_data(f"census-income/census-income.{file}.gz", how=how)
    return _big(f"census-income-{part}", path, CENSUS_INCOME, ", ")


def _rows(path: Path, missing: str) -> list[list[str | None]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [
            [None if cell in (missing, "") else cell for cell in row]
            for row in csv.reader(file)
            if row
        ]


def _whole(cell: str) -> int:
    return int(float(cell))


def _big(name: str, path: Path, names: Sequence[str], separator: str) -> Dataset:
    listed = ", ".join("'" + name.replace("'", "''") + "'" for name in names)
    where = str(path).replace("'", "''")
    with connect() as connection:
        columns = connection.sql(
            f"FROM read_csv('{where}', header=false, delim='{separator}', names=[{listed}], "
            "nullstr='?', auto_detect=true, sample_size=-1)"
        ).fetchnumpy()
    return Dataset(name, {column: _column(values) for column, values in columns.items()})


def _column(values: Any) -> Values:
    if np.ma.isMaskedArray(values):
        if np.ma.getmaskarray(values).any():
            return list(values.tolist())  # None where masked
        values = values.data
    return np.asarray(values) if values.dtype.kind in "iuf" else list(values.tolist())
