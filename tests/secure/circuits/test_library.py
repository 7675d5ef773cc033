"""Every sub-circuit against Python arithmetic, in the clear."""

import numpy as np
from hypothesis import given, settings, strategies as st

from shoal.secure.circuits import _library as library
from shoal.secure.circuits._circuit import Builder


def run(build, width_first, width_second, first, second=0):
    b = Builder(width_first, width_second)
    outputs = build(b, b.first, b.second)
    circuit = b.finish(list(outputs))

    def bits(value, width):
        return np.array([[value >> i & 1 for i in range(width)]], bool).reshape(1, width)

    got = circuit.evaluate(bits(first, width_first), bits(second, width_second))[0]
    return sum(int(bit) << i for i, bit in enumerate(got))


WIDTH = 9
number = st.integers(0, 2**WIDTH - 1)


@given(x=number, y=number)
def test_sums_differences_and_comparisons(x, y):
    two = (WIDTH, WIDTH, x, y)
    assert run(lambda b, p, q: [*library.add(b, p, q)[0], library.add(b, p, q)[1]], *two) == x + y
    assert run(lambda b, p, q: library.subtract(b, p, q)[0], *two) == (x - y) % 2**WIDTH
    assert run(lambda b, p, q: [library.less(b, p, q)], *two) == (x < y)

    def signed(v):
        return v - 2**WIDTH if v >> (WIDTH - 1) else v

    assert run(lambda b, p, q: [library.less_signed(b, p, q)], *two) == (signed(x) < signed(y))


@given(modulus=st.integers(2, 2**WIDTH), data=st.data())
def test_modular_sums_for_any_modulus(modulus, data):
    x = data.draw(st.integers(0, modulus - 1))
    y = data.draw(st.integers(0, modulus - 1))
    got = run(lambda b, p, q: library.add_modulo(b, p, q, modulus), WIDTH, WIDTH, x, y)
    assert got == (x + y) % modulus


@given(x=number)
def test_the_highest_one_bit_is_found(x):
    def build(b, p, _):
        marks, positive = library.leading_one(b, p)
        return [*marks, positive, *library.encode(b, marks)]

    got = run(build, WIDTH, 0, x)
    top = max(x.bit_length() - 1, 0)
    assert got & (2**WIDTH - 1) == (1 << top if x else 0)
    assert got >> WIDTH & 1 == (x > 0)
    assert got >> (WIDTH + 1) == top


@settings(max_examples=60)
@given(values=st.lists(st.integers(0, 15), min_size=1, max_size=9), signed=st.booleans())
def test_the_first_of_the_least_wins(values, signed):
    def build(b, p, _):
        numbers = [p[i : i + 4] for i in range(0, len(p), 4)]
        return library.least(b, numbers, signed=signed)[0]

    read = [v - 16 if signed and v >= 8 else v for v in values]
    packed = sum(v << 4 * i for i, v in enumerate(values))
    assert run(build, 4 * len(values), 0, packed) == read.index(min(read))


@given(bits=st.lists(st.booleans(), max_size=9))
def test_any_of(bits):
    packed = sum(bit << i for i, bit in enumerate(bits))
    assert run(lambda b, p, _: [library.any_of(b, p)], len(bits), 0, packed) == any(bits)


def test_adders_cost_one_gate_per_bit():
    b = Builder(16, 16)
    assert b.finish(library.add(b, b.first, b.second)[0]).n_and == 15
