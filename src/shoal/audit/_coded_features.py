"""Features of models that code categories themselves, and say so in their files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shoal.audit._feature_map import Features, PrivateFeatures, bare_feature, find_features
from shoal.audit._training_table import TrainingTable
from shoal.errors import SchemaError
from shoal.schema._text import text
from shoal.typing import Floats


def code_features(
    columns: Sequence[str], categories: Mapping[str, Sequence[Any]], table: TrainingTable
) -> Features:
    """Columns as numbers; those with categories as the number of their value among them."""
    matrix = np.empty((table.n_rows, len(columns)))
    private: list[PrivateFeatures] = []
    for feature, name in enumerate(columns):
        known = categories.get(name)
        if known is None:
            matrix[:, feature] = table.numbers(name)
            if name in table.private:
                private.append(bare_feature(name, feature, table.domains[name]))
            continue
        codes, values = table.frame.factorize(name)
        matrix[:, feature] = np.append(_category_codes(name, values, known), np.nan)[codes]
        if name in table.private:
            private.append(_private_categories(name, feature, known, table))
    return Features(tuple(columns), matrix, tuple(private))


def encoded_features(
    before: Any, model: Any, table: TrainingTable, *, has_categories: bool
) -> Features:
    """What the encoders of a Pipeline make of the columns; the model must not code any itself."""
    if has_categories:
        raise SchemaError(
            "the model codes categories itself, behind a Pipeline. Fit it on the table, or let an "
            "encoder of the Pipeline code them."
        )
    return find_features(before, model, table)


def _category_codes(name: str, values: Sequence[Any], known: Sequence[Any]) -> Floats:
    code_of = {text(value): code for code, value in enumerate(known)}
    lost = sum(text(value) not in code_of for value in values)
    if lost:
        raise SchemaError(
            f"column {name!r}: {lost} of its values are no categories of the model. Give the "
            "table the model was fitted on, and domains with values it knows."
        )
    return np.array([code_of[text(value)] for value in values], np.float64)


def _private_categories(
    name: str, feature: int, known: Sequence[Any], table: TrainingTable
) -> PrivateFeatures:
    domain = table.domains[name]
    values: Sequence[Any] = domain.values
    if domain.is_range:  # every category that is a number within
        low, high = (float(value) for value in domain.values)
        values = [value for value in known if low <= float(value) <= high]
    points = _category_codes(name, values, known)
    if domain.has_missing:
        points = np.append(points, np.nan)
    return PrivateFeatures(name, np.array([feature]), points[:, None], None)
