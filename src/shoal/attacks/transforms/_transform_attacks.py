"""All attacks on a transform at once: on a keyed table, on a random kernel."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shoal.attacks._attack_result import AttackResult, percentiles
from shoal.attacks._membership import distance_to_published, membership_attack
from shoal.attacks.transforms._bracketing import bracketing_attack, interpolate
from shoal.attacks.transforms._frequency_attack import frequency_attack, guess_aliases
from shoal.attacks.transforms._reconstruction import (
    MOST_COMBINATIONS,
    estimate_basis,
    exact_attack,
    feature_bounds,
    linear_view,
    reconstruction_attack,
)
from shoal.attacks.transforms._unfolding import unfolding_attack
from shoal.errors import ParameterError
from shoal.federated import AliasTable, GradedRanges, RandomKernel, TransformKey
from shoal.frames._frame import Frame
from shoal.typing import Floats, Native

PEOPLE = 500  # members and outsiders that the membership attack looks for
ROWS = 3000  # rows that the attacks on graded values are tried on
STEPS = 9  # decimals beyond which a feature counts as continuous


def attack_table(
    table: Native,
    key: TransformKey,
    *,
    public: Native | None = None,
    n_known: Sequence[int] = (2, 10),
    random_state: int = 0,
) -> list[AttackResult]:
    """Attack an encoded table in the ways that its key does not protect against.

    Parameters
    ----------
    table : frame
        The original rows; they are encoded here.
    key : TransformKey
        The shared key.
    public : frame or None
        Another table about similar people, for its marginals.  None assumes the worst: the
        attacker knows the marginals of this very table.
    n_known : sequence of int
        Numbers of people whose graded values the attacker knows.
    random_state : int
        Seed.

    Returns
    -------
    list of AttackResult
        Frequency analysis of each mapped column, bracketing of each graded one and what its
        fractions tell with one known person, and membership.

    Examples
    --------
    >>> import pandas as pd
    >>> from shoal.federated import AliasTable, TransformKey
    >>> table = pd.DataFrame({"ill": ["flu"] * 60 + ["gout"] * 30 + ["cold"] * 10})
    >>> key = TransformKey.create({"ill": AliasTable.random(["flu", "gout", "cold"], "ill")})
    >>> for found in attack_table(table, key):
    ...     print(found.attack, round(found.risk, 2))
    frequency analysis of 'ill' 1.0
    membership, 10 known people 0.5
    """
    frame = Frame(table)
    other = frame if public is None else Frame(public)
    rng = np.random.default_rng(random_state)
    sample = rng.permutation(frame.n_rows)[:ROWS]
    results: list[AttackResult] = []
    for name, code in key.columns.items():
        if isinstance(code, AliasTable):
            published = {code.to_alias[c]: n for c, n in _counts(frame, name).items()}
            marginal = _counts(other, name)
            results.append(
                frequency_attack(
                    published, marginal, code.to_category, column=name, random_state=random_state
                )
            )
        else:
            values = frame.numbers(name)[sample]
            encoded = code.encode(values, name)
            results += [
                bracketing_attack(values, encoded, n, column=name, random_state=random_state)
                for n in n_known
                if n < len(values)
            ]
            if len(values) > 1:
                results.append(
                    unfolding_attack(values, encoded, column=name, random_state=random_state)
                )
    results.append(_table_membership(frame, other, key, max(n_known, default=2), random_state))
    return results


def attack_kernel(
    table: Native,
    kernel: RandomKernel,
    *,
    n_known: Sequence[int] | None = None,
    random_state: int = 0,
) -> list[AttackResult]:
    """Attack the projections of a table, by someone with B and by someone without.

    Parameters
    ----------
    table : frame or array
        The original rows.
    kernel : RandomKernel
        Fitted; the one that sites share.
    n_known : sequence of int or None
        Numbers of rows that the attacker knows in full; None is 0 to the number of features.
    random_state : int
        Seed.

    Returns
    -------
    list of AttackResult
        How far ranges narrow, reconstruction with known rows, exact recovery of rows made of few
        values, and membership.

    Examples
    --------
    >>> import pandas as pd
    >>> from shoal.federated import RandomKernel
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame(rng.random((40, 3)), columns=list("abc"))
    >>> ranges = dict.fromkeys("abc", (0, 1))
    >>> kernel = RandomKernel(ranges, kernel="linear", random_state=0).fit(table)
    >>> found = attack_kernel(table, kernel, n_known=[2])
    >>> [attack.attack for attack in found][:2]
    ['known B, no known rows', 'known B, 2 known rows']
    """
    rows = kernel.scaled(table)
    projection = kernel.project(rows)
    gamma = None if kernel.kernel == "linear" else kernel.gamma_
    matrix, right = linear_view(kernel.basis_, projection, gamma)
    known = range(rows.shape[1] + 1) if n_known is None else n_known
    results = [_narrowing(matrix, right, list(kernel.ranges_), random_state)]
    seen = projection if gamma is None else -np.log(projection)
    for attacker, published in ((matrix, right), (None, seen)):
        results += [
            reconstruction_attack(
                rows, attacker, published, n, is_linear=gamma is None, random_state=random_state
            )
            for n in known
            if n < len(rows)
        ]
    results += _exact(rows, matrix, right, kernel, random_state)
    results.append(_kernel_membership(rows, projection, kernel, random_state))
    return results


def _counts(frame: Frame, name: str) -> dict[Any, int]:
    codes, values = frame.factorize(name)
    counts = np.bincount(codes[codes >= 0], minlength=len(values))
    return {value: int(count) for value, count in zip(values, counts, strict=True)}


def _table_membership(
    frame: Frame, other: Frame, key: TransformKey, n_known: int, random_state: int
) -> AttackResult:
    """Half of the rows are published; the attacker looks for people of both halves."""
    rng = np.random.default_rng(random_state)
    order = rng.permutation(frame.n_rows)
    half = frame.n_rows // 2
    inside, outside = order[:half], order[half:]
    known = inside[: min(n_known, half)]
    truth, guess = [], []
    for name, code in key.columns.items():
        if isinstance(code, AliasTable):
            codes, values = frame.factorize(name)
            index = {value: i for i, value in enumerate(values)}
            counts = np.bincount(codes[inside][codes[inside] >= 0], minlength=len(values))
            published = {code.to_alias[v]: int(n) for v, n in zip(values, counts, strict=True)}
            read = guess_aliases(published, _counts(other, name))
            back = np.array([index.get(read.get(code.to_alias[v]), -2) for v in values] + [-1])
            truth.append(codes.astype(np.float64))
            guess.append(back[codes].astype(np.float64))
        else:
            read_values, values = _read_graded(frame.numbers(name), code, known)
            truth.append(values)
            guess.append(read_values)
    people, shown = np.column_stack(truth), np.column_stack(guess)[inside[:ROWS]]
    mapped = [isinstance(code, AliasTable) for code in key.columns.values()]
    return membership_attack(
        _mixed_distance(people[inside[:PEOPLE]], shown, mapped),
        _mixed_distance(people[outside[:PEOPLE]], shown, mapped),
        attack=f"membership, {len(known)} known people",
        random_state=random_state,
    )


def _read_graded(
    values: Floats, code: GradedRanges, known: np.ndarray[Any, Any]
) -> tuple[Floats, Floats]:
    """What the attacker reads from the encoded column, and the truth, both scaled to [0, 1]."""
    low, width = code.lower[0], code.upper[-1] - code.lower[0]
    read = interpolate(code.encode(values), known, values[known])
    return np.nan_to_num((read - low) / width), np.nan_to_num((values - low) / width)


def _mixed_distance(people: Floats, shown: Floats, mapped: Sequence[bool]) -> Floats:
    total = np.zeros((len(people), len(shown)))
    for j, is_mapped in enumerate(mapped):
        apart = np.abs(people[:, j, None] - shown[None, :, j])
        total += (apart > 0.5) if is_mapped else np.minimum(apart, 1.0)
    nearest: Floats = total.min(axis=1)
    return nearest


def _narrowing(
    matrix: Floats, right: Floats, names: Sequence[str], random_state: int
) -> AttackResult:
    rng = np.random.default_rng(random_state)
    sample = rng.choice(len(right), min(len(right), PEOPLE), replace=False)
    if len(matrix) < matrix.shape[1] - 1:
        sample = sample[:50]  # a linear programme each
    low, high = feature_bounds(matrix, right[sample])
    ruled_out = 1 - (high - low)
    mean = ruled_out.mean(axis=1)
    drawn = [rng.choice(mean, len(mean)).mean() for _ in range(200)]
    bottom, top = percentiles(np.array(drawn))
    return AttackResult(
        attack="known B, no known rows",
        measure="share of each feature's range ruled out",
        risk=float(mean.mean()),
        low=bottom,
        high=top,
        baseline=0.0,
        trials=len(sample),
        details=dict(zip(names, ruled_out.mean(axis=0).tolist(), strict=True)),
    )


def _exact(
    rows: Floats, matrix: Floats, right: Floats, kernel: RandomKernel, random_state: int
) -> list[AttackResult]:
    """Exact recovery, by someone with B and by someone with as many known rows as features."""
    grids = _grids(rows, kernel.ranges_)
    if grids is None or not _tractable(grids, rows.shape[1] - len(matrix)):
        return []
    results = [exact_attack(rows, matrix, right, grids)]
    if kernel.kernel == "linear":
        order = np.random.default_rng(random_state).permutation(len(rows))
        known = _independent(rows, order)
        solved = estimate_basis(rows[known], right[known])
        if solved is not None:
            rest = np.setdiff1d(order, known)
            who = f"unknown B, {len(known)} known rows"
            results.append(exact_attack(rows[rest], solved, right[rest], grids, who=who))
    return results


def _independent(rows: Floats, order: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """First rows in `order` that determine a linear map."""
    size = rows.shape[1]
    while size < len(order) and np.linalg.matrix_rank(rows[order[:size]]) < rows.shape[1]:
        size += 1
    return order[:size]


def _grids(rows: Floats, ranges: Mapping[str, tuple[float, float]]) -> list[Floats] | None:
    """Scaled values that each feature can take, at the precision it is stored with."""
    grids = []
    for values, (low, high) in zip(rows.T, ranges.values(), strict=True):
        step = _step(low + values * (high - low))
        if step is None or (high - low) / step > MOST_COMBINATIONS:
            return None
        grids.append((np.arange(low, high + step / 2, step) - low) / (high - low))
    return grids


def _step(values: Floats) -> float | None:
    for decimals in range(STEPS):
        scale = 10.0**decimals
        if np.allclose(values * scale, np.rint(values * scale), atol=1e-7, rtol=0):
            return 1 / scale
    return None


def _tractable(grids: Sequence[Floats], missing: int) -> bool:
    smallest = sorted(len(grid) for grid in grids)[:missing]
    return bool(np.prod(smallest) <= MOST_COMBINATIONS)


def _kernel_membership(
    rows: Floats, projection: Floats, kernel: RandomKernel, random_state: int
) -> AttackResult:
    if len(rows) < 4:
        raise ParameterError("the attacks need at least 4 rows.")
    order = np.random.default_rng(random_state).permutation(len(rows))
    inside, outside = order[: len(rows) // 2], order[len(rows) // 2 :]
    published = projection[inside]
    return membership_attack(
        distance_to_published(projection[inside[:PEOPLE]], published),
        distance_to_published(kernel.project(rows[outside[:PEOPLE]]), published),
        attack="membership, known B",
        random_state=random_state,
    )
