"""Centroids and linear models seen as spans."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from shoal.audit._feature_map import Features, find_features
from shoal.audit._model_spans import ModelSpans
from shoal.audit._training_table import TrainingTable
from shoal.errors import ParameterError, TableError
from shoal.privacy.spans._linear_spans import LinearSpans
from shoal.privacy.spans._spans import Bins, Spans
from shoal.typing import Floats

MOST_POINTS = 100_000


def find_winners(model: Any, threshold: float | None) -> tuple[LinearSpans, str] | None:
    """Linear scores of a model, and what its outputs are called; None when it has none."""
    name = type(model).__name__
    if name == "BisectingKMeans":
        return _bisecting(model), "cluster"
    if hasattr(model, "cluster_centers_") and name in ("KMeans", "MiniBatchKMeans"):
        return LinearSpans.nearest(model.cluster_centers_), "cluster"
    if name == "NearestCentroid" and hasattr(model, "centroids_") and _is_plain(model):
        return LinearSpans.nearest(model.centroids_), "class"
    if hasattr(model, "coef_") and hasattr(model, "intercept_"):
        return _linear(model, threshold)
    return None


def _is_plain(model: Any) -> bool:
    prior = getattr(model, "class_prior_", np.ones(1))
    return model.metric == "euclidean" and bool(np.allclose(prior, prior[0]))


def _linear(model: Any, threshold: float | None) -> tuple[LinearSpans, str] | None:
    weights = np.atleast_2d(np.asarray(model.coef_, np.float64))
    intercept = np.atleast_1d(np.asarray(model.intercept_, np.float64))
    if hasattr(model, "classes_"):
        if type(model).__name__ in ("SVC", "NuSVC"):
            return None  # one against one: not the highest of linear scores
        if len(weights) == 1:
            weights = np.concatenate([np.zeros_like(weights), weights])
            intercept = np.concatenate([[0.0], intercept])
        return LinearSpans.highest(weights, intercept), "class"
    if len(weights) != 1:
        return None
    if threshold is None:
        raise ParameterError(
            f"{type(model).__name__} predicts a number. Give threshold: what is released is "
            "whether the prediction exceeds it."
        )
    weights = np.concatenate([np.zeros_like(weights), weights])
    return LinearSpans.highest(
        weights, np.array([threshold, intercept[0]])
    ), "side of the threshold"


def _bisecting(model: Any) -> LinearSpans:
    """The way down a tree of centroids: at each node the nearer of two."""
    centres: list[Floats] = []
    duels: dict[int, list[tuple[int, int]]] = {}

    def walk(node: Any, above: list[tuple[int, int]]) -> None:
        if node.left is None:
            duels[int(node.label)] = above
            return
        left, right = len(centres), len(centres) + 1
        centres.extend([np.asarray(node.left.center), np.asarray(node.right.center)])
        walk(node.left, [*above, (left, right)])
        walk(node.right, [*above, (right, left)])

    walk(model._bisecting_tree, [])
    # centres of the tree are kept relative to the mean of the training rows, unless it is 0
    mean = np.asarray(getattr(model, "_X_mean", 0.0))
    centre = np.array(centres).reshape(len(centres), -1) + mean
    if not len(centres):
        centre = np.asarray(model.cluster_centers_)
    pairs = tuple(np.array(duels[j], np.intp).reshape(-1, 2) for j in range(len(duels)))
    return LinearSpans(2 * centre, -(centre**2).sum(axis=1), pairs)


def read_winners(
    before: Any,
    model: Any,
    winners: LinearSpans,
    what: str,
    people: TrainingTable,
    *,
    check_table: bool,
) -> ModelSpans:
    """Spans of a model whose output is the winner among linear scores."""
    features = find_features(before, model, people)
    own = winners.winner(features.doubles)
    if check_table:
        _check_rows(model, people.n_rows)
    bins = Bins.count(tuple(f"{what} {place}" for place in range(winners.n_outputs)), own)
    reach = reach_of(winners, features)
    reach[np.arange(people.n_rows), own] = True  # rounding must not rule out what is true
    spans, span_of_row = Spans.from_reach(reach, people.columns)

    def explain(span: int) -> tuple[str, ...]:
        return (" or ".join(bins.names[b] for b in spans.bins_of(span).tolist()),)

    name = type(model).__name__
    several = sum(one.segment is not None for one in features.private) > 1
    notes = ("outputs that are possible at ties only are left out",) if several else ()
    return ModelSpans(name, spans, span_of_row, bins, explain, notes=(*features.notes, *notes))


def read_shoal_clusters(
    model: Any, people: TrainingTable, *, check_table: bool = True
) -> ModelSpans:
    """Spans of a clustering of :mod:`shoal.models`, by the rule it releases."""
    names = [str(name) for name in getattr(model, "feature_names_in_", people.attributes)]
    if lost := [name for name in names if name not in people.frame.names]:
        raise TableError(f"the model was fitted on column {lost[0]!r}, which the table lacks.")
    closed = {axis.name for axis in model.space_.axes if not axis.is_public}
    if closed != set(people.private):
        raise ParameterError(
            "the schema's private columns are not those the clustering was fitted with."
        )
    rows: Any = people.frame.select(names).native
    if not hasattr(model, "feature_names_in_"):
        rows = np.column_stack([people.numbers(name) for name in names])
    spans, span_of_row, bins = model.find_spans(rows, people.columns)
    if check_table:
        _check_populations(model, bins)

    def explain(span: int) -> tuple[str, ...]:
        return (" or ".join(bins.names[b] for b in spans.bins_of(span).tolist()),)

    return ModelSpans(type(model).__name__, spans, span_of_row, bins, explain)


def reach_of(winners: LinearSpans, features: Features) -> Any:
    """Which outputs each row can get; equal public features are looked at once."""
    public = np.where(features.is_private, 0.0, features.matrix)
    rows, group = np.unique(public, axis=0, return_inverse=True)
    return winners.reach(rows, *private_moves(features))[group.ravel()]


def private_moves(features: Features) -> tuple[Floats, tuple[tuple[Floats, Floats], ...]]:
    """Finite private values as points, ranges as segments, in the space of all features."""
    width, segments, finite = len(features.names), [], []
    for one in features.private:
        if np.isnan(one.points).any():
            raise ParameterError(
                f"private column {one.name!r} has missing values, which the model cannot take. "
                "Put an imputer before it."
            )
        if one.segment is not None:
            start, stop = np.zeros(width), np.zeros(width)
            start[one.places], stop[one.places] = one.segment
            segments.append((start, stop - start))
            if len(one.points) and not _on_segment(one.points, one.segment):
                raise ParameterError(
                    f"private column {one.name!r}: missing values are imputed outside its range. "
                    "Widen its domain."
                )
        elif len(one.places):
            moved = np.zeros((len(one.points), width))
            moved[:, one.places] = one.points
            finite.append(moved)
    if prod(map(len, finite)) > MOST_POINTS:
        raise ParameterError(
            f"private columns have {prod(map(len, finite)):,} combinations of values; at most "
            f"{MOST_POINTS:,} are tried. Pass the predict function to have them sampled."
        )
    points = np.zeros((1, width))
    for moved in finite:
        points = (points[:, None] + moved).reshape(-1, width)
    return points, tuple(segments)


def _on_segment(points: Floats, segment: Floats) -> bool:
    low, high = segment.min(axis=0), segment.max(axis=0)
    return bool(((points >= low) & (points <= high)).all())


def _check_populations(model: Any, bins: Bins) -> None:
    differ = int((bins.population != model.bins_.population).sum())
    if differ:
        raise TableError(
            f"this is not the training table: {differ} of {len(bins)} clusters have other counts "
            "in it. Give the training table, or check_table=False (--other-table)."
        )


def _check_rows(model: Any, n_rows: int) -> None:
    labels = getattr(model, "labels_", None)
    if labels is not None and len(labels) != n_rows:
        raise TableError(
            f"this is not the training table: the model was fitted on {len(labels)} rows and the "
            f"table has {n_rows}. Give the training table, or check_table=False (--other-table)."
        )
