"""From attributes to a model's features and back, through scikit-learn's encoders."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audit._training_table import Domain, TrainingTable
from shoal.errors import SchemaError
from shoal.frames._frame import Frame
from shoal.schema._text import number
from shoal.typing import Floats

# each output of these depends on a single input column
ONE_COLUMN_EACH = {
    "KBinsDiscretizer",
    "MaxAbsScaler",
    "MinMaxScaler",
    "OneHotEncoder",
    "OrdinalEncoder",
    "PowerTransformer",
    "QuantileTransformer",
    "RobustScaler",
    "SelectKBest",
    "SimpleImputer",
    "StandardScaler",
    "VarianceThreshold",
}
PROBES = 7  # places of a range tried beside observed values, to see whether features follow it


@dataclass(frozen=True, eq=False)
class PrivateFeatures:
    """What one private attribute can make of the features that come from it.

    Parameters
    ----------
    name : str
        The attribute.
    places : ndarray of intp
        Its features.
    points : ndarray of shape (n_points, n_places)
        Possible values of these features.
    segment : ndarray of shape (2, n_places) or None
        Ends of a segment all of which is possible too (an attribute with a range).
    """

    name: str
    places: NDArray[np.intp]
    points: Floats
    segment: Floats | None


@dataclass(frozen=True, eq=False)
class Features:
    """The features of all rows, and which of them are private.

    Parameters
    ----------
    names : tuple of str
        Name of each feature.
    matrix : ndarray of shape (n_rows, n_features)
        Features of the rows, in the precision that the model compares.
    private : tuple of PrivateFeatures
        One per private attribute that the model uses.
    notes : tuple of str
        Where the domain had to be read otherwise than declared.
    """

    names: tuple[str, ...]
    matrix: NDArray[np.floating[Any]]
    private: tuple[PrivateFeatures, ...]
    notes: tuple[str, ...] = ()

    def in_single(self) -> Features:
        """The same features as a model sees them that compares single precision."""
        return replace(self, matrix=_single(self.matrix))

    def rounded(self, values: Floats) -> Floats:
        """Values of features as the model sees them."""
        if self.matrix.dtype == np.float32:
            return _single(values).astype(np.float64)
        return values

    @cached_property
    def doubles(self) -> Floats:
        """The matrix in double precision, which holds all numbers of single precision."""
        return self.matrix.astype(np.float64, copy=False)

    @property
    def is_private(self) -> NDArray[np.bool_]:
        """Which features come from a private attribute."""
        flags = np.zeros(len(self.names), np.bool_)
        for one in self.private:
            flags[one.places] = True
        return flags


def _single(values: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):  # beyond single precision is infinite there too
        return values.astype(np.float32, copy=False)


def input_columns(model: Any, table: TrainingTable) -> tuple[str, ...]:
    """Columns that a model was fitted on; an error when the schema has others."""
    names = getattr(model, "feature_names_in_", None)
    wanted = getattr(model, "n_features_in_", len(table.attributes))
    return match_columns(names, wanted, table)


def match_columns(names: Any, wanted: int, table: TrainingTable) -> tuple[str, ...]:
    """The schema's columns behind a model's names, or behind its number of unnamed features."""
    if names is not None:
        lost = [str(name) for name in names if str(name) not in table.attributes]
        if lost:
            raise SchemaError(
                f"the model was fitted on columns that are no attributes in the schema: "
                f"{', '.join(map(repr, lost[:5]))}. Audit it with the schema of its training "
                "table (the target and identifiers are no attributes)."
            )
        return tuple(map(str, names))
    if wanted != len(table.attributes):
        raise SchemaError(
            f"the model was fitted on {wanted} columns without names, and the schema has "
            f"{len(table.attributes)} attributes. Leave the others out of table and schema, or "
            "fit on a table with names."
        )
    return table.attributes


def last_step(model: Any) -> Any:
    """The last step of a Pipeline: the model itself."""
    if not _is_pipeline(model):
        return model
    return last_step(model.steps[0][1]) if len(model.steps) == 1 else model.steps[-1][1]


def split_pipeline(model: Any) -> tuple[Any, Any]:
    """What comes before the last step of a Pipeline (None without one), and the last step."""
    if not _is_pipeline(model):
        return None, model
    if len(model.steps) == 1:
        return split_pipeline(model.steps[0][1])
    _check_steps(model[:-1])
    return model[:-1], model.steps[-1][1]


def count_classes(model: Any) -> int | None:
    """Classes that a fitted estimator knows; None when it predicts a number."""
    return len(model.classes_) if hasattr(model, "classes_") else None


def _is_pipeline(model: Any) -> bool:
    return type(model).__name__ == "Pipeline" and hasattr(model, "steps")


def _check_steps(step: Any) -> None:
    if step is None or isinstance(step, str):
        return
    name = type(step).__name__
    if name == "Pipeline":
        parts = [part for _, part in step.steps]
    elif name == "ColumnTransformer":
        parts = [part for _, part, _ in step.transformers_]
    elif name == "FeatureUnion":
        parts = [part for _, part in step.transformer_list]
    elif _keeps_columns_apart(step, name):
        return
    else:
        raise SchemaError(
            f"the encoder {name} cannot be mapped back to attributes: a feature of it may depend "
            "on several columns. Describe the model by hand: pass its predict function (of a "
            "table with the schema's columns), which is audited over the domain."
        )
    for part in parts:
        _check_steps(part)


def _keeps_columns_apart(step: Any, name: str) -> bool:
    if name == "FunctionTransformer":  # what "passthrough" becomes
        return step.func is None
    return name in ONE_COLUMN_EACH and not getattr(step, "add_indicator", False)


def find_features(
    before: Any, model: Any, table: TrainingTable, *, single: bool = False
) -> Features:
    """Features of the rows, and what private attributes can make of theirs.

    With `single` the matrix is made in single precision at once: memory that was never used costs
    more time than the tests of a tree.
    """
    columns = input_columns(model if before is None else before, table)
    if before is None:
        matrix = np.empty((table.n_rows, len(columns)), np.float32 if single else np.float64)
        for feature, name in enumerate(columns):
            column = table.numbers(name)
            matrix[:, feature] = _single(column) if single else column
        bare = tuple(
            bare_feature(name, columns.index(name), table.domains[name])
            for name in table.private
            if name in columns
        )
        return Features(columns, matrix, bare)
    matrix = _transform(before, table, columns, None, None)
    private: list[PrivateFeatures] = []
    notes: list[str] = []
    for name in table.private:
        if name in columns:
            feature, note = _probe(before, table, columns, name)
            private.append(feature)
            notes += note
    features = Features(_names(before, matrix.shape[1]), matrix, tuple(private), tuple(notes))
    return features.in_single() if single else features


def transformed(model: Any, table: TrainingTable) -> list[Floats]:
    """Features as a model's own encoders make them of the rows; none without a Pipeline."""
    if not _is_pipeline(model) or len(model.steps) < 2:
        return []
    before = model[:-1]
    try:
        return [_transform(before, table, input_columns(before, table), None, None)]
    except SchemaError:  # its encoders take other columns: whoever reads the model has refused it
        return []


