"""Every privacy model through every method that solves by regions: the promise over the whole."""

from collections import defaultdict

import numpy as np
import pytest

from shoal.anonymize._registry import method_class
from shoal.anonymize.regions._release_by_regions import METHODS_BY_COLUMN, METHODS_BY_REGION
from shoal.errors import ParameterError
from shoal.privacy import DeltaPresence, KAnonymity
from shoal.privacy._registry import MODELS as REGISTERED
from shoal.tables import open_table
from tests.contracts.test_models_in_releases import CASES, SCHEMA, people, table_of
from tests.contracts.test_whole_models import CASES as WHOLE_CASES
from tests.engines import rows as rows_of
from tests.privacy.columns import VALUES

METHODS = METHODS_BY_REGION + METHODS_BY_COLUMN
ROWS = 400
REFUSED = {"DeltaPresence", "KMap"}
"""Models that count a population: they are refused with advice, which another test looks at."""
COLUMNS = {"LKCPrivacy", "Requirement"}
"""Models about some of the quasi-identifiers: searched for by what implies them, as below."""


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Small tables are cut here, too: what is tested does not depend on what borders cost."""
    monkeypatch.setattr("shoal.anonymize.regions._release_by_regions.LEAST_GROUPS", 1)


def released_groups(method, model, values, seed):
    table = table_of(people(np.random.default_rng(seed), ROWS, values))
    fitted = method_class(method)(SCHEMA, model).fit(table, regions=5)
    release = fitted.release_
    groups = defaultdict(list)
    for age, city, s in rows_of(release.table):
        groups[age, city].append(s)
    assert sum(map(len, groups.values())) == ROWS - release.n_suppressed
    return release, groups


# each case releases five regions, which takes long, so not every method meets every model
TRIED = [
    (method, index)
    for index in range(len(CASES))
    for place, method in enumerate(METHODS)
    if place == 0 or index % len(METHODS) == place
    if type(CASES[index][0]).__name__ not in REFUSED
]
WHOLE_TRIED = [
    (METHODS_BY_REGION[place % len(METHODS_BY_REGION)], *case)
    for place, case in enumerate(WHOLE_CASES)
]


@pytest.mark.parametrize(("method", "index"), TRIED)
def test_the_whole_output_keeps_the_promise(method, index):
    model, holds, values = CASES[index]
    release, groups = released_groups(method, model, values, index)
    whole = [s for group in groups.values() for s in group]
    assert all(holds(group, whole) for group in groups.values())
    assert all(level.holds for level in release.reached)
    assert release.n_regions > 1 or not model.is_monotone or len(groups) < 5


@pytest.mark.parametrize(("method", "model", "twin"), WHOLE_TRIED)
def test_conditions_on_the_whole_are_kept(method, model, twin):
    release, groups = released_groups(method, model & KAnonymity(2), VALUES, 3)
    assert twin(list(groups.values()))
    assert release.n_regions > 1


def test_every_model_is_tried_or_refused():
    tried = {type(CASES[index][0]) for _, index in TRIED} | {type(m) for _, m, _ in WHOLE_TRIED}
    assert {method for method, _ in TRIED} == set(METHODS)
    assert {model.__name__ for model in set(REGISTERED) - tried} <= REFUSED | COLUMNS


def test_a_population_is_refused_with_advice():
    table = table_of(people(np.random.default_rng(0), 200))
    population = open_table(table).compress(SCHEMA).cells
    model = KAnonymity(2) & DeltaPresence(0, 0.9, population)
    with pytest.raises(ParameterError, match="Leave regions out"):
        method_class("mondrian")(SCHEMA, model).fit(table, regions=3)
