"""The library of sub-circuits; numbers are lists of literals, lowest bit first."""

from collections.abc import Sequence

from shoal.secure.circuits._circuit import FALSE, TRUE, Builder

Number = Sequence[int]


def constant(value: int, width: int) -> list[int]:
    """The public number `value`, reduced to `width` bits."""
    return [TRUE if value >> i & 1 else FALSE for i in range(width)]


def add(b: Builder, x: Number, y: Number, carry: int = FALSE) -> tuple[list[int], int]:
    """Sum and final carry; one AND gate per bit."""
    total = []
    for p, q in zip(x, y, strict=True):
        pc = b.xor(p, carry)
        total.append(b.xor(pc, q))
        carry = b.xor(carry, b.and_(pc, b.xor(q, carry)))
    return total, carry


def subtract(b: Builder, x: Number, y: Number) -> tuple[list[int], int]:
    """Difference modulo ``2**width``, and whether `x` was the smaller one (a borrow)."""
    difference, carry = add(b, x, [b.not_(q) for q in y], TRUE)
    return difference, b.not_(carry)


def less(b: Builder, x: Number, y: Number) -> int:
    """Tell whether x < y, both unsigned."""
    return subtract(b, x, y)[1]


def less_signed(b: Builder, x: Number, y: Number) -> int:
    """Tell whether x < y, both in two's complement."""
    return less(b, [*x[:-1], b.not_(x[-1])], [*y[:-1], b.not_(y[-1])])


def choose(b: Builder, choice: int, yes: Number, no: Number) -> list[int]:
    """Return `yes` when `choice` is true, else `no`."""
    return [b.mux(choice, p, q) for p, q in zip(yes, no, strict=True)]


def add_modulo(b: Builder, x: Number, y: Number, modulus: int) -> list[int]:
    """Sum of two numbers below `modulus`, modulo any public modulus."""
    width = len(x)
    total, carry = add(b, x, y)
    if modulus == 1 << width:
        return total
    reduced, borrow = subtract(b, [*total, carry], constant(modulus, width + 1))
    return choose(b, borrow, total, reduced[:width])


def any_of(b: Builder, literals: Number) -> int:
    """Tell whether any is true, as a balanced tree: few layers, so few steps when garbled."""
    level = list(literals)
    while len(level) > 1:
        pairs = [b.or_(p, q) for p, q in zip(level[::2], level[1::2], strict=False)]
        level = pairs + level[len(level) & ~1 :]
    return level[0] if level else FALSE


def leading_one(b: Builder, x: Number) -> tuple[list[int], int]:
    """Priority encoder: one literal per position, true at the highest one-bit; and x > 0."""
    seen, marks = FALSE, [FALSE] * len(x)
    for i in range(len(x) - 1, -1, -1):
        now = b.or_(seen, x[i])
        marks[i] = b.xor(now, seen)
        seen = now
    return marks, seen


def encode(b: Builder, marks: Number) -> list[int]:
    """Index of the one true literal in binary, 0 when none is; free.

    At most one mark is true, so exclusive or does what or would, and costs no gate.
    """
    width = max(1, (len(marks) - 1).bit_length())
    number = [FALSE] * width
    for index, mark in enumerate(marks):
        for bit in range(width):
            if index >> bit & 1:
                number[bit] = b.xor(number[bit], mark)
    return number


def least(b: Builder, numbers: Sequence[Number], *, signed: bool) -> tuple[list[int], list[int]]:
    """Index and value of the least number; the first one wins a tie."""
    width = max(1, (len(numbers) - 1).bit_length())
    compare = less_signed if signed else less
    field = [(constant(i, width), list(x)) for i, x in enumerate(numbers)]
    while len(field) > 1:  # a knock-out keeps the circuit shallow; the left one wins a tie
        winners = []
        for (i, x), (j, y) in zip(field[::2], field[1::2], strict=False):
            right = compare(b, y, x)
            winners.append((choose(b, right, j, i), choose(b, right, y, x)))
        field = winners + field[len(field) & ~1 :]
    return field[0]
