"""A polynomial of a shared number whose bits are wires: most of it inside the garbled circuit.

Let ``e = a + b``, where the garbler has ``a`` and the evaluator ``b``.  A circuit that has the bits
of e as wires can multiply e by any number of the garbler's, for one ciphertext per bit.  So

- ``e**2 = 2 e a - a**2 + b**2`` is shared as ``A + B``, with ``A = 2 u - a**2`` and
  ``B = 2 v + b**2``, where u and v are the shares of ``e a``;
- ``f(e) = sum_j (c_2j + c_2j+1 e) (A + B)**j`` is, by powers of B, a term ``E_0 + e O_0`` that the
  garbler alone and the circuit compute, and terms ``B**t (E_t + a O_t) + b B**t O_t``, with
  ``E_t = sum_j C(j, t) c_2j A**(j-t)``, and likewise ``O_t`` with the odd coefficients.

What is left for transfers are products of the garbler's numbers with ``B**t`` and ``b B**t``,
unless the former are public: one product for degrees 3 and 4, none below, three for 5 and 6.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.secure._party import Party
from shoal.secure._ring import Limbs, Ring
from shoal.secure.circuits._yao import Factor


@dataclass(frozen=True)
class SharedPolynomial:
    """Integer coefficients, the constant first, which the circuit adds by itself."""

    ring: Ring
    coefficients: tuple[int, ...]

    @property
    def degree(self) -> int:
        """Degree."""
        return len(self.coefficients) - 1

    @property
    def factors(self) -> tuple[Factor, ...]:
        """By what the circuit multiplies e: by a, and by ``O_0``."""
        return (self._own, self._odd_term)[: max(0, self.degree - 1)]

    @staticmethod
    def _own(shares: Limbs) -> Limbs:
        return shares[0]

    def _odd_term(self, shares: Limbs) -> Limbs:
        return self._expanded(self._square(shares[0], shares[-1], is_first=True), 0, odd=True)

    def shares(self, party: Party, number: Limbs, products: Limbs) -> Limbs:
        """Shares of the polynomial, without its constant.

        `number` is this party's share of e, `products` are its shares of what the circuit gave for
        :attr:`factors`.
        """
        if self.degree < 2:
            return self._times(number, self.coefficients[1])
        ring, square = self.ring, self._square(number, products[0], is_first=party.is_first)
        # e O_0, from the circuit where O_0 is not public
        total = products[1] if self.degree > 2 else self._times(number, self.coefficients[1])
        rows = []
        if party.is_first:
            total = ring.add(total, self._expanded(square, 0, odd=False))
            rows = [self._garblers(term, number, square) for term in self._secret]
        else:
            for term, coefficient in self._public:
                value = self._evaluators(term, number, square)
                total = ring.add(total, self._times(value, coefficient))
            rows = [self._evaluators(term, number, square) for term in self._secret]
        if rows:
            total = ring.add(total, party.inner_limbs(ring, np.stack(rows, axis=1)))
        return total

    @cached_property
    def _terms(self) -> list[tuple[int, bool]]:
        """Power of B, and whether times b."""
        return [(t, odd) for t in range(1, self.degree // 2 + 1) for odd in (False, True)]

    @property
    def _secret(self) -> list[tuple[int, bool]]:
        """Terms whose coefficients only the garbler knows."""
        public = {term for term, _ in self._public}
        return [
            (t, odd)
            for t, odd in self._terms
            if (t, odd) not in public and any(self._coefficients(t, odd=odd))
        ]

    @property
    def _public(self) -> Iterator[tuple[tuple[int, bool], int]]:
        """Terms whose coefficients everybody knows: those of the highest powers."""
        for t, odd in self._terms:
            values = self._coefficients(t, odd=odd)
            # without b the term also has a O_t, which only the garbler knows
            if len(values) == 1 and (odd or not self._coefficients(t, odd=True)):
                yield (t, odd), values[0]

    def _coefficients(self, t: int, *, odd: bool) -> list[int]:
        """Of the powers of A in ``E_t`` or ``O_t``."""
        own = self.coefficients[odd::2] if odd else (0, *self.coefficients[2::2])
        return [math.comb(j, t) * c for j, c in enumerate(own) if j >= t]

    def _expanded(self, square: Limbs, t: int, *, odd: bool) -> Limbs:
        """``E_t`` or ``O_t``, by Horner's rule."""
        total = np.zeros_like(square)
        for coefficient in reversed(self._coefficients(t, odd=odd)):
            total = self.ring.add(
                self.ring.multiply(total, square), self.ring.limbs([coefficient])[0]
            )
        return total

    def _square(self, number: Limbs, product: Limbs, *, is_first: bool) -> Limbs:
        own = self.ring.multiply(number, number)
        twice = self.ring.double(product)
        return self.ring.subtract(twice, own) if is_first else self.ring.add(twice, own)

    def _garblers(self, term: tuple[int, bool], number: Limbs, square: Limbs) -> Limbs:
        t, odd = term
        odd_part = self._expanded(square, t, odd=True)
        if odd:
            return odd_part
        return self.ring.add(
            self._expanded(square, t, odd=False), self.ring.multiply(number, odd_part)
        )

    def _evaluators(self, term: tuple[int, bool], number: Limbs, square: Limbs) -> Limbs:
        t, odd = term
        value = square
        for _ in range(t - 1):
            value = self.ring.multiply(value, square)
        return self.ring.multiply(value, number) if odd else value

    def _times(self, number: Limbs, coefficient: int) -> Limbs:
        return self.ring.multiply(number, self.ring.limbs([coefficient])[0])
