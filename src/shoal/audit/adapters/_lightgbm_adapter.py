"""LightGBM's trees, from what `dump_model` gives; the package itself is not needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from shoal.audit._coded_features import code_features, encoded_features
from shoal.audit._feature_map import Features, last_step, match_columns, split_pipeline
from shoal.audit._training_table import TrainingTable
from shoal.audit.adapters._adapter import AdapterOptions, TreeAdapter
from shoal.audit.trees._binary_tree import BinaryTree, TreeWriter
from shoal.audit.trees._first_round import is_of_target
from shoal.audit.trees._leaf_values import FITTED, MEDIANS, UNSEEN, WEIGHTED, uneven_boosting
from shoal.audit.trees._tree_model import TreeModel
from shoal.errors import ParameterError, SchemaError
from shoal.typing import Floats

Node = Mapping[str, Any]
EXACT = 1e-6
"""How far sums of second derivatives may be off."""


class LightGBMAdapter(TreeAdapter):
    """A fitted estimator, a Booster, or what `dump_model` gives.

    Numbers up to the threshold go left, in double precision.  A missing value is a zero where the
    training rows had none; a zero is a missing value with `zero_as_missing`.
    """

    name = "LightGBM"

    def recognizes(self, model: Any) -> bool:
        """Whether this is a model of LightGBM or what `dump_model` gives."""
        last = last_step(model)
        if isinstance(last, Mapping):
            return "tree_info" in last
        return hasattr(last, "booster_") or (
            hasattr(last, "dump_model") and type(last).__module__.startswith("lightgbm")
        )

    def read_trees(self, model: Any, table: TrainingTable, options: AdapterOptions) -> TreeModel:
        """The trees of all rounds and classes."""
        before, last = split_pipeline(model)
        kind, dump, drawn = "LightGBM", last, False
        if not isinstance(last, Mapping):
            kind = type(last).__name__
            booster = last.booster_ if hasattr(last, "booster_") else last
            dump = booster.dump_model()
            drawn = _is_drawn(booster.params)
        trees = [_read_tree(tree["tree_structure"]) for tree in dump["tree_info"]]
        none: tuple[Floats | None, ...] = (None,) * len(trees)
        notes = ("rows were drawn for each tree: that this is the training table was not checked",)
        tree_model = TreeModel(
            kind,
            _features(before, last, dump, table),
            tuple(tree for tree, _ in trees),
            _count_classes(dump),
            none if drawn else tuple(rows for _, rows in trees),
            trained_on=None if drawn or not trees else int(trees[0][1][0]),
            notes=notes if drawn else (),
            unread=_uneven(dump, drawn=drawn),
        )
        numbers = [_read_numbers(tree["tree_structure"]) for tree in dump["tree_info"]]
        per_round = int(dump.get("num_tree_per_iteration", 1))
        if (
            drawn
            or tree_model.n_differing(0, tree_model.ends(0))
            or is_of_target(
                tree_model, table, options.k, numbers, per_round=per_round, has_start=True
            )
        ):
            return tree_model
        return replace(tree_model, unread=(*tree_model.unread, FITTED))


def _uneven(dump: Node, *, drawn: bool) -> tuple[str, ...]:
    """Why leaves may tell of fewer people than are in them.

    Before the first round all rows have one second derivative, so that sums of them are as the
    counts of rows, unless rows have weights.
    """
    reasons = uneven_boosting(str(dump.get("objective", "")).split(" ")[0], drawn=drawn)
    for tree in dump["tree_info"][: int(dump.get("num_tree_per_iteration", 1))]:
        leaves = [node for node in _in_order(tree["tree_structure"]) if "left_child" not in node]
        sums = np.array([float(leaf.get("leaf_weight", np.nan)) for leaf in leaves])
        counts = np.array([float(leaf.get("leaf_count", np.nan)) for leaf in leaves])
        share = sums / counts if len(leaves) > 1 else np.ones(1)
        if MEDIANS not in reasons and not np.allclose(share, share[0], rtol=EXACT):
            return (*reasons, WEIGHTED)
    return (*reasons, UNSEEN) if drawn else reasons


def _is_drawn(given: Mapping[str, Any]) -> bool:
    share = min(float(given.get(name, 1.0)) for name in ("subsample", "bagging_fraction"))
    often = max(int(given.get(name, 0)) for name in ("subsample_freq", "bagging_freq"))
    how = {str(given.get(name)) for name in ("boosting_type", "boosting", "data_sample_strategy")}
    return (share < 1.0 and often > 0) or bool(how & {"goss", "rf"})


def _features(before: Any, model: Any, dump: Node, table: TrainingTable) -> Features:
    coded = dump.get("pandas_categorical") or []
    if before is not None:
        return encoded_features(before, model, table, has_categories=bool(coded))
    names = [str(name) for name in dump["feature_names"]]
    columns = match_columns(_spelled(names, table), int(dump["max_feature_idx"]) + 1, table)
    return code_features(columns, _categories(columns, names, coded, dump, table), table)


def _spelled(names: Sequence[str], table: TrainingTable) -> list[str] | None:
    """Names as the table spells them: LightGBM writes underlines for blanks; None for none."""
    unnamed = [f"Column_{number}" for number in range(len(names))]
    if list(names) == unnamed and not set(names) <= set(table.attributes):
        return None
    known = {name.replace(" ", "_"): name for name in table.attributes}
    return [known.get(name, name) for name in names]


def _categories(
    columns: Sequence[str],
    names: Sequence[str],
    coded: Sequence[Any],
    dump: Node,
    table: TrainingTable,
) -> dict[str, Any]:
    """The categories of each column that pandas had coded, in the order of columns.

    The dump lists them without saying whose they are.  They belong to the columns that are no
    numbers, or else to those that were split by category.
    """
    infos = dump.get("feature_infos", {})
    other = [c for c in columns if table.frame.types[c] not in ("number", "boolean")]
    if len(other) != len(coded):
        other = [
            column
            for column, name in zip(columns, names, strict=True)
            if column in other or infos.get(name, {}).get("values")
        ]
    if len(other) != len(coded):
        raise SchemaError(
            f"the model has categories for {len(coded)} columns, and {len(other)} columns of the "
            "table could be these. Code categories with an encoder in a Pipeline."
        )
    return dict(zip(other, coded, strict=True))


def _read_tree(root: Node) -> tuple[BinaryTree, Floats]:
    out = TreeWriter()

    def walk(node: Node) -> int:
        if "left_child" not in node:
            if node.get("leaf_features"):
                raise ParameterError(
                    "linear models in the leaves (linear_tree) tell more than the leaf. Pass the "
                    "model's predict as a function."
                )
            return out.add(int(node.get("leaf_index", 0)), float(node.get("leaf_count", 0)))
        index = out.add(int(node["split_index"]), float(node["internal_count"]))
        kind, missing = node["decision_type"], node["missing_type"]
        if kind == "==":  # one of these goes left; missing and unknown ones go right
            codes = [int(code) for code in str(node["threshold"]).split("||")]
            out.test(index, node["split_feature"], codes, missing_left=False)
        elif kind == "<=":
            cut = float(node["threshold"])
            # where the training rows had no missing value, a missing value is a zero
            lost = cut >= 0.0 if missing == "None" else bool(node["default_left"])
            zero = missing == "Zero"
            out.test(index, node["split_feature"], cut, missing_left=lost, zero_missing=zero)
        else:
            raise ParameterError(f"the LightGBM tree has tests of an unknown kind ({kind!r}).")
        out.left[index], out.right[index] = walk(node["left_child"]), walk(node["right_child"])
        return index

    walk(root)
    return out.finish(), np.array(out.rows)


def _read_numbers(root: Node) -> tuple[Floats, Floats]:
    """Value and sum of second derivatives of each node, as they are read; none of inner nodes."""
    told = list(_in_order(root))
    values, bends = (
        np.array([float(node.get(name, np.nan)) for node in told])
        for name in ("leaf_value", "leaf_weight")
    )
    return values, bends


def _in_order(root: Node) -> Iterator[Node]:
    """Nodes from the root on, left ones first, as they are read."""
    todo = [root]
    while todo:
        node = todo.pop()
        yield node
        if "left_child" in node:
            todo += [node["right_child"], node["left_child"]]


def _count_classes(dump: Node) -> int | None:
    objective = str(dump.get("objective", "")).split(" ")[0]
    if objective in ("binary", "cross_entropy"):
        return 2
    if objective.startswith("multiclass"):
        return int(dump["num_class"])
    return None
