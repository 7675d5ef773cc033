"""Loss of methods on a sample of a table's cells, and their time on all of them.

Neither looks at a clock, so that the same table always gets the same method.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.anonymize._registry import make_method
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.metrics import measure
from shoal.privacy import PrivacyModel
from shoal.schema import Schema
from shoal.tables import FrequencyTable

MOST_VALUES, LEAST_CELLS, MOST_CELLS = 20_000, 200, 2_000
"""How large a sample is: cells times columns, but never fewer or more cells than these."""

_SPEED = {"local": (8e-4, 0.7), "mondrian": (5e-6, 1.0), "top-down": (1e-6, 1.0)}
"""Seconds for each column, and the power of the number of cells, from `bench_wide` on one core."""

_WORTH_A_LIMIT = 20.0  # seconds

_VERY_MANY = 60
"""Quasi-identifiers beyond which rows hardly ever agree in all of them."""

_MOST_PAIRED = 200
"""Columns whose pairs are counted one by one."""


@dataclass(frozen=True)
class Trial:
    """A method on a sample.

    Parameters
    ----------
    method : str
        Its name.
    lost : float
        Share of detail lost on the sample.
    seconds : float
        Predicted for a search on the whole table.
    """

    method: str
    lost: float
    seconds: float


def predict_seconds(method: str, n_cells: int, n_columns: int) -> float:
    """Estimated seconds of a search on one core; within a factor of three where measured.

    Examples
    --------
    >>> round(predict_seconds("mondrian", 20_000, 100))
    10
    """
    each, power = _SPEED[method]
    return float(each * n_columns * n_cells**power)


def how_long(method: str, n_rows: int, n_columns: int) -> str:
    """What can be said before anything is counted, as a sentence.

    Examples
    --------
    >>> print(how_long("mondrian", 20_000, 100))
    mondrian with 100 quasi-identifiers: up to about 10 s to search 20,000 different rows.
    """
    if method not in _SPEED:
        return (
            f"{method} with {n_columns} quasi-identifiers: it is not known how long this takes. "
            "Ctrl-C leaves nothing behind; --method auto tries quicker methods on a sample."
        )
    seconds = predict_seconds(method, n_rows, n_columns)
    said = (
        f"{method} with {n_columns} quasi-identifiers: up to about {duration(seconds)} to search "
        f"{n_rows:,} different rows."
    )
    if seconds > _WORTH_A_LIMIT:
        said += " --time-limit SECONDS releases the best found by then."
    return said


def advise_on_many(n_columns: int, k: int) -> str:
    """Advice for tables with very many quasi-identifiers; empty for others.

    Examples
    --------
    >>> print(advise_on_many(25, 10) or "nothing")
    nothing
    >>> print(advise_on_many(80, 10).split(". ")[0])
    80 quasi-identifiers: nearly nobody agrees with others in all of them
    """
    if n_columns <= _VERY_MANY:
        return ""
    few = f"--diversity lkc:2:{k} protects from whoever knows any 2 of them, "
    return (
        f"{n_columns} quasi-identifiers: nearly nobody agrees with others in all of them. So most "
        "of the detail will be lost, and it may take minutes (Ctrl-C leaves nothing behind). "
        f"Who knows so much of one person? {few if n_columns <= _MOST_PAIRED else ''}"
        f"--requirement COLUMN,COLUMN:{k} names columns that are known together, and columns that "
        "nobody outside knows are sensitive or insensitive in the schema (`shoal quasi` shows "
        "which columns single people out)."
    )


def duration(seconds: float) -> str:
    """Seconds in words."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = seconds / 60
    return f"{minutes:.0f} minutes" if minutes < 90 else f"{minutes / 60:.0f} hours"


def sample_cells(
    cells: FrequencyTable, least_rows: int = 1, most_cells: int | None = None
) -> FrequencyTable:
    """Some of the cells, drawn always alike; all of them where there are few.

    So many that the sample has at least `least_rows` rows, as far as there are.
    """
    size = min(most_cells or MOST_CELLS, max(LEAST_CELLS, MOST_VALUES // len(cells.names)))
    order = np.random.default_rng(0).permutation(cells.n_groups)
    rows = np.cumsum(cells.sizes[order])
    size = max(size, int(np.searchsorted(rows, least_rows)) + 1)
    if size >= cells.n_groups:
        return cells
    kept = np.full(cells.n_groups, -1, np.int64)
    kept[np.sort(order[:size])] = np.arange(size)
    return cells.merge(kept, size)


def try_methods(
    cells: FrequencyTable,
    schema: Schema,
    privacy: PrivacyModel,
    names: Sequence[str],
    most_cells: int | None = None,
) -> tuple[FrequencyTable, list[Trial]]:
    """The sample, and what each method comes to on it; those that find nothing there are left out.

    The sample has rows for ten groups at least, and else at most `most_cells`.
    """
    sample = sample_cells(cells, 10 * max(1, privacy.minimum_size), most_cells)
    trials = []
    for name in names:
        estimator = make_method(name, schema, privacy)
        try:
            lost = measure(estimator.recode_cells(sample)).gcp
        except (InfeasibleError, ParameterError, SchemaError):  # it cannot, or not what is asked
            continue
        seconds = predict_seconds(name, cells.n_groups, len(cells.names))
        trials.append(Trial(name, lost, seconds))
    return sample, trials
