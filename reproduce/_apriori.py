"""Association rules the way Weka's Apriori finds them: lower the support until there are enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from shoal.errors import MissingExtraError
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


@dataclass(frozen=True, eq=False)
class Marks:
    """Which rows (first axis) have which items."""

    items: list[Item]
    rows: Flags


def mark_items(columns: Mapping[str, Sequence[str | None]]) -> Marks:
    """Which rows have each item; None is no item."""
    items: list[Item] = []
    rows: list[Flags] = []
    for name, values in columns.items():
        codes = {value: code for code, value in enumerate(dict.fromkeys(values))}
        coded = np.fromiter(map(codes.__getitem__, values), np.int64, len(values))
        for value, code in codes.items():
            if value is not None:
                items.append((name, value))
                rows.append(coded == code)
    return Marks(items, np.column_stack(rows))


def find_rules(marks: Marks, least: int, confidence: float) -> list[Rule]:
    """Rules of at least that confidence that `least` rows bear out, the most confident first."""
    miner = _load_miner()
    n_rows = len(marks.rows)
    # numbers for names: tuples would become a hierarchy of column names
    sets = miner.fpgrowth(_frame(marks.rows), min_support=least / n_rows, use_colnames=True)
    if not (sets["itemsets"].map(len) > 1).any():
        return []
    mined = miner.association_rules(sets, metric="confidence", min_threshold=confidence)
    rules = [
        Rule(
            frozenset(marks.items[i] for i in when),
            frozenset(marks.items[i] for i in then),
            round(share_when * n_rows),
            round(share * n_rows),
        )
        for when, then, share_when, share in zip(
            mined["antecedents"],
            mined["consequents"],
            mined["antecedent support"],
            mined["support"],
            strict=True,
        )
    ]
    return sorted(rules, key=lambda rule: -rule.confidence)


def best_rules(
    marks: Marks, n_rules: int = 10, *, confidence: float = 0.9, step: float = 0.05
) -> list[Rule]:
    """The `n_rules` most confident rules at the highest support, in steps, that has as many."""
    n_rows = len(marks.rows)
    rules: list[Rule] = []
    for support in np.arange(1 - step, step, -step):
        rules = find_rules(marks, int(support * n_rows + 0.5), confidence)
        if len(rules) >= n_rules:
            break
    return rules[:n_rules]


def _load_miner() -> Any:
    try:
        from mlxtend import frequent_patterns  # noqa: PLC0415  no other experiment needs it
    except ImportError:
        raise MissingExtraError("mlxtend", "audit", "mining association rules") from None
    return frequent_patterns


def _frame(rows: Flags) -> Any:
    import pandas as pd  # noqa: PLC0415  comes with mlxtend

    return pd.DataFrame(rows)
