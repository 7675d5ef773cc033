"""Risk from an attacker who knows only the columns that a promise names."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from shoal.privacy import PrivacyModel
from shoal.privacy._projection import ProjectionModel, number_rows, split_promise
from shoal.tables import FrequencyTable


@dataclass(frozen=True)
class ColumnRisk:
    """The chance to find a person by some of the quasi-identifiers.

    Parameters
    ----------
    known : str
        What the attacker knows, in words.
    sets : int
        Sets of columns that this stands for; the worst of them counts.
    fewest : int
        Fewest rows that agree on such columns.
    highest, average : float
        Chance to pick a person's row among those that agree: of the easiest person to find, and
        the mean over all rows.
    """

    known: str
    sets: int
    fewest: int
    highest: float
    average: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def column_risks(groups: FrequencyTable, privacy: PrivacyModel) -> tuple[ColumnRisk, ...]:
    """Risk from those who know the columns of each part of a promise.

    Examples
    --------
    >>> from shoal.privacy import LKCPrivacy, Requirement
    >>> from shoal.schema import Schema
    >>> from shoal.tables import open_table
    >>> schema = Schema({name: {"role": "quasi-identifier"} for name in ("zip", "job")})
    >>> people = {"zip": ["1", "1", "2", "2"], "job": ["a", "b", "a", "b"]}
    >>> groups = open_table(people).compress(schema).cells
    >>> [(one.known, one.fewest) for one in column_risks(groups, Requirement(["zip"], 2))]
    [("'zip'", 2)]
    """
    models = {model.known: model for model in split_promise(privacy)[1]}  # one of each set
    return tuple(_risk(groups, known, model) for known, model in models.items())


def _risk(groups: FrequencyTable, known: str, model: ProjectionModel) -> ColumnRisk:
    fewest, most_sets = [], []
    projections = model.projections(groups.names)
    for columns, _ in projections:
        of_group, n = number_rows([groups.keys[:, column] for column in columns])
        rows = np.bincount(of_group, weights=groups.sizes, minlength=n)
        fewest.append(int(rows[rows > 0].min(initial=np.inf)) if groups.n_rows else 0)
        most_sets.append(int((rows > 0).sum()))
    return ColumnRisk(
        known,
        len(projections),
        min(fewest),
        1 / max(min(fewest), 1),
        max(most_sets) / max(groups.n_rows, 1),
    )
