"""Every privacy model through every method: the released rows keep the promise, counted by hand."""

import functools
from collections import Counter, defaultdict
from importlib.util import find_spec

import duckdb
import numpy as np
import pytest

from shoal.anonymize import TopDownSpecialization
from shoal.anonymize._registry import METHODS, method_class
from shoal.privacy import DeltaPresence, KAnonymity, TCloseness
from shoal.privacy._projection import ProjectionModel  # in test_projections.py
from shoal.privacy._registry import MODELS as REGISTERED
from shoal.schema import Column, Schema
from shoal.tables import RowOptions, open_table
from tests import engines
from tests.engines import rows as rows_of
from tests.privacy.catalogue import MODELS, TWO_VALUED
from tests.privacy.columns import TREE, TWO_VALUES, VALUES
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
# strict models are infeasible with few rows, so those that ask for large groups stay out
CASES = [(*case, VALUES) for case in MODELS if case[0].minimum_size < 4]
CASES += [(*case, TWO_VALUES) for case in TWO_VALUED]
PRESENCE = [(method, bounds) for bounds in ((0, 0.4), (0.1, 0.6)) for method in METHODS]


def table_of(rows):
    """A frame, which takes least time, or a relation where no dataframe library is.

    So every model meets every method in both: the second environment has none.
    """
    if find_spec("polars"):
        columns = zip(("age", "city", "s"), map(list, zip(*rows, strict=True)), strict=True)
        return engines.make("polars", dict(columns), None)
    values = ", ".join(
        "(" + ", ".join("NULL" if v is None else repr(v) for v in row) + ")" for row in rows
    )
    return duckdb.connect().sql(f"SELECT * FROM (VALUES {values}) AS people(age, city, s)")


def people(rng, n, values=VALUES):
    ages = [*range(20, 60), *rng.integers(20, 60, n - 40).tolist()]
    cities = rng.choice([*"abcde", ""], n).tolist()
    shares = [0.25, 0.15, 0.15, 0.25, 0.2] if values is VALUES else None
    private = [values[i] for i in rng.choice(len(values), n, p=shares)]
    return [(age, city or None, s) for age, city, s in zip(ages, cities, private, strict=True)]


@functools.cache
def case(index):
    """The people of a model, as rows and as a table: the same for every method."""
    rows = people(np.random.default_rng(index), 300, CASES[index][-1])
    return rows, table_of(rows)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("index", range(len(CASES)), ids=[repr(case[0]) for case in CASES])
def test_released_rows_keep_the_promise(method, index):
    model, holds, _ = CASES[index]
    rows, table = case(index)
    # as labels: a promise that lets a group be one row is refused for means
    release = method_class(method)(SCHEMA, model).fit(table, output=RowOptions()).release_
    released = rows_of(release.table)
    left_out = Counter(str(row[2]) for row in rows) - Counter(str(row[2]) for row in released)
    assert left_out.total() == release.n_suppressed == len(rows) - len(released)
    groups = defaultdict(list)
    for age, city, s in released:
        groups[age, city].append(s)
    whole = [s for _, _, s in released]
    assert all(holds(group, whole) for group in groups.values())
    assert released


@pytest.mark.parametrize("index", range(len(CASES)), ids=[repr(case[0]) for case in CASES])
def test_means_keep_the_promise(index):
    """Groups are those that are written alike, which may be several groups of labels."""
    model, holds, _ = CASES[index]
    _, table = case(index)
    release = method_class("microaggregation")(SCHEMA, model & KAnonymity(2)).fit(table).release_
    groups = defaultdict(list)
    for age, city, s in rows_of(release.table):
        assert isinstance(age, int)
        groups[age, city].append(s)
    whole = [s for group in groups.values() for s in group]
    assert all(holds(group, whole) and len(group) > 1 for group in groups.values())


def fit_with_population(method, bounds):
    rng = np.random.default_rng(0)
    rows = people(rng, 200)
    everybody = rows + people(rng, 600)
    table, register = table_of(rows), table_of(everybody)
    population = open_table(register).compress(SCHEMA).cells
    model = KAnonymity(2) & DeltaPresence(*bounds, population)
    fitted = method_class(method)(SCHEMA, model).fit(table, output=RowOptions())
    return fitted, register


@pytest.mark.parametrize(("method", "bounds"), PRESENCE)
def test_presence_in_a_release_is_as_uncertain_as_promised(method, bounds):
    fitted, register = fit_with_population(method, bounds)
    released = rows_of(fitted.release_.table)
    inside, outside = defaultdict(int), defaultdict(int)
    for age, city, _ in released:
        inside[age, city] += 1
    for age, city, _ in rows_of(fitted.transform(register)):
        outside[age, city] += 1
    keys = set(inside) | (set(outside) if bounds[0] else set())
    assert all(twin.delta_presence(inside[key], outside[key], *bounds) for key in keys)
    assert len(inside) > 1


def test_every_model_and_every_method_is_covered():
    """The guard: a model or a method that the suite does not find would be tested by nobody."""
    whole = {model for model in REGISTERED if "rungs" in vars(model)}  # in test_whole_models.py
    whole |= {model for model in REGISTERED if issubclass(model, ProjectionModel)}
    assert {type(case[0]) for case in CASES} | {DeltaPresence} == set(REGISTERED) - whole
    assert len(METHODS) >= 6
    assert len(CASES) * len(METHODS) >= 114
    assert len(PRESENCE) >= 12


def test_t_reaches_the_release():
    rows = people(np.random.default_rng(0), 300)
    sizes = []
    for t in (0.1, 0.6):
        release = TopDownSpecialization(SCHEMA, TCloseness(t)).fit(table_of(rows)).release_
        assert release.reached[0].reached <= t
        sizes.append(release.metrics.n_groups)
    assert sizes[0] < sizes[1]  # t is not accepted and then ignored
