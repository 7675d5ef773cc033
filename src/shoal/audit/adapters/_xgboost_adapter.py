"""XGBoost's trees, from the JSON it writes; the package itself is not needed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from shoal.audit._boosting import categories_of
from shoal.audit._coded_features import code_features, encoded_features
from shoal.audit._feature_map import Features, last_step, match_columns, split_pipeline
from shoal.audit._training_table import TrainingTable
from shoal.audit.adapters._adapter import AdapterOptions, TreeAdapter
from shoal.audit.trees._binary_tree import BinaryTree, TreeWriter
from shoal.audit.trees._first_round import is_of_target
from shoal.audit.trees._leaf_values import FITTED, UNSEEN, uneven_boosting
from shoal.audit.trees._tree_model import TreeModel
from shoal.errors import ParameterError, SchemaError
from shoal.typing import Floats

UNNAMED = re.compile(r"f\d+")
Node = Mapping[str, Any]


class XGBoostAdapter(TreeAdapter):
    """A fitted estimator, a Booster, what `save_model` wrote as JSON, or a JSON dump.

    Values and thresholds are compared in single precision, less goes left.  Thresholds are turned
    into the number below, since all trees here send equal values left.
    """

    name = "XGBoost"

    def recognizes(self, model: Any) -> bool:
        """Whether this is a model of XGBoost, the JSON of one, or a dump of its trees."""
        last = last_step(model)
        if isinstance(last, Mapping):
            return "learner" in last
        if isinstance(last, list) and last:
            first = last[0]
            if isinstance(first, str):
                return first.lstrip().startswith("{") and '"nodeid"' in first
            return isinstance(first, Mapping) and "nodeid" in first
        return hasattr(last, "get_booster") or hasattr(last, "save_raw")

    def read_trees(self, model: Any, table: TrainingTable, options: AdapterOptions) -> TreeModel:
        """The trees of all rounds and classes."""
        before, last = split_pipeline(model)
        if isinstance(last, list):
            tree_model, numbers, per_round = _from_dump(last, table)
        else:
            tree_model, numbers, per_round = _from_model(before, last, table)
        # where rows were drawn nothing adds up, which is told already; nor does it for others
        if (
            not tree_model.trees
            or tree_model.rows[0] is None
            or tree_model.n_differing(0, tree_model.ends(0))
        ):
            return tree_model
        for known in (_how_it_was_fitted(last), None):
            if is_of_target(
                tree_model, table, options.k, numbers, per_round=per_round, known=known
            ):
                return tree_model
        return replace(tree_model, unread=(*tree_model.unread, FITTED))


def _how_it_was_fitted(model: Any) -> tuple[float, float] | None:
    """Learning rate and penalty of a model in memory: one that was loaded knows others."""
    booster = model.get_booster() if hasattr(model, "get_booster") else model
    if not hasattr(booster, "save_config"):
        return None
    grown = json.loads(booster.save_config())["learner"]["gradient_booster"]
    said = grown.get("gbtree", grown).get("tree_train_param", {})
    if any(float(said.get(name, 0.0)) for name in ("alpha", "max_delta_step")):
        return None
    return float(said.get("eta", 0.3)), float(said.get("lambda", 1.0))


Read = tuple[TreeModel, list[tuple[Floats, Floats]], int]
"""The trees, value and sum of second derivatives of each node, and how many trees a round has."""


def _from_model(before: Any, model: Any, table: TrainingTable) -> Read:
    kind, data, missing, drawn = "XGBoost", model, float("nan"), False
    if not isinstance(model, Mapping):
        kind = type(model).__name__
        booster = model.get_booster() if hasattr(model, "get_booster") else model
        data = json.loads(bytes(booster.save_raw(raw_format="json")))
        missing = getattr(model, "missing", missing)
        drawn = (getattr(model, "subsample", None) or 1.0) != 1.0
    learner = data["learner"]
    grown = learner["gradient_booster"]
    grown = grown.get("gbtree", grown)  # what the booster "dart" wraps
    if "model" not in grown or "trees" not in grown["model"]:
        raise ParameterError("this XGBoost model has no trees: its booster is not gbtree or dart.")
    features = _features(before, model, learner, grown["model"], table)
    if missing is not None and not np.isnan(missing):
        features = _take_for_missing(features, missing)
    trees = [_read_arrays(tree) for tree in grown["model"]["trees"]]
    rows, notes = _count_rows([cover for _, cover in trees], table.n_rows, drawn)
    numbers = [
        (np.asarray(one["split_conditions"], np.float64)[tree.number], cover)
        for one, (tree, cover) in zip(grown["model"]["trees"], trees, strict=True)
    ]
    tree_model = TreeModel(
        kind,
        features.in_single(),
        tuple(tree for tree, _ in trees),
        _count_classes(learner),
        rows,
        slack=_slack(table.n_rows),
        notes=notes,
        unread=_uneven(str(learner["objective"]["name"]), drawn=bool(notes)),
        cuts="at values",
    )
    return tree_model, numbers, int(learner["learner_model_param"].get("num_class", 0))


def _features(
    before: Any, model: Any, learner: Node, grown: Node, table: TrainingTable
) -> Features:
    names = learner.get("feature_names") or None
    coded = {number: known for number, known in enumerate(categories_of(grown)) if known}
    if before is not None:
        return encoded_features(before, model, table, has_categories=bool(coded))
    columns = match_columns(names, int(learner["learner_model_param"]["num_feature"]), table)
    categories = {columns[number]: known for number, known in coded.items()}
    return code_features(columns, categories, table)


def _take_for_missing(features: Features, missing: float) -> Features:
    """Features with one number standing for missing values."""
    private = []
    for one in features.private:
        points = np.where(one.points == missing, np.nan, one.points)
        if one.segment is not None:  # the number itself is possible, and then missing
            low, high = one.segment.min(axis=0), one.segment.max(axis=0)
            if ((low <= missing) & (missing <= high)).any():
                points = np.concatenate([points, np.full((1, len(one.places)), np.nan)])
        private.append(replace(one, points=points))
    matrix = np.where(features.matrix == missing, np.nan, features.matrix)
    return replace(features, matrix=matrix, private=tuple(private))


def _read_arrays(tree: Node) -> tuple[BinaryTree, Floats]:
    """One tree of a saved model: children, conditions and categories in arrays by node."""
    sets = (
        {
            int(node): tree["categories"][start : start + size]
            for node, start, size in zip(
                tree["categories_nodes"],
                tree["categories_segments"],
                tree["categories_sizes"],
                strict=True,
            )
        }
        if tree.get("categories_nodes")
        else {}
    )
    out, seen = TreeWriter(), set[int]()

    def walk(node: int) -> int:
        if node in seen:  # sixty nodes that share their children have 2**60 paths
            raise ValueError("a node has two parents")
        seen.add(node)
        index = out.add(node, float(tree["sum_hessian"][node]))
        left, right = tree["left_children"][node], tree["right_children"][node]
        if left == -1:
            return index
        missing_left, against = bool(tree["default_left"][node]), None
        if node in sets:  # categories of the set go right
            left, right, missing_left, against = right, left, not missing_left, list(sets[node])
        else:
            against = below(tree["split_conditions"][node])
        out.test(index, tree["split_indices"][node], against, missing_left=missing_left)
        out.left[index], out.right[index] = walk(left), walk(right)
        return index

    walk(0)
    return out.finish(strict=True), np.array(out.rows)


def below(threshold: float) -> float:
    """The number in single precision below a threshold: at most this is less than that."""
    return float(np.nextafter(np.float32(threshold), np.float32(-np.inf)))


def _from_dump(dump: Sequence[Any], table: TrainingTable) -> Read:
    roots = [json.loads(one) if isinstance(one, str) else one for one in dump]
    used = sorted({name for root in roots for name in _splits(root)})
    if all(UNNAMED.fullmatch(name) and name not in table.attributes for name in used):
        used = [f"f{number}" for number in range(len(table.attributes))]
        columns: Sequence[str] = table.attributes
    else:
        columns = match_columns(used, len(used), table)
    feature = {name: number for number, name in enumerate(used)}
    features = code_features(columns, {}, table)
    trees = [_read_nested(root, feature) for root in roots]
    covers = [cover for _, cover in trees]
    told = all(np.isfinite(cover).all() for cover in covers)
    rows, notes = _count_rows(covers, table.n_rows, drawn=not told)
    target = table.schema.target
    kinds = table.schema[target].kind if target is not None else "categorical"
    numbers = [
        (np.array([*map(_leaf_values(root).get, tree.number.tolist())], np.float64), cover)
        for root, (tree, cover) in zip(roots, trees, strict=True)
    ]
    tree_model = TreeModel(
        "XGBoost dump",
        features.in_single(),
        tuple(tree for tree, _ in trees),
        None if kinds == "numeric" else 1,
        rows,
        slack=_slack(table.n_rows),
        notes=notes,
        unread=_uneven("", drawn=bool(notes)),
        cuts="at values",
    )
    return tree_model, numbers, 1


def _leaf_values(root: Node) -> dict[int, float]:
    """Values of leaves by the number of their node."""
    if "leaf" in root:
        return {int(root["nodeid"]): float(root["leaf"])}
    return {n: value for one in root["children"] for n, value in _leaf_values(one).items()}


def _splits(node: Node) -> set[str]:
    if "leaf" in node:
        return set()
    return {str(node["split"])}.union(*(_splits(child) for child in node["children"]))


def _read_nested(root: Node, feature: Mapping[str, int]) -> tuple[BinaryTree, Floats]:
    """One tree of a dump: nodes with their children inside; "yes" is where the test holds."""
    out = TreeWriter()

    def walk(node: Node) -> int:
        index = out.add(int(node["nodeid"]), float(node.get("cover", np.nan)))
        if "leaf" in node:
            return index
        name = str(node["split"])
        if name not in feature:
            raise SchemaError(f"the dump tests feature {name!r}, which the schema does not have.")
        condition = node["split_condition"]
        against = list(condition) if isinstance(condition, list) else below(condition)
        missing_left = node["missing"] == node["yes"]
        out.test(index, feature[name], against, missing_left=missing_left)
        child = {int(one["nodeid"]): one for one in node["children"]}
        out.left[index] = walk(child[int(node["yes"])])
        out.right[index] = walk(child[int(node["no"])])
        return index

    walk(root)
    return out.finish(strict=True), np.array(out.rows)


def _count_rows(
    covers: Sequence[Floats], n_rows: int, drawn: bool
) -> tuple[tuple[Floats | None, ...], tuple[str, ...]]:
    """Rows at the nodes of the first tree, where all rows weigh the same.

    XGBoost keeps sums of second derivatives.  Before the first tree every row has the same
    prediction, so that they are shares of the rows there; later they are not.
    """
    none: tuple[Floats | None, ...] = (None,) * len(covers)
    if drawn or not covers or not covers[0][0] > 0:
        return none, ("the model keeps no counts: that this is its training table was not checked",)
    return (covers[0] / covers[0][0] * n_rows, *none[1:]), ()


def _uneven(objective: str, *, drawn: bool) -> tuple[str, ...]:
    """Why leaves may tell of fewer people than are in them."""
    reasons = uneven_boosting(objective, drawn=drawn)
    return (*reasons, UNSEEN) if drawn else reasons


def _slack(n_rows: int) -> float:
    """How far counts may be off that are computed from sums in single precision."""
    return 1e-3 + 1e-6 * n_rows


def _count_classes(learner: Node) -> int | None:
    objective = str(learner["objective"]["name"])
    if objective.startswith("binary:"):
        return 2
    if objective.startswith("multi:"):
        return int(learner["learner_model_param"]["num_class"])
    return None
