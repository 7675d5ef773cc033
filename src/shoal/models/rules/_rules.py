"""Association rules fit to publish: public items never single out few people by their secrets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from numbers import Integral
from typing import Any, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from shoal.errors import ParameterError, SchemaError, TableError
from shoal.models._input import read_input
from shoal.models.rules._mine_rules import Mined, generalize, list_kinds, mine, support_of
from shoal.privacy import KAnonymity, PrivacyModel, as_privacy_model
from shoal.privacy.spans._rule_spans import ItemRule, RuleSpans, rule_spans
from shoal.privacy.spans._rule_worlds import ItemTree, has_world
from shoal.schema import Schema
from shoal.typing import Flags

FEW_SETS = 128  # published itemsets up to which rules are given up one by one
MOST_BLOCKS = 32  # blocks in which rules are given up, so that large sets cost no more searches


@dataclass(frozen=True)
class RuleCost:
    """What anonymity cost a rule set.

    Parameters
    ----------
    mined, kept, generalized, dropped : int
        Rules found, released as found, released with coarser items, and left out.
    channels : int
        Rules left out because supports of released itemsets would isolate fewer than k rows.
    weight_before, weight_after : float
        Support times confidence, summed over rules.
    """

    mined: int
    kept: int
    generalized: int
    dropped: int
    channels: int
    weight_before: float
    weight_after: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


class KAnonymousRules(BaseEstimator):
    """Association rules that can be published with support and confidence [FWS08]_.

    Parameters
    ----------
    schema : Schema, optional
        Role of every item: sensitive ones are private, all others public (see
        :func:`shoal.audit.item_schema`).  Without a schema every item is public.
    privacy : KAnonymity or int, default=10
        What every span has to satisfy about which the rules say something private; a number is k.
        Rules count baskets, so that models of private values do not apply.
    min_support, min_confidence : float
        As in the mining of frequent itemsets.
    max_items : int, default=4
        Items of a rule, at most.
    hierarchy : mapping of str to str, optional
        Parent of each item; a rule that breaks anonymity is tried with coarser items before it is
        dropped.  Parents whose items are partly private are not used.
    close_channels : bool, default=True
        Also leave out rules by whose supports fewer than k rows might be counted out.  Without
        it only spans are guaranteed: publish rules without support and confidence then.

    Attributes
    ----------
    rules_ : list of dict
        `antecedents`, `consequents`, `support`, `confidence` of each released rule; an audit takes
        them as they are.
    cost_ : RuleCost
        What was left out.
    spans_ : RuleSpans
        The spans behind the guarantee.
    privacy_ : PrivacyModel
        What the spans satisfy.

    Notes
    -----
    **Guarantee.**  Every span of the released set has a single equivalence class or at least k
    rows; it is found anew on the finished set, and a set that fails is withheld.  With
    `close_channels`, nothing that can be derived from all released supports together, and from the
    hierarchy, counts out 1 to k - 1 baskets: there is another table with the same supports in
    which every kind of basket occurs 0 times or at least k times.  Supports of public items that
    share no item with private ones are left alone.  Rules for which no such table is found are
    left out, also where the search was too large to find one.

    **Departures from the paper**, which only tests given rules: rules are taken by support times
    confidence, greedily, so that the best set of rules may be missed.

    References
    ----------
    .. [FWS08] A. Friedman, R. Wolff, A. Schuster.  Providing k-anonymity in data mining.
       The VLDB Journal 17, 2008.  doi:10.1007/s00778-006-0039-5

    Examples
    --------
    >>> from shoal.audit import item_schema
    >>> baskets = 30 * [["bread", "pills"]] + 30 * [["bread"]] + 40 * [["tea"]]
    >>> schema = item_schema(["bread", "tea"], private=["pills"])
    >>> rules = KAnonymousRules(schema, 20).fit(baskets)
    >>> [rule["antecedents"] for rule in rules.rules_]
    [['pills'], ['bread']]
    """

    def __init__(
        self,
        schema: Schema | None = None,
        privacy: PrivacyModel | int = 10,
        *,
        min_support: float = 0.01,
        min_confidence: float = 0.3,
        max_items: int = 4,
        hierarchy: Mapping[str, str] | None = None,
        close_channels: bool = True,
    ) -> None:
        self.schema = schema
        self.privacy = privacy
        self.min_support = min_support
        self.min_confidence = min_confidence
        self.max_items = max_items
        self.hierarchy = hierarchy
        self.close_channels = close_channels

    def fit(self, X: Any, y: Any = None) -> Self:
        """Mine `X`: baskets as lists of items, or a table of truth values with a column per item.

        Numbers stand for true unless they are 0; items of an array without names are "x0", "x1"
        and so on.  `y` is not used.

        Returns
        -------
        self
            The fitted rules.
        """
        model = self._check_params()
        k = model.minimum_size
        columns = self._read(X, reset=True)
        n_rows = len(next(iter(columns.values())))
        closed = self._private(columns)
        if n_rows < k:
            raise TableError(f"n_samples={n_rows}: these baskets are fewer than k = {k}.")
        mined = mine(columns, self.min_support, self.min_confidence, self.max_items)
        wide, parents, closed = generalize(columns, self.hierarchy or {}, closed)
        chosen, generalized = _choose(mined, wide, parents, closed, k)
        before = len(chosen)
        if self.close_channels:
            chosen = _close(chosen, wide, parents, closed, k)
        self.spans_: RuleSpans = rule_spans([m.rule for m in chosen], wide, closed, n_rows)
        self.spans_.spans.require(model)
        self.privacy_ = model
        self.rules_ = [m.to_dict() for m in chosen]
        self.private_ = tuple(sorted(closed))
        coarse = sum(m.rule in generalized for m in chosen)
        self.cost_ = RuleCost(
            mined=len(mined),
            kept=len(chosen) - coarse,
            generalized=coarse,
            dropped=len(mined) - len(chosen),
            channels=before - len(chosen),
            weight_before=float(sum(m.weight for m in mined)),
            weight_after=float(sum(m.weight for m in chosen)),
        )
        return self

    def to_columns(self, X: Any) -> dict[str, Flags]:
        """Baskets as truth values by item, generalized items included: what an audit reads."""
        check_is_fitted(self, "rules_")
        columns = self._read(X, reset=False)
        return generalize(columns, self.hierarchy or {}, self._private(columns))[0]

    def _private(self, columns: Mapping[str, Flags]) -> frozenset[str]:
        """The private items; every item of the baskets needs a role."""
        if self.schema is None:
            return frozenset()
        if lost := len(columns.keys() - set(self.schema)):
            raise SchemaError(f"{lost} items of the baskets are no columns of the schema.")
        private = frozenset(self.schema.sensitive)
        if lost := len(private - columns.keys()):
            raise SchemaError(f"{lost} private items are in no basket.")
        return private

    def _read(self, X: Any, *, reset: bool) -> dict[str, Flags]:
        """Truth values by item; of tables and arrays the columns are remembered or compared."""
        if isinstance(X, list | tuple) or (isinstance(X, Mapping) and not issparse(X)):
            return read_baskets(X)
        table = read_input(self, X, reset=reset)
        columns = {name: table.numbers(place) for place, name in enumerate(table.names)}
        if missing := sum(bool(np.isnan(column).any()) for column in columns.values()):
            raise TableError(f"{missing} items have missing values (NaN). Say true or false.")
        return {name: column != 0 for name, column in columns.items()}

    def _check_params(self) -> PrivacyModel:
        if self.schema is not None and not isinstance(self.schema, Schema):
            raise SchemaError(f"schema must be a Schema, got {type(self.schema).__name__}.")
        model = as_privacy_model(self.privacy)
        if not all(isinstance(part, KAnonymity) for part in model.parts):
            raise ParameterError("privacy must be KAnonymity or k: rules only count baskets.")
        for name in ("min_support", "min_confidence"):
            if not 0 < getattr(self, name) <= 1:
                raise ParameterError(f"{name} must be above 0 and at most 1.")
        if not isinstance(self.max_items, Integral) or self.max_items < 2:
            raise ParameterError("max_items must be a whole number of at least 2.")
        return model


def read_baskets(X: Mapping[str, Any] | Iterable[Iterable[Any]]) -> dict[str, Flags]:
    """Truth values by item, from columns of them or from lists of items."""
    if isinstance(X, Mapping):
        columns = {str(item): np.asarray(flags, np.bool_) for item, flags in X.items()}
    else:
        baskets = [set(map(str, basket)) for basket in X]
        items = sorted(set().union(*baskets))
        place = {item: at for at, item in enumerate(items)}
        table = np.zeros((len(items), len(baskets)), np.bool_)
        for row, basket in enumerate(baskets):
            table[[place[item] for item in basket], row] = True
        columns = dict(zip(items, table, strict=True))
    if not columns or not len(next(iter(columns.values()))):
        raise TableError("there are no baskets to mine.")
    return columns


def _choose(
    mined: list[Mined],
    columns: Mapping[str, Flags],
    parents: Mapping[str, str],
    private: frozenset[str],
    k: int,
) -> tuple[list[Mined], set[ItemRule]]:
    """Take rules by weight while every span stays allowed; try coarser items before giving up."""
    n_rows = len(next(iter(columns.values())))
    label, told = np.zeros(n_rows, np.int64), np.zeros(1, np.bool_)
    chosen: list[Mined] = []
    generalized: set[ItemRule] = set()
    for one in sorted(mined, key=lambda m: -m.weight):
        for rule in _coarser(one.rule, parents):
            if any(rule == other.rule for other in chosen):
                break
            parts = _split(rule, columns, private, label, told)
            if parts is None or (parts[2][parts[1]] < k).any():
                continue
            label, told = parts[0], parts[1]
            chosen.append(Mined.count(rule, columns, n_rows))
            if rule != one.rule:
                generalized.add(rule)
            break
    return chosen, generalized


def _split(
    rule: ItemRule, columns: Mapping[str, Flags], private: frozenset[str], label: Any, told: Flags
) -> tuple[Any, Flags, Any] | None:
    """Groups after a further rule: number of each row, whether something private is told, sizes."""
    left = _all(columns, rule.left - private, len(label))
    right = left & _all(columns, rule.right - private, len(label))
    key = label * 3 + left + right
    found, new, sizes = np.unique(key, return_inverse=True, return_counts=True)
    state = found % 3
    free_left, free_right = bool(rule.left & private), bool(rule.right & private)
    says = ((state > 0) & free_left) | ((state == 2) & free_right)
    return new, told[found // 3] | says, sizes


def _all(columns: Mapping[str, Flags], items: Iterable[str], n_rows: int) -> Flags:
    found = np.ones(n_rows, np.bool_)
    for item in items:
        found &= columns[item]
    return found


def _coarser(rule: ItemRule, parents: Mapping[str, str]) -> Iterable[ItemRule]:
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


def _close(
    chosen: list[Mined],
    columns: Mapping[str, Flags],
    parents: Mapping[str, str],
    private: frozenset[str],
    k: int,
) -> list[Mined]:
    """Take rules, heaviest first, while their supports have a world in which no count is small."""
    n_rows = len(next(iter(columns.values())))
    tree = ItemTree.from_parents(parents)
    observed = list_kinds(columns)
    support: dict[frozenset[str], int] = {}
    known: dict[frozenset[frozenset[str]], bool] = {}

    def fits(rules: list[Mined]) -> bool:
        for items in (side for m in rules for side in (m.rule.left, m.rule.items)):
            if items not in support:
                support[items] = support_of(items, columns, n_rows)
        published = {side: support[side] for m in rules for side in (m.rule.left, m.rule.items)}
        key = frozenset(published)
        if key not in known:
            known[key] = has_world(published, n_rows, k, private, tree, observed)
        return known[key]

    sets = {side for m in chosen for side in (m.rule.left, m.rule.items)}
    least = 1 if len(sets) <= FEW_SETS else max(1, len(chosen) // MOST_BLOCKS)

    def extend(kept: list[Mined], block: list[Mined]) -> list[Mined]:
        if fits([*kept, *block]):
            return [*kept, *block]
        if len(block) <= least:
            return kept
        half = len(block) // 2
        return extend(extend(kept, block[:half]), block[half:])

    return extend([], chosen) if chosen else []
