"""Smallest and all minimal hitting sets.

A set of attributes is a key exactly when it meets the *difference set* of every pair of rows,
the attributes on which they differ.  Sets of attributes are Python integers, bit j for
attribute j: any number of attributes, and set algebra is one machine operation for most tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from shoal.discover.covers._deadline import Deadline

_WORTH_ARRAYS = 200
"""Sets from which on comparing one with all others at once is quicker than one by one."""


@dataclass
class Budget:
    """Nodes that a search may still visit, and the time that it has."""

    nodes: int
    deadline: Deadline = field(default_factory=lambda: Deadline(None))
    spent: int = field(default=0)
    over: bool = field(default=False)

    def take(self) -> bool:
        """Count one node; False when the budget is used up."""
        self.spent += 1
        return self.goes_on()

    def goes_on(self) -> bool:
        """Whether nodes and time are left; once they are not, they stay used up."""
        self.over = self.over or self.spent > self.nodes or self.deadline.passed
        return not self.over


def bits(mask: int) -> Iterator[int]:
    """Members of a set, rising."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def minimal_only(masks: Iterable[int]) -> list[int]:
    """Sets that contain no other, smallest first; hitting these hits all."""
    ordered = sorted(set(masks), key=lambda mask: (mask.bit_count(), mask))
    if len(ordered) > _WORTH_ARRAYS:
        return _minimal_of_many(ordered)
    kept: list[int] = []
    for mask in ordered:
        if not any(other & mask == other for other in kept):
            kept.append(mask)
    return kept


def _minimal_of_many(ordered: Sequence[int]) -> list[int]:
    """The same for many sets: each is compared with all that are kept at once."""
    n_bytes = -(-max(mask.bit_length() for mask in ordered) // 64) * 8 or 8
    written = b"".join(mask.to_bytes(n_bytes, "little") for mask in ordered)
    words = np.frombuffer(written, "<u8").reshape(len(ordered), -1)
    kept, n_kept = np.empty(words.shape[::-1], np.uint64), 0
    minimal = []
    for mask, own in zip(ordered, words, strict=True):
        inside = np.ones(n_kept, np.bool_)
        for known, word in zip(kept[:, :n_kept], own, strict=True):
            inside &= (known & word) == known
        if not inside.any():
            kept[:, n_kept] = own
            n_kept += 1
            minimal.append(mask)
    return minimal


def smallest_hitting_set(
    masks: Sequence[int], costs: Sequence[float], budget: Budget
) -> tuple[int, bool]:
    """A hitting set of least cost, and whether the budget sufficed to prove that.

    Branches on the uncovered set with the fewest attributes still allowed.  The bound adds up,
    over uncovered sets that share no attribute, the cheapest attribute of each.
    """
    best = _greedy_hitting_set(masks, costs)
    best_cost = sum(costs[j] for j in bits(best))
    finished = True
    stack: list[tuple[int, int, float, list[int]]] = [(0, 0, 0.0, list(masks))]
    while stack:
        chosen, barred, cost, left = stack.pop()
        if cost >= best_cost - 1e-12:
            continue
        if not left:
            best, best_cost = chosen, cost
            continue
        if not budget.take():
            finished = False
            break
        allowed = sorted((mask & ~barred for mask in left), key=int.bit_count)
        if not allowed[0] or cost + _packing(allowed, costs) >= best_cost - 1e-12:
            continue
        # dearest first on the stack, so that the attribute that hits most is tried first
        branches = []
        bar = barred
        for j in sorted(bits(allowed[0]), key=lambda j: -sum(m >> j & 1 for m in left) / costs[j]):
            rest = [mask for mask in left if not mask >> j & 1]
            branches.append((chosen | 1 << j, bar, cost + costs[j], rest))
            bar |= 1 << j
        stack.extend(reversed(branches))
    return best, finished


def minimal_hitting_sets(
    masks: Sequence[int], among: int, max_size: int, budget: Budget
) -> Iterator[int]:
    """Every minimal hitting set of at most `max_size` of the attributes `among`.

    Depth first; an attribute stays only while some set is hit by it alone, so that no branch
    ends in a set that is not minimal and none is visited twice.  Stops when the budget is used up.
    """
    stack: list[tuple[int, int, list[int], dict[int, list[int]]]] = [(0, among, list(masks), {})]
    while stack:
        chosen, open_, left, alone = stack.pop()
        if not left:
            yield chosen
            continue
        if chosen.bit_count() == max_size:
            continue
        if not budget.take():
            return
        branch = min((mask & open_ for mask in left), key=int.bit_count)
        open_ &= ~branch
        for j in bits(branch):
            hit = [mask for mask in left if mask >> j & 1]
            still = {i: [mask for mask in own if not mask >> j & 1] for i, own in alone.items()}
            if all(still.values()):
                rest = [mask for mask in left if not mask >> j & 1]
                stack.append((chosen | 1 << j, open_, rest, still | {j: hit}))
                open_ |= 1 << j


def _packing(allowed: Sequence[int], costs: Sequence[float]) -> float:
    bound, used = 0.0, 0
    for mask in allowed:
        if not mask & used:
            bound += min(costs[j] for j in bits(mask))
            used |= mask
    return bound


def _greedy_hitting_set(masks: Sequence[int], costs: Sequence[float]) -> int:
    chosen, left = 0, list(masks)
    while left:
        members = 0
        for mask in left:
            members |= mask
        j = max(bits(members), key=lambda j: sum(mask >> j & 1 for mask in left) / costs[j])
        chosen |= 1 << j
        left = [mask for mask in left if not mask >> j & 1]
    return chosen
