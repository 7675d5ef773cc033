"""Association rules seen as spans: what public items tell about private ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import SchemaError
from shoal.privacy.spans._spans import Bins, PrivateColumns, Spans
from shoal.tables._frequency import group_keys
from shoal.typing import Flags

NOT_MET, MET, RULE_MET = 0, 1, 2
MOST_ITEMS = 16  # items whose subsets are all tried to count equivalence classes
MOST_JOINT = 20_000  # spans times private baskets that are tried to list joint classes


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


def possible_states(rule: ItemRule, private: frozenset[str], left: bool, right: bool) -> set[int]:
    """States of a rule when its public items are there (or not) and private ones are free."""
    if not left:
        return {NOT_MET}
    states = set()
    if rule.left & private:
        states.add(NOT_MET)
    if not right or rule.right & private:
        states.add(MET)
    if right:
        states.add(RULE_MET)
    return states


@dataclass(frozen=True, eq=False)
class RuleSpans:
    """Spans of a rule set.

    Two people have the same span exactly when the same rules have their public items on the left,
    and on the right, among theirs: the states that a rule can have tell these apart.  Hence
    neither baskets nor combinations of states are enumerated.

    Parameters
    ----------
    spans : Spans
        Their bins are combinations of states; with too many private items to try, the states of
        each rule by itself (a span about which nothing private is said has one bin in any case).
    span_of_row : ndarray
        Span of each basket.
    bins : Bins
        What the bins are and how many rows have them.
    told : ndarray of bool, shape (n_spans, n_rules)
        Which rules say something private about the span.
    """

    spans: Spans
    span_of_row: NDArray[np.int64]
    bins: Bins
    told: Flags


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
    everybody = np.ones(n_rows, np.bool_)

    def all_of(items: Iterable[str]) -> Flags:
        found = everybody.copy()
        for item in items:
            found &= has[item]
        return found

    left = np.array([all_of(r.left - closed) for r in rules], np.bool_).reshape(-1, n_rows)
    right = np.array([all_of(r.right - closed) for r in rules], np.bool_).reshape(-1, n_rows)
    flags = np.concatenate([left, left & right]).T  # the right side shows where the left is met
    packed = np.packbits(flags, axis=1) if len(rules) else np.zeros((n_rows, 1), np.uint8)
    span_of_row, n_spans = group_keys(packed.astype(np.int32))
    first = np.zeros(n_spans, np.intp)
    first[span_of_row[::-1]] = np.arange(n_rows)[::-1]
    possible = [
        [
            possible_states(rule, closed, bool(left[number, row]), bool(right[number, row]))
            for number, rule in enumerate(rules)
        ]
        for row in first.tolist()
    ]
    told = np.array([[len(states) > 1 for states in span] for span in possible], np.bool_)
    told = told.reshape(n_spans, len(rules))
    states = np.array(
        [all_of(r.left).astype(np.int8) + all_of(r.items) for r in rules], np.int32
    ).reshape(len(rules), n_rows)
    free = frozenset().union(*(rule.items for rule in rules)) & closed
    if n_spans << min(len(free), 30) <= MOST_JOINT:
        bins, names, population = _joint_bins(rules, sorted(free), left, right, first, states)
    else:
        bins, names, population = _rule_bins(rules, possible, told, states, span_of_row)
    start = np.concatenate([[0], np.cumsum([len(one) for one in bins])]).astype(np.int64)
    spans = Spans.from_members(
        span_of_row,
        start,
        np.array([b for one in bins for b in one], np.int32),
        histograms or {},
    )
    return RuleSpans(spans, span_of_row, Bins(tuple(names), population), told)


_Listed = tuple[list[list[int]], list[str], NDArray[np.int64]]


def _joint_bins(
    rules: Sequence[ItemRule],
    free: list[str],
    left: Flags,
    right: Flags,
    first: NDArray[np.intp],
    states: NDArray[np.int32],
) -> _Listed:
    """Equivalence classes proper: combinations of the states of all rules."""
    number_of: dict[tuple[int, ...], int] = {}
    bins = []
    for row in first.tolist():
        reached = set()
        for chosen in product((False, True), repeat=len(free)):
            own = {item for item, is_in in zip(free, chosen, strict=True) if is_in}
            joint = []
            for number, rule in enumerate(rules):
                met = left[number, row] and (rule.left & set(free)) <= own
                whole = met and right[number, row] and (rule.right & set(free)) <= own
                joint.append(RULE_MET if whole else MET if met else NOT_MET)
            reached.add(number_of.setdefault(tuple(joint), len(number_of)))
        bins.append(sorted(reached))
    population = np.zeros(len(number_of), np.int64)
    found, counts = np.unique(states, axis=1, return_counts=True)
    for joint, count in zip(found.T.tolist(), counts.tolist(), strict=True):
        population[number_of[tuple(joint)]] += count
    names = ["rules " + " ".join(map(str, joint)) for joint in number_of]
    return bins, names, population


def _rule_bins(
    rules: Sequence[ItemRule],
    possible: list[list[set[int]]],
    told: Flags,
    states: NDArray[np.int32],
    span_of_row: NDArray[np.int64],
) -> _Listed:
    """Too many combinations: each rule's states, and one bin where nothing private is said."""
    silent = np.flatnonzero(~told.any(axis=1))
    number_of = {span: number for number, span in enumerate(silent.tolist())}
    names = [f"nothing private, {number}" for number in range(len(silent))]
    names += [f"{rule}: {what}" for rule in rules for what in ("not met", "left met", "met")]
    bins = []
    for span, states_of in enumerate(possible):
        if span in number_of:
            bins.append([number_of[span]])
        else:
            offset = len(silent)
            bins.append(
                [
                    offset + 3 * number + s
                    for number, own in enumerate(states_of)
                    for s in sorted(own)
                ]
            )
    sizes = np.bincount(span_of_row, minlength=len(possible))[silent]
    counted = [np.bincount(one, minlength=3) for one in states]
    return bins, names, np.concatenate([sizes, *counted]).astype(np.int64)


def count_classes(rules: Sequence[ItemRule], items: Iterable[str] | None = None) -> int | None:
    """Equivalence classes of a rule set over all baskets; None with too many items to try."""
    used = sorted({item for rule in rules for item in rule.items} if items is None else items)
    if len(used) > MOST_ITEMS:
        return None
    found = set()
    for chosen in product((False, True), repeat=len(used)):
        basket = {item for item, is_in in zip(used, chosen, strict=True) if is_in}
        found.add(tuple(rule.state(basket) for rule in rules))
    return len(found)


def read_rules(rules: Any) -> list[ItemRule]:
    """Rules from a table with `antecedents` and `consequents`, or a list of mappings or pairs."""
    if hasattr(rules, "columns") and hasattr(rules, "__getitem__"):
        sides = zip(list(rules["antecedents"]), list(rules["consequents"]), strict=True)
    else:
        sides = (_sides(rule) for rule in rules)
    found: list[ItemRule] = []
    for left, right in sides:
        rule = ItemRule(_items(left), _items(right))
        if not rule.right or rule.left & rule.right:
            raise SchemaError(
                f"rule {len(found)}: its right side is empty or shares items with its left side."
            )
        found.append(rule)
    return found


def _sides(rule: Any) -> tuple[Any, Any]:
    if isinstance(rule, ItemRule):
        return rule.left, rule.right
    if isinstance(rule, Mapping):
        return rule["antecedents"], rule["consequents"]
    left, right = rule
    return left, right


def _items(side: Any) -> frozenset[str]:
    return frozenset([side] if isinstance(side, str) else map(str, side))
