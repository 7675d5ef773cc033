"""Linkability: a release joins what two parties know about a person in different columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal._checks import check_integer
from shoal.attacks._attack_result import AttackResult
from shoal.attacks.rows._attack_setup import draw_setup
from shoal.attacks.rows._match_kernels import CellRanges, find_nearest
from shoal.attacks.rows._success import compare_success
from shoal.errors import ParameterError
from shoal.schema import Schema
from shoal.typing import Flags, Native


def linkability_attack(
    release: Native,
    original: Native,
    first: Sequence[str],
    second: Sequence[str],
    *,
    control: Native | None = None,
    schema: Schema | None = None,
    n_neighbors: int = 1,
    n_attacks: int = 2_000,
    random_state: int = 0,
) -> AttackResult:
    """Link two sets of columns on the same people through the released rows nearest to each.

    Parameters
    ----------
    release : table or path
        What is published, of any method.
    original : table or path
        The raw rows that it was made from.
    first, second : sequence of str
        Columns that the first and the second party know.
    control : table or path, optional
        Rows of other people, who are not in the release.
    schema : Schema, optional
        Hierarchies behind labels.
    n_neighbors : int, default=1
        Nearest released rows that each party considers.
    n_attacks : int, default=2000
        People, drawn where there are more.
    random_state : int, default=0
        Seed.

    Returns
    -------
    AttackResult
        `risk` is the share of people for whom both parties name a released row in common,
        `baseline` that of control rows; ``details["by_luck"]`` that of random rows.

    Notes
    -----
    Equally near rows are picked at random, by each party for itself: whoever hides among ten equal
    rows is linked one time in ten.  See :func:`singling_out_attack` for references.

    Examples
    --------
    >>> people = {"age": [31, 45, 62, 70], "pay": [3, 1, 4, 2]}
    >>> linkability_attack(people, people, ["age"], ["pay"]).risk
    1.0
    """
    if set(first) & set(second) or not first or not second:
        raise ParameterError("first and second must be different columns, at least one each.")
    check_integer("n_neighbors", n_neighbors, 1)
    setup = draw_setup(release, original, control, schema, n_attacks, random_state)
    halves = [setup.scales(setup.tables.columns(names)) for names in (first, second)]
    k = min(n_neighbors, setup.n_rows)
    orders = [setup.rng.permutation(setup.n_rows).astype(np.int64) for _ in halves]

    def linked(cells: CellRanges) -> Flags:
        one, two = (
            find_nearest(cells, setup.tables.released, half, order, k)[0]
            for half, order in zip(halves, orders, strict=True)
        )
        return np.asarray((one[:, :, None] == two[:, None, :]).any(axis=(1, 2)))

    return compare_success(
        f"linkability, {len(first)} and {len(second)} columns",
        "share of people linked across two sources",
        linked(setup.people),
        None if setup.others is None else linked(setup.others),
        _by_luck(setup.n_rows, k),
        {"n_neighbors": k},
    )


def _by_luck(n_rows: int, k: int) -> float:
    """Chance that two draws of k rows have one in common."""
    apart = 1.0
    for taken in range(k):
        apart *= max(0, n_rows - k - taken) / (n_rows - taken)
    return 1.0 - apart
