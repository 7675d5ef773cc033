"""Gates that a circuit needs when a gate may have more than two inputs, as Fairplay's may."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product

from shoal.secure.circuits._circuit import Circuit

Cut = frozenset[int]
"""Wires that a gate reads, after gates between them and its output are absorbed into it."""

_KEPT = 12  # cuts remembered per wire: the cheapest
_ROUNDS = 8  # of counting readers and choosing cuts


def count_gates(circuit: Circuit, n_inputs: int) -> int:
    """Gates of up to `n_inputs` inputs that suffice, negation and constants free.

    Any function of the inputs of a gate is one gate.  Each wire is given the cut that costs least,
    gates shared by several readers counting in part to each; what the outputs need is counted.
    The result is an upper bound: another choice of cuts may need fewer.

    Parameters
    ----------
    circuit : Circuit
        Gates of two inputs.
    n_inputs : int
        Most inputs of a gate; 2 counts the circuit as it is, without gates that nobody reads.
    """
    readers = _readers(circuit)
    fewest = len(circuit.gates)
    for _ in range(_ROUNDS):
        chosen = _choose_cuts(circuit, n_inputs, readers)
        needed = _needed(circuit, chosen)
        fewest = min(fewest, len(needed))
        # who reads a wire depends on the cuts chosen: count again, and choose again
        counted = Counter(leaf for wire in needed for leaf in chosen[wire])
        readers = [(old + 2 * counted[wire]) / 3 for wire, old in enumerate(readers)]
    return fewest


def _needed(circuit: Circuit, chosen: Mapping[int, Cut]) -> list[int]:
    """Gates that the outputs need, directly or through others."""
    wanted = {literal >> 1 for literal in circuit.outputs}
    needed = []
    for wire in range(circuit.n_wires - 1, circuit.n_inputs - 1, -1):
        if wire in wanted:
            needed.append(wire)
            wanted |= chosen[wire]
    return needed


def _choose_cuts(circuit: Circuit, n_inputs: int, readers: Sequence[float]) -> dict[int, Cut]:
    """The cheapest cut of every gate."""
    cuts: dict[int, list[Cut]] = {}
    cheapest = [0.0] * circuit.n_wires
    for wire, (_, left, right) in enumerate(circuit.gates, circuit.n_inputs):
        pairs = product(*(_through(cuts, literal >> 1) for literal in (left, right)))
        priced = sorted(
            # ties are broken by the wires' numbers, so that every run counts the same
            (1 + sum(cheapest[leaf] / max(1.0, readers[leaf]) for leaf in cut), sorted(cut))
            for cut in {a | b for a, b in pairs if len(a | b) <= n_inputs}
        )
        cuts[wire] = [frozenset(cut) for _, cut in priced[:_KEPT]]
        cheapest[wire] = priced[0][0]
    return {wire: kept[0] for wire, kept in cuts.items()}


def _through(cuts: dict[int, list[Cut]], wire: int) -> list[Cut]:
    """The wire itself, or what is behind the gate that drives it."""
    return [frozenset([wire]), *cuts.get(wire, ())]


def _readers(circuit: Circuit) -> list[float]:
    read = Counter(literal >> 1 for _, *inputs in circuit.gates for literal in inputs)
    return [float(read[wire]) for wire in range(circuit.n_wires)]
