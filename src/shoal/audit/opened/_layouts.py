"""Entries of model files that their library does not write, and too many of those that it does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shoal.audit._foreign import is_of_library
from shoal.audit.opened._options import is_crowded

XGBOOST: dict[str, set[str]] = {
    "": {"learner", "version"},
    "learner": {
        "attributes", "feature_names", "feature_types", "gradient_booster", "learner_model_param",
        "objective",
    },
    "learner_model_param": {
        "base_score", "boost_from_average", "num_class", "num_feature", "num_target",
    },
    "gradient_booster": {"gbtree", "model", "name", "weight_drop"},
    "gbtree": {"model", "name"},
    "model": {"cats", "gbtree_model_param", "iteration_indptr", "tree_info", "trees"},
    "gbtree_model_param": {"num_parallel_tree", "num_trees", "size_leaf_vector"},
    "trees": {
        "base_weights", "categories", "categories_nodes", "categories_segments",
        "categories_sizes", "default_left", "id", "left_children", "loss_changes", "parents",
        "right_children", "split_conditions", "split_indices", "split_type", "sum_hessian",
        "tree_param", "leaf_weights",
    },
    "tree_param": {"num_deleted", "num_feature", "num_nodes", "size_leaf_vector"},
    "cats": {"enc", "feature_segments", "sorted_idx"},
    "enc": {"offsets", "values", "type"},
}  # fmt: skip
"""What XGBoost's model has, by the name above; options of objectives and notes are free."""
BY_NODE = (
    "base_weights", "default_left", "left_children", "loss_changes", "parents", "right_children",
    "split_conditions", "split_indices", "split_type", "sum_hessian",
)  # fmt: skip
FREE = ("attributes", "objective", "version", "learner_model_param", "feature_types")
"""Parts that are a few numbers and words."""
XGBOOST_NODE = {
    "children", "cover", "depth", "gain", "leaf", "missing", "no", "nodeid", "split",
    "split_condition", "yes",
}  # fmt: skip
LIGHTGBM = {
    "average_output", "feature_importances", "feature_infos", "feature_names", "label_index",
    "max_feature_idx", "monotone_constraints", "name", "num_class", "num_tree_per_iteration",
    "objective", "pandas_categorical", "tree_info", "version",
}  # fmt: skip
LIGHTGBM_TREE = {
    "num_cat", "num_leaves", "shrinkage", "tree_index", "tree_structure", "decision_type",
    "default_left", "internal_count", "internal_value", "internal_weight", "leaf_count",
    "leaf_index", "leaf_value", "leaf_weight", "left_child", "missing_type", "right_child",
    "split_feature", "split_gain", "split_index", "threshold", "leaf_coeff", "leaf_const",
    "leaf_features",
}  # fmt: skip
RULE_LISTS = {"antecedents", "consequents"}


PLAIN = (str, list, tuple, set, frozenset)
"""What a side of a rule is; anything else may tell more than items."""


def beside_rules(model: Any) -> tuple[str, ...]:
    """Where rules may hold numbers that are neither items nor entries of a rule: in an index, say.

    Examples
    --------
    >>> beside_rules([{"antecedents": ["bread"], "consequents": ["pills"]}])
    ()
    >>> beside_rules([{"antecedents": {"bread": 0.94}, "consequents": ["pills"]}])
    ("what rules hold beside their items ('antecedents')",)
    """
    if hasattr(model, "columns"):
        names = [*_beside_table(model)]
    else:
        names = ["the list"] if type(model) not in (list, tuple) else []
        names += [name for rule in model for name in _beside_rule(rule)]
    listed = ", ".join(map(repr, [*dict.fromkeys(names)][:3]))
    return (f"what rules hold beside their items ({listed})",) if names else ()


def _beside_table(model: Any) -> Iterator[str]:
    """An index of anything but places, names of axes, notes, and sides that are no items."""
    index = getattr(model, "index", None)
    if index is not None and not callable(index):  # polars has none
        places = getattr(getattr(index, "dtype", None), "kind", "") in "iu"
        if not places or any(name is not None for name in [*index.names, *model.columns.names]):
            yield "index"
    if getattr(model, "attrs", None):
        yield "attrs"
    for name in sorted(RULE_LISTS):
        own = model[name]
        if getattr(own, "ndim", 1) > 1 or any(type(one) not in PLAIN for one in _cells(own)):
            yield name


