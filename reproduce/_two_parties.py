"""Two parties in one process, for experiments: logarithms, and the structure of a Bayes net."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from reproduce._gates import count_gates
from shoal.parties import memory_pair, run_parties
from shoal.secure import FirstParty, SecondParty, SecureBayesNet, TablePart
from shoal.secure._party import Party
from shoal.secure.logarithm._fast_logarithm import FastLogarithm
from shoal.secure.logarithm._logarithm import TaylorLogarithm
from shoal.secure.logarithm._strict import phase_one
from shoal.typing import Codes, Counts, Floats

TIMEOUT = 600.0
PAPER_MODULUS = 2**60 - 93


@dataclass(frozen=True)
class Logarithms:
    """What two parties computed.

    Parameters
    ----------
    values : ndarray
        Natural logarithms, opened.
    wrong : int
        How many differ from the same computation in the clear.
    one : float
        Seconds of a single logarithm, after a first one that builds circuits.
    each : float
        Seconds of one in the batch.
    """

    values: Floats
    wrong: int
    one: float
    each: float


@dataclass(frozen=True)
class Network:
    """A structure that two parties found: parents of each column, logarithms used, seconds."""

    parents: list[list[int]]
    n_logarithms: int
    seconds: float


def secure_logarithms(bits: int, terms: int, x: Counts, seed: int) -> Logarithms:
    """Logarithms of counts that are split at random between the parties."""
    logarithm = TaylorLogarithm(bits, terms)
    counts = x.astype(np.uint32)
    first = np.random.default_rng(seed).integers(0, 2**32, len(x), dtype=np.uint32)

    def half(party: Party, shares: Any) -> tuple[list[int], float, float]:
        logarithm.shares(party, shares[:1])
        one, _ = _timed(lambda: logarithm.shares(party, shares[:1]))
        batch, found = _timed(lambda: logarithm.shares(party, shares))
        return logarithm.ring.integers(found.log), one, batch / len(x)

    a, b = _both(half, first, counts - first)
    modulus = logarithm.ring.modulus
    opened = [(p + q) % modulus for p, q in zip(a[0], b[0], strict=True)]
    signed = [v - modulus if v >= modulus // 2 else v for v in opened]
    clear = [logarithm.clear(int(v)) for v in x]
    wrong = sum(got != expected for got, expected in zip(signed, clear, strict=True))
    values = np.array([v / logarithm.sigma for v in signed])
    return Logarithms(values, wrong, max(a[1], b[1]), max(a[2], b[2]))


def clear_logarithms(bits: int, terms: int) -> Floats:
    """What the protocol computes for every count from 1 to ``2**bits - 1``, in the clear."""
    logarithm = TaylorLogarithm(bits, terms)
    return np.array([logarithm.clear(x) / logarithm.sigma for x in range(1, 2**bits)])


def fast_error(bits: int) -> float:
    """Largest error of the fast logarithm to base 2, over every count."""
    logarithm = FastLogarithm(bits)
    logarithms = np.array([logarithm.clear(x) / 16 for x in range(1, 2**bits)])
    return float(np.abs(logarithms - np.log2(np.arange(1, 2**bits))).max())


class Sizes(NamedTuple):
    """Gates of the paper's circuit, of two and up to three inputs; AND gates of it and of ours."""

    two_inputs: int
    three_inputs: int
    ands: int
    own_ands: int


def circuit_sizes(bits: int, terms: int) -> Sizes:
    """Sizes with the paper's modulus of 60 bits, which only counts: see `Case`."""
    circuit = phase_one(bits, PAPER_MODULUS).circuit
    own = TaylorLogarithm(bits, terms).circuit.n_and
    return Sizes(len(circuit.gates), count_gates(circuit, 3), circuit.n_and, own)


def secure_network(codes: Codes, max_parents: int, seed: int) -> Network:
    """K2 on a table of zeros and ones whose cells are dealt out between the parties at random."""
    n_rows, n_columns = codes.shape
    mine = np.random.default_rng(seed).random((n_rows, n_columns)) < 0.5
    names = [f"field {i}" for i in range(n_columns)]

    def half(party: Party, cells: Any) -> tuple[SecureBayesNet, float]:
        part = TablePart(names, [["0", "1"]] * n_columns, cells, "cells")
        seconds, model = _timed(lambda: SecureBayesNet(max_parents=max_parents).fit(part, party))
        return model, seconds

    (model, one), (_, two) = _both(half, np.where(mine, codes, -1), np.where(mine, -1, codes))
    return Network(model.structure_.parents, model.n_logarithms_, max(one, two))


def _both(half: Callable[[Party, Any], Any], first: Any, second: Any) -> list[Any]:
    return list(
        run_parties(
            lambda channel: half(FirstParty(channel), first),
            lambda channel: half(SecondParty(channel), second),
            channels=memory_pair(timeout=TIMEOUT),
        )
    )


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    began = perf_counter()
    value = work()
    return perf_counter() - began, value
