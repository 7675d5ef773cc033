"""Decision trees fit to publish: no group of people smaller than the privacy model allows."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import (
    check_is_fitted,
)

from shoal.errors import GuaranteeError, ParameterError, TableError
from shoal.models._groups import (
    check_feasible,
    check_schema,
    count_only,
    one_group_per_row,
    private_columns,
    read_privacy,
)
from shoal.models._input import Input, read_input
from shoal.models._published import Exposure
from shoal.models.tree._attributes import Attribute, describe_attributes
from shoal.models.tree._cells import expand_cells, read_cells
from shoal.models.tree._classes import class_coding, find_classes, read_classes, weigh
from shoal.models.tree._decode_tree import finish
from shoal.models.tree._node_arrays import hide_weights
from shoal.models.tree._nodes import FittedTree, Viewed
from shoal.models.tree._publish import PublishedTree
from shoal.models.tree._route_kernels import LEAF
from shoal.models.tree.growth._grow import Plan, grow
from shoal.models.tree.growth._kernel_types import GAIN, GAIN_RATIO, GINI, Settings
from shoal.models.tree.growth._prune import prune
from shoal.models.tree.growth._training import Training, code_target, code_training
from shoal.privacy import PrivacyModel
from shoal.privacy.compiled._compile import compile_model
from shoal.privacy.spans._spans import PrivateColumns, Spans
from shoal.schema import Schema
from shoal.schema._coding import Coding
from shoal.tables import FrequencyTable
from shoal.typing import Codes, Floats

CRITERIA = {"gain": GAIN, "gain_ratio": GAIN_RATIO, "gini": GINI}
SPLITS = ("binary", "multiway")
UNSEEN = ("node", "majority", "error")


class KAnonymousTreeClassifier(PublishedTree, ClassifierMixin, BaseEstimator):
    """Decision tree that can be published with its counts [FSW06]_, [FWS08]_.

    Parameters
    ----------
    schema : Schema, optional
        Role, kind and hierarchy of every column of `X`, and of the class if it names a target.
        Quasi-identifiers (and insensitive columns) are public: an attacker may know them.
        Sensitive columns are private.  Identifiers are never used.  Without a schema every column
        is public and the class private.
    privacy : PrivacyModel or int, default=10
        What every span has to satisfy; a number k stands for ``KAnonymity(k)``.
    criterion : {"gain", "gain_ratio", "gini"}, default="gain"
        What is maximized: information gain (ID3), gain ratio among allowed splits of at least
        average gain (C4.5), or the decrease of Gini's index.
    splits : {"binary", "multiway"}, default="binary"
        How a categorical column is split: into the two sets of values that gain most, and by all
        its values only where no two sets are allowed; or by all its values (or what its hierarchy
        makes of them), as in the papers.  Two sets leave larger groups, so that deeper trees are
        allowed and less accuracy is given up.
    prune : bool or "auto", default="auto"
        Error-based pruning by subtree replacement; "auto" prunes with the gain ratio only.
    confidence_factor : float, default=0.25
        Confidence of the error estimate used for pruning; smaller values prune more.
    look_ahead : bool, default=False
        Where the best split of a node starves (some branch has rows of several classes and no
        split is allowed there), take the split that gains most together with those after it:
        among the six best ones, with a branch for each value, into two sets, and at each level of
        the hierarchies.  Takes two to four times as long.
    max_depth : int, optional
        Depth limit.
    max_leaves : int, optional
        Limit of the number of leaves.  The tree then grows best first: next comes the split that
        gains most over all rows, not per row of its node as in the papers.  A split with too many
        branches is passed over.
    min_gain : float, default=0.0
        A split has to gain more than this.
    min_branch : int, optional
        At least two branches of a split need this many rows (or as much weight).  By default 2
        with the gain ratio and 1 otherwise.
    unseen : {"node", "majority", "error"}, default="node"
        Where a value goes that no branch of a test names: it stops and gets the node's own
        distribution, it follows the branch with most rows, or it raises an error.  A branch for
        "anything else" takes it.  The guarantee counts on it, so it is fixed by `fit`.

    Attributes
    ----------
    classes_ : ndarray
        Class labels, sorted.
    tree_ : FittedTree
        Tests, branches and counts.
    spans_ : Spans
        The groups of training rows that an attacker can form: the bins of each and its population.
    bins_ : Bins
        Leaf and class value, with the number of training rows: what is published.
    exposure_ : Exposure or None
        Certainty about the class that the release gives; None when the class is public.
    privacy_ : PrivacyModel
        The model that holds for every span with more than one bin.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    **Guarantee.**  For every training row, the set of bins it can fall in when its private values
    vary freely is a single one, or the training rows that share this set are an allowed group under
    `privacy` (with `KAnonymity(k)`: at least k rows).  `fit` checks this on the finished tree with
    code that shares nothing with the search, and raises `GuaranteeError` rather than return a tree
    that fails.  A missing public value is read strictly: its row gets a branch of its own, and the
    attacker may think of any branch for it.  A test of a public or private column names a value
    only if enough of the rows that may be at its node have it: as many as `privacy` wants in a
    group.  This is checked on the finished tree, too.

    **Does not promise** that classes within a span differ: see `exposure_`, or ask for diversity.
    What the choice of splits reveals is not covered: where people are few, a tree may follow from
    one table alone.  Sample weights are not people: groups count rows.  With k of 2 or more no
    weight and no sum of weights is kept, only shares of classes in hundredths, and in nodes of
    fewer than k rows those of the rows; whoever knows everybody's weights may still learn from
    them.

    **Departures from the paper.**  A node's best allowed split is looked for when the node is made
    and checked again when its turn comes; since groups only get finer, this refuses what the
    paper's queue refuses.  With the gain ratio, which may rise by generalizing, the order of splits
    in different nodes can differ.  A value that no row of a node has gets no empty leaf: such
    values share the node's own distribution.  An ordered column is cut in two at any node; its
    hierarchy is not used.  Limits on generalization in the schema do not apply, since a tree that
    leaves a column out generalizes nothing.  Splits into two sets of values, a limit of leaves and
    looking ahead are not in the papers; the guarantee is checked on the finished tree in the same
    way.  The papers' trees are those of ``splits="multiway"``, which also name values of private
    columns that fewer than k people have; ours do not.

    References
    ----------
    .. [FSW06] A. Friedman, A. Schuster, R. Wolff.  k-Anonymous decision tree induction.
       PKDD 2006.  doi:10.1007/11871637_18
    .. [FWS08] A. Friedman, R. Wolff, A. Schuster.  Providing k-anonymity in data mining.
       The VLDB Journal 17, 2008.  doi:10.1007/s00778-006-0039-5

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shoal.privacy import KAnonymity
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = KAnonymousTreeClassifier(privacy=KAnonymity(20)).fit(X, y)
    >>> tree.spans_.largest_k >= 20
    True
    """

    def __init__(
        self,
        schema: Schema | None = None,
        privacy: PrivacyModel | int = 10,
        *,
        criterion: Literal["gain", "gain_ratio", "gini"] = "gain",
        splits: Literal["binary", "multiway"] = "binary",
        prune: bool | Literal["auto"] = "auto",
        confidence_factor: float = 0.25,
        look_ahead: bool = False,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        min_gain: float = 0.0,
        min_branch: int | None = None,
        unseen: Literal["node", "majority", "error"] = "node",
    ) -> None:
        self.schema = schema
        self.privacy = privacy
        self.criterion = criterion
        self.splits = splits
        self.prune = prune
        self.confidence_factor = confidence_factor
        self.look_ahead = look_ahead
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.min_gain = min_gain
        self.min_branch = min_branch
        self.unseen = unseen

    # -- learning ---------------------------------------------------------------------------

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the tree on rows `X` and classes `y`.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
            NumPy array, or a pandas, Polars or PyArrow table.
        y : array of shape (n_rows,)
            Classes.
        sample_weight : array, optional
            Weights of the rows, not negative.  Rows of weight 0 are left out.  They count in
            gains and in the class that a node predicts; probabilities have them in hundredths.

        Returns
        -------
        self
            The fitted tree.
        """
        model = self.check_params()
        table = read_input(self, X, reset=True)
        classes, codes = read_classes(y, table.n_rows)
        table, codes, weights = weigh(table, codes, sample_weight)
        schema = check_schema(self.schema)
        declared = schema.target if schema else None
        class_name = declared or ("class" if "class" not in table.names else "target class")
        class_is_public = bool(schema and declared and schema[declared].role != "sensitive")
        attributes, places = _usable(describe_attributes(table, schema, declared))
        training, coded = code_training(table, attributes, places)
        private = private_columns(attributes, coded)
        if not class_is_public:
            private[class_name] = class_coding(class_name, classes), codes.astype(np.int32)
        self.classes_, self.class_name_ = classes, class_name
        self.privacy_ = model.bind(tuple(private))
        fitted = self._learn(attributes, training, codes, weights, private)
        rows = fitted.look(table, self._places(table))
        self._publish(fitted, rows, codes.astype(np.int32), private)
        return self

    def fit_cells(self, cells: FrequencyTable, target: str) -> Self:
        """Grow the tree on counted rows: for tables that do not fit in memory.

        Parameters
        ----------
        cells : FrequencyTable
            Distinct combinations of public values with the histogram of the class, and of the
            other sensitive columns if `privacy` speaks of them.
        target : str
            The class: a column that `cells` has a histogram of.  It is private.
        """
        model = self.check_params()
        table = read_cells(cells)
        cell_of_row, codes, private = expand_cells(cells, target)
        schema = check_schema(self.schema)
        if schema is not None:
            schema = Schema({name: schema[name] for name in cells.names})
        attributes, places = _usable(describe_attributes(table, schema, None))
        training, _ = code_training(table, attributes, places)
        spread = np.ascontiguousarray(training.columns.codes[:, cell_of_row])
        training = Training(training.columns._replace(codes=spread), training.labels)
        texts = cells.histograms[target].coding.texts
        self.classes_ = np.array(["" if value is None else value for value in texts])
        self.class_name_, self.privacy_ = target, model.bind(tuple(private))
        self.n_features_in_ = len(cells.names)
        self.feature_names_in_ = np.array(cells.names, object)
        fitted = self._learn(attributes, training, codes, None, private)
        rows = fitted.look(table, self._places(table)).take(cell_of_row)
        self._publish(fitted, rows, codes, private)
        return self

    def _learn(
        self,
        attributes: list[Attribute],
        training: Training,
        codes: NDArray[Any],
        weights: Floats | None,
        private: PrivateColumns,
    ) -> FittedTree:
        """Check that a tree is possible, grow it, prune it."""
        n_classes = len(self.classes_)
        class_is_public = self.class_name_ not in private
        if np.count_nonzero(np.bincount(codes)) < 2:
            raise TableError(
                "the class has one value in the training rows; a classifier needs more than one "
                "class."
            )
        check_feasible(self.privacy_, codes, n_classes, class_is_public, private)
        cells = one_group_per_row(self.privacy_, private, training.n_rows)
        tree, _ = grow(
            training.columns,
            code_target(codes, n_classes, weights),
            self._settings(),
            compile_model(self.privacy_, cells),
            class_is_public=class_is_public,
            plan=self._plan(),
        )
        if self.prune is True or (self.prune == "auto" and self.criterion == "gain_ratio"):
            prune(tree, self.confidence_factor)
        fitted = finish(
            tree,
            attributes,
            training,
            least=self.privacy_.minimum_size,
            to_majority=self.unseen == "majority",
            class_is_public=class_is_public,
        )
        least = self.privacy_.minimum_size
        if weights is None or least < 2:
            return fitted
        return replace(fitted, nodes=hide_weights(fitted.nodes, least))

    def _publish(
        self, fitted: FittedTree, rows: Viewed, codes: Codes, private: PrivateColumns
    ) -> None:
        """Find the spans of the finished tree anew; keep of them what may be published."""
        spans, _, bins = fitted.find_spans(rows, codes, private)
        spans.require(self.privacy_)
        if rare := fitted.rare_names(rows, self.privacy_.minimum_size):
            raise GuaranteeError(
                f"a test of the tree names values that too few people have (columns "
                f"{', '.join(rare)}). This is an error in Shoal; please report it."
            )
        self.tree_, self.unseen_, self.bins_ = fitted, self.unseen, bins
        self.spans_ = Spans(spans.start, spans.bins, count_only(spans.groups))
        self.exposure_ = None
        if self.class_name_ in private:
            self.exposure_ = Exposure.of(spans, self.class_name_)

    def _settings(self) -> Settings:
        least = self.min_branch
        if least is None:
            least = 2 if self.criterion == "gain_ratio" else 1
        return Settings(
            CRITERIA[self.criterion],
            max(float(self.min_gain), 1e-12),
            float(least),
            self.unseen == "majority",
            self.splits == "binary",
        )

    def _plan(self) -> Plan:
        return Plan(
            np.inf if self.max_depth is None else self.max_depth,
            np.inf if self.max_leaves is None else self.max_leaves,
            best_first=self.max_leaves is not None,
            look_ahead=bool(self.look_ahead),
        )

    def check_params(self) -> PrivacyModel:
        """Raise on parameters outside their range, before anything is read."""
        model = read_privacy(self.privacy, "a tree", self.schema)
        for name, known in (("criterion", CRITERIA), ("splits", SPLITS), ("unseen", UNSEEN)):
            if getattr(self, name) not in known:
                raise ParameterError(
                    f"{name} must be one of {', '.join(known)}, got {getattr(self, name)!r}."
                )
        if not isinstance(self.look_ahead, (bool, np.bool_)):
            raise ParameterError(f"look_ahead must be True or False, got {self.look_ahead!r}.")
        if self.prune not in (True, False, "auto"):
            raise ParameterError(f'prune must be True, False or "auto", got {self.prune!r}.')
        if not isinstance(self.confidence_factor, Real) or not 0 < self.confidence_factor <= 0.5:
            raise ParameterError(
                "confidence_factor must be above 0 and at most 0.5, got "
                f"{self.confidence_factor!r}."
            )
        for name, least in (("max_depth", 0), ("max_leaves", 1), ("min_branch", 1)):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, Integral) or value < least):
                raise ParameterError(
                    f"{name} must be an integer of at least {least} or None, got {value!r}."
                )
        if not isinstance(self.min_gain, Real) or not self.min_gain >= 0:
            raise ParameterError(f"min_gain must not be negative, got {self.min_gain!r}.")
        return model

    # -- using ------------------------------------------------------------------------------

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Node at which each row stops: a leaf, or an inner node without a branch for its value."""
        check_is_fitted(self, "tree_")
        table = read_input(self, X, reset=False)
        stops = self.tree_.apply(self.tree_.look(table, self._places(table)))
        if self.unseen_ == "error" and (self.tree_.nodes.slot[stops] != LEAF).any():
            lost = int((self.tree_.nodes.slot[stops] != LEAF).sum())
            raise TableError(
                f"{lost} rows have a value that no branch of a test has. Clean them, or fit with "
                'unseen="node".'
            )
        return stops

    def predict_proba(self, X: Any) -> Floats:
        """Class frequencies of the node at which each row stops."""
        mass = self.tree_.nodes.mass[self.apply(X)] if check_fitted(self) else np.empty(0)
        shares: Floats = mass / mass.sum(axis=1, keepdims=True)
        return shares

    def predict(self, X: Any) -> NDArray[Any]:
        """Most frequent class of the node at which each row stops."""
        winners = self.predict_proba(X).argmax(axis=1)
        classes: NDArray[Any] = self.classes_[winners]
        return classes

    def find_spans(self, X: Any, y: ArrayLike) -> tuple[Spans, NDArray[np.int64]]:
        """Spans of the rows of a table under this tree, with histograms of private values.

        For the owner of the data: unlike `spans_`, the result tells the private values within each
        span and is not fit to publish.

        Returns
        -------
        spans : Spans
            In order of first appearance.
        span_of_row : ndarray
            Span of each row.
        """
        check_is_fitted(self, "tree_")
        table = read_input(self, X, reset=False)
        codes = find_classes(self.classes_, y)
        places = self._places(table)
        private: dict[str, tuple[Coding, Codes]] = {}
        closed = [a for a in self.tree_.attributes if not a.public]
        _, coded = code_training(table, closed, [places[a.name] for a in closed])
        private |= private_columns(closed, coded)
        if not self.tree_.class_is_public:
            private[self.class_name_] = class_coding(self.class_name_, self.classes_), codes
        rows = self.tree_.look(table, places)
        spans, span_of_row, _ = self.tree_.find_spans(rows, codes, private)
        return spans, span_of_row

    def get_depth(self) -> int:
        """Depth of the tree; 0 when it is only a root."""
        check_is_fitted(self, "tree_")
        return int(self.tree_.depth().max())

    def get_n_leaves(self) -> int:
        """Number of leaves."""
        check_is_fitted(self, "tree_")
        return len(self.tree_.leaves)

    def _places(self, table: Input) -> dict[str, int]:
        return {name: place for place, name in enumerate(table.names)}


def check_fitted(estimator: BaseEstimator) -> bool:
    """Raise scikit-learn's error unless the estimator is fitted."""
    check_is_fitted(estimator, "tree_")
    return True


def _usable(described: list[Attribute | None]) -> tuple[list[Attribute], list[int]]:
    kept = [(attribute, place) for place, attribute in enumerate(described) if attribute]
    return [attribute for attribute, _ in kept], [place for _, place in kept]
