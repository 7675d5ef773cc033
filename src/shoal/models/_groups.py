"""Training rows as the groups that a privacy model is asked about."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.models.tree._attributes import Attribute
from shoal.models.tree.growth._training import Coded, private_coding
from shoal.privacy import DeltaPresence, KAnonymity, PrivacyModel
from shoal.privacy._promise import infeasible_as_one_group, refuse_projections
from shoal.privacy.models._k_anonymity import as_privacy_model
from shoal.privacy.spans._spans import PrivateColumns, count_groups
from shoal.schema import Schema
from shoal.schema._coding import Coding
from shoal.tables import FrequencyTable
from shoal.tables._frequency import Histogram
from shoal.typing import Codes


def read_privacy(privacy: object, what: str, schema: Schema | None = None) -> PrivacyModel:
    """The privacy model, k-anonymity for a number; an error for one that cannot be asked."""
    model = as_privacy_model(privacy)
    if any(isinstance(part, DeltaPresence) for part in model.parts):
        raise ParameterError(f"privacy: {what} has no population, so DeltaPresence does not apply.")
    refuse_projections(model, what, schema)
    return model


def check_schema(schema: object) -> Schema | None:
    """The schema, if there is one; an error for what is none, such as k in its place."""
    if schema is not None and not isinstance(schema, Schema):
        raise SchemaError(
            f"schema must be a Schema, got {type(schema).__name__}. `Schema.from_toml(path)` reads "
            "one of a file; k, or a privacy model, is given as privacy=."
        )
    return schema


def count_only(groups: FrequencyTable) -> FrequencyTable:
    """The same groups without the private values in them."""
    return FrequencyTable(groups.codings, groups.keys, groups.sizes)


def private_columns(
    attributes: list[Attribute], coded: list[Coded]
) -> dict[str, tuple[Coding, Codes]]:
    return {
        attribute.name: (private_coding(attribute, one), one.codes)
        for attribute, one in zip(attributes, coded, strict=True)
        if not attribute.public
    }


def one_group_per_row(model: PrivacyModel, private: PrivateColumns, n_rows: int) -> FrequencyTable:
    """The rows as a frequency table, for the rules; histograms only where a model reads them."""
    ones, start = np.ones(n_rows, np.int64), np.arange(n_rows + 1)
    histograms = {}
    if not all(isinstance(part, KAnonymity) for part in model.parts):
        histograms = {
            name: Histogram(coding, start, codes, ones) for name, (coding, codes) in private.items()
        }
    return FrequencyTable((), np.empty((n_rows, 0), np.int32), ones, histograms)


def check_feasible(
    model: PrivacyModel,
    codes: NDArray[np.intp],
    n_classes: int,
    class_is_public: bool,
    private: PrivateColumns,
) -> None:
    """Raise unless the root alone is allowed."""
    if class_is_public:
        smallest = int(np.bincount(codes, minlength=n_classes).min())
        if smallest < model.minimum_size:
            raise InfeasibleError(
                f"the smallest class, which is public, has fewer than {model.minimum_size} rows",
                required=model.minimum_size,
                achieved=smallest,
                hint="Lower k, join classes, or make the class private (role sensitive).",
            )
        return
    whole = count_groups(np.zeros(len(codes), np.int64), 1, private)
    what = f"{len(codes)} training rows as one group"
    error = infeasible_as_one_group(model, whole, what, "Ask for less, or fit on more rows.")
    if error is not None:
        raise error
