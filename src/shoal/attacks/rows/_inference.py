"""Inference: what a person's nearest released row says of a column that nobody knows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal._checks import check_number
from shoal.attacks._attack_result import AttackResult
from shoal.attacks.rows._match_kernels import CellRanges, find_nearest
from shoal.attacks.rows._nearest import draw_people
from shoal.attacks.rows._row_tables import RowTables, read_row_tables
from shoal.attacks.rows._success import compare_success
from shoal.errors import ParameterError
from shoal.schema import Schema
from shoal.typing import Flags, Floats, Native


def inference_attack(
    release: Native,
    original: Native,
    secret: str,
    known: Sequence[str] | None = None,
    *,
    control: Native | None = None,
    schema: Schema | None = None,
    tolerance: float = 0.05,
    n_attacks: int = 2_000,
    random_state: int = 0,
) -> AttackResult:
    """Guess a column of people from the released row that is nearest in what is known of them.

    Parameters
    ----------
    release : table or path
        What is published, of any method.
    original : table or path
        The rows that it was made of.
    secret : str
        Column to guess.
    known : sequence of str, optional
        Columns that the attacker knows; all others unless given.
    control : table or path, optional
        Rows of others, which the release was not made of.
    schema : Schema, optional
        Hierarchies behind labels.
    tolerance : float, default=0.05
        A guess of a number is right within this share of it.
    n_attacks : int, default=2000
        People, drawn where there are more.
    random_state : int, default=0
        Seed.

    Returns
    -------
    AttackResult
        `risk` is the share of people guessed rightly, `baseline` that of control rows.
        ``details["by_luck"]`` is the share for a released row drawn at random.

    Notes
    -----
    Of rows that are as near, one is taken by luck.  A label counts as a guess only where it stands
    for one value, a range by its middle.  See :func:`singling_out_attack` for references.

    Examples
    --------
    >>> people = {"age": [31, 45, 62, 70], "ill": ["flu", "gout", "flu", "gout"]}
    >>> inference_attack(people, people, "ill").risk
    1.0
    """
    tables = read_row_tables(release, original, control, schema)
    known = [n for n in tables.names if n != secret] if known is None else list(known)
    if secret in known or not known:
        raise ParameterError("the attacker needs a known column that is not the secret.")
    check_number("tolerance", tolerance, 0, 1)
    columns, place = tables.columns(known), int(tables.columns([secret])[0])
    rng = np.random.default_rng(random_state)
    n_rows = len(tables.released.low)
    order = rng.permutation(n_rows).astype(np.int64)

    def guessed(cells: CellRanges) -> Flags:
        nearest, _ = find_nearest(
            cells, tables.released, columns, tables.scale, tables.covers, order, 1
        )
        return is_right(tables, place, nearest[:, 0], cells.low[:, place], tolerance)

    people, others = draw_people(tables, n_attacks, rng)
    luck = is_right(
        tables, place, rng.integers(n_rows, size=len(people.low)), people.low[:, place], tolerance
    )
    return compare_success(
        f"inference, {secret!r}",
        "share of people whose value is guessed",
        guessed(people),
        None if control is None else guessed(others),
        float(luck.mean()),
        {"known": len(known)},
    )


def is_right(
    tables: RowTables, column: int, rows: np.ndarray, truth: Floats, tolerance: float
) -> Flags:
    """Whether the cells of released rows give away the true values of a column."""
    low, high = tables.released.low[rows, column], tables.released.high[rows, column]
    if not tables.covers.is_cover[column]:
        with np.errstate(invalid="ignore"):  # the middle of everything is no guess
            near = np.abs((low + high) / 2 - truth) <= tolerance * np.abs(truth)
        return np.asarray(near | (np.isnan(low) & np.isnan(truth)))
    start, width = int(tables.covers.start[column]), int(tables.covers.width[column])
    flags = tables.covers.flags[start:].reshape(-1)[: _size(tables, column)].reshape(-1, width)
    chosen = flags[low.astype(np.int64)]
    hit = chosen[np.arange(len(rows)), truth.astype(np.int64)]
    return np.asarray(hit & (chosen.sum(axis=1) == 1))


def _size(tables: RowTables, column: int) -> int:
    ends = np.append(tables.covers.start[1:], len(tables.covers.flags))
    return int(ends[column] - tables.covers.start[column])
