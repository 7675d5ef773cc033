"""A tree as it grows: its tests in codes, and what it counts."""

from __future__ import annotations

from dataclasses import dataclass, field

from shoal.models.tree.growth._kernel_types import TreeColumns
from shoal.typing import Codes, Counts, Floats


@dataclass
class Split:
    """One test of a tree, in codes: which rows go to which branch."""

    column: int
    level: int
    cut: int
    threshold: float
    groups: Codes  # group (or side of the cut: 0, 1, 2 for missing) of each branch
    children: range
    subsets: Codes | None = None  # of a split into two sets: the group of each code
    labels_at: int = 0  # level of the labels that the two sets hold
    sets: tuple[Codes, ...] = ()  # labels in the groups LEFT and RIGHT


@dataclass
class Grown:
    """A tree as it grows; node 0 is the root.

    Parameters
    ----------
    counts, mass : list of ndarray
        Rows and weight of each class in each node.
    split : list of Split or None
        None for a leaf.
    depth, parent : list of int
        Of each node.
    taken : list of int
        Nodes in the order in which they were split.
    refused : list of tuple
        Number of splits taken before, node, column, level and threshold of every split that the
        privacy model forbade.  For tests; it never leaves this package, since a refusal says that
        some group is small.
    """

    counts: list[Counts]
    mass: list[Floats]
    split: list[Split | None] = field(default_factory=lambda: [None])
    depth: list[int] = field(default_factory=lambda: [0])
    parent: list[int] = field(default_factory=lambda: [-1])
    taken: list[int] = field(default_factory=list)
    refused: list[tuple[int, int, int, int, float]] = field(default_factory=list)

    def branch(self, node: int, counts: Counts, mass: Floats) -> range:
        """Append the children of a node."""
        first = len(self.counts)
        self.counts.extend(counts)
        self.mass.extend(mass)
        n = len(counts)
        self.split.extend([None] * n)
        self.depth.extend([self.depth[node] + 1] * n)
        self.parent.extend([node] * n)
        return range(first, first + n)


@dataclass(frozen=True)
class Candidate:
    """A split that may be taken.

    Parameters
    ----------
    split : Split
        The test.
    gain, score : float
        What it gains per row, and what the criterion makes of that.
    below : bool
        Whether it gains less than the average, with the gain ratio: such splits come last.
    """

    split: Split
    gain: float
    score: float
    below: bool


def missing_group(columns: TreeColumns, column: int, level: int) -> int:
    """Group (or side) of missing values; -1 when the column has none."""
    code = int(columns.missing[column])
    if code < 0:
        return -1
    if columns.ordered[column]:
        return 2
    first = columns.map_first[column] + level * columns.n_codes[column]
    return int(columns.group[first + code])
