"""A requirement: a condition asked of some of the quasi-identifiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.errors import ParameterError, SchemaError
from shoal.privacy._model import All, PrivacyModel
from shoal.privacy._population_model import PopulationModel
from shoal.privacy._projection import Projection, ProjectionModel, project
from shoal.privacy.models._k_anonymity import as_privacy_model

if TYPE_CHECKING:
    from shoal.tables import FrequencyTable


@dataclass(frozen=True)
class Requirement(ProjectionModel):
    """A condition on the rows that agree on some of the quasi-identifiers [FWY05]_.

    Parameters
    ----------
    columns : sequence of str
        Quasi-identifiers that an attacker may know together.
    asked : PrivacyModel or int
        What the rows that agree on them have to meet; a number stands for k-anonymity.

    Notes
    -----
    **Guarantee.**  Whoever knows these columns of a person, and no others, finds rows that meet the
    condition.  Several requirements are joined with ``&``; their columns may overlap.

    **Search.**  Bottom-up generalization, top-down specialization and full-domain recoding count
    each requirement on its own columns.  Methods that form groups over all columns look at columns
    that no requirement ties together apart from one another.

    References
    ----------
    .. [FWY05] B. C. M. Fung, K. Wang, P. S. Yu.  Top-down specialization for information and
       privacy preservation.  ICDE 2005.  doi:10.1109/ICDE.2005.143

    Examples
    --------
    >>> promise = Requirement(["zip", "age"], 10) & Requirement(["age", "job"], 5)
    >>> print(promise.describe())  # doctest: +NORMALIZE_WHITESPACE
    by 'zip', 'age' alone: every group has at least 10 rows;
    by 'age', 'job' alone: every group has at least 5 rows
    """

    columns: tuple[str, ...]
    asked: PrivacyModel

    leaves_open = (
        "Whoever knows more columns of a person than a requirement names may find that person "
        "alone."
    )

    def __post_init__(self) -> None:
        columns = (self.columns,) if isinstance(self.columns, str) else tuple(self.columns)
        if not columns or not all(isinstance(name, str) for name in columns):
            raise ParameterError("Requirement: columns must be names of quasi-identifiers.")
        if len(set(columns)) < len(columns):
            raise ParameterError("Requirement: a column is named twice. Name each once.")
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "asked", as_privacy_model(self.asked))
        models = self.asked.models if isinstance(self.asked, All) else (self.asked,)
        for model in models:
            if isinstance(model, PopulationModel) or model.rungs(2) != (model,):
                raise ParameterError(
                    f"Requirement: {type(model).__name__} cannot be asked of some columns. Ask "
                    "for a condition on groups, such as k or a diversity."
                )

    def projections(self, names: Sequence[str]) -> list[Projection]:
        """The one set of columns."""
        if unknown := [name for name in self.columns if name not in names]:
            raise SchemaError(
                f"Requirement: {', '.join(map(repr, unknown))} not among the quasi-identifiers "
                f"{', '.join(map(repr, names))}. Name some of these."
            )
        # in the order of the schema, so that equal sets are one
        numbers = sorted(list(names).index(name) for name in self.columns)
        return [Projection(tuple(numbers), self.asked)]

    @property
    def known(self) -> str:
        """The columns."""
        return ", ".join(map(repr, self.columns))

    @property
    def implied_by(self) -> PrivacyModel:
        """The condition asked."""
        return self.asked

    @property
    def parts(self) -> tuple[PrivacyModel, ...]:
        """The parts of the condition, each asked of the columns."""
        inner = self.asked.parts
        return (
            (self,)
            if inner == (self.asked,)
            else tuple(Requirement(self.columns, p) for p in inner)
        )

    @property
    def required(self) -> float:
        """That of the condition."""
        return self.asked.required

    @property
    def larger_is_better(self) -> bool:  # type: ignore[override]
        """That of the condition."""
        return self.asked.larger_is_better

    def value(self, groups: FrequencyTable) -> float:
        """What the worst set of rows that agree on the columns reaches."""
        ((columns, asked),) = self.projections(groups.names)
        return asked.value(project(groups, columns, asked)[0])

    def describe(self) -> str:
        """Say what the rows that agree on the columns have to be."""
        return f"by {self.known} alone: {self.asked.describe().replace('; ', ', and ')}"

    def bind(self, sensitive: Sequence[str]) -> PrivacyModel:
        """The same with the sensitive columns named."""
        return Requirement(self.columns, self.asked.bind(sensitive))

    def to_dict(self, *, private: bool = False) -> dict[str, Any]:
        """Columns and condition."""
        asked = self.asked.to_dict(private=private)
        return {"model": "Requirement", "columns": list(self.columns), "asked": asked}

    @classmethod
    def _from_parts(cls, parts: dict[str, Any]) -> PrivacyModel:
        columns, asked = parts.get("columns"), parts.get("asked")
        if not isinstance(columns, list) or not isinstance(asked, dict):
            raise ParameterError("Requirement: give columns, and what is asked of them.")
        return cls(tuple(columns), PrivacyModel.from_dict(asked))
