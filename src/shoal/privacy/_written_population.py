"""A population counted in the groups of a table that is there already, by what is written."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.errors import SchemaError
from shoal.privacy._model import POPULATION, All, PrivacyModel
from shoal.privacy._population_model import PopulationModel
from shoal.privacy.models._population import population_histogram
from shoal.privacy.models._presence import DeltaPresence
from shoal.schema import Schema
from shoal.tables import FrequencyTable
from shoal.tables._label_cover import covers
from shoal.typing import Counts, Flags

_MOST_PAIRS = 1 << 24  # pairs of a group and a combination of the population at a time


def ask_of_population(privacy: PrivacyModel, population: FrequencyTable) -> PrivacyModel:
    """The same promise with a population for the conditions that look at one.

    A manifest tells what was promised, and nothing of the people of a population.
    """
    given = [
        replace(part, population=population)  # type: ignore[type-var]
        if isinstance(part, PopulationModel) and part.counts_population
        else part
        for part in privacy.parts
    ]
    return given[0] if len(given) == 1 else All(tuple(given))


def count_population(
    groups: FrequencyTable, privacy: PrivacyModel, schema: Schema
) -> FrequencyTable:
    """Add to groups of labels the people of the population whom the labels of each may mean.

    Somebody whom labels of several groups may mean counts in each of them, as for an attacker who
    has the table and the population.  Where that is so, a share of people cannot be told, and a
    condition on one is refused.
    """
    asked = [
        part
        for part in privacy.parts
        if isinstance(part, PopulationModel) and part.counts_population
    ]
    if not asked or POPULATION in groups.histograms:
        return groups
    population = next((part.population for part in asked if part.population is not None), None)
    if population is None:
        raise SchemaError(
            f"{type(asked[0]).__name__} needs a population, which no manifest holds. Give the "
            "table of everybody who might be in this one (--population FILE)."
        )
    people, twice = _count(groups, population, schema)
    if twice and any(isinstance(part, DeltaPresence) for part in asked):
        raise SchemaError(
            f"labels of several groups may mean the same {twice} people of the population, so that "
            "a share of them cannot be told. It was counted when the release was made."
        )
    counted = population_histogram(people)
    return replace(groups, histograms={**groups.histograms, POPULATION: counted})


def _count(
    groups: FrequencyTable, population: FrequencyTable, schema: Schema
) -> tuple[Counts, int]:
    """People in each group, and those who are in several."""
    if absent := sorted(set(groups.names) - set(population.names)):
        shown = ", ".join(map(repr, absent))
        raise SchemaError(f"the population lacks the quasi-identifiers {shown}. Add them.")
    meant = [_meant(groups, column, population, schema) for column in range(len(groups.codings))]
    step = max(1, _MOST_PAIRS // max(population.n_groups, 1))
    people = np.zeros(groups.n_groups, np.int64)
    times = np.zeros(population.n_groups, np.int64)
    for start in range(0, groups.n_groups, step):
        keys = groups.keys[start : start + step]
        inside = np.ones((len(keys), population.n_groups), np.bool_)
        for column, flags in enumerate(meant):
            inside &= flags[keys[:, column]]
        people[start : start + step] = inside @ population.sizes
        times += inside.sum(axis=0)
    return people, int(population.sizes[times > 1].sum())


def _meant(
    groups: FrequencyTable, column: int, population: FrequencyTable, schema: Schema
) -> Flags:
    """For each label of a column, the combinations of the population that it may mean."""
    coding = groups.codings[column]
    own = population.names.index(coding.name)
    values = population.codings[own].texts
    flags = covers(coding.name, coding.texts, values, schema).T
    return flags[:, population.keys[:, own]]
