"""Join groups of a bottom-up search, or tell that a join is of no use.  Arrays in, arrays out."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.tables._count_kernels import _mix
from shoal.typing import Codes, Counts, Flags


class CutGroups(NamedTuple):
    """The groups of the current cut, side by side."""

    nodes: Codes  # (n_columns, n_groups)
    words: NDArray[np.uint64]  # (n_words, n_groups): the nodes, packed
    sizes: Counts
    classes: Counts  # (n_groups, n_classes)


class Join(NamedTuple):
    """Some nodes of a column that become another one."""

    column: int
    is_joined: Flags  # by node of the column
    target: int
    word: int  # that the column is packed into
    weight: np.uint64  # its place value there


_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio: spreads small words
_FEW = 8  # smallest groups that are looked at before a join is tried


@kernel
def _slot(groups: CutGroups, group: int, join: Join, capacity: int) -> int:
    """Where to look first for the group that this one becomes."""
    delta = np.uint64(join.target - groups.nodes[join.column, group]) * join.weight
    mixed = np.uint64(0)
    for w in range(groups.words.shape[0]):
        word = groups.words[w, group]
        if w == join.word:
            word += delta
        mixed = _mix(mixed ^ word + _GOLDEN)
    return np.int64(mixed & np.uint64(capacity - 1))  # type: ignore[return-value]


@kernel
def _alike(groups: CutGroups, one: int, other: int, join: Join) -> bool:
    """Whether two groups that a join touches become one: all other nodes are the same."""
    nodes, words = groups.nodes[join.column], groups.words
    # without the column's own digit; unsigned words wrap around and stay exact
    rest = words[join.word, one] - np.uint64(nodes[one]) * join.weight
    if rest != words[join.word, other] - np.uint64(nodes[other]) * join.weight:
        return False
    for w in range(words.shape[0]):
        if w != join.word and words[w, one] != words[w, other]:
            return False
    return True


@kernel
def join_groups(groups: CutGroups, join: Join) -> tuple[NDArray[np.int64], Counts]:
    """New group of each group under a join, and the new groups' sizes.

    Groups that keep their nodes keep their order and come first.
    """
    nodes, sizes = groups.nodes[join.column], groups.sizes
    n = sizes.shape[0]
    new = np.full(n, -1, np.int64)
    total = np.empty(n, np.int64)
    n_new, n_touched = 0, 0
    for group in range(n):
        if join.is_joined[nodes[group]] or nodes[group] == join.target:
            n_touched += 1
        else:
            new[group] = n_new
            total[n_new] = sizes[group]
            n_new += 1
    capacity = 16
    while capacity < 2 * n_touched:  # at most half full, so that probes end soon
        capacity *= 2
    slots = np.full(capacity, -1, np.int32)
    for group in range(n):
        if new[group] >= 0:
            continue
        slot = _slot(groups, group, join, capacity)
        while slots[slot] >= 0 and not _alike(groups, group, slots[slot], join):
            slot = (slot + 1) & (capacity - 1)
        if slots[slot] < 0:
            slots[slot] = group
            new[group] = n_new
            total[n_new] = sizes[group]
            n_new += 1
        else:
            new[group] = new[slots[slot]]
            total[new[group]] += sizes[group]
    return new, total[:n_new].copy()


@kernel
def keeps_one_alone(groups: CutGroups, smallest: int, join: Join) -> bool:
    """Whether one of a few groups of `smallest` rows is joined with no other; one scan tells.

    The join touches all of them: others need no scan, since they stay as small as they are.
    """
    nodes, sizes = groups.nodes[join.column], groups.sizes
    n = sizes.shape[0]
    chosen = np.empty(_FEW, np.int64)
    n_chosen = 0
    for group in range(n):
        if sizes[group] == smallest:
            chosen[n_chosen] = group
            n_chosen += 1
            if n_chosen == _FEW:  # any one that stays alone settles it; most moves fail early
                break
    alone = np.ones(n_chosen, np.bool_)
    n_alone = n_chosen
    for group in range(n):
        if not join.is_joined[nodes[group]] and nodes[group] != join.target:
            continue
        for c in range(n_chosen):
            if alone[c] and chosen[c] != group and _alike(groups, group, chosen[c], join):
                alone[c] = False
                n_alone -= 1
        if n_alone == 0:
            return False
    return True


@kernel
def gather_groups(
    groups: CutGroups, join: Join, new: NDArray[np.int64], sizes: Counts
) -> CutGroups:
    """The groups after a join: `new` and `sizes` are what :func:`join_groups` found."""
    n_columns, n = groups.nodes.shape
    n_words, n_classes, n_new = groups.words.shape[0], groups.classes.shape[1], sizes.shape[0]
    nodes = np.empty((n_columns, n_new), np.int32)
    words = np.empty((n_words, n_new), np.uint64)
    classes = np.zeros((n_new, n_classes), np.int64)
    seen = np.zeros(n_new, np.bool_)
    for group in range(n):
        to = new[group]
        for c in range(n_classes):
            classes[to, c] += groups.classes[group, c]
        if seen[to]:  # its nodes are those of the first group that became it
            continue
        seen[to] = True
        for column in range(n_columns):
            nodes[column, to] = groups.nodes[column, group]
        for w in range(n_words):
            words[w, to] = groups.words[w, group]
        node = groups.nodes[join.column, group]
        if join.is_joined[node]:
            nodes[join.column, to] = join.target
            words[join.word, to] += np.uint64(join.target - node) * join.weight
    return CutGroups(nodes, words, sizes, classes)


@kernel
def nodes_of_smallest(nodes: Codes, sizes: Counts, smallest: int, n_nodes: int) -> Flags:
    """Which nodes of one column occur in the groups of `smallest` rows."""
    occurs = np.zeros(n_nodes, np.bool_)
    for group in range(sizes.shape[0]):
        if sizes[group] == smallest:
            occurs[nodes[group]] = True
    return occurs
