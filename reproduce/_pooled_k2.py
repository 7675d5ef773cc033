"""K2 on a pooled table, in the clear: what two parties should find without pooling it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import gammaln

from shoal.typing import Codes


def pooled_k2(codes: Codes, arities: Sequence[int], max_parents: int) -> list[list[int]]:
    """Parents of every column, in the order found; earlier columns may be parents of later ones.

    Parameters
    ----------
    codes : ndarray of int, shape (n_rows, n_columns)
        A code per cell.
    arities : sequence of int
        How many values each column has.
    max_parents : int
        Most parents of a column.
    """
    network: list[list[int]] = []
    for child in range(len(arities)):
        parents: list[int] = []
        best = log_score(codes, arities, child, parents)
        while len(parents) < max_parents:
            others = [column for column in range(child) if column not in parents]
            scores = [log_score(codes, arities, child, [*parents, other]) for other in others]
            if not scores or max(scores) <= best:
                break
            best = max(scores)
            parents.append(others[scores.index(best)])
        network.append(parents)
    return network


def log_score(codes: Codes, arities: Sequence[int], child: int, parents: Sequence[int]) -> float:
    """Logarithm of Cooper and Herskovits' score of a column with these parents."""
    group = np.zeros(len(codes), np.int64)
    for parent in parents:
        group = group * arities[parent] + codes[:, parent]
    r = arities[child]
    n_groups = int(np.prod([arities[p] for p in parents]))
    cells = np.bincount(group * r + codes[:, child], minlength=n_groups * r).reshape(n_groups, r)
    each = gammaln(r) - gammaln(cells.sum(axis=1) + r) + gammaln(cells + 1).sum(axis=1)
    return float(each.sum())
