"""Greedy choice of attributes: few that cover enough, or many that together cover little."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass

from shoal.discover.covers._coverage import Coverage
from shoal.discover.covers._deadline import Deadline
from shoal.typing import Floats


@dataclass(frozen=True)
class Choice:
    """Attributes in the order chosen, and what was covered after each."""

    columns: tuple[int, ...]
    covered: tuple[int, ...]


def cover(
    coverage: Coverage, costs: Floats, beta: float = 1.0, among: Sequence[int] | None = None
) -> Choice:
    """Add the attribute that covers most per unit of cost until a share `beta` is covered.

    What lies beyond the share does not count, or a dear attribute that covers far too much would
    beat a cheap one that covers enough; it only breaks ties, after which the first attribute wins.
    Ends early when no attribute covers anything more.  Both pair coverages are submodular: what
    an attribute adds only shrinks, so an old value bounds the new one from above and only
    attributes that could be the best are looked at again.
    """
    columns: list[int] = []
    reached: list[int] = []
    covered = coverage.covered
    target = least_count(coverage.total, beta)

    def entry(j: int, after: int) -> tuple[float, float, int, int]:
        useful = min(after, target) - covered
        return -useful / costs[j], -(after - covered) / costs[j], j, len(columns)

    everyone = range(coverage.n_columns) if among is None else among
    queue = [entry(j, n) for j, n in zip(everyone, coverage.after(everyone), strict=True)]
    heapq.heapify(queue)
    while queue and covered < target:
        gain, _, j, step = heapq.heappop(queue)
        if step < len(columns):
            heapq.heappush(queue, entry(j, coverage.after([j])[0]))
            continue
        if gain == 0:
            break
        coverage = coverage.add(j)
        covered = coverage.covered
        columns.append(j)
        reached.append(covered)
    return Choice(tuple(columns), tuple(reached))


def hold(
    coverage: Coverage, values: Floats, beta: float, deadline: Deadline | None = None
) -> tuple[Choice, bool]:
    """Add the attribute that covers least more per unit of value, while at most `beta` is covered.

    An attribute that would exceed `beta` is set aside; with unequal values a later one may
    still fit.  Ties go to the attribute of more value, then to the first.  Also says whether no
    attribute fits any more; False when the time was up before.
    """
    columns: list[int] = []
    reached: list[int] = []
    open_columns = list(range(coverage.n_columns))
    while open_columns:
        if columns and deadline is not None and deadline.passed:
            return Choice(tuple(columns), tuple(reached)), False
        covered = coverage.covered
        after = dict(zip(open_columns, coverage.after(open_columns), strict=True))
        # what exceeds beta now exceeds it with every larger set
        open_columns = [j for j in open_columns if within(after[j], coverage.total, beta)]
        if not open_columns:
            break
        ranks = {j: ((after[j] - covered) / values[j], -values[j], j) for j in open_columns}
        best = min(open_columns, key=ranks.__getitem__)
        coverage = coverage.add(best)
        columns.append(best)
        reached.append(coverage.covered)
        open_columns.remove(best)
    return Choice(tuple(columns), tuple(reached)), True


def within(count: int, total: int, beta: float) -> bool:
    """Whether a count's share of `total` is at most `beta`.

    A division is rounded correctly, so that 8 of 10 are exactly the 0.8 that a user writes.
    """
    return count <= 0 or count / total <= beta


def least_count(total: int, beta: float) -> int:
    """Smallest count whose share of `total` is at least `beta`, rounding of `beta` forgiven."""
    count = math.ceil(beta * total)
    if count and (count - 1) / total >= beta:
        count -= 1
    return min(count, total)
