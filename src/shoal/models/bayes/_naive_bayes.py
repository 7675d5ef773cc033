"""Naive Bayes fit to publish: every count is of people enough, and nobody is in two counts."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from shoal._checks import check_integer, check_number
from shoal.errors import InfeasibleError, TableError
from shoal.models._groups import check_schema, count_only, private_columns, read_privacy
from shoal.models._input import Input, read_input
from shoal.models._published import Exposure
from shoal.models.bayes._bayes_column import BayesColumn, Labels
from shoal.models.bayes._bayes_parts import Counted, draw_parts, find_bayes_spans, name_bins
from shoal.models.bayes._bayes_publish import PublishedBayes
from shoal.models.bayes._choose_labels import Allows, choose_labels
from shoal.models.tree._attributes import Attribute, describe_attributes
from shoal.models.tree._classes import class_coding, find_classes, read_classes
from shoal.models.tree.growth._training import Coded, code_training
from shoal.privacy import PrivacyModel
from shoal.privacy.spans._spans import PrivateColumns, Spans, count_groups
from shoal.schema import Schema
from shoal.schema._coding import Coding
from shoal.typing import Codes, Flags, Floats


class KAnonymousNaiveBayes(PublishedBayes, ClassifierMixin, BaseEstimator):
    """Naive Bayes classifier that can be published with its counts, after [FWS08]_.

    Parameters
    ----------
    schema : Schema, optional
        Role, kind and hierarchy of every column of `X`, and of the class if it names a target.
        Quasi-identifiers (and insensitive columns) are public: an attacker may know them.
        Sensitive columns are private.  Identifiers are never used.  Without a schema every column
        is public and the class private.
    privacy : PrivacyModel or int, default=10
        What every span has to satisfy; a number k stands for ``KAnonymity(k)``.
    ranges : int, default=10
        Most ranges that an ordered column is cut into, of about equally many people each.
    alpha : float, default=1.0
        Added to every count before shares are computed, as in scikit-learn.
    random_state : int, default=0
        Seed for dealing people out to columns.  It is published: an audit deals them out again.

    Attributes
    ----------
    classes_ : ndarray
        Class labels, sorted.
    columns_ : tuple of BayesColumn
        Labels of each column, with how many people of each class have them.
    class_counts_ : ndarray of int64
        People counted, by class.
    n_rows_ : int
        Training rows; those with rare values may be in no count.
    spans_ : Spans
        The groups of training rows that an attacker can form: the bins of each and its population.
    bins_ : Bins
        Column, label and class value, with the number of training rows: what is published.
    exposure_ : Exposure or None
        Certainty about the class that the release gives; None when the class is public.
    privacy_ : PrivacyModel
        The model that holds for every span with more than one bin.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    **Guarantee.**  For every training row, the set of bins it can fall in when its private values
    vary freely is a single one, or the training rows that share this set are an allowed group
    under `privacy` (with `KAnonymity(k)`: at least k rows).  Private values exchanged within such
    a group leave every published count as it is; with k-anonymity alone, all of the release,
    labels and all.  `fit` checks spans by the plain definition and raises `GuaranteeError` rather
    than return a classifier that fails.

    Counts of several columns over the same people could be subtracted from one another: if a group
    of k + 1 people contains another of k, the difference is one person.  So the rows are dealt out
    to the columns, and each person is counted once.

    **Does not promise** that classes within a span differ: see `exposure_`, or ask for diversity.
    With models beyond k the choice of labels depends on private values; whoever knows how labels
    are chosen may learn that finer ones would have broken the model.

    **Departures from the paper.**  The paper only names naive Bayes as another use of spans; the
    choice of labels and the dealing of rows are ours.

    References
    ----------
    .. [FWS08] A. Friedman, R. Wolff, A. Schuster.  Providing k-anonymity in data mining.
       The VLDB Journal 17, 2008.  doi:10.1007/s00778-006-0039-5

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> bayes = KAnonymousNaiveBayes(privacy=10).fit(X, y)
    >>> bayes.spans_.largest_k >= 10, bool(bayes.score(X, y) > 0.9)
    (True, True)
    """

    def __init__(
        self,
        schema: Schema | None = None,
        privacy: PrivacyModel | int = 10,
        *,
        ranges: int = 10,
        alpha: float = 1.0,
        random_state: int = 0,
    ) -> None:
        self.schema = schema
        self.privacy = privacy
        self.ranges = ranges
        self.alpha = alpha
        self.random_state = random_state

    # -- learning ---------------------------------------------------------------------------

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Count the rows `X` with classes `y`.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
            NumPy array, or a pandas, Polars or PyArrow table.
        y : array of shape (n_rows,)
            Classes.

        Returns
        -------
        self
            The fitted classifier.
        """
        model = self._check_params()
        table = read_input(self, X, reset=True)
        self.classes_, codes = read_classes(y, table.n_rows)
        if len(self.classes_) < 2:
            raise TableError(
                "the class has one value in the training rows; a classifier needs more than one "
                "class."
            )
        attributes, places, self.class_name_, self.class_is_public_ = self._describe(table)
        _, coded = code_training(table, attributes, places)
        own_class = codes.astype(np.int32)
        private = self._private(attributes, coded, own_class)
        self.privacy_ = model.bind(tuple(private))
        self.n_rows_, self.seed_ = table.n_rows, int(self.random_state)
        parts = draw_parts(table.n_rows, len(attributes), self.seed_)
        labels = [
            self._choose(one, own, np.flatnonzero(parts == part), private, own_class)
            for part, (one, own) in enumerate(zip(attributes, coded, strict=True))
        ]
        counted = _look(labels, table, parts, own_class)
        self._publish(labels, counted, private)
        return self

    def _describe(self, table: Input) -> tuple[list[Attribute], list[int], str, bool]:
        """Columns that are used, where they are, the class, and whether it is public."""
        schema = check_schema(self.schema)
        target = schema.target if schema else None
        name = target or ("class" if "class" not in table.names else "target class")
        is_public = bool(schema and target and schema[target].role != "sensitive")
        described = describe_attributes(table, schema, target)
        used = [(own, place) for place, own in enumerate(described) if own]
        return [own for own, _ in used], [place for _, place in used], name, is_public

    def _private(
        self, attributes: list[Attribute], coded: list[Coded], own_class: Codes
    ) -> PrivateColumns:
        private: dict[str, tuple[Coding, Codes]] = private_columns(attributes, coded)
        if not self.class_is_public_:
            private[self.class_name_] = class_coding(self.class_name_, self.classes_), own_class
        return private

    def _choose(
        self,
        attribute: Attribute,
        coded: Coded,
        rows: NDArray[np.intp],
        private: PrivateColumns,
        own_class: Codes,
    ) -> Labels:
        """Labels of one column; none if the people it counts do not form allowed groups."""
        least = max(self.privacy_.minimum_size, 1)
        asked = _asked_of_model(self.privacy_, rows, private, len(own_class))
        # with a private class the labels of a public column form spans, which have to be allowed
        told = not (attribute.public and self.class_is_public_)
        allows = asked if told and attribute.public else _asked_of_sizes(least)
        ranges = max(1, min(int(self.ranges), len(rows) // least))
        labels = choose_labels(attribute, coded, rows, allows, ranges)
        if attribute.public or not len(rows):
            return labels
        known = own_class[rows] if self.class_is_public_ else np.zeros(len(rows), np.int32)
        distinct, alike = np.unique(known, return_inverse=True)
        whole = asked(alike.astype(np.int32), len(distinct))
        return labels if whole.all() else Labels(attribute, known=False)

    def _publish(self, labels: list[Labels], counted: Counted, private: PrivateColumns) -> None:
        """Count, find the spans by their definition, and keep what may be published."""
        n_classes = len(self.classes_)
        self.columns_ = tuple(
            BayesColumn(own, counted.count(part, len(own), n_classes))
            for part, own in enumerate(labels)
        )
        self.bins_ = name_bins(self.columns_, self.classes_.tolist(), self.n_rows_)
        spans, _ = find_bayes_spans(
            labels, counted, n_classes, private, class_is_public=self.class_is_public_
        )
        spans.require(self.privacy_)
        self.spans_ = Spans(spans.start, spans.bins, count_only(spans.groups))
        counts = [own.counts.sum(axis=0) for own in self.columns_]
        self.class_counts_ = np.sum([np.zeros(n_classes, np.int64), *counts], axis=0)
        if not self.class_counts_.any():
            raise InfeasibleError(
                f"no label of any column is allowed ({self.privacy_.describe()}): {self.n_rows_} "
                f"rows are dealt to {len(labels)} columns",
                required=self.privacy_.minimum_size,
                achieved=self.n_rows_ // max(len(labels), 1),
                hint="Ask for less, leave columns out, or fit on more rows.",
            )
        self.exposure_ = None
        if not self.class_is_public_:
            self.exposure_ = Exposure.of(spans, self.class_name_)

    def _check_params(self) -> PrivacyModel:
        check_integer("ranges", self.ranges, 1)
        check_number("alpha", self.alpha, 0, above=True)
        check_integer("random_state", self.random_state, 0)
        return read_privacy(self.privacy, "a classifier", self.schema)

    # -- using ------------------------------------------------------------------------------

    def predict_proba(self, X: Any) -> Floats:
        """Shares of the classes, by Bayes' rule; a value without a label tells nothing."""
        check_is_fitted(self, "columns_")
        table = read_input(self, X, reset=False)
        place_of = {name: place for place, name in enumerate(table.names)}
        smooth = self.class_counts_ + self.alpha
        total = np.tile(np.log(smooth / smooth.sum()), (table.n_rows, 1))
        for column in self.columns_:
            counts = column.counts + self.alpha
            # a value without a label has code -1, which reads the last line: zeros change nothing
            logs = np.vstack([np.log(counts / counts.sum(axis=0)), np.zeros(len(smooth))])
            total += logs[column.labels.codes(table, place_of[column.name])]
        shares: Floats = np.exp(total - total.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        return shares

    def predict(self, X: Any) -> NDArray[Any]:
        """Most likely class of each row."""
        winners = self.predict_proba(X).argmax(axis=1)
        classes: NDArray[Any] = self.classes_[winners]
        return classes

    def find_spans(self, X: Any, y: ArrayLike) -> tuple[Spans, NDArray[np.int64], Counted]:
        """Spans of the training rows, with histograms of private values; who is counted where.

        For the owner of the data: unlike `spans_`, the result tells the private values within each
        span and is not fit to publish.  The rows have to be in the order they were fitted in.
        """
        check_is_fitted(self, "columns_")
        table = read_input(self, X, reset=False)
        own_class = find_classes(self.classes_, y)
        labels = [column.labels for column in self.columns_]
        place_of = {name: place for place, name in enumerate(table.names)}
        hidden = [own.attribute for own in labels if not own.attribute.public]
        _, coded = code_training(table, hidden, [place_of[own.name] for own in hidden])
        private = self._private(hidden, coded, own_class)
        parts = draw_parts(table.n_rows, len(labels), self.seed_)
        counted = _look(labels, table, parts, own_class)
        spans, span_of_row = find_bayes_spans(
            labels, counted, len(self.classes_), private, class_is_public=self.class_is_public_
        )
        return spans, span_of_row, counted


def _look(labels: list[Labels], table: Input, parts: Codes, own_class: Codes) -> Counted:
    """The label of every row in the column that counts it."""
    label_of_row = np.full(table.n_rows, -1, np.int32)
    place_of = {name: place for place, name in enumerate(table.names)}
    for part, own in enumerate(labels):
        rows = parts == part
        label_of_row[rows] = own.codes(table, place_of[own.attribute.name])[rows]
    return Counted(parts, label_of_row, own_class)


def _asked_of_sizes(least: int) -> Allows:
    """Labels that say nothing private by themselves still need as many people as a group."""

    def allows(group_of: Codes, n_groups: int) -> Flags:
        sizes = np.bincount(group_of[group_of >= 0], minlength=n_groups)
        return (sizes == 0) | (sizes >= least)

    return allows


def _asked_of_model(
    model: PrivacyModel, rows: NDArray[np.intp], private: PrivateColumns, n_rows: int
) -> Allows:
    """Groups of some rows, judged in the whole table."""
    # a model about the whole cannot be asked of one column: its last rung implies it
    strict = model.rungs(n_rows)[-1]

    def allows(group_of: Codes, n_groups: int) -> Flags:
        whole = np.full(n_rows, n_groups, np.int64)
        whole[rows] = np.where(group_of >= 0, group_of, n_groups)
        held: Flags = strict.holds(count_groups(whole, n_groups + 1, private))[:n_groups]
        return held

    return allows
