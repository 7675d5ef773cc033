"""Whether leaves of scikit-learn's trees say what the people in them have, each counted once.

Spans tell people apart by the leaves they are in, and the shares in a leaf of k people count among
k.  That is so only where all of them count alike.  Where rows were drawn or weighted every leaf is
an equation in what people have, with a factor for each of them that anybody can compute from a
seed or a survey: a hundred small trees solve for everybody.  A median is somebody's number.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_class_weight

from shoal.audit._training_table import TrainingTable
from shoal.typing import Floats

DRAWN = "rows were drawn for its trees, by which leaves tell of some people more than of others"
WEIGHTED = (
    "values of leaves in which people do not count alike: it was fitted with weights, or leaves "
    "hold medians"
)
SEVERAL = "values of several targets"
BENT = (
    "absolute_error", "huber", "mape", "quantile", "reg:absoluteerror", "reg:quantileerror",
    "regression_l1",
)  # fmt: skip
"""Losses and criteria for which leaves hold quantiles: numbers of single people."""
CLOSE = 1e-6
"""How far sums in another order may be apart, relative to what is summed."""


def uneven_leaves(
    model: Any, features: NDArray[np.float32], table: TrainingTable, *, check_table: bool
) -> tuple[str, ...]:
    """Why leaves of a tree or an ensemble of trees may tell of fewer people than are in them.

    `features` are the rows as the trees see them.  Of another table than the model's own, values
    cannot be computed again: sums of weights are looked at instead.
    """
    people = _read_people(model, features, table) if check_table else None
    reason = _of_model(model, people)
    return () if reason is None else (reason,)


@dataclass(frozen=True, eq=False)
class _People:
    """The rows with what they have: a column for each class, or a number."""

    features: NDArray[np.float32]
    values: Floats
    weights: Floats

    def weighted(self, model: Any) -> _People:
        """The same people with the weights of their classes, where a model has some."""
        wanted = getattr(model, "class_weight", None)
        if wanted is None:
            return self
        labels, codes = np.asarray(model.classes_), self.values.argmax(axis=1)
        # of a sample, too, where all rows are in it
        given = "balanced" if isinstance(wanted, str) else wanted
        try:
            own = compute_class_weight(given, classes=labels, y=labels[codes])
        except (TypeError, ValueError):  # weights of other classes: not those it was fitted with
            own = np.full(len(labels), np.nan)
        return replace(self, weights=np.asarray(own, np.float64)[codes])


def _read_people(model: Any, features: NDArray[np.float32], table: TrainingTable) -> _People | None:
    target = table.schema.target
    if target is None:
        return None
    even = np.ones(table.n_rows)
    if not hasattr(model, "classes_"):
        return _People(features, np.asarray(table.numbers(target), np.float64)[:, None], even)
    codes, n_classes = table.class_codes(model.classes_), len(model.classes_)
    if codes is None:  # whatever it was fitted to, its leaves have other shares
        return _People(features, np.full((table.n_rows, n_classes), np.nan), even)
    return _People(features, (codes[:, None] == np.arange(n_classes)).astype(np.float64), even)


def _of_model(model: Any, people: _People | None) -> str | None:
    """Why leaves may be uneven; None where they are not."""
    kind = type(model).__name__
    if _draws(model, kind):
        return DRAWN
    people = people and people.weighted(model)
    if not hasattr(model, "estimators_"):
        return _of_tree(model, people)
    given = model.estimators_  # an array in boosting; a list may have forests, which are lists, too
    members = given.ravel().tolist() if isinstance(given, np.ndarray) else list(given)
    if kind.startswith("GradientBoosting"):
        even = all(_has_plain_weights(one.tree_) for one in members)
        return None if even and model.loss not in BENT else WEIGHTED
    if kind.startswith("AdaBoost"):  # weights of later trees follow from what is told by the first
        members = members[:1]
    elif kind.startswith("OneVs"):  # members have classes of their own
        people = None
    reasons = (_of_model(one, people) for one in members)
    return next((reason for reason in reasons if reason is not None), None)


def uneven_boosting(objective: str, *, drawn: bool) -> tuple[str, ...]:
    """The same of boosting whose values are sums over what earlier trees tell of people.

    Examples
    --------
    >>> uneven_boosting("squared_error", drawn=False)
    ()
    """
    if drawn:
        return (DRAWN,)
    return (WEIGHTED,) if objective in BENT else ()


def _draws(model: Any, kind: str) -> bool:
    """Whether trees were grown on rows that were drawn."""
    some = kind.startswith("Bagging") and model.max_samples not in (None, 1.0)
    part = getattr(model, "subsample", 1.0) != 1.0
    return bool(getattr(model, "bootstrap", False) or some or part or kind == "AdaBoostRegressor")


def _of_tree(model: Any, people: _People | None) -> str | None:
    tree = model.tree_
    if tree.n_outputs != 1:
        return SEVERAL
    if getattr(model, "criterion", "") in BENT:
        return WEIGHTED
    if people is None:  # of another table, or of no target
        even = getattr(model, "class_weight", None) is not None or _has_plain_weights(tree)
    else:
        even = _has_own_values(tree, people)
    return None if even else WEIGHTED


def _has_plain_weights(tree: Any) -> bool:
    return bool(np.allclose(tree.weighted_n_node_samples, tree.n_node_samples, rtol=CLOSE))


def _has_own_values(tree: Any, people: _People) -> bool:
    """Whether leaves have the shares of classes, or the mean, of the people in them."""
    said = np.asarray(tree.value, np.float64)[:, 0, :]
    if said.shape[1] != people.values.shape[1]:
        return False
    ends = tree.apply(people.features)
    whole = np.bincount(ends, people.weights, tree.node_count)
    filled = whole != 0
    scale = np.nanmax(np.abs(people.values), initial=1.0)
    for place, own in enumerate(people.values.T):
        sums = np.bincount(ends, people.weights * own, tree.node_count)
        mean = sums[filled] / whole[filled]
        share = said[filled] if said.shape[1] == 1 else said[filled] / said[filled].sum(1)[:, None]
        if not np.allclose(share[:, place], mean, rtol=0, atol=CLOSE * scale):
            return False
    return True
