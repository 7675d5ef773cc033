"""Mining rules, coarser items, and what supports give away together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from shoal.errors import MissingExtraError
from shoal.frames._frame import Frame
from shoal.privacy.spans._rule_spans import ItemRule
from shoal.typing import Flags

MOST_KINDS = 1000  # kinds of baskets that are remembered
FARTHEST = 4  # items between the two sets of a channel


@dataclass(frozen=True)
class Mined:
    """A rule with its support and confidence."""

    rule: ItemRule
    support: float
    confidence: float

    @classmethod
    def count(cls, rule: ItemRule, columns: Mapping[str, Flags], n_rows: int) -> Mined:
        """Count a rule anew."""
        left = support_of(rule.left, columns, n_rows)
        whole = support_of(rule.items, columns, n_rows)
        return cls(rule, whole / n_rows, whole / max(left, 1))

    @property
    def weight(self) -> float:
        """What a rule is worth: heavier rules are chosen first."""
        return self.support * self.confidence

    def to_dict(self) -> dict[str, Any]:
        """As in mlxtend's tables, with plain lists."""
        return {
            "antecedents": sorted(self.rule.left),
            "consequents": sorted(self.rule.right),
            "support": self.support,
            "confidence": self.confidence,
        }


def mine(
    columns: Mapping[str, Flags], min_support: float, min_confidence: float, max_items: int
) -> list[Mined]:
    """Frequent rules, by mlxtend's FP-growth."""
    try:
        from mlxtend.frequent_patterns import (  # noqa: PLC0415  optional, and slow to import
            association_rules,
            fpgrowth,
        )
    except ImportError:
        raise MissingExtraError("mlxtend", "audit", "mining association rules") from None
    table = Frame.from_columns(columns).native
    sets = fpgrowth(table, min_support=min_support, use_colnames=True, max_len=max_items)
    if not len(sets) or sets["itemsets"].map(len).max() < 2:
        return []
    with np.errstate(divide="ignore", invalid="ignore"):  # in measures that are not used
        rules = association_rules(sets, metric="confidence", min_threshold=min_confidence)
    parts = zip(
        rules["antecedents"],
        rules["consequents"],
        rules["support"],
        rules["confidence"],
        strict=True,
    )
    return [
        Mined(ItemRule(frozenset(left), frozenset(right)), float(support), float(confidence))
        for left, right, support, confidence in parts
    ]


def generalize(
    columns: Mapping[str, Flags], hierarchy: Mapping[str, str], private: frozenset[str]
) -> tuple[dict[str, Flags], dict[str, str], frozenset[str]]:
    """Columns of parents added; the parents in use; private items with private parents."""
    wide, closed = dict(columns), set(private)
    parents: dict[str, str] = {}
    members: dict[str, list[str]] = {}
    for item in columns:
        if item in hierarchy:
            members.setdefault(hierarchy[item], []).append(item)
    for parent, items in members.items():
        hidden = [item in private for item in items]
        name = f"any {parent}" if parent in columns else parent
        if name in columns or any(hidden) != all(hidden):
            continue  # a parent of both sorts would tell about private items by public ones
        wide[name] = np.logical_or.reduce([columns[item] for item in items])
        parents |= dict.fromkeys(items, name)
        if all(hidden):
            closed.add(name)
    return wide, parents, frozenset(closed)


def support_of(items: frozenset[str], columns: Mapping[str, Flags], n_rows: int) -> int:
    """Baskets that hold all items."""
    if not items:
        return n_rows
    return int(np.logical_and.reduce([columns[item] for item in items]).sum())


def list_kinds(columns: Mapping[str, Flags]) -> list[frozenset[str]]:
    """Kinds of baskets in the table, the most frequent first."""
    names = list(columns)
    packed = np.packbits(np.column_stack([columns[name] for name in names]), axis=1)
    _, first, counts = np.unique(packed, axis=0, return_index=True, return_counts=True)
    rows = first[np.argsort(-counts, kind="stable")].tolist()
    return [frozenset(name for name in names if columns[name][row]) for row in rows[:MOST_KINDS]]


def find_channels(
    rules: Sequence[ItemRule],
    columns: Mapping[str, Flags],
    private: frozenset[str],
    k: int,
    n_rows: int,
) -> list[tuple[frozenset[str], frozenset[str]]]:
    """Pairs of released itemsets whose supports count out between 1 and k - 1 rows.

    For released sets I within J, the difference of supports is the number of rows that have all of
    I and not all of J; where all sets between them are released too, their alternating sum is the
    number of rows that have all of I and nothing else of J.
    """
    released = {side for rule in rules for side in (rule.left, rule.items)}
    support = {items: support_of(items, columns, n_rows) for items in released}
    support[frozenset()] = n_rows
    channels = []
    for big in released:
        if not big & private:
            continue
        if 0 < support[big] < k:
            channels.append((big, big))
        for size in range(1, len(big) + 1):
            for more in combinations(sorted(big), size):
                small = big - set(more)
                counted = [support[small] - support[big]] if small in support else []
                if size <= FARTHEST:
                    counted.append(_alternating(small, more, support))
                if any(0 < rows < k for rows in counted):
                    channels.append((small, big))
    return channels


def _alternating(
    small: frozenset[str], more: tuple[str, ...], support: Mapping[frozenset[str], int]
) -> int:
    """Rows with `small` and none of `more`; 0 where a set between them is not released."""
    total = 0
    for size in range(len(more) + 1):
        for extra in combinations(more, size):
            items = small | set(extra)
            if items not in support:
                return 0
            total += (-1) ** size * support[items]
    return total
