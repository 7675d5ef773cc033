"""Risks of a release: that people are found in it, and what is learnt about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from shoal._notebook import Plot, html_measures, plot_bars
from shoal.errors import ParameterError, SchemaError
from shoal.privacy._model import POPULATION
from shoal.tables import FrequencyTable
from shoal.typing import Counts


@dataclass(frozen=True)
class Reidentification:
    """Chance that an attacker picks the right row for a person.

    Parameters
    ----------
    highest, average : float
        For the person easiest to find, and over all rows.
    share_above : float
        Share of rows whose risk is above the threshold.
    """

    highest: float
    average: float
    share_above: float


@dataclass(frozen=True)
class Inference:
    """What groups give away about one sensitive column.

    Parameters
    ----------
    certain_rows : int
        Rows in groups that agree on the value, so that it is certain.
    certain_share : float
        The same over all rows.
    highest_confidence, average_confidence : float
        Share of the most frequent value, in the worst group and over all rows: how sure an
        attacker is who knows a person's group and bets on it.
    """

    certain_rows: int
    certain_share: float
    highest_confidence: float
    average_confidence: float


@dataclass(frozen=True)
class Risk:
    """Risk of a table whose groups an attacker knows.

    Parameters
    ----------
    n_rows, n_groups : int
        Released rows, and groups of them.  Where people are counted, each counts once in every
        group that has a row of theirs, here and below.
    threshold : float
        Risk above which a row counts in `share_above`.
    prosecutor : Reidentification
        The attacker knows that the person is in the table: one over the size of the group.
    journalist : Reidentification
        The attacker knows only that the person is in the population: one over the population's
        people in the group.  Without population counts the table is taken for the population.
    marketer : float
        Expected share of rows that an attacker who links every row to the population gets right.
    sample_uniques : int
        Rows that are alone in their group.
    distinct_ratio : float
        Groups per row.
    separation_ratio : float
        Share of the pairs of rows that are in different groups; 1 when there are no pairs.
    population_uniques : int or None
        Those of them that are alone in the population too; None without population counts.
    inference : dict of str to Inference
        For each sensitive column.

    Examples
    --------
    >>> from shoal.anonymize import Mondrian
    >>> from shoal.schema import Schema
    >>> people = {
    ...     "age": [21, 22, 34, 35, 61, 62],
    ...     "illness": ["flu", "flu", "cold", "flu", "gout", "cold"],
    ... }
    >>> schema = Schema(
    ...     {
    ...         "age": {"role": "quasi-identifier", "kind": "numeric"},
    ...         "illness": {"role": "sensitive", "target": True},
    ...     }
    ... )
    >>> release = Mondrian(schema, 2).fit(people).release_
    >>> round(release.risk.prosecutor.highest, 3), release.risk.sample_uniques
    (0.333, 0)
    """

    n_rows: int
    n_groups: int
    threshold: float
    prosecutor: Reidentification
    journalist: Reidentification
    marketer: float
    sample_uniques: int
    distinct_ratio: float
    separation_ratio: float
    population_uniques: int | None
    inference: dict[str, Inference]

    def plot(self) -> Plot:
        """Draw the chances of an attacker; needs matplotlib."""
        chances = {
            "highest, knowing who is in": self.prosecutor.highest,
            "average, knowing who is in": self.prosecutor.average,
            "highest, not knowing": self.journalist.highest,
            "of linking everybody": self.marketer,
        }
        return plot_bars(
            "Chance to find a person", [*chances], [100 * c for c in chances.values()], "%"
        )

    def _repr_html_(self) -> str:
        return html_measures(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def risk(
    groups: FrequencyTable,
    *,
    sensitive: Sequence[str] | None = None,
    population: Counts | None = None,
    threshold: float = 0.2,
) -> Risk:
    """Measure the risk of a release from its groups.

    Parameters
    ----------
    groups : FrequencyTable
        The released groups, without suppressed rows; or the cells of a raw table.
    sensitive : sequence of str, optional
        Sensitive columns; every column that the table counts when not given.
    population : ndarray of int64, optional
        People of the population in each group.  Taken from the table when
        :func:`shoal.privacy.with_population` has counted one.
    threshold : float
        Risk above which a row counts as exposed; one in five when not given.

    Notes
    -----
    **Assumes** that every person has one row, or that `groups` count people (``release.counted``
    where the schema has a subject), and that an attacker knows all quasi-identifiers without error.

    Examples
    --------
    >>> from shoal.anonymize import Mondrian
    >>> from shoal.schema import Schema
    >>> people = {
    ...     "age": [21, 22, 34, 35, 61, 62],
    ...     "illness": ["flu", "flu", "cold", "flu", "gout", "cold"],
    ... }
    >>> schema = Schema(
    ...     {
    ...         "age": {"role": "quasi-identifier", "kind": "numeric"},
    ...         "illness": {"role": "sensitive", "target": True},
    ...     }
    ... )
    >>> release = Mondrian(schema, 2).fit(people).release_
    >>> found = risk(release.recoded.groups, threshold=0.3)
    >>> found.prosecutor.share_above, found.inference["illness"].certain_rows
    (1.0, 0)
    """
    if not 0 <= threshold <= 1:
        raise ParameterError(f"risk: threshold must lie between 0 and 1, got {threshold!r}.")
    counted = population is not None or POPULATION in groups.histograms
    people = _people(groups, population) if counted else None
    columns = [name for name in groups.histograms if name != POPULATION]
    if sensitive is not None:
        columns = list(sensitive)
    if absent := [name for name in columns if name not in groups.histograms]:
        shown = ", ".join(map(repr, absent))
        raise SchemaError(f"risk: columns {shown} are not counted. Make them sensitive.")
    filled = groups.sizes > 0
    sizes = groups.sizes[filled]
    own = sizes if people is None else people[filled]
    n_rows = int(sizes.sum())
    all_rows = max(1, n_rows)  # without rows every share is 0
    prosecutor, journalist = (
        Reidentification(
            highest=float(chance.max(initial=0.0)),
            average=float((sizes * chance).sum() / all_rows),
            share_above=float(sizes[chance > threshold].sum() / all_rows),
        )
        for chance in (1 / sizes, 1 / own)
    )
    inference = {}
    for name in columns:
        histogram = groups.histograms[name]
        top = np.zeros(groups.n_groups, np.int64)
        np.maximum.at(top, histogram.group_of_entry, histogram.counts)
        top = top[filled]
        certain = int(sizes[top == sizes].sum())
        inference[name] = Inference(
            certain_rows=certain,
            certain_share=certain / all_rows,
            highest_confidence=float((top / sizes).max(initial=0.0)),
            average_confidence=float(top.sum() / all_rows),
        )
    pairs = n_rows * (n_rows - 1)
    alike = int((sizes * (sizes - 1)).sum())
    return Risk(
        n_rows=n_rows,
        n_groups=len(sizes),
        threshold=float(threshold),
        prosecutor=prosecutor,
        journalist=journalist,
        # rows found when each is linked to one of the people in its group
        marketer=float((sizes / own).sum() / all_rows),
        sample_uniques=int((sizes == 1).sum()),
        distinct_ratio=len(sizes) / all_rows,
        separation_ratio=(pairs - alike) / pairs if pairs else 1.0,
        population_uniques=None if people is None else int(((sizes == 1) & (own == 1)).sum()),
        inference=inference,
    )


def _people(groups: FrequencyTable, population: Counts | None) -> Counts:
    if population is None:
        people: Counts = groups.histograms[POPULATION].sums(np.ones(1)).astype(np.int64)
    else:
        people = np.asarray(population, np.int64)
        if people.shape != groups.sizes.shape:
            raise ParameterError(
                f"risk: population has {len(people)} counts, the table {groups.n_groups} groups. "
                "Give one count per group."
            )
    if (people < groups.sizes).any():
        raise ParameterError(
            "risk: some groups have fewer people in the population than rows in the table. "
            "Give a population that includes the people in the table."
        )
    return people
