"""Models whose output is the highest of linear scores, seen as spans."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audit._feature_map import Features, find_features, split_pipeline
from shoal.audit._model_spans import ModelSpans
from shoal.audit._training_table import TrainingTable
from shoal.audit.fits._few_people import (
    few_behind_centroids,
    few_behind_coefficients,
    few_behind_fit,
    small_classes,
    uneven_fit,
)
from shoal.audit.fits._lone_numbers import lone_message, lone_sums
from shoal.errors import ParameterError, TableError
from shoal.privacy.spans._linear_spans import LinearSpans
from shoal.privacy.spans._spans import Bins, Spans
from shoal.typing import Flags, Floats

MOST_POINTS = 100_000


def find_linear_spans(
    model: Any,
    linear: LinearSpans,
    output: str,
    table: TrainingTable,
    *,
    check_table: bool,
    decided_by: int = 0,
    means_of: int = 0,
) -> ModelSpans:
    """Spans of a model by its linear scores; `output` is the word for what it gives.

    With `decided_by` given, fewer people must not decide what is said about anybody; with
    `means_of` the scores are those of centroids, which must not be means of fewer.
    """
    before, last = split_pipeline(model)
    features = find_features(before, last, table)
    own = linear.winner(features.doubles)
    if check_table:
        _check_rows(last, table.n_rows)
    bins = Bins.count(tuple(f"{output} {number}" for number in range(linear.n_outputs)), own)
    reach = _find_reach(linear, features)
    reach[np.arange(table.n_rows), own] = True  # rounding must not rule out what is true
    spans, span_of_row = Spans.from_reach(reach, table.columns)
    several = sum(one.segment is not None for one in features.private) > 1
    notes = ("outputs that are possible at ties only are left out",) if several else ()
    unread: tuple[str, ...] = ()
    if decided_by > 1:
        unread = _behind_fit(last, features, table, decided_by)
    if means_of and table.columns:
        unread = few_behind_centroids(last, own, features, means_of, reach)
        unread += _lone_means(table, features, own, means_of)
    return ModelSpans(
        type(last).__name__,
        spans,
        span_of_row,
        bins,
        name_outputs(spans, bins),
        notes=(*features.notes, *notes),
        unread=unread,
    )


def _behind_fit(last: Any, features: Features, table: TrainingTable, k: int) -> tuple[str, ...]:
    """Messages on parts of a fit that are not known to be safe."""
    matrix, target = features.doubles, table.schema.target
    if target is None or not table.columns:
        return ()
    if not table.target_is_private and not features.private:
        return uneven_fit(last, matrix, table)
    classes = small_classes(table, k) if hasattr(last, "classes_") else ()
    fitted = few_behind_fit(last, matrix, table, k)
    means: tuple[str, ...] = ()
    if hasattr(last, "means_") or hasattr(last, "centroids_"):  # of each class
        means = _lone_means(table, features, table.frame.factorize(target)[0], k)
    return (*classes, *fitted, *few_behind_coefficients(matrix, k), *means)


def _lone_means(
    table: TrainingTable, features: Features, groups: NDArray[np.integer], k: int
) -> tuple[str, ...]:
    """Means of private columns over groups of people that tell what few of them have."""
    names = [one.name for one in features.private]
    return tuple(lone_message(name, k) for name in lone_sums(table, names, groups, k))


def name_outputs(spans: Spans, bins: Bins) -> Any:
    """How to explain a span when only its possible outputs are known."""

    def explain(span: int) -> tuple[str, ...]:
        return (" or ".join(bins.names[output] for output in spans.bins_of(span).tolist()),)

    return explain


def _find_reach(linear: LinearSpans, features: Features) -> Flags:
    """Which outputs each row can get; equal public features are looked at once."""
    public = np.where(features.is_private, 0.0, features.matrix)
    rows, group = np.unique(public, axis=0, return_inverse=True)
    return linear.reach(rows, *_find_moves(features))[group.ravel()]


def _find_moves(features: Features) -> tuple[Floats, tuple[tuple[Floats, Floats], ...]]:
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
            if len(one.points) and not _is_on_segment(one.points, one.segment):
                raise ParameterError(
                    f"private column {one.name!r}: missing values are imputed outside its range. "
                    "Widen its domain."
                )
        elif len(one.places):
            moved = np.zeros((len(one.points), width))
            moved[:, one.places] = one.points
            finite.append(moved)
    return _add_up(finite, width), tuple(segments)


def _add_up(finite: list[Floats], width: int) -> Floats:
    """All sums of one point of each private column."""
    n_points = prod(map(len, finite))
    if n_points > MOST_POINTS:
        raise ParameterError(
            f"private columns have {n_points:,} combinations of values; at most "
            f"{MOST_POINTS:,} are tried. Pass the predict function to have them sampled."
        )
    points = np.zeros((1, width))
    for moved in finite:
        points = (points[:, None] + moved).reshape(-1, width)
    return points


def _is_on_segment(points: Floats, segment: Floats) -> bool:
    low, high = segment.min(axis=0), segment.max(axis=0)
    return bool(((points >= low) & (points <= high)).all())


def _check_rows(model: Any, n_rows: int) -> None:
    labels = getattr(model, "labels_", None)
    if labels is not None and len(labels) != n_rows:
        raise TableError(
            f"this is not the training table: the model was fitted on {len(labels)} rows and the "
            f"table has {n_rows}. Give the training table, or check_table=False (--other-table)."
        )