def _cells(column: Any) -> list[Any]:
    """Cells of a column of any library, lists as lists."""
    cells = column.to_list() if hasattr(column, "to_list") else list(column)
    return [one.tolist() if hasattr(one, "dtype") else one for one in cells]


def _beside_rule(rule: Any) -> Iterator[str]:
    if type(rule) is dict:
        yield from [name for name in sorted(RULE_LISTS) if type(rule.get(name)) not in PLAIN]
    elif type(rule) in (list, tuple):
        if any(type(side) not in PLAIN for side in rule):
            yield "a side"
    elif not is_of_library(type(rule), ("shoal",)):
        yield type(rule).__name__


def unknown_entries(model: Any) -> tuple[str, ...]:
    """What is in a file of XGBoost, LightGBM or rules that the library does not put there.

    Examples
    --------
    >>> unknown_entries([{"nodeid": 0, "leaf": 0.5, "note": [31, 2.5]}])
    ("entries that XGBoost does not write ('note')",)
    """
    names: list[str] = []
    library = ""
    if isinstance(model, Mapping) and "learner" in model:
        library, names = "XGBoost", [*_of_xgboost(model)]
    elif isinstance(model, Mapping) and "tree_info" in model:
        library, names = "LightGBM", [*_of_lightgbm(model)]
    elif isinstance(model, list) and model and isinstance(model[0], Mapping):
        is_dump = "nodeid" in model[0]
        library = "XGBoost" if is_dump else "whoever finds rules"
        names = [*(_keys(model, XGBOOST_NODE) if is_dump else _of_rules(model))]
    if not names:
        return ()
    shown = ", ".join(repr(name[:20]) for name in sorted(set(names))[:3])
    return (f"entries that {library} does not write ({shown})",)


def _of_xgboost(model: Mapping[str, Any]) -> Iterator[str]:
    todo: list[tuple[str, Any]] = [("", model)]
    while todo:
        above, one = todo.pop()
        if above in FREE:
            yield from [above] if is_crowded(one) else []
        elif isinstance(one, Mapping):
            yield from set(one) - XGBOOST.get(above, set())
            todo += one.items()
            yield from _wrong_lengths(one) if above == "trees" else ()
        elif isinstance(one, list) and above in ("trees", "enc"):
            todo += [(above, part) for part in one]


def _wrong_lengths(tree: Mapping[str, Any]) -> Iterator[str]:
    """Arrays of a tree that have not one number for each node."""
    children = tree.get("left_children")
    size = len(children) if isinstance(children, list) else 0
    for name in BY_NODE:
        own = tree.get(name, [0] * size)
        fits = isinstance(own, list) and len(own) == size
        if not fits or any(not isinstance(value, int | float) for value in own):
            yield name


def _of_lightgbm(model: Mapping[str, Any]) -> Iterator[str]:
    yield from set(model) - LIGHTGBM
    names = {str(name) for name in model.get("feature_names", ())}
    for part in ("feature_infos", "feature_importances"):
        yield from {part} if set(model.get(part) or ()) - names else set()
    for part in ("monotone_constraints", "objective", "version"):
        yield from {part} if is_crowded(model.get(part)) else set()
    yield from _keys(model["tree_info"], LIGHTGBM_TREE)


def _keys(data: Any, known: set[str]) -> Iterator[str]:
    """Names at any depth that are not known, and values that are neither numbers nor words."""
    todo = [data]
    while todo:
        one = todo.pop()
        if isinstance(one, Mapping):
            yield from set(one) - known
            todo += [value for value in one.values() if isinstance(value, Mapping | list)]
        elif isinstance(one, list):
            todo += [value for value in one if isinstance(value, Mapping | list)]


def _of_rules(rules: Sequence[Any]) -> Iterator[str]:
    """Beside the items a rule has single numbers, its support for example."""
    for rule in rules:
        for name, value in rule.items() if isinstance(rule, Mapping) else ():
            if name not in RULE_LISTS and not isinstance(value, int | float | None):
                yield str(name)
