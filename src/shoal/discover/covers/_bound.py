"""Cheapest set of attributes that covers a given share, by branch and bound."""

from __future__ import annotations

import math

import numpy as np

from shoal.discover.covers._coverage import Coverage
from shoal.discover.covers._greedy import Choice, cover, least_count
from shoal.discover.covers._hitting import Budget
from shoal.typing import Floats


def cheapest_cover(
    coverage: Coverage, costs: Floats, beta: float, budget: Budget
) -> tuple[Choice, bool, float]:
    """Attributes of least cost that cover `beta`, whether that is proved, and a lower bound.

    Takes the attribute that covers most per cost or bars it.  The bound relies on what an
    attribute adds never growing: the deficit must be filled from the present gains, and a
    fractional knapsack tells the least cost of doing so.
    """
    best = cover(coverage, costs, beta)
    best_cost = float(costs[list(best.columns)].sum())
    target = least_count(coverage.total, beta)
    whole = bool((costs == np.round(costs)).all())
    start = coverage
    least, finished = 0.0, True
    stack: list[tuple[Coverage, tuple[int, ...], float, list[int]]] = [
        (coverage, (), 0.0, list(range(coverage.n_columns)))
    ]
    while stack:
        coverage, chosen, cost, open_columns = stack.pop()
        if coverage.covered >= target:
            if cost < best_cost - 1e-12:
                best, best_cost = _replay(start, chosen), cost
            continue
        if not budget.take():
            finished = False
            break
        gains = np.array(coverage.after(open_columns), np.float64) - coverage.covered
        bound = cost + _knapsack(gains, costs[open_columns], target - coverage.covered)
        bound = math.ceil(bound - 1e-9) if whole and math.isfinite(bound) else bound
        if not chosen and len(open_columns) == start.n_columns:
            least = bound
        if bound >= best_cost - 1e-12:
            continue
        pick = int(np.argmax(gains / costs[open_columns]))
        column = open_columns[pick]
        rest = open_columns[:pick] + open_columns[pick + 1 :]
        stack.append((coverage, chosen, cost, rest))
        stack.append((coverage.add(column), (*chosen, column), cost + costs[column], rest))
    return best, finished, best_cost if finished else least


def _knapsack(gains: Floats, costs: Floats, deficit: int) -> float:
    order = np.argsort(-gains / costs, kind="stable")
    filled = np.cumsum(gains[order])
    last = int(np.searchsorted(filled, deficit))
    if last == len(order):
        return math.inf
    before = filled[last - 1] if last else 0.0
    spent = costs[order[:last]].sum() + costs[order[last]] * (deficit - before) / gains[order[last]]
    return float(spent)


def _replay(coverage: Coverage, columns: tuple[int, ...]) -> Choice:
    covered = []
    for column in columns:
        coverage = coverage.add(column)
        covered.append(coverage.covered)
    return Choice(columns, tuple(covered))
