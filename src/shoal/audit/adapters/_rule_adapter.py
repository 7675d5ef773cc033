"""Association rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from shoal.audit._model_spans import ModelSpans
from shoal.audit._training_table import TrainingTable
from shoal.audit.adapters._adapter import Adapter, AdapterOptions
from shoal.audit.opened._layouts import beside_rules
from shoal.errors import SchemaError, TableError
from shoal.privacy.spans._rule_spans import ItemRule, read_rules, rule_spans
from shoal.privacy.spans._rule_worlds import ItemTree, has_world
from shoal.schema import Schema
from shoal.typing import Flags

MOST_SETS = 60  # published itemsets whose supports are checked together
SIDES = {"antecedents", "consequents"}
OF_LEFT = {"support", "confidence", "antecedent support", "coverage", "count"}
"""Numbers that follow from how many baskets have the left side, and how many the whole rule."""
OF_RIGHT = {
    "consequent support", "lift", "leverage", "conviction", "zhangs_metric", "jaccard",
    "certainty", "kulczynski", "representativity",
}  # fmt: skip
"""Numbers that tell how many have the right side as well."""


def item_schema(public: Iterable[str], private: Iterable[str]) -> Schema:
    """A schema for baskets: a column per item, true where the basket has it.

    Parameters
    ----------
    public : iterable of str
        Items that an attacker may have seen in somebody's basket.
    private : iterable of str
        Items that nobody sees; those among `public` too are private.

    Examples
    --------
    >>> schema = item_schema(["bread", "tea", "pills"], private=["pills"])
    >>> schema.sensitive
    ('pills',)
    """
    hidden = set(private)
    roles = {item: "quasi-identifier" for item in public if item not in hidden}
    roles |= dict.fromkeys(sorted(hidden), "sensitive")
    return Schema({item: {"role": role} for item, role in roles.items()})


class RuleAdapter(Adapter):
    """Rules over baskets, as a table or a list; items are the schema's columns."""

    name = "association rules"

    def recognizes(self, model: Any) -> bool:
        """Whether a model is a table or a list of rules."""
        if hasattr(model, "columns"):
            return {"antecedents", "consequents"} <= set(map(str, model.columns))
        if not isinstance(model, list | tuple) or not model:
            return False
        first = model[0]
        if isinstance(first, Mapping):
            return "antecedents" in first
        return not hasattr(first, "predict")

    def read(self, model: Any, table: TrainingTable, options: AdapterOptions) -> ModelSpans:
        """Spans of baskets with the same public items of the rules."""
        rules = read_rules(model)
        columns = _read_items(rules, table)
        if options.check_table:
            _check_support(model, rules, columns, table.n_rows)
        told = rule_spans(rules, columns, table.private, table.n_rows, table.columns)

        def explain(span: int) -> tuple[str, ...]:
            return tuple(f"rule {rules[rule]}" for rule in told.speaking(span)[:5])

        unread = (
            *_unread_supports(model, rules, columns, table, options.k),
            *beside_rules(model),
        )
        return ModelSpans(
            "association rules", told.spans, told.span_of_row, told.bins, explain, unread=unread
        )


def _read_items(rules: Sequence[ItemRule], table: TrainingTable) -> dict[str, Flags]:
    """Truth values of the items that rules speak of."""
    used = sorted({item for rule in rules for item in rule.items})
    unknown = [item for item in used if item not in table.attributes]
    if unknown:
        raise SchemaError(
            f"the rules have {len(unknown)} items that are no columns of the schema: "
            f"{', '.join(map(repr, unknown[:5]))}."
        )
    return {item: np.nan_to_num(table.numbers(item)) != 0 for item in used}


def _unread_supports(
    model: Any,
    rules: Sequence[ItemRule],
    columns: Mapping[str, Flags],
    table: TrainingTable,
    k: int,
) -> tuple[str, ...]:
    """Supports that are published must not count out few baskets together."""
    named = _named(model)
    if not named:
        return ()
    closed = sorted(named - OF_LEFT - OF_RIGHT)
    unknown = (f"what rules say beside their items ({', '.join(map(repr, closed[:3]))})",)
    sets = {side for rule in rules for side in (rule.left, rule.items)}
    if named - OF_LEFT:
        sets |= {rule.right for rule in rules}
    if len(sets) <= MOST_SETS:
        supports = {
            items: int(np.logical_and.reduce([columns[item] for item in items]).sum())
            for items in sets
            if items
        }
        if has_world(supports, table.n_rows, k, table.private, _item_tree(columns)):
            return unknown if closed else ()
    together = f"supports of {len(sets)} itemsets may count out fewer than {k} baskets together"
    return (together, *(unknown if closed else ()))


def _named(model: Any) -> set[str]:
    """What any of the rules is published with beside its items."""
    if hasattr(model, "columns"):
        return set(map(str, model.columns)) - SIDES
    entries = (entry for rule in model if isinstance(rule, Mapping) for entry in rule.items())
    return {str(name) for name, value in entries if value is not None} - SIDES


def _item_tree(columns: Mapping[str, Flags]) -> ItemTree:
    """Items that imply others in every basket: an attacker may know that they always do."""
    parents = {
        item: frozenset(o for o in columns if o != item and not (own & ~columns[o]).any())
        for item, own in columns.items()
    }
    below = {item: [o for o in columns if item in parents[o]] for item in columns}
    members = {
        item: frozenset(own)
        for item, own in below.items()
        if own and (np.logical_or.reduce([columns[o] for o in own]) == columns[item]).all()
    }
    return ItemTree(parents, members)


def _check_support(
    model: Any, rules: Sequence[ItemRule], columns: Mapping[str, Flags], n_rows: int
) -> None:
    if hasattr(model, "columns"):
        supports = list(model["support"]) if "support" in model.columns else []
    else:
        supports = [r.get("support") for r in model if isinstance(r, Mapping)]
    differ = 0
    for rule, support in zip(rules, supports, strict=False):
        whole = np.logical_and.reduce([columns[item] for item in rule.items])
        differ += support is not None and abs(float(support) * n_rows - int(whole.sum())) > 0.51
    if differ:
        raise TableError(
            f"this is not the training table: {differ} of {len(rules)} rules have another support "
            f"in it. Give the training table, or check_table=False (--other-table)."
        )
