"""Baskets told apart rule by rule, without a table of baskets times rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from shoal.typing import Counts, Flags

if TYPE_CHECKING:
    from shoal.privacy.spans._rule_spans import ItemRule

N_STATES = 3  # left side not met, left side met, whole rule met


@dataclass(frozen=True, eq=False)
class RuleGroups:
    """Baskets that the rules so far do not tell apart.

    Parameters
    ----------
    label : ndarray of int64
        Group of each basket.
    told : ndarray of bool
        Whether something private is said about each group.
    """

    label: NDArray[np.int64]
    told: Flags

    @classmethod
    def all_alike(cls, n_rows: int) -> Self:
        """Before any rule there is one group, about which nothing is said."""
        return cls(np.zeros(n_rows, np.int64), np.zeros(min(n_rows, 1), np.bool_))

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.told)

    @property
    def sizes(self) -> Counts:
        """Baskets of each group."""
        return np.bincount(self.label, minlength=self.n_groups).astype(np.int64)

    def split(self, states: NDArray[np.int64], tells: Flags) -> RuleGroups:
        """Groups after one more rule, split by each basket's state under it.

        `tells` says of each state whether a basket that has it by its public items may be in
        another one by its private items.
        """
        key = self.label * N_STATES + states
        seen = np.zeros(self.n_groups * N_STATES, np.bool_)
        seen[key] = True
        pairs = np.flatnonzero(seen)
        number = np.cumsum(seen) - 1
        return RuleGroups(number[key], self.told[pairs // N_STATES] | tells[pairs % N_STATES])

    def first_rows(self) -> NDArray[np.intp]:
        """First basket of each group."""
        first = np.zeros(self.n_groups, np.intp)
        first[self.label[::-1]] = np.arange(len(self.label))[::-1]
        return first

    def in_order(self) -> RuleGroups:
        """The same groups, numbered as they first appear."""
        order = np.argsort(self.first_rows())
        number = np.empty(self.n_groups, np.int64)
        number[order] = np.arange(self.n_groups)
        return RuleGroups(number[self.label], self.told[order])


def split_by_rule(
    groups: RuleGroups, rule: ItemRule, columns: Mapping[str, Flags], private: frozenset[str]
) -> RuleGroups:
    """Groups of baskets after a further rule, told apart by their public items alone."""
    states = states_of(rule, columns, len(groups.label), private)
    return groups.split(states, telling_states(rule, private))


def telling_states(rule: ItemRule, private: frozenset[str]) -> Flags:
    """In which states by public items the private ones of a rule decide on its state."""
    left, right = bool(rule.left & private), bool(rule.right & private)
    return np.array([False, left, left or right], np.bool_)


def states_of(
    rule: ItemRule,
    columns: Mapping[str, Flags],
    n_rows: int,
    ignored: frozenset[str] = frozenset(),
) -> NDArray[np.int64]:
    """State of a rule for each basket: 0 left side not met, 1 met, 2 the whole rule met."""
    left = has_all(rule.left - ignored, columns, n_rows)
    whole = left & has_all(rule.right - ignored, columns, n_rows)
    return left.astype(np.int64) + whole


def has_all(items: Iterable[str], columns: Mapping[str, Flags], n_rows: int) -> Flags:
    """Which baskets hold all items."""
    has = np.ones(n_rows, np.bool_)
    for item in items:
        has &= columns[item]
    return has
