"""Clusters fit to publish: cut the longest edges of a spanning tree while people stay hidden."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from shoal.errors import ParameterError, TableError
from shoal.models._cluster_space import ClusterSpace
from shoal.models._input import read_input
from shoal.models._mst import spanning_tree
from shoal.privacy import Bins, KAnonymity, PrivacyModel, PrivateColumns, Spans, Winners
from shoal.schema import Schema
from shoal.typing import Flags, Floats


class KAnonymousClustering(ClusterMixin, BaseEstimator):
    """Clusters that can be published as centroids with their sizes [FWS08]_.

    Parameters
    ----------
    schema : Schema, optional
        Role, kind and hierarchy of every column.  Without one all columns are numeric and public,
        and nothing private can be told.
    privacy : PrivacyModel or int, default=10
        What every span with more than one cluster has to satisfy: a model of group sizes.
    n_clusters : int, optional
        Stop with as many; by default when no edge that is tried can go.
    scale : bool, default=True
        Bring numeric columns to unit variance.
    max_tries : int, default=200
        Edges tried, longest first.

    Attributes
    ----------
    cluster_centers_ : ndarray
        Centroids, in the space of :attr:`space_`.
    labels_ : ndarray
        Cluster of each training row under the released rule.
    spans_ : Spans
        The groups of training rows that an attacker can form.
    bins_ : Bins
        Clusters with their populations.
    n_tried_, n_refused_ : int
        Edges tried, and kept for the sake of privacy.

    Notes
    -----
    **Guarantee.**  What is released is a rule: a point belongs to the nearest centroid.  Under this
    rule every training row can be in one cluster only, whatever its private values are, or the
    training rows with the same possible clusters are an allowed group.  This is found anew on the
    finished centroids.

    **Departures from the paper.**  Membership of a public tuple is that of the released rule, not
    of the tree, so that an audit of the centroids agrees; edges beyond `max_tries` are not tried;
    columns with hierarchies are placed so that the squared distance of two values is the share of
    levels on which they differ.

    References
    ----------
    .. [FWS08] A. Friedman, R. Wolff, A. Schuster.  Providing k-anonymity in data mining.
       The VLDB Journal 17, 2008.  doi:10.1007/s00778-006-0039-5
    """

    def __init__(
        self,
        schema: Schema | None = None,
        privacy: PrivacyModel | int = 10,
        n_clusters: int | None = None,
        *,
        scale: bool = True,
        max_tries: int = 200,
    ) -> None:
        self.schema = schema
        self.privacy = privacy
        self.n_clusters = n_clusters
        self.scale = scale
        self.max_tries = max_tries

    def fit(self, X: Any, y: None = None) -> Self:
        """Cluster the rows of `X`.

        Returns
        -------
        self
            The fitted clustering.
        """
        model = self._check_params()
        table = read_input(self, X, reset=True)
        self.space_ = ClusterSpace.find(table, self.schema, scale=self.scale)
        points = self.space_.place(table)
        if len(points) < model.minimum_size:
            raise TableError(f"{len(points)} rows are fewer than {model.minimum_size}.")
        public = np.where(self.space_.is_private, 0.0, points)
        kinds, kind = np.unique(public, axis=0, return_inverse=True)
        kind = kind.ravel()

        def allowed(centres: Floats) -> bool:
            spans, _ = self._spans(centres, kinds, kind, {})
            return not bool(spans.breaches(model).any())

        labels = self._cut(points, allowed)
        self.cluster_centers_ = _means(points, labels)
        winners = Winners.nearest(self.cluster_centers_)
        self.labels_ = winners.winner(points)
        spans, _ = self._spans(self.cluster_centers_, kinds, kind, {})
        spans.require(model)
        self.spans_ = spans
        names = tuple(f"cluster {place}" for place in range(len(self.cluster_centers_)))
        self.bins_ = Bins.count(names, self.labels_)
        return self

    def _cut(self, points: Floats, allowed: Any) -> NDArray[np.int64]:
        """Delete edges, longest first, that may go."""
        a, b, length = spanning_tree(points)
        keep = np.ones(len(length), np.bool_)
        labels = np.zeros(len(points), np.int64)
        self.n_tried_ = self.n_refused_ = 0
        for edge in np.argsort(-length, kind="stable")[: self.max_tries].tolist():
            if length[edge] == 0 or self._is_enough(labels):
                break
            self.n_tried_ += 1
            keep[edge] = False
            parts = _components(len(points), a[keep], b[keep])
            if allowed(_means(points, parts)):
                labels = parts
            else:
                keep[edge] = True
                self.n_refused_ += 1
        return labels

    def _is_enough(self, labels: NDArray[np.int64]) -> bool:
        return self.n_clusters is not None and int(labels.max()) + 1 >= self.n_clusters

    def _spans(
        self, centres: Floats, kinds: Floats, kind: NDArray[np.intp], private: PrivateColumns
    ) -> tuple[Spans, NDArray[np.int64]]:
        reach: Flags = Winners.nearest(centres).reach(kinds, *self.space_.moves())
        return Spans.from_reach(reach[kind], private)

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Nearest centroid of each row."""
        check_is_fitted(self, "cluster_centers_")
        points = self.space_.place(read_input(self, X, reset=False))
        return Winners.nearest(self.cluster_centers_).winner(points)

    def find_spans(
        self, X: Any, private: PrivateColumns | None = None
    ) -> tuple[Spans, NDArray[np.int64], Bins]:
        """Spans of the rows of a table under the released rule; for the owner of the data.

        Returns
        -------
        tuple
            Spans, the span of each row, and the clusters with their populations.
        """
        check_is_fitted(self, "cluster_centers_")
        points = self.space_.place(read_input(self, X, reset=False))
        public = np.where(self.space_.is_private, 0.0, points)
        kinds, kind = np.unique(public, axis=0, return_inverse=True)
        found = self._spans(self.cluster_centers_, kinds, kind.ravel(), private or {})
        own = Winners.nearest(self.cluster_centers_).winner(points)
        return *found, Bins.count(self.bins_.names, own)

    def _check_params(self) -> PrivacyModel:
        model = self.privacy
        if isinstance(model, Integral) and not isinstance(model, bool):
            model = KAnonymity(int(model))
        if not isinstance(model, PrivacyModel) or not all(
            isinstance(part, KAnonymity) for part in model.parts
        ):
            raise ParameterError("privacy must be KAnonymity(k) or k: clusters have no classes.")
        for name, least in (("n_clusters", 1), ("max_tries", 0)):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, Integral) or value < least):
                raise ParameterError(f"{name} must be a whole number of at least {least}.")
        return model


def _components(n: int, a: NDArray[np.intp], b: NDArray[np.intp]) -> NDArray[np.int64]:
    graph = coo_matrix((np.ones(len(a)), (a, b)), shape=(n, n))
    return np.asarray(connected_components(graph, directed=False)[1], np.int64)


def _means(points: Floats, labels: NDArray[np.int64]) -> Floats:
    counts = np.bincount(labels)
    sums = [np.bincount(labels, column) for column in points.T]
    return np.column_stack(sums) / counts[:, None]
