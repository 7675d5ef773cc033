"""What the tree's kernels take: named tuples of arrays."""

from typing import NamedTuple

import numpy as np

from shoal.typing import Codes, Counts, Flags, Floats

Whole = int | np.int64
"""A whole number; kernels want one type for it, whatever Python calls it."""

GAIN, GAIN_RATIO, GINI = range(3)
LEFT, RIGHT, LOST, OTHERS = range(4)
"""Groups of a split into two sets of values: both, missing values, and values without a name.

No row of the node has these; or, where some values are rare, they are the set that these are in.
"""


class TreeColumns(NamedTuple):
    """The training table as kernels read it; codes of ordered columns rise with their values."""

    codes: Codes  # (n_columns, n_rows)
    ordered: Flags
    public: Flags
    n_codes: Counts  # the code of a missing value, which is the last, included
    missing: Codes  # code of a missing value, -1 without one
    n_levels: Counts  # levels at which a categorical column can be split; then comes a spare one
    map_first: Counts  # where the map of a column's level 0 begins in `group`
    group: Codes  # level after level: group of each code; the spare one takes a node's two sets
    n_groups: Counts  # (n_columns, largest number of levels)
    value_first: Counts  # where an ordered column's values begin in `values`
    values: Floats


class Target(NamedTuple):
    """Classes and weights of the rows."""

    codes: Codes
    n_classes: int
    weights: Floats  # empty when every row weighs 1
    spread: Floats  # n * log2(n) for n = 0, 1, ...; empty with weights


class Settings(NamedTuple):
    """What the search is asked for."""

    criterion: int
    min_gain: float
    min_branch: float
    to_majority: bool  # values without a branch join the largest one
    binary: bool = False  # categorical columns are split into two subsets first


class GrowthWork(NamedTuple):
    """Memory that every call uses anew; `total` and `mass` are zero between calls."""

    total: Counts  # rows per code
    mass: Floats  # weight per code and class
    touched: Counts  # codes that occur in the node, rising
    group_total: Counts  # rows per group of a level
    group_mass: Floats  # weight per group and class, then of the node itself per class
    part: Counts  # part of each group, for spans
    sizes: Counts  # rows of each part
    histogram: Counts  # private values of each part
    cut_open: Flags  # of an ordered column: whether every span allows the cut after a code


class Segments(NamedTuple):
    """Spans of a node: runs of `order`, and whether each has a single bin."""

    order: Counts
    start: Counts
    stop: Counts
    single: Flags
    own: bool  # the one span is the node's rows and belongs to no other node


class GrowthState(NamedTuple):
    """What is known of a node's candidates: one entry per column, and the splits refused."""

    level: Counts  # present level; for cuts 0: any, 1: those that are open; -1: nothing is left
    stale: Flags  # not scored at that level yet
    settled: Flags  # known to be allowed
    gain: Floats
    score: Floats
    cut: Counts  # of an ordered column; of two sets of labels the level of these
    threshold: Floats
    least: Counts  # rows of the smallest branch
    refused: Counts  # (capacity, 2): column and level
    cuts_refused: Floats
    n_refused: Counts  # one number
