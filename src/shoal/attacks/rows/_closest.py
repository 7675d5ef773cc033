"""Distance to the closest record: are released rows nearer to those they were made of?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.attacks._attack_result import AttackResult
from shoal.attacks._membership import membership_attack
from shoal.attacks.rows._attack_setup import draw_setup
from shoal.attacks.rows._match_kernels import CellRanges, find_nearest
from shoal.schema import Schema
from shoal.typing import Floats, Native


def closest_attack(
    release: Native,
    original: Native,
    control: Native,
    *,
    schema: Schema | None = None,
    n_attacks: int = 2_000,
    random_state: int = 0,
) -> AttackResult:
    """Tell who is in a table by the distance to the released row that is closest.

    Parameters
    ----------
    release : table or path
        What is published, of any method.
    original : table or path
        The raw rows that it was made from.
    control : table or path
        Rows of other people, who are not in the release: the baseline.
    schema : Schema, optional
        Hierarchies behind labels.
    n_attacks : int, default=2000
        People of each table, drawn where there are more.
    random_state : int, default=0
        Seed.

    Returns
    -------
    AttackResult
        `risk` is the chance that a person of the original is nearer to the release than one of the
        control rows, ties one half; ``details`` has medians and least twentieths of distances
        (share of the columns' spans, 0 to 1).

    Examples
    --------
    >>> people, others = {"age": [31, 45, 62]}, {"age": [38, 50, 70]}
    >>> closest_attack(people, people, others).risk
    1.0
    """
    setup = draw_setup(release, original, control, schema, n_attacks, random_state)
    assert setup.others is not None
    scales = setup.scales(np.arange(len(setup.tables.names), dtype=np.int64))
    order = np.arange(setup.n_rows, dtype=np.int64)

    def distances(cells: CellRanges) -> Floats:
        distance = find_nearest(cells, setup.tables.released, scales, order, 1)[1]
        return np.asarray(distance[:, 0] / len(scales.columns))

    near, far = distances(setup.people), distances(setup.others)
    result = membership_attack(near, far, attack="closest record", random_state=random_state)
    details = {**result.details, **_sum_up("people", near), **_sum_up("control", far)}
    return replace(result, details=details)


def _sum_up(whose: str, distances: Floats) -> dict[str, float]:
    least, median = np.percentile(distances, [5, 50])
    return {f"{whose}_least_twentieth": float(least), f"{whose}_median": float(median)}
