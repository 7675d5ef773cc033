"""Decisions of the miners as computations of MPyC: the same integers as two parties compute."""

import math
from decimal import Decimal
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError
from shoal.secure.logarithm._logarithm import PolynomialLogarithm
from shoal.secure.miners._argmin import in_range
from shoal.secure.miners._mpyc import MPyCParty
from shoal.secure.miners._table_part import Query

Table = NDArray[np.uint32]


class MPyCLogs:
    """Secret logarithms of secret counts."""

    def __init__(self, party: MPyCParty, logarithm: Any) -> None:
        if not isinstance(logarithm, PolynomialLogarithm):
            raise ParameterError("this engine takes logarithm='chebyshev' or 'taylor'.")
        self.party, self.logarithm = party, logarithm
        self.bits = logarithm.ring.bits
        self.count = 0

    def of(self, counts: Any) -> tuple[Any, Any, Any]:
        """Of a secret array of counts: x log x, log x, and x > 0, each 0 for x = 0."""
        log, runtime = self.logarithm, self.party.runtime
        self.count += counts.size
        bits = runtime.np_to_bits(counts, log.bits)
        seen = runtime.np_transpose(bits)[-1] * 0
        columns = [runtime.np_transpose(bits)[i] for i in range(log.bits)]
        n = power = up = seen
        for i in range(log.bits - 1, -1, -1):  # the highest one-bit, from above
            now = seen + columns[i] - seen * columns[i]
            mark, seen = now - seen, now
            n = n + i * mark
            power = power + (1 << log.bits - 1 - i) * mark
            if i:
                up = up + mark * columns[i - 1]
        positive, n = seen, n + up
        # x = 2**n (1 + e); rounding up halves the power of two that brings e to a fixed place.
        e = counts * power * (2 - up) - (1 << log.bits) * positive
        value, term = n * log.ln2 + log.coefficients[0] * positive, e
        for coefficient in log.coefficients[1:]:
            value = value + coefficient * term
            term = term * e
        return counts * value, value, positive


class MPyCScores:
    """Decisions of ID3."""

    n_comparisons = 0

    def __init__(self, party: MPyCParty, logarithm: Any) -> None:
        self._logs = MPyCLogs(party, logarithm)
        self._party = party

    @property
    def n_logarithms(self) -> int:
        """Logarithms computed."""
        return self._logs.count

    def leaves(self, rows: Table, n_classes: int, min_rows: int) -> list[int]:
        """Open the class of leaves, -1 for other nodes."""
        total = self._party.total(rows, self._logs.bits)
        own, parent = total[:, :n_classes], total[:, n_classes:]
        size = own.sum(axis=1)
        empty = size < 1
        label = self._greatest(own, n_classes)
        label = label + empty * (self._greatest(parent, n_classes) - label)
        if not min_rows:
            return self._opened(label, n_classes)
        present = (own > 0).sum(axis=1)
        inner = (present > 1) * (1 - (size < min_rows))
        return self._opened((1 - inner) * (label + 1) - 1, n_classes)

    def large_leaves(self, *_: Any) -> Any:
        """Not with this engine."""
        raise ParameterError("this engine has no k. Use FirstParty and SecondParty, or helpers.")

    all_large = large_leaves

    def best(self, nodes: list[list[Table]], penalties: Any = None) -> list[int]:
        """Open the attribute with the least remaining entropy, for each node."""
        tables = [table for node in nodes for table in node]
        flat = [np.c_[t.sum(axis=1, dtype=np.uint32), t].ravel() for t in tables]
        products, _, _ = self._logs.of(self._party.total(np.concatenate(flat), self._logs.bits))
        signs = [np.tile([1, *[-1] * t.shape[1]], len(t)) for t in tables]
        scores = _sums(self._party, products, signs)
        width = len(nodes[0])
        picks = _least(self._party, scores, [width] * len(nodes))
        return in_range(np.array(picks), 0, width, "the best attribute")

    def open(self, counts: Table) -> NDArray[np.int64]:
        """Open sums of counts."""
        return self._party.open(self._party.total(counts, self._logs.bits)).reshape(counts.shape)

    def _greatest(self, counts: Any, n_classes: int) -> Any:
        """Index of the greatest count; the first one wins a tie."""
        ranked = counts * n_classes + np.arange(n_classes - 1, -1, -1)
        return self._party.runtime.np_argmax(ranked, axis=1)

    def _opened(self, labels: Any, n_classes: int) -> list[int]:
        return in_range(self._party.open(labels), -1, n_classes, "the class of a leaf")


class MPyCNetScores:
    """Decisions of K2."""

    def __init__(self, party: MPyCParty, table: Any, logarithm: Any, scaled: Any) -> None:
        self._party, self._table = party, table
        self._logs = MPyCLogs(party, logarithm)
        self._two_pi = scaled(logarithm, Decimal("1.8378770664093454835606594728112"))
        self._unit = 2 * scaled(logarithm, Decimal(1))
        self._scaled = scaled

    @property
    def n_logarithms(self) -> int:
        """Logarithms computed."""
        return self._logs.count

    def picks(self, families: list[list[tuple[int, tuple[int, ...]]]]) -> list[int]:
        """Index of the best family of each column."""
        queries: list[Query] = [
            ((*parents, child), {}) for child, parents in chain.from_iterable(families)
        ]
        tables = [t.reshape(-1, t.shape[-1]) for t in self._table.counts(queries)]
        first = self._party.index == 0  # one party adds public constants
        flat = [
            np.c_[t.sum(axis=1, dtype=np.int64) + (t.shape[1] - 1) * first, t].ravel()
            for t in tables
        ]
        counts = self._party.total(np.concatenate(flat), self._logs.bits)
        products, logs, positive = self._logs.of(counts)
        terms = 2 * products + logs - self._unit * counts + self._two_pi * positive
        signs = [np.tile([1, *[-1] * t.shape[1]], len(t)) for t in tables]
        losses = _sums(self._party, terms, signs) + np.array(
            [self._constant(t) for t in tables], object
        )
        return _least(self._party, losses, [len(row) for row in families])

    def _constant(self, table: Table) -> int:
        exact = Decimal(math.factorial(table.shape[1] - 1)).ln()
        return -2 * len(table) * int(self._scaled(self._logs.logarithm, exact))


def _sums(party: MPyCParty, terms: Any, signs: list[NDArray[Any]]) -> Any:
    """Sum of each run of signed terms."""
    ends = np.cumsum([0, *map(len, signs)]).tolist()
    signed = terms * np.concatenate(signs).astype(object)
    return party.runtime.np_fromlist([signed[i:j].sum() for i, j in pairwise(ends)])


def _least(party: MPyCParty, values: Any, widths: list[int]) -> list[int]:
    """Index of the least of each run of values, opened; the first one wins a tie."""
    ends, picks = np.cumsum([0, *widths]).tolist(), []
    for (i, j), width in zip(pairwise(ends), widths, strict=True):
        ranked = values[i:j] * width + np.arange(width)
        picks.append(party.runtime.np_argmin(ranked))
    return [int(party.run(party.runtime.output(pick))) for pick in picks]
