"""Loops of bottom-up generalization and top-down specialization.

Groups lie side by side: `words` packs each group's nodes into as few 64-bit words as they need
(mixed radix), so generalizing one column is an addition to one word.
"""

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.tables._count_kernels import _mix
from shoal.typing import Codes, Counts, Flags


@kernel
def _probe(
    words: NDArray[np.uint64], at: int, changed: int, delta: np.uint64, capacity: int
) -> int:
    mixed = np.uint64(0)
    for w in range(words.shape[0]):
        word = words[w, at]
        if w == changed:
            word += delta
        mixed = _mix(mixed ^ word + np.uint64(0x9E3779B97F4A7C15))
    return np.int64(mixed & np.uint64(capacity - 1))  # type: ignore[return-value]


@kernel
def join_groups(
    nodes: Codes,
    words: NDArray[np.uint64],
    sizes: Counts,
    moves: Flags,
    target: int,
    changed: int,
    weight: np.uint64,
) -> tuple[NDArray[np.int64], Counts]:
    """New group of each group, and their sizes, when nodes in `moves` of a column join `target`.

    `nodes` is that column, `changed` its word and `weight` its place value there.  Groups that
    keep their nodes keep their order and come first.
    """
    n_words, n = words.shape
    new = np.full(n, -1, np.int64)
    total = np.empty(n, np.int64)
    n_new = 0
    n_moved = 0
    for i in range(n):
        if moves[nodes[i]] or nodes[i] == target:
            n_moved += 1
        else:
            new[i] = n_new
            total[n_new] = sizes[i]
            n_new += 1
    capacity = 16
    while capacity < 2 * n_moved:
        capacity *= 2
    slots = np.full(capacity, -1, np.int32)
    for i in range(n):
        if new[i] >= 0:
            continue
        delta = np.uint64(target - nodes[i]) * weight
        at = _probe(words, i, changed, delta, capacity)
        while True:
            other = slots[at]
            if other < 0:
                slots[at] = i
                new[i] = n_new
                total[n_new] = sizes[i]
                n_new += 1
                break
            same = True
            for w in range(n_words):
                mine, its = words[w, i], words[w, other]
                if w == changed:
                    mine += delta
                    its += np.uint64(target - nodes[other]) * weight
                if mine != its:
                    same = False
                    break
            if same:
                new[i] = new[other]
                total[new[i]] += sizes[i]
                break
            at = (at + 1) & (capacity - 1)
    return new, total[:n_new].copy()


@kernel
def keeps_one_alone(
    nodes: Codes,
    words: NDArray[np.uint64],
    sizes: Counts,
    smallest: int,
    moves: Flags,
    target: int,
    changed: int,
    weight: np.uint64,
) -> bool:
    """Whether one of a few smallest groups is joined with no other by a move; one scan tells."""
    n_words, n = words.shape
    chosen = np.empty(8, np.int64)
    n_chosen = 0
    for i in range(n):
        if sizes[i] == smallest:
            chosen[n_chosen] = i
            n_chosen += 1
            if n_chosen == 8:
                break
    alone = np.ones(n_chosen, np.bool_)
    left = n_chosen
    for i in range(n):
        if not moves[nodes[i]] and nodes[i] != target:
            continue
        rest = words[changed, i] - np.uint64(nodes[i]) * weight
        for c in range(n_chosen):
            at = chosen[c]
            if not alone[c] or at == i:
                continue
            if rest != words[changed, at] - np.uint64(nodes[at]) * weight:
                continue
            same = True
            for w in range(n_words):
                if w != changed and words[w, i] != words[w, at]:
                    same = False
                    break
            if same:
                alone[c] = False
                left -= 1
        if left == 0:
            return False
    return True


@kernel
def gather_groups(
    nodes: Codes,
    words: NDArray[np.uint64],
    classes: Counts,
    new: NDArray[np.int64],
    n_new: int,
    moves: Flags,
    column: int,
    target: int,
    changed: int,
    weight: np.uint64,
) -> tuple[Codes, NDArray[np.uint64], Counts]:
    """Nodes (a row per column), words and class counts of the joined groups."""
    n_columns, n = nodes.shape
    n_words, n_classes = words.shape[0], classes.shape[1]
    new_nodes = np.empty((n_columns, n_new), np.int32)
    new_words = np.empty((n_words, n_new), np.uint64)
    new_classes = np.zeros((n_new, n_classes), np.int64)
    seen = np.zeros(n_new, np.bool_)
    for i in range(n):
        g = new[i]
        for c in range(n_classes):
            new_classes[g, c] += classes[i, c]
        if seen[g]:
            continue
        seen[g] = True
        for j in range(n_columns):
            new_nodes[j, g] = nodes[j, i]
        for w in range(n_words):
            new_words[w, g] = words[w, i]
        if moves[nodes[column, i]]:
            new_nodes[column, g] = target
            new_words[changed, g] += np.uint64(target - nodes[column, i]) * weight
    return new_nodes, new_words, new_classes


@kernel
def nodes_of_smallest(nodes: Codes, sizes: Counts, smallest: int, n_nodes: int) -> Flags:
    """Which nodes of one column occur in the groups of `smallest` rows."""
    found = np.zeros(n_nodes, np.bool_)
    for i in range(sizes.shape[0]):
        if sizes[i] == smallest:
            found[nodes[i]] = True
    return found


