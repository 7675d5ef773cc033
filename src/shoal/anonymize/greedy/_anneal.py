"""Simulated annealing over cuts: a way out of the local optima of the greedy methods."""

from __future__ import annotations

import numpy as np

from shoal.anonymize.cuts._cut_column import CutColumn
from shoal.anonymize.cuts._cut_kernels import class_summary, sum_classes, sum_groups
from shoal.anonymize.cuts._cut_problem import CutProblem
from shoal.typing import Codes, Progress

START, END = 0.02, 0.0002  # temperatures, in the unit of the energy (bits a row, or NCP)
_UNSAFE = 0.01  # what it costs to fail at all: more than a move gains, so searches return


def anneal(
    problem: CutProblem,
    cut: list[Codes],
    iterations: int,
    rng: np.random.Generator,
    progress: Progress,
) -> list[Codes]:
    """Best allowed cut met on the way from `cut`; never worse than it by the metric.

    The way may lead through cuts that are not allowed, at a penalty: two good cuts are often
    joined by bad ones only.
    """
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
            if problem.projected is not None:
                problem.projected.settle(here)
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
    state = problem.assess(group_of, sizes, cut)
    n_rows = problem.cells.n_rows
    if problem.metric == "information":
        loss = class_summary(sum_classes(problem.classes, group_of, n_groups))[0] / n_rows
    elif problem.metric == "discernibility":
        loss = state.squares / n_rows**2
    else:
        loss = problem.total_loss(cut)
    excess = max(state.failing - problem.budget, 0) / n_rows
    return loss + (_UNSAFE + excess if excess else 0.0), excess == 0


def _neighbour(
    problem: CutProblem, cut: list[Codes], rng: np.random.Generator
) -> tuple[int, Codes]:
    """Join the children of one node, or split one node into its children, in a random column."""
    for number in rng.permutation(len(cut)).tolist():
        column, nodes = problem.columns[number], cut[number]
        options = _options(column, nodes)
        if not options:
            continue
        tree = column.tree
        node, joins = options[rng.integers(len(options))]
        changed = nodes.copy()
        if joins:
            changed[tree.start[node] : tree.stop[node]] = node
        else:
            for child in tree.children(node):
                changed[tree.start[child] : tree.stop[child]] = child
        return number, changed
    return -1, np.empty(0, np.int32)


def _options(column: CutColumn, nodes: Codes) -> list[tuple[int, bool]]:
    """Nodes that can be joined from all their children (True), then those that can be split."""
    tree = column.tree
    active = np.unique(nodes)
    parents = np.unique(tree.parent[active[active != tree.root]])
    join = [
        node
        for node in parents.tolist()
        if column.ceiling_depth[node] <= tree.depth[node]
        and (tree.parent[nodes[tree.start[node] : tree.stop[node]]] == node).all()
    ]
    split = active[active >= tree.n_leaves]
    return [(node, True) for node in join] + [(node, False) for node in split.tolist()]
