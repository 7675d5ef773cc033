"""Boolean circuits: built gate by gate, evaluated in the clear here and garbled elsewhere.

A literal is ``2 * wire + negated``, so negation is free; wire 0 is the constant false.  Exclusive
or is free when garbled; the cost of a circuit is its number of AND gates.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError

FALSE, TRUE = 0, 1


class Layer(NamedTuple):
    """Gates of one kind that can be computed at once; inputs are literals."""

    is_and: bool
    out: NDArray[np.intp]
    left: NDArray[np.intp]
    right: NDArray[np.intp]


@dataclass(frozen=True)
class Circuit:
    """A Boolean circuit with inputs from two parties.

    Attributes
    ----------
    n_first, n_second : int
        Input bits of each party; their wires follow wire 0 in this order.
    n_wires : int
        All wires.
    gates : tuple of (is_and, left, right)
        In order of their output wires; inputs are literals.
    outputs : tuple of int
        Output literals.
    """

    n_first: int
    n_second: int
    n_wires: int
    gates: tuple[tuple[bool, int, int], ...]
    outputs: tuple[int, ...]

    @cached_property
    def n_and(self) -> int:
        """Number of AND gates."""
        return sum(is_and for is_and, _, _ in self.gates)

    @property
    def n_inputs(self) -> int:
        """Wires that no gate drives: the constant and the inputs."""
        return 1 + self.n_first + self.n_second

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """The gates in an order of few, wide steps."""
        # Gates of one depth and kind do not depend on one another: each layer is one step in NumPy.
        depth = [0] * self.n_wires
        groups: dict[tuple[int, bool], list[tuple[int, int, int]]] = {}
        for wire, (is_and, left, right) in enumerate(self.gates, self.n_inputs):
            depth[wire] = 1 + max(depth[left >> 1], depth[right >> 1])
            groups.setdefault((depth[wire], is_and), []).append((wire, left, right))
        return tuple(
            Layer(is_and, *np.array(rows, np.intp).T)
            for (_, is_and), rows in sorted(groups.items())
        )

    def evaluate(self, first: NDArray[np.bool_], second: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Outputs in the clear, one row per row of inputs."""
        self.check_inputs(first, self.n_first)
        self.check_inputs(second, self.n_second)
        wires = np.zeros((self.n_wires, len(first)), np.bool_)
        wires[1 : 1 + self.n_first] = first.T
        wires[1 + self.n_first : self.n_inputs] = second.T
        for layer in self.layers:
            left = wires[layer.left >> 1] ^ (layer.left & 1).astype(bool)[:, None]
            right = wires[layer.right >> 1] ^ (layer.right & 1).astype(bool)[:, None]
            wires[layer.out] = left & right if layer.is_and else left ^ right
        literals = np.array(self.outputs, np.intp)
        return (wires[literals >> 1] ^ (literals & 1).astype(bool)[:, None]).T

    @staticmethod
    def check_inputs(bits: NDArray[np.bool_], count: int) -> None:
        """Raise unless `bits` has one row per instance and `count` columns."""
        if bits.ndim != 2 or bits.shape[1] != count:
            raise ParameterError(f"the circuit takes {count} input bits, got {bits.shape}.")


class Builder:
    """Builds a circuit; folds constants and never builds the same gate twice.

    >>> b = Builder(n_first=1, n_second=1)
    >>> (x,), (y,) = b.first, b.second
    >>> circuit = b.finish([b.or_(x, y)])
    >>> circuit.n_and
    1
    """

    def __init__(self, n_first: int, n_second: int) -> None:
        self.first = [2 * (1 + i) for i in range(n_first)]
        self.second = [2 * (1 + n_first + i) for i in range(n_second)]
        self._n_wires = 1 + n_first + n_second
        self._gates: list[tuple[bool, int, int]] = []
        self._known: dict[tuple[bool, int, int], int] = {}

    def and_(self, a: int, b: int) -> int:
        """Literal that is true when both are."""
        a, b = min(a, b), max(a, b)  # one order, so that equal gates are found again
        if a == FALSE or a ^ 1 == b:
            return FALSE
        if a in (TRUE, b):
            return b
        return self._gate(True, a, b)

    def xor(self, a: int, b: int) -> int:
        """Literal that is true when exactly one is."""
        a, b = min(a, b), max(a, b)
        if a in (FALSE, TRUE):
            return b ^ a
        if a >> 1 == b >> 1:
            return (a ^ b) & 1
        # Negations move to the output, where they are free and hide no equal gate.
        return self._gate(False, a & ~1, b & ~1) ^ ((a ^ b) & 1)

    def not_(self, a: int) -> int:
        """Literal that is true when `a` is not; free."""
        return a ^ 1

    def or_(self, a: int, b: int) -> int:
        """Literal that is true when either is."""
        return self.and_(a ^ 1, b ^ 1) ^ 1

    def mux(self, choice: int, yes: int, no: int) -> int:
        """Return `yes` when `choice` is true, else `no`; one AND gate."""
        return self.xor(no, self.and_(choice, self.xor(yes, no)))

    def finish(self, outputs: list[int]) -> Circuit:
        """Return the circuit with these outputs, without gates that none of them needs."""
        n_inputs = 1 + len(self.first) + len(self.second)
        needed = {literal >> 1 for literal in outputs}
        for wire in range(self._n_wires - 1, n_inputs - 1, -1):
            if wire in needed:
                _, a, b = self._gates[wire - n_inputs]
                needed |= {a >> 1, b >> 1}
        names = list(range(n_inputs))
        gates: list[tuple[bool, int, int]] = []
        for wire in range(n_inputs, self._n_wires):
            names.append(n_inputs + len(gates))
            if wire in needed:
                is_and, a, b = self._gates[wire - n_inputs]
                gates.append((is_and, 2 * names[a >> 1] | (a & 1), 2 * names[b >> 1] | (b & 1)))
        return Circuit(
            len(self.first),
            len(self.second),
            n_inputs + len(gates),
            tuple(gates),
            tuple(2 * names[literal >> 1] | (literal & 1) for literal in outputs),
        )

    def _gate(self, is_and: bool, a: int, b: int) -> int:
        key = (is_and, a, b)
        if key not in self._known:
            self._gates.append(key)
            self._known[key] = 2 * self._n_wires
            self._n_wires += 1
        return self._known[key]
