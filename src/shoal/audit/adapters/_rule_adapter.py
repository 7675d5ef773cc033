"""Association rules seen as spans."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from shoal.audit._model_spans import ModelSpans
from shoal.audit._training_table import TrainingTable
from shoal.errors import SchemaError, TableError
from shoal.privacy.spans._rule_spans import read_rules, rule_spans
from shoal.schema import Schema


def item_schema(public: Iterable[str], private: Iterable[str]) -> Schema:
    """A schema for baskets: a column per item, true where the basket has it."""
    hidden = set(private)
    roles = {item: "quasi-identifier" for item in public if item not in hidden}
    roles |= dict.fromkeys(sorted(hidden), "sensitive")
    return Schema({item: {"role": role} for item, role in roles.items()})


def is_rules(model: Any) -> bool:
    """Whether a model is a table or a list of rules."""
    if hasattr(model, "columns"):
        return {"antecedents", "consequents"} <= set(map(str, model.columns))
    if not isinstance(model, list | tuple) or not model:
        return False
    first = model[0]
    return "antecedents" in first if isinstance(first, Mapping) else not hasattr(first, "predict")


def read_rule_set(model: Any, people: TrainingTable, *, check_table: bool) -> ModelSpans:
    """Spans of rules over baskets; items are the schema's columns."""
    rules = read_rules(model)
    used = sorted({item for rule in rules for item in rule.items})
    unknown = [item for item in used if item not in people.attributes]
    if unknown:
        raise SchemaError(
            f"the rules have {len(unknown)} items that are no columns of the schema: "
            f"{', '.join(map(repr, unknown[:5]))}."
        )
    columns = {item: np.nan_to_num(people.numbers(item)) != 0 for item in used}
    if check_table:
        _check_support(model, rules, columns, people.n_rows)
    found = rule_spans(rules, columns, people.private, people.n_rows, people.columns)

    def explain(span: int) -> tuple[str, ...]:
        told = np.flatnonzero(found.told[span]).tolist()
        return tuple(f"rule {rules[place]}" for place in told[:5])

    return ModelSpans("association rules", found.spans, found.span_of_row, found.bins, explain)


def _check_support(model: Any, rules: Any, columns: Any, n_rows: int) -> None:
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
