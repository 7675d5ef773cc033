"""The circuits of phase one: rebuild x, bring its highest one-bit to the top, project.

Everything is linear in the bits of the normalized number, the shift and x itself, so projected
outputs give shares at any scale without a table and without secure scaling.
"""

from functools import lru_cache

from shoal.secure._ring import Ring
from shoal.secure.circuits._circuit import FALSE, Builder
from shoal.secure.circuits._library import add, encode, leading_one
from shoal.secure.circuits._yao import Factor, Program
from shoal.secure.logarithm._shared_polynomial import SharedPolynomial

Output = tuple[int, int, int]  # literal, weight, which shared value


@lru_cache(maxsize=32)
def normalizer(bits: int, polynomial: SharedPolynomial, ln2: int) -> Program:
    """Return the program that shares epsilon 2**N; n ln 2 and the constant; x; and whether x > 0.

    The second value is 0 for x = 0.  Products of epsilon that the polynomial needs follow, and x is
    split into bits.
    """
    b = Builder(bits, bits)
    x, moved, shift, positive = _normalized(b, bits)
    up, low = moved[bits - 2], moved[: bits - 2]
    # Rounded up, epsilon 2**N is low - 2**(N-2); rounded down, it is 2 low.
    epsilon = [b.mux(up, yes, no) for yes, no in zip([*low, FALSE], [FALSE, *low], strict=True)]
    outputs = [(e, 1 << i, 0) for i, e in enumerate(epsilon)]
    outputs.append((up, -(1 << bits - 2), 0))
    # n = N - 1 - shift, plus 1 when rounded up.
    outputs += [(s, -ln2 << i, 1) for i, s in enumerate(shift)]
    offset = polynomial.coefficients[0]
    outputs += [(positive, (bits - 1) * ln2 + offset, 1), (up, ln2, 1)]
    return _projected(b, outputs, x, positive, polynomial.ring, polynomial.factors)


@lru_cache(maxsize=32)
def fast_program(bits: int, ring: Ring) -> Program:
    """Return the program that shares 16 log2 x, cut after four bits; x; and whether x > 0."""
    b = Builder(bits, bits)
    x, moved, shift, positive = _normalized(b, bits)
    outputs = [(moved[bits - 2 - i], 8 >> i, 0) for i in range(min(4, bits - 1))]
    outputs += [(s, -16 << i, 0) for i, s in enumerate(shift)]
    outputs.append((positive, 16 * (bits - 1), 0))
    return _projected(b, outputs, x, positive, ring)


def _normalized(b: Builder, bits: int) -> tuple[list[int], list[int], list[int], int]:
    """Return x, x shifted until its highest one-bit is on top, the shift, and x > 0."""
    x, _ = add(b, b.first, b.second)
    marks, positive = leading_one(b, x)
    shift = encode(b, marks[::-1])
    moved = x
    for stage in range(len(shift) - 1, -1, -1):
        moved = shifted(b, moved, 1 << stage, shift[stage])
    return x, moved, shift, positive


def shifted(b: Builder, x: list[int], step: int, choice: int) -> list[int]:
    """Shift by `step` when chosen; the top `step` bits are known to be 0 then."""
    moved = []
    for i, bit in enumerate(x):
        known_zero = i >= len(x) - step
        if i >= step and known_zero:
            moved.append(b.xor(bit, b.and_(choice, x[i - step])))
        elif i >= step:
            moved.append(b.mux(choice, x[i - step], bit))
        else:
            moved.append(bit if known_zero else b.and_(b.not_(choice), bit))
    return moved


def _projected(
    b: Builder,
    outputs: list[Output],
    x: list[int],
    positive: int,
    ring: Ring,
    factors: tuple[Factor, ...] = (),
) -> Program:
    value = 1 + max(value for _, _, value in outputs)
    outputs = outputs + [(bit, 1 << i, value) for i, bit in enumerate(x)]
    outputs = [*outputs, (positive, 1, value + 1)]
    literals, weights, values = zip(*outputs, strict=True)
    return Program(
        b.finish([*literals, *x]),
        0,
        ring,
        tuple(weights),
        tuple(values),
        factors=factors,
        n_split=len(x),
    )
