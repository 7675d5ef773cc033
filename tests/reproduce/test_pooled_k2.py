import numpy as np
import pytest

from reproduce._pooled_k2 import log_score, pooled_k2
from tests.reference.k2 import k2, log_factorial, score


def table(seed, rows=60, arities=(2, 3, 2, 2)):
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(0, a, rows) for a in arities], axis=1).astype(np.int32)
    copy = rng.random(rows) < 0.6
    codes[copy, 2] = codes[copy, 0]
    codes[~copy, 3] = codes[~copy, 1] % 2
    return codes, list(arities)


@pytest.mark.parametrize("seed", range(5))
def test_scores_and_parents_are_those_of_the_slow_twin(seed):
    codes, arities = table(seed)
    for parents in ([], [0], [1, 0]):
        expected = score(codes, arities, 3, parents, log_factorial)
        assert log_score(codes, arities, 3, parents) == pytest.approx(expected, rel=1e-12)
    for most in (0, 1, 2):
        assert pooled_k2(codes, arities, most) == k2(codes, arities, [0, 1, 2, 3], most)[0]


def test_a_copy_is_found():
    codes, arities = table(0, rows=500)
    assert 0 in pooled_k2(codes, arities, 2)[2]
