"""Simulated annealing over cuts: a way out of the local optima of the greedy methods."""

from __future__ import annotations

import numpy as np

from shoal.anonymize.greedy._cut_kernels import class_summary, sum_classes, sum_groups
from shoal.anonymize.greedy._cuts import CutProblem
from shoal.typing import Codes, Progress

START, END = 0.02, 0.0002  # temperatures, in the unit of the energy (bits a row, or NCP)


def anneal(
    problem: CutProblem,
    cut: list[Codes],
    iterations: int,
    rng: np.random.Generator,
    progress: Progress,
) -> list[Codes]:
    """Best allowed cut met on the way from `cut`; never worse than it by the metric."""
    here = [nodes.copy() for nodes in cut]
    energy, fits = _energy(problem, here)
    best, best_energy = ([nodes.copy() for nodes in here], energy) if fits else (cut, np.inf)
    for turn in range(iterations):
        column, changed = _neighbour(problem, here, rng)
        if column < 0:
            break
        before = here[column]
        here[column] = changed
        tried, fits = _energy(problem, here)
        temperature = START * (END / START) ** (turn / iterations)
        if tried <= energy or rng.random() < np.exp((energy - tried) / temperature):
            energy = tried
            if fits and tried < best_energy - 1e-12:
                best, best_energy = [nodes.copy() for nodes in here], tried
        else:
            here[column] = before
        if turn % 256 == 0:
            progress(turn, iterations, "annealing")
    progress(iterations, iterations, "annealing")
    return best


def _energy(problem: CutProblem, cut: list[Codes]) -> tuple[float, bool]:
    """What a cut loses, with a penalty for rows that are not allowed; and whether it is allowed."""
    group_of, n_groups = problem.group(cut)
    sizes = sum_groups(problem.cells.sizes, group_of, n_groups)
    state = problem.assess(group_of, n_groups, sizes)
    n_rows = problem.cells.n_rows
    if problem.metric == "information":
        loss = class_summary(sum_classes(problem.classes, group_of, n_groups))[0] / n_rows
    elif problem.metric == "discernibility":
        loss = state.squares / n_rows**2
    else:
        loss = problem.total_loss(cut)
    excess = max(state.failing - problem.budget, 0) / n_rows
    return loss + (0.01 + excess if excess else 0.0), excess == 0


def _neighbour(
    problem: CutProblem, cut: list[Codes], rng: np.random.Generator
) -> tuple[int, Codes]:
    """Join the children of one node, or split one node into its children, in a random column."""
    for column in rng.permutation(len(cut)).tolist():
        tree, nodes = problem.trees[column], cut[column]
        active = np.unique(nodes)
        split = active[active >= tree.n_leaves]
        parents = np.unique(tree.parent[active[active != tree.root]])
        join = [
            node
            for node in parents.tolist()
            if problem.ceiling_depth[column][node] <= tree.depth[node]
            and (tree.parent[nodes[tree.start[node] : tree.stop[node]]] == node).all()
        ]
        options = [(node, True) for node in join] + [(node, False) for node in split.tolist()]
        if not options:
            continue
        node, joins = options[rng.integers(len(options))]
        changed = nodes.copy()
        inside = slice(tree.start[node], tree.stop[node])
        if joins:
            changed[inside] = node
        else:
            for child in tree.children(node):
                changed[tree.start[child] : tree.stop[child]] = child
        return column, changed
    return -1, np.empty(0, np.int32)
