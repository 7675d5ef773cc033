"""Singling out: queries, made from what is published, that only one person matches."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb

import numpy as np

from shoal._checks import check_integer
from shoal.attacks._attack_result import AttackResult
from shoal.attacks.rows._match_kernels import CellRanges
from shoal.attacks.rows._queries import Queries, count_matches, join_queries
from shoal.attacks.rows._row_tables import RowTables, read_row_tables
from shoal.attacks.rows._success import compare_success
from shoal.errors import ParameterError
from shoal.schema import Schema
from shoal.typing import Native

MOST_COMPARED = 4_000_000_000
"""Queries times rows that are tried to find those that only one released row matches."""
BATCH = 20_000


def singling_out_attack(
    release: Native,
    original: Native,
    *,
    control: Native | None = None,
    schema: Schema | None = None,
    n_columns: int = 3,
    n_attacks: int = 2_000,
    random_state: int = 0,
) -> AttackResult:
    """Turn rare values of a release into queries, and count those that match one original row.

    Parameters
    ----------
    release : table or path
        What is published, of any method: labels, noise or synthetic rows.
    original : table or path
        The raw rows that it was made from.
    control : table or path, optional
        Rows of other people, drawn like the original, who are not in the release.
    schema : Schema, optional
        Hierarchies behind labels; without it a label is a value, a number, a range or a star.
    n_columns : int, default=3
        Columns in a query.
    n_attacks : int, default=2000
        Queries; fewer if no more different ones are found.
    random_state : int, default=0
        Seed.

    Returns
    -------
    AttackResult
        `risk` is the share of queries that exactly one person of the original matches, `baseline`
        that among control rows (without them, of queries put together from different rows).

    Notes
    -----
    A query takes some columns of one released row: its label or range, or, of a number, all that
    are at least as far from the median.  Only queries that match a single released row are used, or
    any queries if there are none; ``details`` counts them.  The larger of original and control is
    cut to the size of the other, at random, since few rows are singled out more easily.

    The three attacks :func:`singling_out_attack`, :func:`linkability_attack` and
    :func:`inference_attack` measure the three risks of [WP29]_ in the way of [GMH23]_.

    References
    ----------
    .. [WP29] Article 29 Data Protection Working Party.  Opinion 05/2014 on anonymisation
       techniques (WP216), 2014.
    .. [GMH23] M. Giomi, F. Boenisch, C. Wehmeyer, B. Tasnadi.  A unified framework for quantifying
       privacy risk in synthetic data.  PoPETs 2023(2).  doi:10.56553/popets-2023-0055

    Examples
    --------
    An unprotected table singles out everybody who is unique in two columns.

    >>> people = {"age": [31, 45, 62, 70], "town": ["A", "B", "A", "B"]}
    >>> singling_out_attack(people, people, n_columns=2).risk
    1.0
    """
    check_integer("n_attacks", n_attacks, 1)
    check_integer("n_columns", n_columns, 1)
    tables = read_row_tables(release, original, control, schema)
    if n_columns > len(tables.names):
        raise ParameterError(
            f"n_columns is {n_columns}, but the tables have {len(tables.names)} columns in common."
        )
    rng = np.random.default_rng(random_state)
    people, others = _same_size(tables, rng)
    queries, n_alone = _choose(tables, n_columns, n_attacks, rng)
    mixed = _draw(tables, n_columns, n_attacks, rng, mixed=True)

    def alone(cells: CellRanges, asked: Queries) -> np.ndarray:
        return np.equal(count_matches(cells, asked, tables.covers, is_released=False), 1)

    return compare_success(
        f"singling out, {n_columns} columns",
        "share of queries that one person alone matches",
        alone(people, queries),
        None if control is None else alone(others, queries),
        float(alone(people, mixed).mean()),
        {"alone_in_release": n_alone, "rows": len(people.low)},
    )


def _same_size(tables: RowTables, rng: np.random.Generator) -> tuple[CellRanges, CellRanges]:
    people, others = tables.people, tables.control
    size = min(len(people.low), len(others.low)) or len(people.low)
    return tuple(  # type: ignore[return-value]
        CellRanges(*(part[rows] for part in cells))
        for cells in (people, others)
        for rows in [np.sort(rng.permutation(len(cells.low))[:size])]
    )


def _choose(
    tables: RowTables, n_columns: int, n_attacks: int, rng: np.random.Generator
) -> tuple[Queries, int]:
    """Different queries that one released row alone matches; any, where there are none."""
    chosen = others = _draw(tables, n_columns, 0, rng)
    for drawn in _tries(tables, n_columns, rng):
        alone = count_matches(tables.released, drawn, tables.covers, is_released=True) == 1
        chosen = join_queries(chosen, drawn.some(alone)).different()
        others = others if len(others.columns) else drawn.some(~alone).different()
        if len(chosen.columns) >= n_attacks:
            break
    every = chosen if len(chosen.columns) else others
    n_alone = min(n_attacks, len(chosen.columns))
    return every.some(np.arange(len(every.columns)) < n_attacks), n_alone


def _tries(tables: RowTables, n_columns: int, rng: np.random.Generator) -> Iterator[Queries]:
    """Queries in random order; each row with each set of columns once, where these are not many.

    A query that one released row alone matches was made of that row, so that no other pair of row
    and columns gives it again.
    """
    n_rows, n_all = tables.released.low.shape
    n_tries = max(BATCH, MOST_COMPARED // n_rows)
    if comb(n_all, n_columns) * n_rows > 10_000_000:
        for _ in range(0, n_tries, BATCH):
            yield _draw(tables, n_columns, BATCH, rng)
        return
    sets = np.array(list(combinations(range(n_all), n_columns)))
    order = rng.permutation(len(sets) * n_rows)[:n_tries]
    for first in range(0, len(order), BATCH):
        which, rows = np.divmod(order[first : first + BATCH], n_rows)
        yield _ask(tables, rows[:, None], sets[which])


def _draw(
    tables: RowTables,
    n_columns: int,
    n_queries: int,
    rng: np.random.Generator,
    *,
    mixed: bool = False,
) -> Queries:
    """Queries from some columns of random released rows; `mixed`: a row for every column."""
    n_rows, n_all = tables.released.low.shape
    columns = np.sort(rng.random((n_queries, n_all)).argsort(axis=1)[:, :n_columns], axis=1)
    rows = rng.integers(n_rows, size=(n_queries, n_columns if mixed else 1))
    return _ask(tables, rows, columns)


def _ask(tables: RowTables, rows: np.ndarray, columns: np.ndarray) -> Queries:
    """What some columns of released rows say; of a number all that are as far from the median."""
    released = tables.released
    low, high = released.low[rows, columns], released.high[rows, columns]
    point = (low == high) & ~tables.covers.is_cover[columns]
    middle = _medians(released)[columns]
    return Queries(
        columns.astype(np.int64),
        np.where(point & (low <= middle), -np.inf, low),
        np.where(point & (low > middle), np.inf, high),
    )


def _medians(released: CellRanges) -> np.ndarray:
    """Of the points and the middles of ranges, as the attacker sees them."""
    middles = []
    for low, high in zip(released.low.T, released.high.T, strict=True):
        known = np.isfinite(low) & np.isfinite(high)
        middles.append(np.median((low[known] + high[known]) / 2) if known.any() else 0.0)
    return np.array(middles)
