"""What decides the nodes of a tree from shared counts: leaves, and a node's best attribute."""

from functools import lru_cache
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.secure._party import Party
from shoal.secure._ring import Ring
from shoal.secure.circuits._circuit import Builder
from shoal.secure.circuits._library import add, any_of, choose, constant, least, less
from shoal.secure.circuits._yao import Program
from shoal.secure.logarithm._counts import count_bits, open_counts
from shoal.secure.logarithm._logarithm import Logarithm
from shoal.secure.miners._argmin import in_range, index_of_least
from shoal.secure.miners._group_sizes import all_large

Table = NDArray[np.uint32]
Penalties = list[list[int]]


class TreeScores(Protocol):
    """An engine for the decisions of ID3; it opens what these methods return and nothing else."""

    @property
    def n_logarithms(self) -> int:
        """Logarithms computed."""

    @property
    def n_comparisons(self) -> int:
        """Numbers compared."""

    def leaves(self, rows: Table, n_classes: int, min_rows: int) -> list[int]:
        """Class of each node that is a leaf, else -1.

        A row has this party's shares of the class counts of a node and then of its parent.  With
        `min_rows` 0 every node is a leaf.
        """

    def best(self, nodes: list[list[Table]], penalties: Penalties | None = None) -> list[int]:
        """Index of the attribute with the least remaining entropy, for each node.

        A node has a table of shared counts, value by class, for each of its attributes, and
        perhaps a shared penalty for each.
        """

    def large_leaves(
        self, rows: Table, nodes: list[list[Table]], n_classes: int, k: int
    ) -> tuple[list[int], Penalties]:
        """Class of each node that is a leaf, else -1; and penalties of splits that are refused.

        A split is refused if a group that it makes has fewer than k rows and is not empty, or if
        it leaves all rows together.  A node is a leaf if it is pure or all its splits are refused.
        """

    def all_large(self, sizes: Table, k: int) -> bool:
        """Whether every group of shared size is empty or has k rows; only that is opened."""

    def open(self, counts: Table) -> NDArray[np.int64]:
        """Open counts, not their shares."""


class CircuitScores:
    """Garbled circuits, secure logarithms and minindex."""

    def __init__(self, party: Party, logarithm: Logarithm, width: int) -> None:
        self._party, self._logarithm, self._width = party, logarithm, width
        self.n_logarithms = self.n_comparisons = 0

    def leaves(self, rows: Table, n_classes: int, min_rows: int) -> list[int]:
        """Open one bit per node and, for leaves only, the class."""
        program = _leaf_program(n_classes, self._width, min_rows)
        opened = self._party.run(program, count_bits(rows, self._width)).opened
        return self._labels(opened, n_classes)

    def large_leaves(
        self, rows: Table, nodes: list[list[Table]], n_classes: int, k: int
    ) -> tuple[list[int], Penalties]:
        """Open what :meth:`leaves` opens; refused splits become shared penalties."""
        labels, penalties = [-1] * len(nodes), [[0] * len(node) for node in nodes]
        shapes = [tuple(len(table) for table in node) for node in nodes]
        for shape in sorted(set(shapes)):
            same = [i for i, other in enumerate(shapes) if other == shape]
            sizes = [
                np.concatenate([table.sum(axis=1, dtype=np.uint32) for table in nodes[i]])
                for i in same
            ]
            program = large_program(n_classes, self._width, shape, k, self._logarithm.ring)
            bits = count_bits(np.c_[rows[same], np.array(sizes)], self._width)
            results = self._party.run(program, bits)
            self.n_comparisons += len(same) * sum(shape)
            for index, label in zip(same, self._labels(results.opened, n_classes), strict=True):
                labels[index] = label
            shares = [self._logarithm.ring.integers(share) for share in results.shares]
            for index, row in zip(same, zip(*shares, strict=True), strict=True):
                penalties[index] = list(row)
        return labels, penalties

    @staticmethod
    def _labels(opened: NDArray[np.bool_], n_classes: int) -> list[int]:
        labels = opened[:, 1:] @ (1 << np.arange(opened.shape[1] - 1))
        chosen = np.where(opened[:, 0], labels, -1)
        return in_range(chosen, -1, n_classes, "the class of a leaf")

    def best(self, nodes: list[list[Table]], penalties: Penalties | None = None) -> list[int]:
        """Compute all logarithms of all nodes in one batch, then minindex."""
        tables = [table for node in nodes for table in node]
        counts = np.concatenate([np.c_[t.sum(axis=1, dtype=np.uint32), t].ravel() for t in tables])
        self.n_logarithms += len(counts)
        logs = self._logarithm.shares(self._party, counts)
        products = self._logarithm.x_log_x(self._party, logs)
        terms = iter(self._logarithm.ring.integers(products))
        modulus, scores = self._logarithm.ring.modulus, []
        for table in tables:
            score = 0
            for _ in range(len(table)):
                score += next(terms) - sum(next(terms) for _ in range(table.shape[1]))
            scores.append(score % modulus)
        width = len(nodes[0])
        rows = [scores[i : i + width] for i in range(0, len(scores), width)]
        if penalties is not None:
            rows = [
                [(score + extra) % modulus for score, extra in zip(*pair, strict=True)]
                for pair in zip(rows, penalties, strict=True)
            ]
        self.n_comparisons += sum(len(row) - 1 for row in rows)
        return index_of_least(self._party, self._logarithm.ring, rows).tolist()

    def all_large(self, sizes: Table, k: int) -> bool:
        """Open one bit for all groups together."""
        self.n_comparisons += sizes.size
        return all_large(self._party, sizes, k, self._width)

    def open(self, counts: Table) -> NDArray[np.int64]:
        """Open counts through a circuit."""
        opened = open_counts(self._party, counts.reshape(-1, 1), self._width)
        return opened.reshape(counts.shape)


