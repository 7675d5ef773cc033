from functools import reduce

import pytest

from reproduce._gates import count_gates
from shoal.secure.circuits._circuit import Builder
from shoal.secure.circuits._library import add


def adder(width):
    b = Builder(width, width)
    total, carry = add(b, b.first, b.second)
    return b.finish([*total, carry])


def test_an_adder_of_three_input_gates_has_a_sum_and_a_carry_for_each_bit():
    for width in (2, 5, 9):
        assert count_gates(adder(width), 3) == 2 * width


@pytest.mark.parametrize(("n_inputs", "expected"), [(2, 7), (3, 4), (4, 3), (8, 1)])
def test_a_long_exclusive_or_needs_fewer_wider_gates(n_inputs, expected):
    b = Builder(8, 0)
    assert count_gates(b.finish([reduce(b.xor, b.first)]), n_inputs) == expected


def test_wider_gates_are_never_more_and_gates_that_nobody_reads_are_none():
    circuit = adder(6)
    counts = [count_gates(circuit, n) for n in (2, 3, 4)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] <= len(circuit.gates)
    b = Builder(2, 0)
    b.and_(*b.first)
    assert count_gates(b.finish([b.xor(*b.first)]), 2) == 1
