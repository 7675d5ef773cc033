"""Association rules fit to publish: public items never single out few people by their secrets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from shoal._checks import SaysWhatItTakes, check_choice
from shoal.errors import ParameterError, SchemaError, TableError
from shoal.models._groups import check_schema, count_only, read_privacy
from shoal.models._input import read_input
from shoal.models.rules._choose_rules import Allows, Baskets, choose_rules
from shoal.models.rules._mine_rules import Mined, generalize, mine
from shoal.privacy import KAnonymity, PrivacyModel
from shoal.privacy.spans._rule_groups import RuleGroups
from shoal.privacy.spans._rule_spans import RuleSpans, rule_spans
from shoal.privacy.spans._spans import PrivateColumns, count_groups
from shoal.schema import Column, Schema
from shoal.schema._coding import code_column
from shoal.typing import Flags


@dataclass(frozen=True)
class RuleCost:
    """What anonymity cost a rule set.

    Parameters
    ----------
    mined, kept, generalized, dropped : int
        Rules found, released as found, released with coarser items, and left out.
    channels : int
        Rules that could be released without supports, by which fewer than k rows were counted out.
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


class KAnonymousRules(SaysWhatItTakes, BaseEstimator):
    """Association rules that can be published with support and confidence [FWS08]_.

    Parameters
    ----------
    schema : Schema, optional
        Role of every item: sensitive ones are private, all others public (see
        :func:`shoal.audit.item_schema`).  Without a schema every item is public.
    privacy : PrivacyModel or int, default=10
        What every span has to satisfy if the rules say something private about it; a number is k.
        Every private item is a sensitive column with the values true and false.
    min_support, min_confidence : float
        As in the mining of frequent itemsets.
    max_items : int, default=4
        Items of a rule, at most.
    hierarchy : mapping of str to str, optional
        Parent of each item; a rule that breaks anonymity is tried with coarser items before it is
        dropped.  Parents whose items are partly private are not used.
    close_channels : bool, default=True
        Also leave out rules whose supports might single out fewer than k rows.  Without it only
        spans are guaranteed: then publish rules without support and confidence.
    prefer : {"rules", "weight"}, default="rules"
        Of the two sets that are tried, release the one with more rules, or with more support times
        confidence.

    Attributes
    ----------
    rules_ : list of dict
        `antecedents`, `consequents`, `support`, `confidence` of each released rule, the heaviest
        first; an audit takes them as they are.
    cost_ : RuleCost
        What was left out.  For the owner of the data: where one rule was left out, the difference
        of the weights is its support.  It is left out of pickles and copies.
    spans_ : RuleSpans
        The spans behind the guarantee.  For the owner of the data: it has a basket of every span
        and the span of every basket.  It is left out of pickles and copies.
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

    No fewer rules are released than the mined ones without a private item, which are always safe;
    with ``prefer="weight"`` no less weight than theirs.
    Conditions on private values hold for spans; of supports the guarantee speaks of k alone.

    **Departures from the paper**, which only tests given rules: rules are taken by support times
    confidence, greedily, once from all of them and once with those without a private item first,
    and the larger set is released, so that the best set of rules may be missed.

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
        prefer: Literal["rules", "weight"] = "rules",
    ) -> None:
        self.schema = schema
        self.privacy = privacy
        self.min_support = min_support
        self.min_confidence = min_confidence
        self.max_items = max_items
        self.hierarchy = hierarchy
        self.close_channels = close_channels
        self.prefer = prefer

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
        columns = self._read(X, reset=True)
        n_rows = len(next(iter(columns.values())))
        closed = self._private(columns)
        if n_rows < model.minimum_size:
            raise TableError(
                f"n_samples={n_rows}: these baskets are fewer than k = {model.minimum_size}."
            )
        mined = mine(columns, self.min_support, self.min_confidence, self.max_items)
        wide, parents, closed = generalize(columns, self.hierarchy or {}, closed)
        self.privacy_ = model.bind(tuple(sorted(closed)))
        values = _private_values(self.privacy_, wide, closed)
        baskets = Baskets(wide, parents, closed, model.minimum_size)
        chosen = choose_rules(
            mined,
            baskets,
            _allows(self.privacy_, values),
            close_channels=self.close_channels,
            prefer=self.prefer,
        )
        rules = [one.rule for one in chosen.rules]
        rule_groups = rule_spans(rules, wide, closed, n_rows, values)
        rule_groups.spans.require(self.privacy_)
        self.spans_: RuleSpans = replace(
            rule_groups,
            spans=replace(rule_groups.spans, groups=count_only(rule_groups.spans.groups)),
        )
        # in an order of their own: by that of the search, a coarser rule lies where the finer was
        self.rules_ = [one.to_dict() for one in sorted(chosen.rules, key=_place)]
        self.private_ = tuple(sorted(closed))
        coarse = sum(rule in chosen.generalized for rule in rules)
        self.cost_ = RuleCost(
            mined=len(mined),
            kept=len(rules) - coarse,
            generalized=coarse,
            dropped=len(mined) - len(rules),
            channels=chosen.n_closed,
            weight_before=float(sum(one.weight for one in mined)),
            weight_after=float(sum(one.weight for one in chosen.rules)),
        )
        return self

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the rules, and nothing that tells of baskets or of rules left out."""
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name not in ("spans_", "cost_")}

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
        check_schema(self.schema)
        model = read_privacy(self.privacy, "a set of rules")
        check_choice("prefer", self.prefer, ("rules", "weight"))
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
        row_of = {item: index for index, item in enumerate(items)}
        table = np.zeros((len(items), len(baskets)), np.bool_)
        for row, basket in enumerate(baskets):
            table[[row_of[item] for item in basket], row] = True
        columns = dict(zip(items, table, strict=True))
    if not columns or not len(next(iter(columns.values()))):
        raise TableError("there are no baskets to mine.")
    return columns


def _place(one: Mined) -> tuple[float, list[str], list[str]]:
    """Heavier rules first; equally heavy ones by their items."""
    return -one.weight, sorted(one.rule.left), sorted(one.rule.right)


def _private_values(
    model: PrivacyModel, columns: Mapping[str, Flags], private: frozenset[str]
) -> PrivateColumns:
    """Private items as sensitive columns; none where only sizes count."""
    if all(isinstance(part, KAnonymity) for part in model.parts):
        return {}
    column = Column(role="sensitive")
    return {
        item: code_column(item, column, columns[item].astype(np.int32), ["false", "true"])
        for item in sorted(private)
    }


def _allows(model: PrivacyModel, values: PrivateColumns) -> Allows:
    """Whether every group about which something private is told is allowed."""

    def allows(groups: RuleGroups) -> bool:
        if not values:  # sizes alone are quicker counted than groups with their values
            return not (groups.sizes[groups.told] < model.minimum_size).any()
        counted = count_groups(groups.label, groups.n_groups, values)
        return bool(model.holds(counted)[groups.told].all())

    return allows
