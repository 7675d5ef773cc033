import numpy as np
import pytest
from hypothesis import given, strategies as st

from shoal.errors import ParameterError
from shoal.secure._ring import Ring

rings = st.sampled_from([1, 7, 63, 64, 65, 83, 128, 139, 192, 200]).map(Ring)
pairs = st.tuples(rings, st.lists(st.tuples(st.integers(), st.integers()), min_size=1, max_size=9))
edges = st.sampled_from([0, 1, -1, 2**63, 2**64 - 1, 2**64, 2**128 - 1, -(2**64)])


@given(pairs=pairs, edge=edges)
def test_arithmetic_agrees_with_python(pairs, edge):
    ring, values = pairs
    x, y = [*(a for a, _ in values), edge], [*(b for _, b in values), -edge]
    a, b, m = ring.limbs(x), ring.limbs(y), ring.modulus
    assert ring.integers(a) == [v % m for v in x]
    assert ring.integers(ring.add(a, b)) == [(v + w) % m for v, w in zip(x, y, strict=True)]
    assert ring.integers(ring.subtract(a, b)) == [(v - w) % m for v, w in zip(x, y, strict=True)]
    assert ring.integers(ring.negative(a)) == [-v % m for v in x]
    assert ring.integers(ring.multiply(a, b)) == [v * w % m for v, w in zip(x, y, strict=True)]
    assert ring.integers(ring.shifts(a, 3)[:, 2]) == [4 * v % m for v in x]
    assert ring.integers(ring.double(a)) == [2 * v % m for v in x]
    assert ring.integers(ring.total(a[None], axis=1)) == [sum(x) % m]
    half = m // 2
    assert all(-half <= v < half or m == 2 for v in ring.signed(a))
    bits = ring.bit_array(a)
    assert [sum(int(bit) << i for i, bit in enumerate(row)) for row in bits] == ring.integers(a)
    chosen = ring.select(np.arange(len(x)) % 2 == 1, a)
    assert ring.integers(chosen) == [v % m if i % 2 else 0 for i, v in enumerate(x)]


def test_carries_run_through_all_limbs():
    ring = Ring(256)
    assert ring.integers(ring.add(ring.limbs([2**256 - 1]), ring.limbs([1]))) == [0]
    assert ring.integers(ring.add(ring.limbs([2**192 - 1]), ring.limbs([1]))) == [2**192]


def test_random_elements_do_not_repeat():
    values = Ring(128).integers(Ring(128).random(1000))
    assert len(set(values)) == 1000


@pytest.mark.parametrize("bits", [0, -1, 2000])
def test_an_impossible_ring_is_refused(bits):
    with pytest.raises(ParameterError, match="1 to 1024 bits"):
        Ring(bits)
