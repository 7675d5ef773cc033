"""How far the distributions that a recipient reads off a release are from the true ones."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from shoal.errors import ParameterError
from shoal.tables._recoded import Recoded
from shoal.typing import Floats

_MOST = 2**24  # combinations of values held at once: 128 MB


def marginal_divergence(recoded: Recoded, columns: Sequence[str]) -> float:
    """Kullback-Leibler divergence of a marginal, in bits: true against released.

    The recipient spreads every row evenly over the values that its labels cover, and a suppressed
    row over all values.

    Parameters
    ----------
    recoded : Recoded
        The release.
    columns : sequence of str
        Quasi-identifiers whose joint distribution is compared.

    Examples
    --------
    >>> from shoal.anonymize import Mondrian
    >>> from shoal.schema import Schema
    >>> people = {
    ...     "age": [21, 22, 34, 35, 61, 62],
    ...     "illness": ["flu", "flu", "cold", "flu", "gout", "cold"],
    ... }
    >>> schema = Schema(
    ...     {
    ...         "age": {"role": "quasi-identifier", "kind": "numeric"},
    ...         "illness": {"role": "sensitive", "target": True},
    ...     }
    ... )
    >>> release = Mondrian(schema, 2, ranges="exact").fit(people).release_
    >>> round(marginal_divergence(release.recoded, ["age"]), 2)  # every age once: nothing is lost
    0.0
    """
    names = recoded.cells.names
    unknown = [name for name in columns if name not in names]
    if unknown or not columns:
        raise ParameterError("marginal_divergence: columns must be quasi-identifiers.")
    chosen = [names.index(name) for name in columns]
    shape = tuple(recoded.labels[column].coding.n_codes for column in chosen)
    if np.prod(shape, dtype=np.float64) > _MOST:
        raise ParameterError("marginal_divergence: too many combinations. Name fewer columns.")
    if recoded.cells.n_rows == 0:
        return 0.0
    true = np.zeros(shape)
    np.add.at(true, tuple(recoded.cells.keys[:, column] for column in chosen), recoded.cells.sizes)
    read = _spread(recoded, chosen, shape) + recoded.n_suppressed / true.size
    here = true > 0
    share = true[here] / true.sum()
    return float(max(0.0, (share * np.log2(true[here] / read[here])).sum()))


def marginal_divergences(recoded: Recoded, order: int = 1) -> dict[tuple[str, ...], float]:
    """The same for every set of `order` quasi-identifiers."""
    if order < 1:
        raise ParameterError(f"order must be at least 1, got {order}.")
    return {
        names: marginal_divergence(recoded, names)
        for names in itertools.combinations(recoded.cells.names, order)
    }


def _spread(recoded: Recoded, columns: Sequence[int], shape: tuple[int, ...]) -> Floats:
    """Rows of the groups spread evenly over the boxes of values that their labels cover."""
    low = [recoded.labels[column].low[recoded.codes[:, column]] for column in columns]
    high = [recoded.labels[column].high[recoded.codes[:, column]] for column in columns]
    density = recoded.groups.sizes.astype(np.float64)
    for first, last in zip(low, high, strict=True):
        density = density / (last - first + 1)
    # a box adds at its corners, with alternating signs; running sums fill it
    corners = np.zeros([n + 1 for n in shape])
    for ends in itertools.product((False, True), repeat=len(shape)):
        corner = tuple(
            last + 1 if end else first for first, last, end in zip(low, high, ends, strict=True)
        )
        np.add.at(corners, corner, density if sum(ends) % 2 == 0 else -density)
    for axis in range(len(shape)):
        corners = np.cumsum(corners, axis=axis)
    return corners[tuple(slice(n) for n in shape)]
