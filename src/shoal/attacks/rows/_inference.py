"""Inference: what a person's nearest released row says of a column that nobody knows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal._checks import check_number
from shoal.attacks._attack_result import AttackResult
from shoal.attacks.rows._attack_setup import draw_setup
from shoal.attacks.rows._match_kernels import CellRanges, share_right
from shoal.attacks.rows._row_tables import RowTables
from shoal.attacks.rows._success import compare_success
from shoal.errors import ParameterError
from shoal.schema import Schema
from shoal.typing import Floats, Native


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
    """Guess one column of each person from the released rows nearest to them in the known columns.

    Parameters
    ----------
    release : table or path
        What is published, of any method.
    original : table or path
        The raw rows that it was made from.
    secret : str
        Column to guess.
    known : sequence of str, optional
        Columns that the attacker knows; all others unless given.
    control : table or path, optional
        Rows of other people, who are not in the release.
    schema : Schema, optional
        Hierarchies behind labels.
    tolerance : float, default=0.05
        A guessed number is right if it is off by at most this share of the true one.
    n_attacks : int, default=2000
        People, drawn where there are more.
    random_state : int, default=0
        Seed.

    Returns
    -------
    AttackResult
        `risk` is the share of people guessed correctly, `baseline` that of control rows.
        ``details["by_luck"]`` is the share for a released row drawn at random.

    Notes
    -----
    Of equally near rows an attacker would pick one by luck: what counts is the share of them that
    is right.  A label counts as a guess only where it stands
    for one value, a range by its middle.  See :func:`singling_out_attack` for references.

    Examples
    --------
    >>> people = {"age": [31, 45, 62, 70], "ill": ["flu", "gout", "flu", "gout"]}
    >>> inference_attack(people, people, "ill").risk
    1.0
    """
    check_number("tolerance", tolerance, 0, 1)
    setup = draw_setup(release, original, control, schema, n_attacks, random_state)
    tables = setup.tables
    known = [n for n in tables.names if n != secret] if known is None else list(known)
    if secret in known or not known:
        raise ParameterError("the attacker needs a known column that is not the secret.")
    column = int(tables.columns([secret])[0])
    guesses = released_guesses(tables, column)
    slack = 0.0 if tables.covers.is_cover[column] else tolerance

    def guessed(cells: CellRanges) -> Floats:
        scales, truth = setup.scales(tables.columns(known)), cells.low[:, column]
        return share_right(
            cells, tables.released, scales, guesses, np.ascontiguousarray(truth), slack
        )[0]

    return compare_success(
        f"inference, {secret!r}",
        "share of people whose value is guessed",
        guessed(setup.people),
        None if setup.others is None else guessed(setup.others),
        _by_luck(guesses, setup.people.low[:, column], slack),
        {"known": len(known)},
    )


def released_guesses(tables: RowTables, column: int) -> Floats:
    """What each released cell says of a person: a number, or the code of a value.

    The middle of a range; infinity where a label stands for several values, which is no guess.
    """
    low, high = tables.released.low[:, column], tables.released.high[:, column]
    if not tables.covers.is_cover[column]:
        is_open = np.isinf(low) | np.isinf(high)
        return np.where(
            is_open, np.inf, (np.where(is_open, 0, low) + np.where(is_open, 0, high)) / 2
        )
    start, width = int(tables.covers.start[column]), int(tables.covers.width[column])
    ends = np.append(tables.covers.start[1:], len(tables.covers.flags))
    flags = tables.covers.flags[start : int(ends[column])].reshape(-1, width)
    code = np.where(flags.sum(axis=1) == 1, flags.argmax(axis=1), np.inf)
    return np.asarray(code[low.astype(np.int64)])


def _by_luck(guesses: Floats, truth: Floats, slack: float) -> float:
    """Chance that a released row drawn at random gives the value away, over people."""
    values, counts = np.unique(guesses, return_counts=True)  # NaN is the last, and once
    ends = np.append(0, np.cumsum(counts)) / len(guesses)
    known = values[~np.isnan(values)]
    low = np.searchsorted(known, truth - slack * np.abs(truth), side="left")
    high = np.searchsorted(known, truth + slack * np.abs(truth), side="right")
    missing = float(np.isnan(guesses).mean())
    return float(np.where(np.isnan(truth), missing, ends[high] - ends[low]).mean())