def encoders_of(model: Any, table: TrainingTable) -> tuple[Any, Any]:
    """The encoders of a Pipeline, and the rows as they take them; None without any."""
    if not _is_pipeline(model) or len(model.steps) < 2:
        return None, None
    before = model[:-1]
    try:
        return before, _rows(before, table.frame.select(input_columns(before, table)))
    except SchemaError:
        return None, None


def _names(before: Any, n_features: int) -> tuple[str, ...]:
    try:
        return tuple(map(str, before.get_feature_names_out()))
    except (AttributeError, TypeError, ValueError):  # some transformers name nothing
        return tuple(f"feature {index}" for index in range(n_features))


def bare_feature(name: str, place: int, domain: Domain) -> PrivateFeatures:
    """What a private column of numbers can be that is a feature itself."""
    values = np.array([number(value) for value in domain.values], np.float64)
    segment = values[:, None] if domain.is_range else None
    points = np.empty((0, 1)) if domain.is_range else values[:, None]
    if domain.has_missing:
        points = np.concatenate([points, [[np.nan]]])
    return PrivateFeatures(name, np.array([place]), points, segment)


def _transform(
    before: Any, table: TrainingTable, columns: tuple[str, ...], name: str | None, values: Any
) -> Floats:
    frame = table.frame.select(columns)
    if name is not None:
        frame = frame.take(np.zeros(len(values), np.intp)).with_arrays({name: values})
    try:
        image = before.transform(_rows(before, frame))
    except Exception as error:  # its text may hold somebody's data
        where = "the table" if name is None else f"the domain of column {name!r}"
        raise SchemaError(
            f"the model's encoders refuse {where} ({type(error).__name__}). Give the table the "
            "model was fitted on, and domains with values its encoders know."
        ) from None
    image = image.toarray() if hasattr(image, "toarray") else image
    return np.asarray(image, np.float64)


def _rows(before: Any, frame: Frame) -> Any:
    """Rows as encoders take them: with the names of columns, if they were fitted so."""
    if hasattr(before, "feature_names_in_"):
        return frame.native
    return np.column_stack([np.array(frame.values(name), object) for name in frame.names])


def _probe(
    before: Any, table: TrainingTable, columns: tuple[str, ...], name: str
) -> tuple[PrivateFeatures, list[str]]:
    domain = table.domains[name]
    if not domain.is_range:
        values = [*domain.values, *([None] * domain.has_missing)]
        image = _transform(before, table, columns, name, np.array(values, object))
        places = _varying(image)
        return PrivateFeatures(name, places, np.unique(image[:, places], axis=0), None), []
    low, high = (number(value) for value in domain.values)
    seen = np.sort([number(value) for value in table.frame.factorize(name)[1]])
    tried = np.concatenate([[low, high], np.linspace(low, high, PROBES), seen])
    image = _transform(
        before, table, columns, name, np.append(tried, [np.nan] * domain.has_missing)
    )
    places = _varying(image)
    image = image[:, places]
    share = (tried - low) / (high - low) if high > low else np.zeros(len(tried))
    line = image[0] + share[:, None] * (image[1] - image[0])
    scale = np.abs(image[: len(tried)]).max(initial=1.0)
    if np.allclose(image[: len(tried)], line, rtol=0, atol=1e-9 * scale):
        return PrivateFeatures(name, places, image[len(tried) :], image[:2]), []
    note = f"private column {name!r} is encoded in steps or bends: its observed values are tried"
    return PrivateFeatures(name, places, np.unique(image, axis=0), None), [note]


def _varying(image: Floats) -> NDArray[np.intp]:
    same = (image == image[:1]) | (np.isnan(image) & np.isnan(image[:1]))
    return np.flatnonzero(~same.all(axis=0))
