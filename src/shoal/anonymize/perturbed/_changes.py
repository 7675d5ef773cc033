"""Three ways to change the values of a column at random.

Each takes codes or numbers of rows and a generator, and gives those of the changed rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.typing import Codes, Floats


def add_noise(
    columns: Sequence[Floats], shares: Sequence[float], generator: np.random.Generator
) -> list[Floats]:
    """Numbers with normal noise, whose covariance is that of the columns [Kim86]_.

    Noise of a column has `share` of its standard deviation; noises of two columns are correlated as
    the columns are, so with equal shares correlations stay about what they were.  NaN stays NaN.

    References
    ----------
    .. [Kim86] J. J. Kim.  A method for limiting disclosure in microdata based on random noise and
       transformation.  Proceedings of the section on survey research methods, American Statistical
       Association, 1986.
    """
    values = np.array(columns)
    middle = np.nanmean(values, axis=1, keepdims=True)
    centred = np.where(np.isnan(values), 0.0, values - middle)
    spread = np.nanstd(values, axis=1)
    known = np.maximum((~np.isnan(values)).sum(axis=1), 1)
    scaled = centred / np.where(spread > 0, spread, 1.0)[:, None] / np.sqrt(known)[:, None]
    # rows of the root of the correlations; values that are missing lower them a little
    size, sides = np.linalg.eigh(scaled @ scaled.T)
    root = sides * np.sqrt(np.maximum(size, 0.0))
    drawn = root @ generator.standard_normal(values.shape)
    return list(values + np.asarray(shares)[:, None] * spread[:, None] * drawn)


def swap_ranks(ranks: NDArray[np.int64], share: float, generator: np.random.Generator) -> Codes:
    """The row whose value each row gets: one whose rank is no farther than `share` of the rows.

    `ranks` are numbers of rows, by rising value [Moo96]_.  Rows are taken in this order; each that
    is still free changes values with a free one among the next, chosen alike.

    References
    ----------
    .. [Moo96] R. A. Moore.  Controlled data-swapping techniques for masking public use microdata
       sets.  US Bureau of the Census, Statistical Research Division Report RR-96/04, 1996.
    """
    n = len(ranks)
    reach = max(1, int(share * n))
    partner = np.arange(n)
    free = np.ones(n, np.bool_)
    for rank in range(n):
        if not free[rank]:
            continue
        others = np.flatnonzero(free[rank + 1 : rank + 1 + reach])
        if len(others):
            other = rank + 1 + int(others[generator.integers(len(others))])
            partner[rank], partner[other] = other, rank
            free[other] = False
        free[rank] = False
    source = np.empty(n, np.int32)
    source[ranks] = ranks[partner]
    return source


def randomize(codes: Codes, kept: float, generator: np.random.Generator) -> Codes:
    """Codes kept with a probability, and else drawn from all codes as they occur: PRAM [GKWW98]_.

    The drawn code may be the own one.  How often each code is expected to occur stays the same.

    References
    ----------
    .. [GKWW98] J. M. Gouweleeuw, P. Kooiman, L. C. R. J. Willenborg, P.-P. de Wolf.  Post
       randomisation for statistical disclosure control: theory and implementation.  Journal of
       Official Statistics 14(4), 1998.
    """
    drawn = codes[generator.integers(len(codes), size=len(codes))] if len(codes) else codes
    stays = generator.random(len(codes)) < kept
    return np.where(stays, codes, drawn).astype(np.int32)
