"""A generated hospital: any number of rows, nearly all different, from nobody's data."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal._atomic import atomic_path
from shoal.datasets._dataset import Dataset
from shoal.errors import ParameterError
from shoal.schema import Schema
from shoal.tables.engines._duck_connection import connect
from shoal.tables.engines._duck_write import copy_query
from shoal.typing import PathText, Progress

_DIAGNOSES = ("asthma", "cancer", "dementia", "depression", "diabetes", "fracture",
              "heart failure", "infection", "kidney failure", "pneumonia", "stroke")  # fmt: skip
_FIRST_BIRTH = np.datetime64("1925-01-01")
_FIRST_ADMISSION = np.datetime64("2020-01-01")
_DAYS_OF_BIRTH = 36_524
_DAYS_OF_ADMISSION = 1_827
_ZIP_CODES = 60_000
_BATCH = 100_000
_TYPES = {"patient": "INTEGER", "born": "INTEGER", "sex": "BOOLEAN", "zip": "INTEGER",
          "admitted": "SMALLINT", "weight": "SMALLINT", "diagnosis": "TINYINT"}  # fmt: skip


def hospital(n_rows: int = 10_000, *, random_state: int = 0) -> Dataset:
    """Patients who do not exist, nearly every one unlike all others, in memory.

    Five quasi-identifiers: date of birth (36,524 days), sex, ZIP code (60,000 of them), date of
    admission (1,827 days) and weight in kilograms with one decimal.

    Parameters
    ----------
    n_rows : int
        How many.
    random_state : int
        Seed; the same seed gives the same patients, and more rows begin with the same ones.

    Examples
    --------
    >>> patients = hospital(3)
    >>> patients.names
    ('patient', 'birth_date', 'sex', 'zip', 'admission_date', 'weight', 'diagnosis')
    >>> patients.schema.quasi_identifiers
    ('birth_date', 'sex', 'zip', 'admission_date', 'weight')
    """
    _check("hospital", n_rows)
    batches = list(_batches(n_rows, random_state))
    drawn = {name: np.concatenate([batch[name] for batch in batches]) for name in _TYPES}
    return Dataset(
        f"hospital-{n_rows}-{random_state}",
        {
            "patient": [f"P{number:09d}" for number in drawn["patient"].tolist()],
            "birth_date": (_FIRST_BIRTH + drawn["born"]).astype(str).tolist(),
            "sex": ["F" if female else "M" for female in drawn["sex"].tolist()],
            "zip": [f"{code:05d}" for code in drawn["zip"].tolist()],
            "admission_date": (_FIRST_ADMISSION + drawn["admitted"]).astype(str).tolist(),
            "weight": drawn["weight"] / 10.0,
            "diagnosis": [_DIAGNOSES[which] for which in drawn["diagnosis"].tolist()],
        },
        hospital_schema,
    )


def write_hospital(
    path: PathText,
    n_rows: int,
    *,
    random_state: int = 0,
    progress: Progress | None = None,
) -> Path:
    """Write the rows of :func:`hospital` to a file without ever holding all of them.

    Parameters
    ----------
    path : path
        A CSV or Parquet file.  Dates are dates and weights numbers in Parquet.
    n_rows : int
        How many; 100 million need 3 GB of disk besides the file while it is written.
    random_state : int
        Seed.
    progress : callable, optional
        Told how many rows there are so far.

    Examples
    --------
    >>> import tempfile
    >>> from shoal.tables import open_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     open_table(write_hospital(Path(folder) / "patients.parquet", 50)).n_rows
    50
    """
    path = Path(path)
    _check("write_hospital", n_rows)
    if path.suffix not in (".csv", ".parquet"):
        raise ParameterError(f"cannot write {path.name!r}: end it in .csv or .parquet.")
    with contextlib.ExitStack() as stack:
        scratch = stack.enter_context(tempfile.TemporaryDirectory(dir=path.parent))
        connection = stack.enter_context(connect(str(Path(scratch) / "rows.db")))
        part = stack.enter_context(atomic_path(path))
        types = ", ".join(f"{name} {kind}" for name, kind in _TYPES.items())
        connection.execute(f"CREATE TABLE t ({types})")
        written = 0
        for batch in _batches(n_rows, random_state):
            connection.register("batch", batch)
            connection.execute("INSERT INTO t SELECT * FROM batch")
            connection.unregister("batch")
            written += len(batch["patient"])
            if progress is not None:
                progress(written, n_rows, "drawing patients")
        copy_query(connection.sql, _SELECT, part, suffix=path.suffix)
    return path


def hospital_schema() -> Schema:
    """What the columns of :func:`hospital` are.

    Examples
    --------
    >>> hospital_schema().quasi_identifiers
    ('birth_date', 'sex', 'zip', 'admission_date', 'weight')
    """
    return Schema(
        {
            "patient": {"role": "identifier"},
            "birth_date": {
                "role": "quasi-identifier",
                "kind": "date",
                "hierarchy": {"dates": ["month", "year", "decade"]},
            },
            "sex": {"role": "quasi-identifier", "hierarchy": "flat"},
            "zip": {"role": "quasi-identifier", "hierarchy": {"prefix": [1, 2, 3, 4]}},
            "admission_date": {
                "role": "quasi-identifier",
                "kind": "date",
                "hierarchy": {"dates": ["month", "quarter", "year"]},
            },
            "weight": {
                "role": "quasi-identifier",
                "kind": "numeric",
                "hierarchy": {"intervals": [5, 10, 20, 40]},
            },
            "diagnosis": {"role": "sensitive"},
        }
    )


_SELECT = f"""
SELECT printf('P%09d', patient) AS patient,
       DATE '{_FIRST_BIRTH}' + born AS birth_date,
       CASE WHEN sex THEN 'F' ELSE 'M' END AS sex,
       printf('%05d', zip) AS zip,
       DATE '{_FIRST_ADMISSION}' + CAST(admitted AS INTEGER) AS admission_date,
       weight / 10.0::DOUBLE AS weight,
       [{", ".join(f"'{name}'" for name in _DIAGNOSES)}][diagnosis + 1] AS diagnosis
