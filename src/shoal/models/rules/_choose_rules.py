"""Which of the mined rules are released: heaviest first, in whichever order keeps more of them.

**Theorem.**  Rules without private items say nothing private: private items do not decide on
their states, so they turn no group into one that is told, and their supports are left alone where
no private item is published.  Taken first, all of them are kept, whatever follows.  So no fewer
rules are released than there are mined rules without a private item; where weight is preferred,
no lighter ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from shoal.models.rules._mine_rules import Mined, list_kinds, support_of
from shoal.privacy.spans._rule_groups import RuleGroups, split_by_rule
from shoal.privacy.spans._rule_spans import ItemRule
from shoal.privacy.spans._rule_worlds import ItemTree, has_world
from shoal.typing import Flags

FEW_SETS = 128  # published itemsets up to which rules are given up one by one
MOST_BLOCKS = 32  # blocks in which rules are given up, so that large sets cost no more searches


class Baskets(NamedTuple):
    """The baskets, with the parents of their items and which of these are private."""

    columns: Mapping[str, Flags]
    parents: Mapping[str, str]
    private: frozenset[str]
    k: int  # baskets that nothing may count out fewer of

    @property
    def n_rows(self) -> int:
        """Number of baskets."""
        return len(next(iter(self.columns.values())))


class Chosen(NamedTuple):
    """Rules to release."""

    rules: list[Mined]
    generalized: set[ItemRule]
    n_closed: int  # rules that could stay if supports were not published

    @property
    def worth(self) -> tuple[int, float]:
        """More rules are better, then heavier ones."""
        return len(self.rules), sum(one.weight for one in self.rules)


Allows = Callable[[RuleGroups], bool]


def worth(rules: list[Mined], prefer: str) -> tuple[float, float]:
    """More rules are better, then heavier ones; or heavier ones, then more."""
    both = float(len(rules)), sum(one.weight for one in rules)
    return both if prefer == "rules" else both[::-1]


def choose_rules(
    mined: list[Mined],
    baskets: Baskets,
    allows: Allows,
    *,
    close_channels: bool,
    prefer: str = "rules",
) -> Chosen:
    """Rules while every told group is allowed and, if asked, no supports count out few baskets."""
    by_weight = sorted(mined, key=lambda one: -one.weight)
    silent_first = sorted(by_weight, key=lambda one: bool(one.rule.items & baskets.private))
    taken = [_take(ordered, baskets, allows) for ordered in (silent_first, by_weight)]
    most = max(len(chosen) for chosen, _ in taken)
    best: Chosen | None = None
    for chosen, generalized in taken:
        if best is not None and worth(chosen, prefer)[0] < worth(best.rules, prefer)[0]:
            continue  # closing channels only leaves rules out
        kept = close(chosen, baskets) if close_channels else chosen
        choice = Chosen(kept, generalized, most - len(kept))
        if best is None or worth(kept, prefer) > worth(best.rules, prefer):
            best = choice
    assert best is not None
    return best


def _take(
    ordered: list[Mined], baskets: Baskets, allows: Allows
) -> tuple[list[Mined], set[ItemRule]]:
    """Take rules in order while every group stays allowed; try coarser items before giving up."""
    groups = RuleGroups.all_alike(baskets.n_rows)
    chosen: dict[ItemRule, Mined] = {}
    generalized: set[ItemRule] = set()
    for one in ordered:
        for rule in coarser(one.rule, baskets.parents):
            if rule in chosen:  # taken already, coarsened from another rule
                break
            finer = split_by_rule(groups, rule, baskets.columns, baskets.private)
            if not allows(finer):
                continue
            groups = finer
            chosen[rule] = Mined.count(rule, baskets.columns, baskets.n_rows)
            if rule != one.rule:
                generalized.add(rule)
            break
    return list(chosen.values()), generalized


def coarser(rule: ItemRule, parents: Mapping[str, str]) -> Iterable[ItemRule]:
    """The rule, then with its items replaced by their parents, one more at a time."""
    yield rule
    left, right = rule.left, rule.right
    for item in sorted(rule.items):
        if item not in parents:
            continue
        left = frozenset(parents[item] if i == item else i for i in left)
        right = frozenset(parents[item] if i == item else i for i in right)
        # an item beside its own parent would be no rule: the one implies the other
        up = {parents[i] for i in left | right if i in parents}
        if not left & right and not up & (left | right):
            yield ItemRule(left, right)


def close(chosen: list[Mined], baskets: Baskets) -> list[Mined]:
    """Take rules in order while their supports have a world in which no count is small."""
    tree = ItemTree.from_parents(baskets.parents)
    observed = list_kinds(baskets.columns)
    support: dict[frozenset[str], int] = {}
    known: dict[frozenset[frozenset[str]], bool] = {}

    def fits(rules: list[Mined]) -> bool:
        for items in (side for m in rules for side in (m.rule.left, m.rule.items)):
            if items not in support:
                support[items] = support_of(items, baskets.columns, baskets.n_rows)
        published = {side: support[side] for m in rules for side in (m.rule.left, m.rule.items)}
        key = frozenset(published)
        if key not in known:
            known[key] = has_world(
                published, baskets.n_rows, baskets.k, baskets.private, tree, observed
            )
        return known[key]

    sets = {side for m in chosen for side in (m.rule.left, m.rule.items)}
    least = 1 if len(sets) <= FEW_SETS else max(1, len(chosen) // MOST_BLOCKS)

    def extend(kept: list[Mined], block: list[Mined]) -> list[Mined]:
        if not block or fits([*kept, *block]):
            return [*kept, *block]
        if len(block) <= least:
            return kept
        # most rules fit, so that one search mostly settles a whole block
        half = len(block) // 2
        return extend(extend(kept, block[:half]), block[half:])

    # rules in front without a private item are safe together, and no block may take one along
    told = [bool(one.rule.items & baskets.private) for one in chosen]
    n_silent = told.index(True) if any(told) else len(chosen)
    return extend(extend([], chosen[:n_silent]), chosen[n_silent:])
