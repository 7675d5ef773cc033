"""What decides the nodes of a tree from shared counts: leaves, and a node's best attribute."""

from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.secure._party import Party
from shoal.secure.circuits._circuit import Builder
from shoal.secure.circuits._library import add, any_of, choose, constant, least, less
from shoal.secure.circuits._yao import Program
from shoal.secure.logarithm._counts import count_bits, open_counts
from shoal.secure.logarithm._logarithm import Logarithm
from shoal.secure.miners._argmin import in_range, index_of_least

Table = NDArray[np.uint32]


class TreeScores(Protocol):
    """An engine for the decisions of ID3; it opens what these methods return and nothing else."""

    n_logarithms: int

    def leaves(self, rows: Table, n_classes: int, min_rows: int) -> list[int]:
        """Class of each node that is a leaf, else -1.

        A row has this party's shares of the class counts of a node and then of its parent.  With
        `min_rows` 0 every node is a leaf.
        """

    def best(self, nodes: list[list[Table]]) -> list[int]:
        """Index of the attribute with the least remaining entropy, for each node.

        A node has a table of shared counts, value by class, for each of its attributes.
        """

    def open(self, counts: Table) -> NDArray[np.int64]:
        """Open counts, not their shares."""


class CircuitScores:
    """Garbled circuits, secure logarithms and minindex."""

    def __init__(self, party: Party, logarithm: Logarithm, width: int) -> None:
        self._party, self._logarithm, self._width = party, logarithm, width
        self.n_logarithms = 0

    def leaves(self, rows: Table, n_classes: int, min_rows: int) -> list[int]:
        """Open one bit per node and, for leaves only, the class."""
        program = _leaf_program(n_classes, self._width, min_rows)
        opened = self._party.run(program, count_bits(rows, self._width)).opened
        labels = opened[:, 1:] @ (1 << np.arange(opened.shape[1] - 1))
        chosen = np.where(opened[:, 0], labels, -1)
        return in_range(chosen, -1, n_classes, "the class of a leaf")

    def best(self, nodes: list[list[Table]]) -> list[int]:
        """Compute all logarithms of all nodes in one batch, then minindex."""
        tables = [table for node in nodes for table in node]
        counts = np.concatenate([np.c_[t.sum(axis=1, dtype=np.uint32), t].ravel() for t in tables])
        self.n_logarithms += len(counts)
        logs = self._logarithm.shares(self._party, counts)
        terms = iter(self._logarithm.x_log_x(self._party, logs))
        modulus, scores = self._logarithm.ring.modulus, []
        for table in tables:
            score = 0
            for _ in range(len(table)):
                score += next(terms) - sum(next(terms) for _ in range(table.shape[1]))
            scores.append(score % modulus)
        width = len(nodes[0])
        rows = [scores[i : i + width] for i in range(0, len(scores), width)]
        return index_of_least(self._party, self._logarithm.ring, rows).tolist()

    def open(self, counts: Table) -> NDArray[np.int64]:
        """Open counts through a circuit."""
        opened = open_counts(self._party, counts.reshape(-1, 1), self._width)
        return opened.reshape(counts.shape)


@lru_cache(maxsize=32)
def _leaf_program(n_classes: int, width: int, min_rows: int) -> Program:
    """Opens whether a node is a leaf and, only then, its class.

    Inputs are shares of the class counts of the node and of its parent.  With `min_rows` 0 every
    node is a leaf.
    """
    total = 2 * n_classes * width
    b = Builder(total, total)
    numbers = [
        add(b, b.first[i : i + width], b.second[i : i + width])[0] for i in range(0, total, width)
    ]
    own, parent = numbers[:n_classes], numbers[n_classes:]
    present = [any_of(b, count) for count in own]
    label = choose(b, any_of(b, present), _majority(b, own), _majority(b, parent))
    leaf = 1
    if min_rows:
        # A node is mixed once a class is present and an earlier one was.
        seen, mixed = 0, 0
        for one in present:
            mixed = b.or_(mixed, b.and_(seen, one))
            seen = b.or_(seen, one)
        size = [0] * (width + 1)
        for count in own:
            size, _ = add(b, size, [*count, 0])
        # A limit that the counter cannot hold is above every size.
        small = less(b, size, constant(min_rows, width + 1)) if min_rows < 2**width else 1
        leaf = b.or_(b.not_(mixed), small)
    # The class is opened for leaves only: of other nodes it would tell the majority.
    return Program(b.finish([leaf, *(b.and_(leaf, bit) for bit in label)]), 1 + len(label))


def _majority(b: Builder, counts: list[list[int]]) -> list[int]:
    """Index of the greatest count: the least complement."""
    return least(b, [[b.not_(bit) for bit in count] for count in counts], signed=False)[0]
