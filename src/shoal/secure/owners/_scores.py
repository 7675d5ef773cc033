"""Decisions of the miners where there are owners: helpers announce them, owners hear them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.secure.miners._tree_scores import Penalties, Table, TreeScores
from shoal.secure.owners._helper import Helper
from shoal.secure.owners._owner import Owner

LEAVES = "for each node whether it is a leaf and, for leaves only, the class"
BEST = "the best attribute of each inner node"
LARGE = "whether every group of people is empty or has at least k"
OPENED = "class counts of leaves"


class AnnouncedScores:
    """A helper's decisions, told to all owners."""

    def __init__(self, scores: TreeScores, helper: Helper) -> None:
        self._scores, self._helper = scores, helper

    @property
    def n_logarithms(self) -> int:
        """Logarithms computed."""
        return self._scores.n_logarithms

    @property
    def n_comparisons(self) -> int:
        """Numbers compared."""
        return self._scores.n_comparisons

    def leaves(self, rows: Table, n_classes: int, min_rows: int) -> list[int]:
        """Classes of leaves."""
        labels = self._scores.leaves(rows, n_classes, min_rows)
        self._helper.announce(labels, LEAVES)
        return labels

    def large_leaves(
        self, rows: Table, nodes: list[list[Table]], n_classes: int, k: int
    ) -> tuple[list[int], Penalties]:
        """Classes of leaves, and penalties, which stay shares."""
        labels, penalties = self._scores.large_leaves(rows, nodes, n_classes, k)
        self._helper.announce(labels, LEAVES)
        return labels, penalties

    def best(self, nodes: list[list[Table]], penalties: Penalties | None = None) -> list[int]:
        """Best attributes."""
        picks = self._scores.best(nodes, penalties)
        self._helper.announce(picks, BEST)
        return picks

    def all_large(self, sizes: Table, k: int) -> bool:
        """Whether no group is small."""
        large = self._scores.all_large(sizes, k)
        self._helper.announce([int(large)], LARGE)
        return large

    def open(self, counts: Table) -> NDArray[np.int64]:
        """Counts."""
        opened = self._scores.open(counts)
        self._helper.announce(opened.ravel().tolist(), OPENED)
        return opened


class HeardScores:
    """The same decisions at an owner."""

    n_logarithms = n_comparisons = 0

    def __init__(self, owner: Owner) -> None:
        self._owner = owner

    def leaves(self, rows: Table, n_classes: int, min_rows: int) -> list[int]:
        """Classes of leaves."""
        return self._owner.hear(len(rows), -1, n_classes, LEAVES)

    def large_leaves(
        self, rows: Table, nodes: list[list[Table]], n_classes: int, k: int
    ) -> tuple[list[int], Penalties]:
        """Classes of leaves; penalties are none of an owner's business."""
        return self.leaves(rows, n_classes, k), [[] for _ in nodes]

    def best(self, nodes: list[list[Table]], penalties: Penalties | None = None) -> list[int]:
        """Best attributes."""
        return self._owner.hear(len(nodes), 0, len(nodes[0]), BEST)

    def all_large(self, sizes: Table, k: int) -> bool:
        """Whether no group is small."""
        return bool(self._owner.hear(1, 0, 2, LARGE)[0])

    def open(self, counts: Table) -> NDArray[np.int64]:
        """Counts."""
        most = self._owner.terms.most_rows + 1
        heard = self._owner.hear(counts.size, 0, most, OPENED)
        return np.array(heard, np.int64).reshape(counts.shape)


PARENTS = "for each column the parent that is added, or that none is"


def hear_picks(owner: Owner, widths: Sequence[int]) -> list[int]:
    """Index of the best family of each column, as the helpers announce it."""
    return owner.hear(len(widths), 0, max(widths), PARENTS)
