import math

import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.secure import Settings
from shoal.secure.logarithm._strict import StrictLogarithm

PRIME = 2**89 - 1


def run(both, logarithm, x, first, settings=None):
    second = [(v - s) % logarithm.modulus for v, s in zip(x, first, strict=True)]

    def half(party, shares):
        return logarithm.shares(party, shares)

    a, b = both(half, (first,), (second,), settings)
    m = logarithm.modulus
    return [v - m if v > m // 2 else v for v in ((p + q) % m for p, q in zip(a, b, strict=True))]


@pytest.mark.parametrize("scaling", ["exact", "autonomous"])
@pytest.mark.parametrize(("bits", "terms"), [(13, 3), (13, 4), (10, 5)])
def test_logarithms_modulo_a_power_of_two(both, scaling, bits, terms):
    logarithm = StrictLogarithm(bits, terms, 2**80, scaling)
    rng = np.random.default_rng(1)
    x = [1, 2, 3, 2**bits - 1, 2 ** (bits - 1), *rng.integers(1, 2**bits, 60).tolist()]
    wraps = [int.from_bytes(rng.bytes(10)) % 2**80 for _ in x]
    stays = [int(rng.integers(0, v + 1)) for v in x]
    for first in (wraps, stays):
        got = run(both, logarithm, x, first)
        for value, v in zip(got, x, strict=True):
            assert abs(value - logarithm.taylor.clear(v)) <= logarithm.error_units
            assert abs(value / logarithm.taylor.sigma - math.log(v)) < logarithm.taylor.error + 1e-9


@pytest.mark.parametrize("scaling", ["exact", "autonomous"])
def test_logarithms_modulo_a_prime_with_paillier(both, scaling):
    logarithm = StrictLogarithm(17, 3, PRIME, scaling)
    x = [1, 2, 3, 131071, 65536, 777]
    first = [0, PRIME - 1, 1, 12345, PRIME // 2, 5]
    settings = Settings(products="paillier", key_bits=2048)
    got = run(both, logarithm, x, first, settings)
    for value, v in zip(got, x, strict=True):
        assert abs(value - logarithm.taylor.clear(v)) <= logarithm.error_units


def test_transfers_refuse_a_modulus_that_is_no_power_of_two(both):
    with pytest.raises(ParameterError, match="power of two"):
        run(both, StrictLogarithm(10, 3, PRIME), [5], [0])


def test_the_exact_circuit_is_below_the_published_gate_count():
    """1,497 gates of all kinds in the paper; AND gates alone here, exclusive ors being free."""
    assert StrictLogarithm(17, 3, 2**62 - 57).circuit.n_and == 625


@pytest.mark.parametrize("options", [{"modulus": 2**40}, {"scaling": "guess"}])
def test_impossible_parameters_are_refused(options):
    with pytest.raises(ParameterError):
        StrictLogarithm(**{"bits": 17, "terms": 3, "modulus": PRIME, **options})