@lru_cache(maxsize=64)
def large_program(
    n_classes: int, width: int, arities: tuple[int, ...], k: int, ring: Ring
) -> Program:
    """Opens whether a node is a leaf and, only then, its class; shares a penalty per attribute.

    Inputs are shares of the class counts of the node, of its parent's, and of the sizes of the
    groups that each attribute makes.  A penalty is 0, or a quarter of the ring, which is above
    every score, for a split that is refused.
    """
    total = (2 * n_classes + sum(arities)) * width
    b = Builder(total, total)
    numbers = [
        add(b, b.first[i : i + width], b.second[i : i + width])[0] for i in range(0, total, width)
    ]
    own, parent = numbers[:n_classes], numbers[n_classes : 2 * n_classes]
    ends = np.cumsum([2 * n_classes, *arities]).tolist()
    refused = [_refused(b, numbers[i:j], k) for i, j in pairwise(ends)]
    present = [any_of(b, count) for count in own]
    label = choose(b, any_of(b, present), _majority(b, own), _majority(b, parent))
    some_allowed = any_of(b, [b.not_(one) for one in refused])
    leaf = b.not_(b.and_(several(b, present), some_allowed))
    opened = [leaf, *(b.and_(leaf, bit) for bit in label)]
    return Program(
        b.finish([*opened, *refused]),
        len(opened),
        ring,
        tuple(ring.modulus // 4 for _ in refused),
        tuple(range(len(refused))),
    )


def _refused(b: Builder, sizes: list[list[int]], k: int) -> int:
    """Tell whether a group is small and not empty, or all rows are in one group."""
    width = len(sizes[0])
    present = [any_of(b, size) for size in sizes]
    # A limit that the counter cannot hold is above every size.
    small = [less(b, size, constant(k, width)) if k < 2**width else 1 for size in sizes]
    tiny = any_of(b, [b.and_(one, two) for one, two in zip(present, small, strict=True)])
    return b.or_(tiny, b.not_(several(b, present)))


def several(b: Builder, present: list[int]) -> int:
    """Tell whether more than one is true: one is, and an earlier one was."""
    seen, several = 0, 0
    for one in present:
        several = b.or_(several, b.and_(seen, one))
        seen = b.or_(seen, one)
    return several


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
        mixed = several(b, present)
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
