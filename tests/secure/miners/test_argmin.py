import numpy as np
from hypothesis import HealthCheck, given, settings, strategies as st

from shoal.secure._ring import Ring
from shoal.secure.miners._argmin import index_of_least


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=15
)
@given(
    bits=st.sampled_from([8, 70]),
    count=st.integers(1, 6),
    rows=st.integers(0, 4),
    seed=st.integers(0, 999),
)
def test_both_learn_the_first_index_of_the_least(both, bits, count, rows, seed):
    rng, ring = np.random.default_rng(seed), Ring(bits)
    values = rng.integers(-5, 6, (rows, count)).tolist()
    first = [[int.from_bytes(rng.bytes(9)) % ring.modulus for _ in row] for row in values]
    second = [
        [(v - s) % ring.modulus for v, s in zip(row, shares, strict=True)]
        for row, shares in zip(values, first, strict=True)
    ]
    got = both(index_of_least, (ring, first), (ring, second))
    for end in got:
        assert end.tolist() == [row.index(min(row)) for row in values]
