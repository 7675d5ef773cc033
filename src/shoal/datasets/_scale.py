"""Large tables that keep the shape of a small one: the scale test of [WYC04]_."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from shoal._atomic import atomic_path
from shoal.datasets._adult import SCALE_UP_COLUMNS
from shoal.datasets._dataset import Dataset
from shoal.errors import ParameterError
from shoal.tables.engines._duck_connection import connect
from shoal.typing import PathText, Progress

_BATCH = 1_000_000


def scale_up(
    data: Dataset,
    path: PathText,
    *,
    sigma: int = 30,
    rho: int = 3,
    columns: Sequence[str] = SCALE_UP_COLUMNS,
    keep: Sequence[str] = ("income",),
    random_state: int = 0,
    progress: Progress | None = None,
) -> Path:
    """Write a Parquet file with `sigma` rows for every row of `data`.

    Parameters
    ----------
    data : Dataset
        The rows to start from; `adult("all")` has 45,222.
    path : path
        The Parquet file.
    sigma : int
        Each row appears once as it is and `sigma - 1` times varied.
    rho : int
        A variation has random values in this many random columns.
    columns, keep : sequence of str
        Columns that are varied, and columns that are only repeated.
    random_state : int
        Seed.
    progress : callable, optional
        Told how many rows there are so far.

    Notes
    -----
    **Departures from the paper.**  Random values come from the values of the data, which are the
    leaves that matter; Adult at sigma 30 and rho 3 gets about 450,000 distinct combinations,
    where the paper reports 127,831 for its own draw.

    References
    ----------
    .. [WYC04] K. Wang, P. S. Yu, S. Chakraborty.  Bottom-up generalization: a data mining solution
       to privacy protection.  ICDM 2004.  doi:10.1109/ICDM.2004.10110

    Examples
    --------
    >>> import tempfile
    >>> from shoal.datasets import census
    >>> from shoal.tables import open_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = scale_up(
    ...         census(100), Path(folder) / "many.parquet", sigma=3, rho=1, columns=["sex", "zip"],
    ...         keep=["illness"],
    ...     )
    ...     open_table(path).names
    ('sex', 'zip', 'illness')
    """
    path = Path(path)
    if path.suffix != ".parquet":
        raise ParameterError(f"cannot write {path.name!r}: end it in .parquet.")
    if sigma < 1 or not 0 <= rho <= len(columns):
        raise ParameterError(f"scale_up: sigma is at least 1, rho at most {len(columns)}.")
    names = [*columns, *keep]
    texts, codes = _encode(data, names)
    random = np.random.default_rng(random_state)
    sizes = [len(values) for values in texts[: len(columns)]]
    with contextlib.ExitStack() as stack:
        scratch = stack.enter_context(tempfile.TemporaryDirectory(dir=path.parent))
        connection = stack.enter_context(connect(str(Path(scratch) / "rows.db")))
        part = stack.enter_context(atomic_path(path))
        types = ", ".join(f"c{i} SMALLINT" for i in range(len(names)))
        connection.execute(f"CREATE TABLE t ({types})")
        per_batch = max(1, _BATCH // max(1, len(codes)))
        for first in range(0, sigma, per_batch):
            copies = range(first, min(sigma, first + per_batch))
            rows = np.concatenate([_vary(codes, sizes, rho if i else 0, random) for i in copies])
            _append(connection, rows)
            if progress is not None:
                progress((copies[-1] + 1) * len(codes), sigma * len(codes), "varying rows")
        _decode(connection, names, texts, part)
    return path


def _encode(data: Dataset, names: Sequence[str]) -> tuple[list[list[str]], Any]:
    """Distinct texts of each column, sorted, and the rows as positions in them."""
    pairs = [
        np.unique(np.array([str(value) for value in data[name]]), return_inverse=True)
        for name in names
    ]
    return [values.tolist() for values, _ in pairs], np.array([codes for _, codes in pairs]).T


def _vary(codes: Any, sizes: Sequence[int], rho: int, random: np.random.Generator) -> Any:
    """The rows with `rho` random columns of each set to random values."""
    rows = codes.copy()
    if rho:
        chosen = random.permuted(np.tile(np.arange(len(sizes)), (len(rows), 1)), axis=1)[:, :rho]
        draw = random.random(chosen.shape) * np.array(sizes)[chosen]
        rows[np.arange(len(rows))[:, None], chosen] = draw.astype(rows.dtype)
    return rows


def _append(connection: Any, rows: Any) -> None:
    batch = {f"c{i}": np.ascontiguousarray(rows[:, i], np.int16) for i in range(rows.shape[1])}
    connection.register("batch", batch)
    connection.execute("INSERT INTO t SELECT * FROM batch")
    connection.unregister("batch")


def _decode(connection: Any, names: Sequence[str], texts: list[list[str]], path: Path) -> None:
    parts = []
    for index, (name, values) in enumerate(zip(names, texts, strict=True)):
        listed = ", ".join("'" + value.replace("'", "''") + "'" for value in values)
        connection.execute(f"CREATE TYPE e{index} AS ENUM ({listed})")
        quoted = name.replace('"', '""')
        parts.append(f'enum_range(NULL::e{index})[c{index} + 1] AS "{quoted}"')
    target = str(path).replace("'", "''")
    connection.execute(f"COPY (SELECT {', '.join(parts)} FROM t) TO '{target}' (FORMAT parquet)")
