"""Equivalence classes of a rule set: joint states of all rules, or each rule's states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.privacy.spans._rule_groups import (
    N_STATES,
    RuleGroups,
    has_all,
    states_of,
    telling_states,
)
from shoal.typing import Codes, Counts, Flags

if TYPE_CHECKING:
    from shoal.privacy.spans._rule_spans import ItemRule

MOST_LISTED = 64  # rules whose states are listed of a span; one is enough to know it is told
_STATE_NAMES = ("not met", "left met", "met")


class ListedBins(NamedTuple):
    """Bins of spans: span s has ``bins[start[s]:start[s + 1]]``."""

    start: NDArray[np.int64]
    bins: Codes
    names: list[str]
    population: Counts


def joint_bins(
    rules: Sequence[ItemRule],
    free: Sequence[str],
    seen: Mapping[str, Flags],
    columns: Mapping[str, Flags],
    n_rows: int,
) -> ListedBins:
    """Equivalence classes proper: combinations of the states of all rules.

    `free` are the private items, and `seen` what the first basket of each span holds.
    """
    n_spans = len(next(iter(seen.values()))) if seen else min(n_rows, 1)
    number_of: dict[tuple[int, ...], int] = {}
    spans: list[list[int]] = []
    for span in range(n_spans):
        public = {item for item, flags in seen.items() if flags[span]} - set(free)
        reached = set()
        for chosen in product((False, True), repeat=len(free)):
            basket = public | {item for item, has in zip(free, chosen, strict=True) if has}
            joint = tuple(rule.state(basket) for rule in rules)
            reached.add(number_of.setdefault(joint, len(number_of)))
        spans.append(sorted(reached))
    population = np.zeros(len(number_of), np.int64)
    for joint, count in _count_joint(rules, columns, n_rows):
        population[number_of[joint]] += count
    start = np.concatenate([[0], np.cumsum([len(own) for own in spans])]).astype(np.int64)
    names = ["rules " + " ".join(map(str, joint)) for joint in number_of]
    return ListedBins(
        start, np.array([b for own in spans for b in own], np.int32), names, population
    )


def _count_joint(
    rules: Sequence[ItemRule], columns: Mapping[str, Flags], n_rows: int
) -> list[tuple[tuple[int, ...], int]]:
    """Combinations of states that baskets are in, private items included, and how many are."""
    silent = np.zeros(N_STATES, np.bool_)
    groups = RuleGroups.all_alike(n_rows)
    for rule in rules:
        groups = groups.split(states_of(rule, columns, n_rows), silent)
    first = groups.first_rows()
    own = {item: flags[first] for item, flags in columns.items()}
    states = [states_of(rule, own, len(first)).tolist() for rule in rules]
    joints = list(zip(*states, strict=True)) if rules else [()] * len(first)
    return list(zip(joints, groups.sizes.tolist(), strict=True))


def rule_bins(
    rules: Sequence[ItemRule],
    groups: RuleGroups,
    seen: Mapping[str, Flags],
    columns: Mapping[str, Flags],
    private: frozenset[str],
) -> ListedBins:
    """Too many combinations: states of the rules that tell, one bin where nothing is told."""
    silent = np.flatnonzero(~groups.told)
    n_rows, offset = len(groups.label), len(silent)
    spans, bins = [silent], [np.arange(offset)]
    listed = np.zeros(groups.n_groups, np.int64)
    for number, rule in enumerate(rules):
        state = states_of(rule, seen, groups.n_groups, private)
        told = telling_states(rule, private)[state] & (listed < MOST_LISTED)
        listed += told
        for may_be, reached in enumerate(_reached(rule, state, private)):
            own = np.flatnonzero(told & reached)
            spans.append(own)
            bins.append(np.full(len(own), offset + N_STATES * number + may_be))
    span, listed_bins = np.concatenate(spans), np.concatenate(bins)
    order = np.lexsort((listed_bins, span))
    start = np.concatenate([[0], np.cumsum(np.bincount(span, minlength=groups.n_groups))])
    names = [f"nothing private, {number}" for number in range(offset)]
    names += [f"{rule}: {what}" for rule in rules for what in _STATE_NAMES]
    population = [groups.sizes[silent], *(_count_states(rule, columns, n_rows) for rule in rules)]
    return ListedBins(
        start.astype(np.int64),
        listed_bins[order].astype(np.int32),
        names,
        np.concatenate(population).astype(np.int64),
    )


def _reached(
    rule: ItemRule, state: NDArray[np.int64], private: frozenset[str]
) -> tuple[Flags, Flags, Flags]:
    """Which spans can be in each state of a rule when their private items are free."""
    left, right = bool(rule.left & private), bool(rule.right & private)
    return (state == 0) | left, (state == 1) | ((state == 2) & right), state == 2


def _count_states(rule: ItemRule, columns: Mapping[str, Flags], n_rows: int) -> Counts:
    """Baskets in each state of a rule."""
    left = int(has_all(rule.left, columns, n_rows).sum())
    whole = int(has_all(rule.items, columns, n_rows).sum())
    return np.array([n_rows - left, left - whole, whole], np.int64)
