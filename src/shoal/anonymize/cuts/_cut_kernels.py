"""Pack the nodes of cells into words, add groups up, and sum up what they hold.

Groups lie side by side: words pack each group's nodes into as few 64-bit words as they need (mixed
radix), so that generalizing one column is an addition to one word.
"""

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.typing import Codes, Counts


@kernel
def pack_nodes(
    keys: Codes, node_of: Codes, first: NDArray[np.int64], word: Codes, weight: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """Packed nodes of each cell; `node_of` holds the columns' leaf maps one after another."""
    n, n_columns = keys.shape
    words = np.zeros((word.max() + 1, n), np.uint64)
    for column in range(n_columns):
        for cell in range(n):
            node = node_of[first[column] + keys[cell, column]]
            words[word[column], cell] += np.uint64(node) * weight[column]
    return words


@kernel
def rows_by_node(rows: Counts, start: Codes, stop: Codes) -> Counts:
    """Rows below each node, from rows of each leaf."""
    total = np.zeros(start.shape[0], np.int64)
    for node in range(start.shape[0]):
        for leaf in range(start[node], stop[node]):
            total[node] += rows[leaf]
    return total


@kernel
def sum_groups(values: Counts, group_of: NDArray[np.int64], n_groups: int) -> Counts:
    """Add up one number per cell over groups of cells."""
    total = np.zeros(n_groups, np.int64)
    for cell in range(values.shape[0]):
        total[group_of[cell]] += values[cell]
    return total


@kernel
def sum_classes(classes: Counts, group_of: NDArray[np.int64], n_groups: int) -> Counts:
    """Class counts of groups of cells; cells in group -1 are in none."""
    table = np.zeros((n_groups, classes.shape[1]), np.int64)
    for cell in range(group_of.shape[0]):
        if group_of[cell] >= 0:
            for c in range(classes.shape[1]):
                table[group_of[cell], c] += classes[cell, c]
    return table


@kernel
def size_summary(sizes: Counts, k: int) -> tuple[int, int, float]:
    """Smallest group, rows in groups smaller than `k`, and the sum of squared sizes."""
    smallest = np.int64(2**62)
    failing = np.int64(0)
    squares = 0.0
    for size in sizes:
        if size == 0:  # a number that no row bears is no group
            continue
        if size < smallest:
            smallest = size
        if size < k:
            failing += size
        squares += float(size) * float(size)  # as floats: whole numbers would overflow
    return smallest, failing, squares  # type: ignore[return-value]


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
    for group in range(table.shape[0]):
        bits += entropy_of_counts(table[group])
        most = np.int64(0)
        total = np.int64(0)
        for count in table[group]:
            total += count
            most = max(most, count)
        errors += total - most
    return bits, errors
