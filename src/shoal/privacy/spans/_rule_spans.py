"""Association rules seen as spans: what public items tell about private ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import SchemaError
from shoal.privacy.spans._rule_bins import joint_bins, rule_bins
from shoal.privacy.spans._rule_groups import RuleGroups, split_by_rule, states_of, telling_states
from shoal.privacy.spans._spans import Bins, PrivateColumns, Spans
from shoal.typing import Flags

NOT_MET, MET, RULE_MET = 0, 1, 2
MOST_ITEMS = 16  # items whose subsets are all tried to count equivalence classes
MOST_JOINT = 20_000  # spans times private baskets that are tried to list joint classes
MOST_STEPS = 2_000_000  # the same, times rules


@dataclass(frozen=True)
class ItemRule:
    """One rule: whoever has all items on the left often has those on the right."""

    left: frozenset[str]
    right: frozenset[str]

    @property
    def items(self) -> frozenset[str]:
        """Items of both sides."""
        return self.left | self.right

    def state(self, basket: Collection[str]) -> int:
        """Left side not met, met, or the whole rule met."""
        if not self.left <= set(basket):
            return NOT_MET
        return RULE_MET if self.right <= set(basket) else MET

    def __str__(self) -> str:
        return f"{', '.join(sorted(self.left))} => {', '.join(sorted(self.right))}"


@dataclass(frozen=True, eq=False)
class RuleSpans:
    """Spans of a rule set.

    Two people have the same span exactly when the same rules have their public items on the left,
    and on the right, among theirs: the states that a rule can have tell these apart.  Hence
    neither baskets nor combinations of states are enumerated.

    Parameters
    ----------
    spans : Spans
        Their bins are combinations of states; with too many to try, the states of each rule by
        itself, for at most 64 rules that say something private about the span (a span about
        which nothing private is said has one bin in any case).
    span_of_row : ndarray
        Span of each basket.
    bins : Bins
        What the bins are and how many rows have them.
    rules : tuple of ItemRule
        The rules.
    seen : mapping of str to ndarray
        Items of the first basket of each span; its public ones stand for all of the span.
    private : frozenset of str
        The private items.
    """

    spans: Spans
    span_of_row: NDArray[np.int64]
    bins: Bins
    rules: tuple[ItemRule, ...]
    seen: Mapping[str, Flags]
    private: frozenset[str]

    def speaking(self, span: int) -> list[int]:
        """Numbers of the rules that say something private about a span."""
        own = {item: flags[span : span + 1] for item, flags in self.seen.items()}
        return [
            number
            for number, rule in enumerate(self.rules)
            if telling_states(rule, self.private)[states_of(rule, own, 1, self.private)][0]
        ]


def rule_spans(
    rules: Sequence[ItemRule],
    columns: Mapping[str, Flags],
    private: Iterable[str],
    n_rows: int,
    histograms: PrivateColumns | None = None,
) -> RuleSpans:
    """Find the spans of rules over baskets, given as one array of truth values per item."""
    closed = frozenset(private)
    has = {item: np.asarray(columns[item], np.bool_) for r in rules for item in r.items}
    groups = RuleGroups.all_alike(n_rows)
    for rule in rules:
        groups = split_by_rule(groups, rule, has, closed)
    groups = groups.in_order()
    first = groups.first_rows()
    seen = {item: flags[first] for item, flags in has.items()}
    free = frozenset().union(*(rule.items for rule in rules)) & closed
    combinations = groups.n_groups << min(len(free), 30)
    if combinations <= MOST_JOINT and combinations * len(rules) <= MOST_STEPS:
        listed = joint_bins(rules, sorted(free), seen, has, n_rows)
    else:
        listed = rule_bins(rules, groups, seen, has, closed)
    spans = Spans.from_members(groups.label, listed.start, listed.bins, histograms or {})
    bins = Bins(tuple(listed.names), listed.population)
    return RuleSpans(spans, groups.label, bins, tuple(rules), seen, closed)


def count_classes(rules: Sequence[ItemRule], items: Iterable[str] | None = None) -> int | None:
    """Equivalence classes of a rule set over all baskets; None with too many items to try."""
    used = sorted({item for rule in rules for item in rule.items} if items is None else items)
    if len(used) > MOST_ITEMS:
        return None
    states = set()
    for chosen in product((False, True), repeat=len(used)):
        basket = {item for item, is_in in zip(used, chosen, strict=True) if is_in}
        states.add(tuple(rule.state(basket) for rule in rules))
    return len(states)


def read_rules(rules: Any) -> list[ItemRule]:
    """Rules from a table with `antecedents` and `consequents`, or a list of mappings or pairs."""
    if hasattr(rules, "columns") and hasattr(rules, "__getitem__"):
        sides = zip(list(rules["antecedents"]), list(rules["consequents"]), strict=True)
    else:
        sides = (_sides(rule) for rule in rules)
    checked: list[ItemRule] = []
    for left, right in sides:
        rule = ItemRule(_items(left), _items(right))
        if not rule.right or rule.left & rule.right:
            raise SchemaError(
                f"rule {len(checked)}: its right side is empty or shares items with its left side."
            )
        checked.append(rule)
    return checked


def _sides(rule: Any) -> tuple[Any, Any]:
    if isinstance(rule, ItemRule):
        return rule.left, rule.right
    if isinstance(rule, Mapping):
        return rule["antecedents"], rule["consequents"]
    left, right = rule
    return left, right


def _items(side: Any) -> frozenset[str]:
    return frozenset([side] if isinstance(side, str) else map(str, side))
