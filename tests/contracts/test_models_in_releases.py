"""Every privacy model through every method: the released rows keep the promise, counted by hand."""

from collections import defaultdict

import duckdb
import numpy as np
import pytest

from shoal.anonymize import (
    BottomUpGeneralization,
    FullDomain,
    LocalRecoding,
    TopDownSpecialization,
)
from shoal.privacy import DeltaPresence, KAnonymity, TCloseness
from shoal.schema import Column, Schema
from shoal.tables import open_table
from tests.privacy.catalogue import MODELS, TREE, VALUES
from tests.reference import privacy as twin

SCHEMA = Schema(
    {
        "age": {
            "role": "quasi-identifier",
            "kind": "numeric",
            "hierarchy": {"intervals": [5, 10, 20]},
        },
        "city": {
            "role": "quasi-identifier",
            "hierarchy": {"tree": {"L": ["a", "b", "c"], "R": ["d", "e"]}},
        },
        "s": Column("sensitive", "numeric", hierarchy=TREE),
    }
)
LOOSE = [(model, holds) for model, holds in MODELS if model.minimum_size < 4]


def relation(rows):
    values = ", ".join(
        "(" + ", ".join("NULL" if v is None else repr(v) for v in row) + ")" for row in rows
    )
    connection = duckdb.connect()
    return connection.sql(f"SELECT * FROM (VALUES {values}) AS people(age, city, s)"), connection


def people(rng, n):
    ages = [*range(20, 60), *rng.integers(20, 60, n - 40).tolist()]
    cities = rng.choice([*"abcde", ""], n).tolist()
    values = [VALUES[i] for i in rng.choice(len(VALUES), n, p=[0.25, 0.15, 0.15, 0.25, 0.2])]
    return [(age, city or None, s) for age, city, s in zip(ages, cities, values, strict=True)]


@pytest.mark.parametrize(
    "method", [BottomUpGeneralization, TopDownSpecialization, FullDomain, LocalRecoding]
)
@pytest.mark.parametrize("index", range(len(LOOSE)), ids=[repr(model) for model, _ in LOOSE])
def test_released_rows_keep_the_promise(method, index):
    model, holds = LOOSE[index]
    rows = people(np.random.default_rng(index), 300)
    table, _connection = relation(rows)
    released = method(SCHEMA, model).fit(table).release_.table.fetchall()
    assert sorted(str(row[2]) for row in released) == sorted(str(row[2]) for row in rows)
    groups = defaultdict(list)
    for age, city, s in released:
        groups[age, city].append(s)
    whole = [s for _, _, s in released]
    assert all(holds(group, whole) for group in groups.values())


@pytest.mark.parametrize("method", [BottomUpGeneralization, TopDownSpecialization])
@pytest.mark.parametrize("bounds", [(0, 0.4), (0.1, 0.6)])
def test_presence_in_a_release_is_as_uncertain_as_promised(method, bounds):
    rng = np.random.default_rng(0)
    rows = people(rng, 200)
    everybody = rows + people(rng, 600)
    table, _connection = relation(rows)
    register, _other = relation(everybody)
    population = open_table(register).compress(SCHEMA).cells
    fitted = method(SCHEMA, KAnonymity(2) & DeltaPresence(*bounds, population)).fit(table)
    released = fitted.release_.table.fetchall()
    inside, outside = defaultdict(int), defaultdict(int)
    for age, city, _ in released:
        inside[age, city] += 1
    for age, city, _ in fitted.transform(register).fetchall():
        outside[age, city] += 1
    keys = set(inside) | (set(outside) if bounds[0] else set())
    assert all(twin.delta_presence(inside[key], outside[key], *bounds) for key in keys)
    assert len(inside) > 1


def test_t_reaches_the_release():
    rows = people(np.random.default_rng(0), 300)
    sizes = []
    for t in (0.1, 0.6):
        table, _connection = relation(rows)
        release = TopDownSpecialization(SCHEMA, TCloseness(t)).fit(table).release_
        assert release.reached[0].reached <= t
        sizes.append(release.metrics.n_groups)
    assert sizes[0] < sizes[1]  # t is not accepted and then ignored
