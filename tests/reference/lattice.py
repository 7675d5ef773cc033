"""Try every node of a lattice, from the raw cells and the metrics' own definitions."""

from itertools import product

import numpy as np

from shoal.metrics import discernibility, gcp
from shoal.metrics._entropy import non_uniform_entropy
from shoal.metrics._groups import classification_metric
from shoal.metrics._labels import loss, precision
from shoal.tables._recoded import Recoded, node_labels


def measures(recoded, metric, target):
    n = recoded.cells.n_rows
    return {
        "loss": lambda: loss(recoded),
        "ncp": lambda: gcp(recoded),
        "precision": lambda: 1 - precision(recoded),
        "entropy": lambda: non_uniform_entropy(recoded),
        "discernibility": lambda: discernibility(recoded) / n**2,
        "classification": lambda: classification_metric(recoded, target),
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
        codes = np.column_stack([m[cells.keys[:, at]] for at, m in enumerate(maps)])
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
