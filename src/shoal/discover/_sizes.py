"""How many rows or pairs a sampled search needs, and what a sample proves.

Everything depends on ln(2^m / delta), the price of being right about all 2^m attribute sets at
once; it is computed as m ln 2 - ln delta, since 2^m itself overflows.
"""

import math

from shoal.errors import ParameterError


def log_sets(n_columns: int, delta: float) -> float:
    """ln(2^m / delta)."""
    return n_columns * math.log(2) - math.log(delta)


def pairs_for_key(n_columns: int, eps: float, delta: float) -> int:
    """Pairs for an (eps, delta)-separation key: log(2^m / delta) to the base 1 / (1 - eps).

    Examples
    --------
    >>> pairs_for_key(14, eps=0.01, delta=0.01)
    1424
    """
    return math.ceil(log_sets(n_columns, delta) / -math.log1p(-eps))


def rows_for_key(n_rows: int, n_columns: int, eps: float, delta: float) -> int:
    """Rows for an (eps, delta)-distinct key.

    The smallest k with k (k - 1) >= 2 (1 - eps) / eps * n ln(2^m / delta), which is what lemma
    2.3 asks for; the paper's own formula takes the root of the right side, one row fewer.
    """
    asked = 2 * (1 - eps) / eps * n_rows * log_sets(n_columns, delta)
    return math.ceil((1 + math.sqrt(1 + 4 * asked)) / 2)


def pairs_for_quasi_identifier(n_columns: int, beta: float, eps: float, delta: float) -> int:
    """Pairs for a minimum beta-separation quasi-identifier: 16 / (beta eps^2) ln(2^m / delta)."""
    return math.ceil(16 / (beta * eps**2) * log_sets(n_columns, delta))


def sampled_beta(beta: float, size: int, n_columns: int, delta: float) -> float:
    """Limit to keep on the sample so that `beta` holds on the table with probability 1 - delta.

    A set whose ratio exceeds `beta` shows a ratio of x or less on k draws with probability at
    most exp(-k D(x, beta)), D being the relative entropy of two coins (Chernoff; Hoeffding for
    draws without replacement).  The limit is the x that makes this delta / 2^m.  The paper's
    beta (1 - sqrt(2 ln(2^m / delta) / (beta k))) follows from it and is always smaller.
    """
    asked = log_sets(n_columns, delta) / size
    if asked >= -math.log1p(-beta):
        least = math.ceil(log_sets(n_columns, delta) / -math.log1p(-beta)) + 1
        raise ParameterError(
            f"a sample of {size} says nothing about beta={beta:g} at delta={delta:g} with "
            f"{n_columns} columns. Sample at least {least}, better ten times that."
        )
    low, high = 0.0, beta
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if _entropy(middle, beta) >= asked else (low, middle)
    return low


def _entropy(x: float, beta: float) -> float:
    seen = x * math.log(x / beta) if x > 0 else 0.0
    return seen + (1 - x) * math.log((1 - x) / (1 - beta))
