"""Gradient boosting on histograms, as scikit-learn does it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import __version__ as sklearn_version
from sklearn.pipeline import make_pipeline

from shoal.audit._feature_map import Features, find_features, input_columns
from shoal.audit._training_table import TrainingTable
from shoal.audit.adapters._sklearn_trees import count_classes
from shoal.audit.trees._binary_tree import BinaryTree
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
MOST_TRIED = 1000  # rows on which what was read is held against what the model says


def histogram_trees(before: Any, model: Any, people: TrainingTable) -> TreeModel:
    """Read the trees of a fitted model.

    scikit-learn has no public way to them.  The layout is checked, and what was read has to give
    the model's own predictions, so that another release of scikit-learn is refused, not misread.
    """
    try:
        encoder = model._preprocessor
        found = [one for row in model._predictors for one in row]
        nodes = [one.nodes for one in found]
        bitsets = [np.asarray(one.raw_left_cat_bitsets, np.uint32) for one in found]
    except AttributeError:
        raise _not_understood() from None
    if any(not set(FIELDS) <= set(one.dtype.names or ()) for one in nodes):
        raise _not_understood()
    chain = [step for step in (before, encoder) if step is not None]
    whole = make_pipeline(*chain) if len(chain) > 1 else next(iter(chain), None)
    features = find_features(whole, model, people)
    trees = tuple(_read(one, bits) for one, bits in zip(nodes, bitsets, strict=True))
    read = TreeModel(
        type(model).__name__,
        features,
        trees,
        count_classes(model),
        tuple(np.asarray(one["count"], np.float64) for one in nodes),
        trained_on=int(nodes[0]["count"][0]),
    )
    _compare(before, model, people, read, [one["value"] for one in nodes])
    if model.do_early_stopping_ and model.validation_fraction is not None:
        note = "early stopping held rows back: that this is the training table was not checked"
        return replace(read, rows=(None,) * len(trees), notes=(note,))
    return read


def _read(nodes: Any, bitsets: NDArray[np.uint32]) -> BinaryTree:
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
    before: Any, model: Any, people: TrainingTable, read: TreeModel, values: list[Floats]
) -> None:
    """Refuse trees that do not add up to what the model says, but for a constant."""
    some = np.arange(min(people.n_rows, MOST_TRIED))
    rows = _inputs(before, model, people, some)
    said = _raw(model, rows).reshape(len(some), -1)
    width = said.shape[1]
    summed = np.zeros_like(said)
    few = replace(read, features=Features(read.features.names, read.features.matrix[some], ()))
    for place, value in enumerate(values):
        summed[:, place % width] += value[few.ends(place)]
    differ = said - summed
    if np.ptp(differ, axis=0).max(initial=0.0) > 1e-6 * (1.0 + np.abs(said).max(initial=0.0)):
        raise _not_understood()


def _inputs(before: Any, model: Any, people: TrainingTable, some: NDArray[np.intp]) -> Any:
    """Some rows as the model itself takes them."""
    fitted = model if before is None else before
    frame = people.frame.select(input_columns(fitted, people)).take(some)
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