@kernel
def sum_groups(values: Counts, new: NDArray[np.int64], n_new: int) -> Counts:
    """Add up one number per group over joined groups."""
    total = np.zeros(n_new, np.int64)
    for i in range(values.shape[0]):
        total[new[i]] += values[i]
    return total


@kernel
def size_summary(sizes: Counts, k: int) -> tuple[int, int, float]:
    """Smallest group, rows in groups smaller than `k`, and the sum of squared sizes."""
    smallest = np.int64(2**62)
    failing = np.int64(0)
    squares = 0.0
    for size in sizes:
        if size == 0:
            continue
        if size < smallest:
            smallest = size
        if size < k:
            failing += size
        squares += float(size) * float(size)
    return smallest, failing, squares  # type: ignore[return-value]


@kernel
def split_groups(
    leaves: Codes, child_of: Codes, group_of: NDArray[np.int64], n_groups: int, n_children: int
) -> tuple[NDArray[np.int64], int]:
    """New group of each cell when groups split by the child that one column's leaf lies under.

    `child_of` gives 0, 1, ... for leaves below the node that is specialized, -1 for the others.
    """
    n = leaves.shape[0]
    place = np.full(n_groups, -1, np.int64)
    n_touched = 0
    for i in range(n):
        if group_of[i] >= 0 and child_of[leaves[i]] >= 0 and place[group_of[i]] < 0:
            place[group_of[i]] = n_touched
            n_touched += 1
    number = np.full(n_touched * n_children, -1, np.int64)
    new = np.empty(n, np.int64)
    kept = np.empty(n_groups, np.int64)
    n_new = 0
    for g in range(n_groups):
        if place[g] < 0:
            kept[g] = n_new
            n_new += 1
    for i in range(n):
        g = group_of[i]
        if g < 0:
            new[i] = -1
        elif place[g] < 0:
            new[i] = kept[g]
        else:
            at = place[g] * n_children + child_of[leaves[i]]
            if number[at] < 0:
                number[at] = n_new
                n_new += 1
            new[i] = number[at]
    return new, n_new


@kernel
def entropy_of_counts(counts: Counts) -> float:
    """Entropy in bits of one row of class counts, times its total."""
    total = 0.0
    for count in counts:
        total += count
    bits = 0.0
    for count in counts:
        if count > 0:
            bits -= count * np.log2(count / total)
    return bits


@kernel
def class_summary(table: Counts) -> tuple[float, float]:
    """Class entropy within groups (bits, summed over rows) and rows outside the majority."""
    bits = 0.0
    errors = 0.0
    for g in range(table.shape[0]):
        bits += entropy_of_counts(table[g])
        best = np.int64(0)
        total = np.int64(0)
        for count in table[g]:
            total += count
            best = max(best, count)
        errors += total - best
    return bits, errors


@kernel
def sum_classes(classes: Counts, group_of: NDArray[np.int64], n_groups: int) -> Counts:
    """Class counts of groups of cells; cells in group -1 are in none."""
    table = np.zeros((n_groups, classes.shape[1]), np.int64)
    for i in range(group_of.shape[0]):
        if group_of[i] >= 0:
            for c in range(classes.shape[1]):
                table[group_of[i], c] += classes[i, c]
    return table


@kernel
def best_cut(counts: Counts, low: int, high: int, least: int) -> tuple[float, int]:
    """Best binary split of codes low..high by information gain; -1 when none leaves `least` rows.

    Returns the gain in bits per row and the first code of the right part.
    """
    n_classes = counts.shape[1]
    left = np.zeros(n_classes, np.int64)
    right = np.zeros(n_classes, np.int64)
    for code in range(low, high + 1):
        for c in range(n_classes):
            right[c] += counts[code, c]
    total = right.sum()
    whole = entropy_of_counts(right)
    best, cut = -1.0, -1
    rows = np.int64(0)
    for code in range(low, high):
        here = np.int64(0)
        for c in range(n_classes):
            left[c] += counts[code, c]
            right[c] -= counts[code, c]
            here += counts[code, c]
        rows += here
        if here == 0 or rows < least or total - rows < least:
            continue
        gain = (whole - entropy_of_counts(left) - entropy_of_counts(right)) / total
        if gain > best + 1e-12:
            best, cut = gain, code + 1
    return best, cut


@kernel
def middle_cut(rows: Counts, low: int, high: int, least: int) -> int:
    """First code right of the most even split of codes low..high; -1 when none leaves `least`."""
    total = rows[low : high + 1].sum()
    before = np.int64(0)
    best, cut = total + 1, -1
    for code in range(low, high):
        before += rows[code]
        if rows[code] == 0 or before < least or total - before < least:
            continue
        uneven = abs(total - 2 * before)
        if uneven < best:
            best, cut = uneven, code + 1
    return cut


@kernel
def rows_by_node(rows: Counts, start: Codes, stop: Codes) -> Counts:
    """Rows below each node, from rows of each leaf."""
    total = np.zeros(start.shape[0], np.int64)
    for node in range(start.shape[0]):
        for leaf in range(start[node], stop[node]):
            total[node] += rows[leaf]
    return total


@kernel
def recode_words(
    keys: Codes, node_of: Codes, first: NDArray[np.int64], word: Codes, weight: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """Packed nodes of each cell; `node_of` holds the columns' leaf maps one after another."""
    n, q = keys.shape
    words = np.zeros((word.max() + 1, n), np.uint64)
    for j in range(q):
        for i in range(n):
            node = node_of[first[j] + keys[i, j]]
            words[word[j], i] += np.uint64(node) * weight[j]
    return words
