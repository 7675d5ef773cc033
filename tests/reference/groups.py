"""Slow, obvious twins of the group kernels."""

import numpy as np


def label_loss_of(codes, coding, is_range):
    """Loss of the label that covers a set of codes of one column."""
    present = sorted({int(code) for code in codes})
    if len(present) == 1:
        return 0.0
    n_values = coding.n_codes - (coding.missing >= 0)
    if coding.missing in present:
        return 1.0
    if is_range:
        if coding.hierarchy is None and coding.kind in ("numeric", "date"):
            numbers = coding.numbers[:n_values]
            return (numbers[present[-1]] - numbers[present[0]]) / (numbers[-1] - numbers[0])
        return (present[-1] - present[0]) / (n_values - 1)
    tree = coding.hierarchy
    paths = []
    for leaf in present:
        path = [leaf]
        while tree.parent[path[-1]] >= 0:
            path.append(int(tree.parent[path[-1]]))
        paths.append(path)
    ancestor = next(node for node in paths[0] if all(node in path for path in paths))
    below = [leaf for leaf in range(tree.n_leaves) if ancestor in _path(tree, leaf)]
    below = [leaf for leaf in below if leaf != coding.missing]
    if coding.missing >= 0 and ancestor == tree.root:
        return 1.0
    return (len(below) - 1) / (n_values - 1)


def _path(tree, leaf):
    path = [leaf]
    while tree.parent[path[-1]] >= 0:
        path.append(int(tree.parent[path[-1]]))
    return path


def group_loss(keys, members, codings, is_range, weights):
    """Loss of one row of a group, summed over columns."""
    return sum(
        weight * label_loss_of(keys[members, at], coding, ranges)
        for at, (coding, ranges, weight) in enumerate(zip(codings, is_range, weights, strict=True))
    )


def total_loss(keys, sizes, group_of, codings, is_range, weights):
    """Loss of all rows."""
    total = 0.0
    for group in np.unique(group_of[group_of >= 0]):
        members = np.flatnonzero(group_of == group)
        loss = group_loss(keys, members, codings, is_range, weights)
        total += float(sizes[members].sum()) * loss
    return total
