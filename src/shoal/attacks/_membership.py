"""Membership: was a person whose data the attacker has among the published rows?"""

import numpy as np
from numpy.typing import ArrayLike

from shoal.attacks._attack_result import AttackResult, percentiles
from shoal.errors import ParameterError
from shoal.typing import Floats


def distance_to_published(candidates: ArrayLike, published: ArrayLike) -> Floats:
    """Distance of each candidate from the nearest published row."""
    from scipy.spatial import cKDTree  # noqa: PLC0415  slow to import

    tree = cKDTree(np.asarray(published, np.float64))
    return np.asarray(tree.query(np.asarray(candidates, np.float64))[0], np.float64)


def membership_attack(
    members: ArrayLike,
    outsiders: ArrayLike,
    *,
    attack: str = "membership",
    repeats: int = 200,
    random_state: int = 0,
) -> AttackResult:
    """Chance of telling a member from an outsider by a distance.

    Parameters
    ----------
    members, outsiders : array-like
        The attacker's distance (small means "was in it") for people who were and were not among
        the published rows.
    attack : str
        Name for the report.
    repeats : int
        Resamplings of people behind the interval.
    random_state : int
        Seed of the resamplings.

    Returns
    -------
    AttackResult
        `risk` is the area under the curve: the chance that a random member is nearer than a random
        outsider, ties one half.  The baseline is 0.5.  ``details`` has the shares of members and
        of outsiders at distance 0 (up to rounding).

    Examples
    --------
    >>> membership_attack([0.0, 0.1, 0.2], [0.1, 0.5, 0.9]).risk.__round__(2)
    0.83
    """
    inside, outside = np.asarray(members, np.float64), np.asarray(outsiders, np.float64)
    if len(inside) == 0 or len(outside) == 0:
        raise ParameterError("membership needs people on both sides.")
    rng = np.random.default_rng(random_state)
    drawn = [
        area(rng.choice(inside, len(inside)), rng.choice(outside, len(outside)))
        for _ in range(repeats)
    ]
    low, high = percentiles(np.array(drawn))
    return AttackResult(
        attack=attack,
        measure="chance of telling a member from an outsider",
        risk=area(inside, outside),
        low=low,
        high=high,
        baseline=0.5,
        trials=len(inside) + len(outside),
        details={
            "members_matched": float((inside <= 1e-9).mean()),
            "outsiders_matched": float((outside <= 1e-9).mean()),
        },
    )


def area(inside: Floats, outside: Floats) -> float:
    """Chance that one of the first is less than one of the second, ties one half."""
    ordered = np.sort(outside)
    above = len(ordered) - np.searchsorted(ordered, inside, side="right")
    equal = len(ordered) - np.searchsorted(ordered, inside, side="left") - above
    return float((above + equal / 2).sum() / (len(inside) * len(outside)))
