"""Association rules the way Weka's Apriori finds them: lower the support until there are enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from shoal.typing import Flags

Item = tuple[str, str]
"""A column and one of its values."""


class Rule(NamedTuple):
    """`then` holds in `hits` of the `rows` in which `when` holds."""

    when: frozenset[Item]
    then: frozenset[Item]
    rows: int
    hits: int

    @property
    def confidence(self) -> float:
        """Share of the rows with `when` that have `then`."""
        return self.hits / self.rows


def mark_items(columns: Mapping[str, Sequence[str | None]]) -> dict[Item, Flags]:
    """Which rows have each item; None is no item."""
    marks: dict[Item, Flags] = {}
    for name, values in columns.items():
        known = {value: code for code, value in enumerate(dict.fromkeys(values))}
        codes = np.fromiter(map(known.__getitem__, values), np.int64, len(values))
        for value, code in known.items():
            if value is not None:
                marks[name, value] = codes == code
    return marks


def frequent_sets(marks: Mapping[Item, Flags], least: int) -> dict[frozenset[Item], int]:
    """Every set of items, one to a column, that `least` rows have together, with how many."""
    order = [item for item, rows in marks.items() if rows.sum() >= least]
    found: dict[frozenset[Item], int] = {}
    level: dict[tuple[int, ...], Flags] = {(i,): marks[item] for i, item in enumerate(order)}
    while level:
        larger: dict[tuple[int, ...], Flags] = {}
        for places, rows in level.items():
            found[frozenset(order[i] for i in places)] = int(rows.sum())
            for i in range(places[-1] + 1, len(order)):
                if order[i][0] != order[places[-1]][0]:
                    both = rows & marks[order[i]]
                    if both.sum() >= least:
                        larger[(*places, i)] = both
        level = larger
    return found


def find_rules(sets: Mapping[frozenset[Item], int], confidence: float) -> list[Rule]:
    """Rules of at least that confidence from frequent sets, the most confident first."""
    found = []
    for items, hits in sets.items():
        for size in range(1, len(items)):
            for when in map(frozenset, combinations(sorted(items), size)):
                if hits >= confidence * sets[when]:
                    found.append(Rule(when, items - when, sets[when], hits))
    return sorted(found, key=lambda rule: -rule.confidence)


def best_rules(
    marks: Mapping[Item, Flags], n_rules: int = 10, *, confidence: float = 0.9, step: float = 0.05
) -> list[Rule]:
    """The `n_rules` most confident rules at the highest support, in steps, that has as many."""
    n_rows = len(next(iter(marks.values())))
    rules: list[Rule] = []
    for support in np.arange(1 - step, step, -step):
        rules = find_rules(frequent_sets(marks, int(support * n_rows + 0.5)), confidence)
        if len(rules) >= n_rules:
            break
    return rules[:n_rules]
