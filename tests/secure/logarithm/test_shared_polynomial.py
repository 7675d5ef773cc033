"""Polynomials of shared numbers: every degree, against arithmetic in the clear."""

import numpy as np
import pytest

from shoal.secure._ring import Ring
from shoal.secure.circuits._circuit import Builder
from shoal.secure.circuits._library import add
from shoal.secure.circuits._yao import Program
from shoal.secure.logarithm._shared_polynomial import SharedPolynomial

WIDTH = 5


def half(party, polynomial, numbers):
    b = Builder(WIDTH, WIDTH)
    wires = add(b, b.first, b.second)[0]
    program = Program(
        b.finish(wires),
        0,
        polynomial.ring,
        tuple(1 << i for i in range(WIDTH)),
        (0,) * WIDTH,
        factors=polynomial.factors,
    )
    bits = (numbers[:, None] >> np.arange(WIDTH) & 1).astype(bool)
    results = party.run(program, bits)
    before = party.channel.transcript.messages_sent
    shares = polynomial.shares(party, results.shares[0], results.shares[1:])
    return shares, party.channel.transcript.messages_sent - before


@pytest.mark.parametrize("degree", range(1, 9))
@pytest.mark.parametrize("bits", [40, 64, 150])
def test_every_degree_in_small_and_large_rings(both, degree, bits):
    rng = np.random.default_rng(degree)
    ring = Ring(bits)
    coefficients = (0, *(int(c) for c in rng.integers(-(2**40), 2**40, degree)))
    polynomial = SharedPolynomial(ring, coefficients)
    first, second = rng.integers(0, 2**WIDTH, (2, 50))
    (one, sent), (two, _) = both(half, (polynomial, first), (polynomial, second))
    expected = [
        sum(c * int(x) ** i for i, c in enumerate(coefficients)) % ring.modulus
        for x in (first + second) % 2**WIDTH
    ]
    assert ring.integers(ring.add(one, two)) == expected
    assert bool(sent) == (degree > 2)  # up to squares nothing is left for transfers


def test_how_many_products_are_left_for_transfers():
    ring = Ring(64)
    left = [len(SharedPolynomial(ring, (0, *[7] * degree))._secret) for degree in range(1, 9)]
    assert left == [0, 0, 1, 1, 3, 3, 5, 5]
