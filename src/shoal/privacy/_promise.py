"""The promise of a release: the privacy model asked for, with what the schema requires."""

from __future__ import annotations

from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.privacy._model import All, PrivacyModel, check
from shoal.privacy._projection import ProjectionModel
from shoal.privacy._words import read_promise
from shoal.privacy.models._k_anonymity import as_privacy_model
from shoal.privacy.models._requirement import Requirement
from shoal.schema import Schema

if TYPE_CHECKING:
    from shoal.tables import FrequencyTable


def schema_promise(schema: Schema) -> tuple[PrivacyModel, ...]:
    """The requirements of a schema, as privacy models.

    Examples
    --------
    >>> columns = {name: {"role": "quasi-identifier"} for name in ("zip", "age", "job")}
    >>> schema = Schema(columns, [{"columns": ["zip", "age"], "k": 10}])
    >>> schema_promise(schema)
    (Requirement(columns=('zip', 'age'), asked=KAnonymity(k=10)),)
    """
    return tuple(
        Requirement(required.columns, read_promise(required.k, required.diversity))
        for required in schema.requirements
    )


def bind_promise(privacy: object, schema: Schema) -> PrivacyModel:
    """What a release of the table promises, with the sensitive columns named.

    Parameters
    ----------
    privacy : PrivacyModel, int or None
        What is asked for; None where the schema's requirements are all.
    schema : Schema
        Roles of the columns, and requirements.
    """
    asked = [] if privacy is None else [as_privacy_model(privacy)]
    asked += schema_promise(schema)
    if not asked:
        raise ParameterError(
            "nothing is asked for. Give a privacy model or k, or requirements in the schema."
        )
    bound = reduce(and_, asked).bind(schema.sensitive)
    models = bound.models if isinstance(bound, All) else (bound,)
    settled = [part for model in models for part in _settle(model, schema)]
    # the manifest of a release and the schema beside it say the same
    return reduce(and_, dict.fromkeys(settled))


def _settle(model: PrivacyModel, schema: Schema) -> tuple[PrivacyModel, ...]:
    """The model, or its equivalent if it is about all quasi-identifiers together."""
    if not isinstance(model, ProjectionModel):
        return (model,)
    names = schema.quasi_identifiers
    if schema.subject is not None:
        raise SchemaError(
            f"{type(model).__name__} counts rows, and column {schema.subject!r} says that people "
            "have several: somebody with rows in two groups would count twice. Keep one row of "
            "each person, and leave the column out."
        )
    (first, *others) = model.projections(names)  # which refuses columns that are no such
    if others or len(first.columns) < len(names):
        return (model,)
    return first.asked.models if isinstance(first.asked, All) else (first.asked,)


def refuse_projections(privacy: PrivacyModel, what: str, schema: object = None) -> None:
    """Raise where something is asked of some columns and `what` cannot be asked about those.

    What a schema requires may be less than is asked of all columns: then it is kept.
    """
    for required in schema.requirements if isinstance(schema, Schema) else ():
        if required.diversity or (required.k or 1) > privacy.minimum_size:
            raise ParameterError(
                f"the schema requires something of {', '.join(map(repr, required.columns))} alone, "
                f"which cannot be asked of {what}. Ask for as much over all quasi-identifiers "
                f"(k of at least {required.k or 1}), or take the requirement out of the schema."
            )
    for part in privacy.parts:
        if isinstance(part, ProjectionModel):
            raise ParameterError(
                f"{type(part).__name__} is about tables, and cannot be asked of {what}. Ask for "
                "k or a diversity over all quasi-identifiers, which says more."
            )


def infeasible_as_one_group(
    privacy: PrivacyModel, whole: FrequencyTable, what: str, hint: str
) -> InfeasibleError | None:
    """The error if all rows in one group do not keep the promise; None if they do.

    `what` says which rows they are.
    """
    for part in check(privacy, whole):
        if not part.holds:
            return InfeasibleError(
                f"{what}: {part.description}",
                required=part.required,
                achieved=part.reached,
                hint=hint,
            )
    return None