FROM t
"""


def _check(what: str, n_rows: int) -> None:
    if n_rows < 0:
        raise ParameterError(f"{what}: n_rows must not be negative, got {n_rows}.")


def _batches(n_rows: int, random_state: int) -> Iterator[dict[str, NDArray[Any]]]:
    """Rows as numbers, a batch at a time; each batch has a seed of its own."""
    for number, first in enumerate(range(0, max(n_rows, 1), _BATCH)):
        random = np.random.default_rng([random_state, number])
        size = min(_BATCH, n_rows - first)
        yield {name: column[:size] for name, column in _draw(random, first).items()}


def _draw(random: np.random.Generator, first: int) -> dict[str, NDArray[Any]]:
    # a whole batch is drawn always, so that few rows are the first of many
    n = _BATCH
    born = (random.beta(1.6, 1.2, n) * _DAYS_OF_BIRTH).astype(np.int32)
    female = random.random(n) < 0.52
    # some codes have many more patients than others; three numbers of five are a code
    code = (random.random(n) ** 1.5 * _ZIP_CODES).astype(np.int32) * 5 // 3
    admitted = random.integers(0, _DAYS_OF_ADMISSION, n).astype(np.int16)
    weight = np.clip(random.normal(780 - 90 * female, 150, n), 300, 1_999).astype(np.int16)
    old = born < _DAYS_OF_BIRTH // 2
    which = random.integers(0, len(_DIAGNOSES), n)
    diagnosis = np.where(old & (random.random(n) < 0.3), 6, which).astype(np.int8)
    patient = np.arange(first, first + n, dtype=np.int32)
    return dict(
        zip(_TYPES, (patient, born, female, code, admitted, weight, diagnosis), strict=True)
    )
