"""Models of scikit-learn that predict by the nearest centroid."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.audit._feature_map import last_step
from shoal.audit._linear_reach import find_linear_spans
from shoal.audit._model_spans import ModelSpans
from shoal.audit._training_table import TrainingTable
from shoal.audit.adapters._adapter import Adapter, AdapterOptions
from shoal.privacy.spans._linear_spans import LinearSpans
from shoal.typing import Floats

CLUSTERINGS = ("KMeans", "MiniBatchKMeans", "BisectingKMeans")


class CentroidAdapter(Adapter):
    """k-means in its three forms, and classification by the nearest centroid."""

    name = "k-means and nearest centroids of scikit-learn"

    def recognizes(self, model: Any) -> bool:
        """Whether the model predicts by the nearest centroid in Euclidean distance."""
        last = last_step(model)
        kind = type(last).__name__
        if kind in CLUSTERINGS:
            return hasattr(last, "cluster_centers_")
        return kind == "NearestCentroid" and hasattr(last, "centroids_") and _is_plain(last)

    def read(self, model: Any, table: TrainingTable, options: AdapterOptions) -> ModelSpans:
        """Spans by the centroids that a row can be nearest to."""
        last = last_step(model)
        kind = type(last).__name__
        output = "cluster" if kind in CLUSTERINGS else "class"
        if kind == "BisectingKMeans":
            linear = _of_bisections(last)
        else:
            centres = last.cluster_centers_ if kind in CLUSTERINGS else last.centroids_
            linear = LinearSpans.nearest(centres)
        asked = "means_of" if kind in CLUSTERINGS else "decided_by"
        return find_linear_spans(
            model, linear, output, table, check_table=options.check_table, **{asked: options.k}
        )


def _is_plain(model: Any) -> bool:
    prior = getattr(model, "class_prior_", np.ones(1))
    return model.metric == "euclidean" and bool(np.allclose(prior, prior[0]))


def _of_bisections(model: Any) -> LinearSpans:
    """The way down a tree of centroids: at each node the nearer of two."""
    centres: list[Floats] = []
    duels: dict[int, list[tuple[int, int]]] = {}
    seen = set[int]()

    def walk(node: Any, above: list[tuple[int, int]]) -> None:
        if id(node) in seen:  # a few nodes that share their children have countless paths
            raise ValueError("a node has two parents")
        seen.add(id(node))
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
