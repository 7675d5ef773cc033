"""Gradient boosting on histograms, as scikit-learn does it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import __version__ as sklearn_version
from sklearn.pipeline import make_pipeline
from sklearn.utils.class_weight import compute_sample_weight

from shoal.audit._feature_map import (
    Features,
    count_classes,
    find_features,
    input_columns,
    last_step,
    split_pipeline,
)
from shoal.audit._row_groups import join_labels
from shoal.audit._training_table import TrainingTable
from shoal.audit.adapters._adapter import AdapterOptions, TreeAdapter
from shoal.audit.trees._binary_tree import BinaryTree
from shoal.audit.trees._leaf_values import FITTED, MEDIANS, UNSEEN, WEIGHTED, uneven_boosting
from shoal.audit.trees._tree_model import TreeModel
from shoal.errors import ParameterError
from shoal.typing import Floats

MODELS = ("HistGradientBoostingClassifier", "HistGradientBoostingRegressor")
FIELDS = (
    "value",
    "count",
    "feature_idx",
    "num_threshold",
    "missing_go_to_left",
    "left",
    "right",
    "is_leaf",
    "is_categorical",
    "bitset_idx",
)
MOST_SCORED = 10_000
"""Rows from which on scikit-learn scores rounds of early stopping on a part of them."""
EXACT = 1e-5
"""How far sums in single precision may be off."""
NEAR = 0.1
"""Share of what rows have over, below which leaves are compared by their difference."""
MOST_TRIED = 1000  # rows on which what was read is held against what the model says


class HistogramAdapter(TreeAdapter):
    """Gradient boosting on histograms.

    scikit-learn has no public way to its trees.  The layout is checked, and what was read has to
    give the model's own predictions, so that another release of scikit-learn is refused, not
    misread.
    """

    name = "histogram gradient boosting of scikit-learn"

    def recognizes(self, model: Any) -> bool:
        """Whether this is a fitted model of histogram-based boosting."""
        last = last_step(model)
        return type(last).__name__ in MODELS and hasattr(last, "_predictors")

    def read_trees(self, model: Any, table: TrainingTable, options: AdapterOptions) -> TreeModel:
        """The trees of all rounds and classes."""
        before, last = split_pipeline(model)
        encoder, nodes, bitsets = _read_private_parts(last)
        chain = [step for step in (before, encoder) if step is not None]
        whole = make_pipeline(*chain) if len(chain) > 1 else next(iter(chain), None)
        trees = TreeModel(
            type(last).__name__,
            find_features(whole, last, table),
            tuple(_read_tree(one, bits) for one, bits in zip(nodes, bitsets, strict=True)),
            count_classes(last),
            tuple(np.asarray(one["count"], np.float64) for one in nodes),
            trained_on=int(nodes[0]["count"][0]),
            cuts="at values",
        )
        _compare(before, last, table, trees, [one["value"] for one in nodes])
        drawn = bool(last.do_early_stopping_) and last.validation_fraction is not None
        unread = uneven_boosting(last.loss, drawn=drawn or _scores_few(last, table))
        if drawn:
            note = "early stopping held rows back: that this is the training table was not checked"
            unread = (*unread, UNSEEN)
            return replace(trees, rows=(None,) * len(nodes), notes=(note,), unread=unread)
        is_other = trees.n_differing(0, trees.ends(0)) > 0
        if not is_other and MEDIANS not in unread and not _counts_evenly(last, table, trees, nodes):
            unread = (*unread, WEIGHTED)
        if MEDIANS in unread and _fewest_together(trees) < options.k:
            unread = (*unread, FITTED)
        return replace(trees, unread=unread)


def _fewest_together(trees: TreeModel) -> int:
    """People in the smallest group that leaves of all trees together tell apart."""
    joint = join_labels([trees.ends(number) for number in range(len(trees.trees))])
    return int(np.unique(joint, return_counts=True)[1].min())


def _scores_few(model: Any, table: TrainingTable) -> bool:
    """Whether scores of rounds are those of rows that were drawn, which may leave out few."""
    scored = bool(model.do_early_stopping_) and model.scoring != "loss"
    return scored and table.n_rows > MOST_SCORED


def _counts_evenly(model: Any, table: TrainingTable, trees: TreeModel, nodes: list[Any]) -> bool:
    """Whether the start and the trees of the first round are those of rows that count alike."""
    if table.schema.target is None:
        return True
    try:
        target_read = _read_target(model, table)
        return target_read is not None and _has_own_start(model, trees, nodes, *target_read)
    except (AttributeError, KeyError, TypeError, ValueError):  # not as this release has it
        return False


def _read_target(model: Any, table: TrainingTable) -> tuple[Floats, Floats] | None:
    """What is true of each row as the loss takes it, and the weight of its class."""
    target = str(table.schema.target)
    if count_classes(model) is None:
        return np.asarray(table.numbers(target), np.float64), np.ones(table.n_rows)
    codes = table.class_codes(model.classes_)
    if codes is None:
        return None
    weights = np.ones(len(codes))
    if model.class_weight is not None:
        weights = compute_sample_weight(model.class_weight, model.classes_[codes])
    return codes.astype(np.float64), np.asarray(weights, np.float64)


def _has_own_start(
    model: Any, trees: TreeModel, nodes: list[Any], wanted: Floats, weights: Floats
) -> bool:
    """Whether leaves of the first round hold what rows in them add up to, each with its weight."""
    start = np.ravel(model._loss.fit_intercept_only(wanted, sample_weight=weights))
    if not np.allclose(start, np.ravel(model._baseline_prediction), rtol=EXACT):
        return False
    raw = np.ascontiguousarray(np.tile(start, (len(wanted), 1)))
    slope, bend = (
        np.asarray(one).reshape(len(wanted), -1)
        for one in model._loss.gradient_hessian(wanted, raw, sample_weight=weights)
    )
    for tree in range(min(len(start), len(nodes))):
        own, ends = nodes[tree], trees.ends(tree)
        sums, bends = (
            np.bincount(ends, one[:, tree if one.shape[1] > 1 else 0], len(own))
            for one in (slope, bend)
        )
        leaf = own["is_leaf"].astype(np.bool_)
        with np.errstate(all="ignore"):
            value = -model.learning_rate * sums / (bends + model.l2_regularization)
        near = EXACT * NEAR * np.abs(slope).max() / bend.mean()
        if not np.allclose(own["value"][leaf], value[leaf], rtol=EXACT, atol=near):
            return False
    return True


def _read_private_parts(model: Any) -> tuple[Any, list[Any], list[NDArray[np.uint32]]]:
    """The encoder of categories, and nodes and sets of categories of each tree."""
    try:
        encoder = model._preprocessor
        predictors = [one for row in model._predictors for one in row]
        nodes = [one.nodes for one in predictors]
        bitsets = [np.asarray(one.raw_left_cat_bitsets, np.uint32) for one in predictors]
    except AttributeError:
        raise _not_understood() from None
    if any(not set(FIELDS) <= set(one.dtype.names or ()) for one in nodes):
        raise _not_understood()
    return encoder, nodes, bitsets


def _read_tree(nodes: Any, bitsets: NDArray[np.uint32]) -> BinaryTree:
    leaf = nodes["is_leaf"].astype(np.bool_)
    chosen = {
        int(node): _codes(bitsets[nodes["bitset_idx"][node]])
        for node in np.flatnonzero(nodes["is_categorical"].astype(np.bool_) & ~leaf)
    }
    return BinaryTree(
        np.where(leaf, -1, nodes["left"].astype(np.intp)),
        np.where(leaf, -1, nodes["right"].astype(np.intp)),
        np.where(leaf, 0, nodes["feature_idx"]).astype(np.intp),
        np.array(nodes["num_threshold"], np.float64),
        nodes["missing_go_to_left"].astype(np.bool_),
        np.zeros(len(nodes), np.bool_),
        np.arange(len(nodes)),
        chosen,
    )


def _codes(words: NDArray[np.uint32]) -> NDArray[np.int64]:
    """The bits that are set in a set of codes."""
    bits = words[:, None] >> np.arange(32, dtype=np.uint32) & np.uint32(1)
    return np.flatnonzero(bits.ravel())


def _compare(
    before: Any, model: Any, table: TrainingTable, trees: TreeModel, values: list[Floats]
) -> None:
    """Refuse trees that do not add up to what the model says, but for a constant."""
    some = np.arange(min(table.n_rows, MOST_TRIED))
    rows = _inputs(before, model, table, some)
    said = _raw(model, rows).reshape(len(some), -1)
    width = said.shape[1]
    summed = np.zeros_like(said)
    features = trees.features
    few = replace(trees, features=Features(features.names, features.matrix[some], ()))
    for tree, value in enumerate(values):
        summed[:, tree % width] += value[few.ends(tree)]
    differ = said - summed
    if np.ptp(differ, axis=0).max(initial=0.0) > 1e-6 * (1.0 + np.abs(said).max(initial=0.0)):
        raise _not_understood()


def _inputs(before: Any, model: Any, table: TrainingTable, some: NDArray[np.intp]) -> Any:
    """Some rows as the model itself takes them."""
    fitted = model if before is None else before
    frame = table.frame.select(input_columns(fitted, table)).take(some)
    rows: Any = frame.native
    if not hasattr(fitted, "feature_names_in_"):
        read = (
            frame.numbers if before is None else lambda name: np.array(frame.values(name), object)
        )
        rows = np.column_stack([read(name) for name in frame.names])
    return rows if before is None else before.transform(rows)


def _raw(model: Any, rows: Any) -> Floats:
    """What the trees add up to, by public means."""
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(rows), np.float64)
    said = np.asarray(model.predict(rows), np.float64)
    return np.log(said) if model.loss in ("poisson", "gamma") else said


def _not_understood() -> ParameterError:
    return ParameterError(
        f"the trees of gradient boosting on histograms are not public, and those of scikit-learn "
        f"{sklearn_version} are not laid out as expected. Pass the model's predict as a function."
    )
