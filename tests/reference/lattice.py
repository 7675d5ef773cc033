"""Try every node of a lattice, from the raw cells and the metrics' own definitions."""

from itertools import product

import numpy as np

from shoal.metrics import measure
from shoal.metrics._groups import classification_metric
from shoal.metrics._measure import column_losses, non_uniform_entropy, precision
from shoal.tables._recoded import Recoded, node_labels


def measures(recoded, metric, target):
    n = recoded.cells.n_rows
    return {
        "loss": lambda: column_losses(recoded).mean(),
        "ncp": lambda: column_losses(recoded, "ncp").mean(),
        "precision": lambda: 1 - precision(recoded),
        "entropy": lambda: non_uniform_entropy(recoded),
        "discernibility": lambda: measure(recoded).discernibility / n**2,
        "classification": lambda: classification_metric(recoded.groups, n, target),
    }[metric]()


def limited(coding, level):
    """Node of each leaf at a level, one step at a time, never past its limit."""
    tree = coding.hierarchy
    nodes = []
    for leaf in range(tree.n_leaves):
        node = leaf
        path = [leaf]
        while tree.parent[path[-1]] >= 0:
            path.append(int(tree.parent[path[-1]]))
        wanted = int(tree.levels[leaf, level])
        for step in path:
            node = step
            if step in (wanted, int(coding.ceiling[leaf])):
                break
        nodes.append(node)
    return np.array(nodes, np.int32)


def best_loss(cells, privacy, metric, target, max_suppression):
    """Least metric over all nodes that suppress no more than allowed; None without one."""
    shape = [coding.hierarchy.n_levels for coding in cells.codings]
    least = None
    for node in product(*map(range, shape)):
        maps = [limited(coding, x) for coding, x in zip(cells.codings, node, strict=True)]
        codes = np.column_stack([m[cells.keys[:, column]] for column, m in enumerate(maps)])
        labels = [node_labels(coding) for coding in cells.codings]
        hidden = np.zeros(len(codes), np.bool_)
        while True:
            recoded = Recoded.from_cells(cells, labels, codes.astype(np.int32), suppressed=hidden)
            fine = privacy.holds(recoded.groups)
            if fine.all():
                break
            hidden = hidden | np.isin(recoded.group_of, np.flatnonzero(~fine))
        lost = recoded.n_suppressed
        if lost > max_suppression * cells.n_rows + 1e-9 or lost == cells.n_rows:
            continue
        value = measures(recoded, metric, target)
        least = value if least is None else min(least, value)
    return least


# -- twins of the kernels -----------------------------------------------------------------------


def join(first, second):
    """Number of each cell's pair of groups, as they are met."""
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    number = {pair: i for i, pair in enumerate(dict.fromkeys(pairs))}
    return [number[pair] for pair in pairs]


def losses(group_of, fine, sizes, classes, own, penalty):
    """Failing rows, additive loss, squares and minorities; the last two also unsuppressed."""
    n_rows = sizes.sum()
    failing = additive = kept_squares = all_squares = kept_minorities = all_minorities = 0
    for group in range(len(fine)):
        inside = group_of == group
        rows = sizes[inside].sum()
        minority = rows - classes[inside].sum(axis=0).max()
        all_squares += rows**2
        all_minorities += minority
        if fine[group]:
            additive += (sizes * own)[inside].sum()
            kept_squares += rows**2
            kept_minorities += minority
        else:
            failing += rows
            additive += (sizes * penalty)[inside].sum()
            kept_squares += rows * n_rows
            kept_minorities += rows
    return {
        "failing": failing,
        "additive": additive,
        "squares": (kept_squares, all_squares),
        "minorities": (kept_minorities, all_minorities),
    }
