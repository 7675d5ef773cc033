"""Numbers of a model that too few people decide, where the target is private.

Spans say whom a model tells apart by what it *asks*.  Coefficients and centroids also tell what
they were *fitted* to: one for each postcode, say, is the class of the one person who lives there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.audit._training_table import TrainingTable
from shoal.typing import Floats

MOST_CELLS = 50_000_000
"""Cells of features up to which leverages are computed: three copies of them are held."""
MOST_WORK = 2e11
"""Multiplications up to which they are."""


def small_classes(table: TrainingTable, k: int) -> tuple[str, ...]:
    """What is not known to be safe since a class has few people: means and coefficients are theirs.

    Empty where the target is no secret.
    """
    if not table.target_is_private:
        return ()
    codes = table.frame.factorize(str(table.schema.target))[0]
    sizes = np.bincount(codes[codes >= 0])
    few = int(((sizes > 0) & (sizes < k)).sum())
    if not few:
        return ()
    return (f"numbers that were fitted to {few:,} classes with fewer than {k} people each",)


def few_behind_coefficients(matrix: Floats, table: TrainingTable, k: int) -> tuple[str, ...]:
    """What is not known to be safe since fewer than k people decide what is said about some.

    The measure is leverage: in least squares it is the weight of a person's own target in what the
    model says about that person, and a feature that m people share gives each of them 1 / m.
    """
    if not table.target_is_private:
        return ()
    weight = _leverages(matrix)
    if weight is None:
        return (f"numbers for {matrix.shape[1]:,} features, too many to see whose they are",)
    exposed = int((weight * k > 1 + 1e-9).sum())
    if not exposed:
        return ()
    return (f"numbers by which fewer than {k} people decide what is said about {exposed:,} people",)


def few_behind_centroids(own: NDArray[np.int64], table: TrainingTable, k: int) -> tuple[str, ...]:
    """What is not known to be safe since a centroid is the mean of few people, or of one.

    `own` is the centroid nearest to each row.  Spans do not see it: they say who may be in a
    cluster, and a mean of one row is that row, private columns and all.
    """
    if not table.private:
        return ()
    sizes = np.bincount(own)
    few = int(((sizes > 0) & (sizes < k)).sum())
    if not few:
        return ()
    return (f"private coordinates of {few:,} centroids that fewer than {k} people have each",)


def _leverages(matrix: Floats) -> Floats | None:
    """Diagonal of the projection onto the features and a constant; None if it takes too long."""
    n_rows, width = matrix.shape
    if n_rows * width > MOST_CELLS or n_rows * width * min(n_rows, width) > MOST_WORK:
        return None
    known = np.where(np.isfinite(matrix), matrix, 0.0)
    spread = np.abs(known).max(axis=0, initial=0.0)
    design = np.column_stack([np.ones(n_rows), known / np.where(spread > 0, spread, 1.0)])
    basis, sizes, _ = np.linalg.svd(design, full_matrices=False)
    kept = sizes > sizes.max() * max(design.shape) * np.finfo(np.float64).eps
    leverages: Floats = (basis[:, kept] ** 2).sum(axis=1)
    return leverages
