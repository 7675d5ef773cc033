"""Labels as numbers that a model can be trained on."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from shoal._checks import Estimator, check_choice, require_fitted
from shoal.anonymize._read_release import code_texts
from shoal.errors import ParameterError, TableError
from shoal.frames._native import numbers_frame
from shoal.judge._labels import STAR, LabelReader
from shoal.schema import Column, Hierarchy, Schema
from shoal.schema._builders import Tree
from shoal.schema._csv import FromFile
from shoal.tables import open_table
from shoal.tables.forms._forms import ORDERED
from shoal.tables.forms._label_ends import label_ends
from shoal.typing import Floats, Native

_OUTPUTS = ("default", "pandas", "polars")

MOST_VALUES = 200
"""Values of a column that get a feature each: the most frequent ones."""


class LabelFeatures(Estimator):
    """Turn released labels, and raw values alike, into features for scikit-learn.

    A numeric or date column becomes two features, the ends of its label (where a label leaves an
    end open, or is a star, the end of all labels).  Any other column becomes a feature for each
    value: 1 for the value, equal shares for the values that a label covers.  So a model that was
    trained on a release can predict for people whose exact values are known.

    Parameters
    ----------
    schema : Schema
        What the columns are.
    columns : sequence of str, optional
        Columns to use; by default quasi-identifiers and insensitive columns, without the target.

    Notes
    -----
    It reads only the table that it is given: features of a release tell no more than the release.

    Examples
    --------
    >>> schema = Schema({"age": {"role": "quasi-identifier", "kind": "numeric"},
    ...                  "sex": {"role": "quasi-identifier"}})
    >>> features = LabelFeatures(schema).fit({"age": ["[30-34]", ">=50"], "sex": ["f", "m"]})
    >>> list(features.get_feature_names_out())
    ['age_low', 'age_high', 'sex=f', 'sex=m']
    >>> features.transform({"age": ["33", "*"], "sex": ["f", "*"]}).tolist()
    [[33.0, 33.0, 1.0, 0.0], [30.0, 50.0, 0.5, 0.5]]
    """

    def __init__(self, schema: Schema, columns: Sequence[str] | None = None) -> None:
        self.schema = schema
        self.columns = columns

    def fit(self, X: Native, y: Any = None) -> Self:
        """Learn the values of categories and the ends of ranges that occur."""
        if not isinstance(self.schema, Schema):
            raise ParameterError("schema must be a Schema.")
        table = open_table(X).columns()
        self.columns_ = tuple(self.columns or self._usual(list(table)))
        self.parts_ = [
            _Ends.learn(name, self.schema[name], _texts(table, name))
            if self.schema[name].kind in ORDERED
            else _Shares.learn(name, self.schema[name], _texts(table, name))
            for name in self.columns_
        ]
        return self

    def set_output(self, *, transform: str | None = None) -> Self:
        """Let `transform` give a "pandas" or "polars" table, or an array ("default").

        Examples
        --------
        >>> schema = Schema({"age": {"role": "quasi-identifier", "kind": "numeric"}})
        >>> features = LabelFeatures(schema).set_output(transform="pandas")
        >>> features.fit_transform({"age": ["[30-34]", "35"]}).columns.tolist()
        ['age_low', 'age_high']
        """
        if transform is not None:
            check_choice("transform", transform, _OUTPUTS)
            self._sklearn_output_config = {"transform": transform}  # by this name `clone` keeps it
        return self

    def transform(self, X: Native) -> Any:
        """Features of rows, released or raw: an array, unless `set_output` says otherwise."""
        require_fitted(self, "parts_")
        table = open_table(X).columns()
        made = []
        for name, part in zip(self.columns_, self.parts_, strict=True):
            texts, codes = code_texts(_column(table, name))
            made.append(np.array([part.features(text) for text in texts], np.float64)[codes])
        features: Floats = np.hstack(made)
        asked = self._output()
        if asked == "default":
            return features
        return numbers_frame(features, self.get_feature_names_out().tolist(), asked, X)

    def _output(self) -> str:
        """What was asked for here, else in all of scikit-learn."""
        asked = getattr(self, "_sklearn_output_config", {}).get("transform")
        if asked is None and "sklearn" in sys.modules:
            asked = sys.modules["sklearn"].get_config()["transform_output"]
        return asked or "default"

    def fit_transform(self, X: Native, y: Any = None) -> Any:
        """Fit on some rows and transform them."""
        return self.fit(X, y).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the features."""
        require_fitted(self, "parts_")
        return np.array([name for part in self.parts_ for name in part.names], object)

    def _usual(self, present: list[str]) -> list[str]:
        wanted = [
            name
            for name in present
            if name in self.schema
            and self.schema[name].role in ("quasi-identifier", "insensitive")
            and not self.schema[name].target
        ]
        if not wanted:
            raise TableError("the table has no column to make features of. Name some: columns=.")
        return wanted


class _Ends:
    """Two features: the ends of a label."""

    def __init__(self, name: str, kind: str, least: float, most: float) -> None:
        self.names = (f"{name}_low", f"{name}_high")
        self.kind, self.least, self.most = kind, least, most

    @classmethod
    def learn(cls, name: str, column: Column, texts: Sequence[str | None]) -> _Ends:
        sides = [
            float(side)
            for text in set(texts)
            if text is not None and (ends := label_ends(text, column.kind)) is not None
            for side in ends[:2]
            if side is not None
        ]
        return cls(name, column.kind, min(sides, default=0.0), max(sides, default=0.0))

    def features(self, text: str | None) -> list[float]:
        ends = None if text is None else label_ends(text, self.kind)
        low, high = (None, None) if ends is None else ends[:2]
        return [
            self.least if low is None else float(low),
            max(self.most, self.least if low is None else float(low))
            if high is None
            else float(high),
        ]


class _Shares:
    """A feature for each value: how much of a label falls to it."""

    def __init__(self, name: str, reader: LabelReader, values: Sequence[str]) -> None:
        self.names = tuple(f"{name}={value}" for value in values)
        self.reader, self.values = reader, values

    @classmethod
    def learn(cls, name: str, column: Column, texts: Sequence[str | None]) -> _Shares:
        tree = column.hierarchy
        if isinstance(tree, Tree | FromFile):
            tree = tree.build([], column=name)
        if isinstance(tree, Hierarchy):
            leaves = [str(label) for label in tree.labels[: tree.n_leaves]]
            reader = LabelReader(column.kind, column.order, tree.labels, tree.parent.tolist())
        else:
            leaves, reader = [], LabelReader(column.kind, column.order)
        seen = Counter(text for text in texts if text is not None and text != STAR)
        values = leaves or [text for text, _ in seen.most_common()]
        ranked = sorted(values, key=lambda value: -seen[value])[:MOST_VALUES]
        return cls(name, reader, [value for value in values if value in set(ranked)])

    def features(self, text: str | None) -> list[float]:
        if text is None or text in self.values:
            return [float(value == text) for value in self.values]
        covered = [
            self.reader.covers(text, value) or self.reader.covers(value, text)
            for value in self.values
        ]
        return [one / max(sum(covered), 1) for one in covered]


def _column(table: dict[str, Any], name: str) -> Any:
    if name not in table:
        raise TableError(f"the table lacks column {name!r}, which features were learnt of.")
    return table[name]


def _texts(table: dict[str, Any], name: str) -> list[str | None]:
    texts, codes = code_texts(_column(table, name))
    return [texts[code] for code in codes.tolist()]
