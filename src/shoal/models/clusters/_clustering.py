"""Clusters fit to publish: cut the longest edges of a spanning tree while people stay hidden."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, log10
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from shoal.errors import ParameterError, TableError
from shoal.models._groups import check_schema, count_only, read_privacy
from shoal.models._input import Input, read_input
from shoal.models.clusters._cluster_cuts import (
    ClusterReach,
    CutTree,
    GeneralReach,
    Search,
    coarse_means,
)
from shoal.models.clusters._cluster_publish import PublishedClusters
from shoal.models.clusters._cluster_space import ClusterSpace
from shoal.privacy import KAnonymity, PrivacyModel
from shoal.privacy.compiled._compile import allowed_groups, compile_model
from shoal.privacy.spans._linear_spans import LinearSpans
from shoal.privacy.spans._spans import Bins, PrivateColumns, Spans, count_groups
from shoal.schema import Schema
from shoal.schema._coding import code_column
from shoal.typing import Floats

SLOW_TRIES = 200
NARROW = 0.01
"""Share of a private range below which a cluster may be thought to be out of the question."""

MOST_LINES = 64
FEW_COORDINATES = 4
TIE = 1e-9  # of the variance of all rows: far above rounding, far below what tells rows apart


class KAnonymousClustering(PublishedClusters, ClusterMixin, BaseEstimator):
    """Clusters that can be published as centroids with their sizes [FWS08]_.

    Parameters
    ----------
    schema : Schema, optional
        Role, kind and hierarchy of every column.  Identifiers and the target are left out of the
        space.  Without a schema all columns are numeric and public, and nothing private can be
        told.
    privacy : PrivacyModel or int, default=10
        What every span with more than one cluster has to satisfy; a number is k.
    n_clusters : int, optional
        Stop at this number; by default when no further edge can be cut.  Needed if no column is
        private, since then any edge can be cut.
    scale : bool, default=True
        Scale numeric columns to mean 0 and variance 1; private ones only nearly, with round
        numbers, since these are published.
    min_rows : int, default=1
        Rows behind every centroid.  Centroids are means over private columns too: a mean of one
        row is that row.  :meth:`to_json`, pickles and copies refuse means of fewer rows than the
        privacy model's smallest group, so give k here for clusters that are to be published.
    max_tries : int, optional
        Edges tried, longest first, for large tables: a try takes time in proportion to the
        distinct public rows.  By default all are tried; with several private numeric columns, of
        which a try takes many linear programmes, 200.
    domain : mapping of str to (low, high), optional
        What private numeric columns can be; by default their range in the table between round
        numbers.  It is published, since what can be told of people rests on it.

    Attributes
    ----------
    cluster_centers_ : ndarray
        Centroids, in the space of :attr:`space_`: means, but for what would tell who is in them
        where something private is told.
    labels_ : ndarray
        Cluster of each training row under the released rule.  For the owner of the data: it is
        left out of pickles and copies.
    center_rows_ : ndarray of int64
        Rows whose mean each centroid is.
    spans_ : Spans
        The groups of training rows that an attacker can form, without private values.
    bins_ : Bins
        Clusters with their populations.
    privacy_ : PrivacyModel
        What the spans satisfy.
    tie_ : float
        Squared distances that differ by no more are equal: the first of equally near centroids
        wins, whatever rounding does.
    n_tried_, n_refused_ : int
        Edges tried, and kept for the sake of privacy or of `min_rows`.

    Notes
    -----
    **Guarantee.**  What is released is a rule: a point belongs to the nearest centroid.  Under this
    rule every training row can be in one cluster only, whatever its private values are, or the
    training rows with the same possible clusters are an allowed group.  This is found anew on the
    finished centroids, by the plain definition of the privacy model.  With one private numeric
    column it also holds for attackers who think nothing of a cluster that a person gets on a small
    part of the range only, up to a hundredth of it, wherever they draw the line.  What the choice
    of cut edges reveals is not covered.

    **Departures from the paper.**  Membership of a public tuple is that of the released rule, not
    of the tree, so that an audit of the centroids agrees.  An edge that could not be cut is tried
    again after others were.  Columns with hierarchies are placed so that the squared distance of
    two values is the share of levels on which they differ.  `min_rows` is ours.  Sums over a
    cluster are told in steps of what the smallest group makes of them: exact means of public
    columns tell who is in a cluster.

    References
    ----------
    .. [FWS08] A. Friedman, R. Wolff, A. Schuster.  Providing k-anonymity in data mining.
       The VLDB Journal 17, 2008.  doi:10.1007/s00778-006-0039-5

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shoal.schema import Schema
    >>> rows = load_iris(as_frame=True).data.iloc[:, 2:]
    >>> schema = Schema(
    ...     {
    ...         "petal length (cm)": {"role": "quasi-identifier", "kind": "numeric"},
    ...         "petal width (cm)": {"role": "sensitive", "kind": "numeric"},
    ...     }
    ... )
    >>> clusters = KAnonymousClustering(schema, 10, n_clusters=3).fit(rows)
    >>> clusters.spans_.largest_k >= 10
    True
    """

    def __init__(
        self,
        schema: Schema | None = None,
        privacy: PrivacyModel | int = 10,
        *,
        n_clusters: int | None = None,
        scale: bool = True,
        min_rows: int = 1,
        max_tries: int | None = None,
        domain: Mapping[str, Sequence[float]] | None = None,
    ) -> None:
        self.schema = schema
        self.privacy = privacy
        self.n_clusters = n_clusters
        self.scale = scale
        self.min_rows = min_rows
        self.max_tries = max_tries
        self.domain = domain

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of `X`; `y` is not used.

        Returns
        -------
        self
            The fitted clustering.
        """
        model = self._check_params()
        table = read_input(self, X, reset=True)
        self.space_ = ClusterSpace.find(
            table, self.schema, self.domain or {}, scale=self.scale, few=model.minimum_size
        )
        self.privacy_ = model.bind(() if self.schema is None else self.schema.sensitive)
        private = self._private(table)
        points = self.space_.place(table)
        if len(points) < model.minimum_size:
            raise TableError(
                f"n_samples={len(points)}: these rows are fewer than the {model.minimum_size} that "
                "have to stay together."
            )
        if not self.space_.is_private.any() and self.n_clusters is None and self.max_tries is None:
            raise ParameterError(
                "no column to cluster by is private, so every edge can go. Give n_clusters."
            )
        # a power of ten: the variance of private columns is nobody else's business
        whole = float(points.var(axis=0).sum())
        self.tie_ = TIE * 10.0 ** ceil(log10(whole)) if whole else 0.0
        self._cut(points, private)
        return self

    def _private(self, table: Input) -> PrivateColumns:
        """Codes of the private columns, of a private target too; none where only sizes count."""
        only_sizes = all(isinstance(part, KAnonymity) for part in self.privacy_.parts)
        if self.schema is None or only_sizes:
            return {}
        private = {}
        for column, name in enumerate(table.names):
            if self.schema[name].role == "sensitive":
                factor = table.factor(column)
                private[name] = code_column(name, self.schema[name], factor.codes, factor.values)
        return private

    def _cut(self, points: Floats, private: PrivateColumns) -> None:
        """Cut edges that may go; then find the spans of the finished centroids anew."""
        distinct, point_of_row, weights = np.unique(
            points, axis=0, return_inverse=True, return_counts=True
        )
        point_of_row = point_of_row.ravel()
        # sums are told to what the smallest group makes of them, of many coordinates less
        many = max(1.0, points.shape[1] / FEW_COORDINATES)
        coarse = many * self.privacy_.minimum_size * self.space_.units(points)
        tree = CutTree(distinct, weights, coarse)
        kinds, kind = self._kinds(points)
        search = self._search(tree, kinds, kind, private)
        search.run(self.n_clusters, self._tries())
        spans, _ = self._judge(points, tree.label[point_of_row], coarse, (kinds, kind), private)
        # a cut that hangs on rounding, or on values that hardly anybody can have
        while spans.breaches(self.privacy_).any() or self._hangs(kinds, kind, private):
            tree.join()
            spans, _ = self._judge(points, tree.label[point_of_row], coarse, (kinds, kind), private)
        spans.require(self.privacy_)
        self.spans_ = Spans(spans.start, spans.bins, count_only(spans.groups))
        self.center_rows_ = tree.rows[tree.tops]
        self.n_tried_, self.n_refused_ = search.n_tried, search.n_refused

    def _search(
        self, tree: CutTree, kinds: Floats, kind: NDArray[np.intp], private: PrivateColumns
    ) -> Search:
        cells = count_groups(kind.astype(np.int64), len(kinds), private)
        rules = compile_model(self.privacy_, cells)

        def judge(span: NDArray[np.int64]) -> bool:
            return bool(allowed_groups(rules, span, int(span.max()) + 1).all())

        reach: ClusterReach | GeneralReach | None = None
        if self.space_.is_private.any():
            moves = self.space_.moves()
            reach = (ClusterReach if len(moves[1]) < 2 else GeneralReach)(
                kinds, cells.sizes, moves, self.tie_
            )
            reach.put(0, tree.mean(0))
        return Search(tree, reach, judge, self.privacy_.minimum_size, self.min_rows)

    def _judge(
        self,
        points: Floats,
        labels: NDArray[np.int64],
        coarse: Floats,
        public: tuple[Floats, NDArray[np.intp]],
        private: PrivateColumns,
    ) -> tuple[Spans, NDArray[np.int64]]:
        """Centroids of a partition, and the spans of their rule."""
        self.cluster_centers_ = _cluster_means(points, labels, coarse)
        linear = LinearSpans.nearest(self.cluster_centers_, self.tie_)
        self.labels_ = linear.winner(points)
        names = tuple(f"cluster {number}" for number in range(len(self.cluster_centers_)))
        self.bins_ = Bins.count(names, self.labels_)
        kinds, kind = public
        return Spans.from_reach(linear.reach(kinds, *self.space_.moves())[kind], private)

    def _hangs(self, kinds: Floats, kind: NDArray[np.intp], private: PrivateColumns) -> bool:
        """Whether the promise needs clusters that are possible on a small part of a range only."""
        offsets, segments = self.space_.moves()
        if len(segments) != 1:
            return False
        linear = LinearSpans.nearest(self.cluster_centers_, self.tie_)
        widths = linear.widths(kinds, offsets, segments[0])
        narrow = np.unique(widths[(widths >= 0) & (widths < NARROW)])
        widest = widths == widths.max(axis=1, keepdims=True)  # nobody is in no cluster
        for line in narrow[:: max(1, len(narrow) // MOST_LINES)]:  # those up to it are left out
            spans, _ = Spans.from_reach(((widths > line) | widest)[kind], private)
            if spans.breaches(self.privacy_).any():
                return True
        return False

    def _kinds(self, points: Floats) -> tuple[Floats, NDArray[np.intp]]:
        """Distinct public points, and which of them each row has."""
        public = np.where(self.space_.is_private, 0.0, points)
        kinds, kind = np.unique(public, axis=0, return_inverse=True)
        return kinds, kind.ravel()

    def _tries(self) -> int | None:
        several = len(self.space_.moves()[1]) > 1
        return SLOW_TRIES if self.max_tries is None and several else self.max_tries

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Nearest centroid of each row."""
        check_is_fitted(self, "cluster_centers_")
        points = self.space_.place(read_input(self, X, reset=False))
        return LinearSpans.nearest(self.cluster_centers_, self.tie_).winner(points)

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
        table = read_input(self, X, reset=False)
        points = self.space_.place(table)
        kinds, kind = self._kinds(points)
        linear = LinearSpans.nearest(self.cluster_centers_, self.tie_)
        reach = linear.reach(kinds, *self.space_.with_ranges(table).moves())[kind]
        spans, span_of_row = Spans.from_reach(reach, private or {})
        return spans, span_of_row, Bins.count(self.bins_.names, linear.winner(points))

    def _check_params(self) -> PrivacyModel:
        check_schema(self.schema)
        for name, least in (("n_clusters", 1), ("max_tries", 0), ("min_rows", 1)):
            value = getattr(self, name)
            if value is None and name != "min_rows":
                continue
            if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
                raise ParameterError(f"{name} must be a whole number of at least {least}.")
        return read_privacy(self.privacy, "a clustering", self.schema)


def _cluster_means(points: Floats, labels: NDArray[np.int64], coarse: Floats) -> Floats:
    sums: Floats = np.column_stack(
        [np.bincount(labels, column).astype(np.float64) for column in points.T]
    )
    return coarse_means(sums, np.bincount(labels), coarse)
