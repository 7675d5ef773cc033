"""The paper's logarithm on counts: the series to within the rounding, and 0 for 0."""

import math

import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.secure.logarithm._fast_logarithm import logarithm_for
from shoal.secure.logarithm._strict_counts import StrictCountLogarithm


def half(party, logarithm, counts):
    logs = logarithm.shares(party, counts)
    parts = [logs.log, logs.x, logs.positive, logarithm.x_log_x(party, logs)]
    return [logarithm.ring.integers(part) for part in parts]


@pytest.mark.parametrize("terms", [3, 4])
def test_counts_and_their_logarithms(both, terms):
    logarithm = logarithm_for("strict", 2**10 - 1, terms)
    assert isinstance(logarithm, StrictCountLogarithm)
    x = np.array([0, 1, 2, 3, 511, 1023, 777], np.int64)
    first = np.random.default_rng(0).integers(0, 2**32, len(x)).astype(np.uint32)
    second = (x - first.astype(np.int64)).astype(np.uint32)
    one, two = both(half, (logarithm, first), (logarithm, second))
    m = logarithm.ring.modulus
    told = [[(a + b) % m for a, b in zip(p, q, strict=True)] for p, q in zip(one, two, strict=True)]
    logs, counts, positive, products = [[v - m if v > m // 2 else v for v in row] for row in told]
    assert counts == x.tolist()
    assert positive == (x > 0).astype(int).tolist()
    for log, product, v in zip(logs, products, x.tolist(), strict=True):
        assert abs(log - logarithm.clear(v)) <= logarithm.strict.error_units
        assert product == v * log
        assert abs(log / logarithm.scale - (math.log(v) if v else 0)) <= logarithm.error


def test_an_unknown_kind_is_refused():
    with pytest.raises(ParameterError, match="chebyshev, taylor, fast or strict"):
        logarithm_for("table", 100, 3)
