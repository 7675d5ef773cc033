"""People with several rows: the same count in every engine, the promise in every model and method.

Groups are counted from the released rows, by code that shares nothing with the package.
"""

import functools
import warnings
from collections import defaultdict

import numpy as np
import pytest

from shoal.anonymize._registry import METHODS, make_method
from shoal.errors import InfeasibleError, SchemaError
from shoal.privacy import (
    AverageRisk,
    CorrectGuesses,
    KAnonymity,
    LKCPrivacy,
    RecordsAtRisk,
    Requirement,
    RiskThresholds,
    Uniqueness,
)
from shoal.privacy._registry import MODELS as REGISTERED
from shoal.schema import Column, Schema
from shoal.tables import open_table
from tests import engines
from tests.privacy.catalogue import MODELS, TWO_VALUED
from tests.privacy.columns import TREE, TWO_VALUES, VALUES
from tests.reference import risk as twin

VISITS = {
    "patient": ["p", "q", "p", "p", "r", "q", "r"],
    "city": ["Ulm", "Ulm", "Ulm", "Bonn", "Bonn", "Kiel", "Bonn"],
    "ill": ["flu", "flu", "gout", "cold", "flu", "cold", "flu"],
}
PLAIN = Schema(
    {
        "patient": {"role": "subject"},
        "city": {"role": "quasi-identifier", "hierarchy": "flat"},
        "ill": {"role": "sensitive"},
    }
)
SCHEMA = Schema(
    {
        "patient": {"role": "subject"},
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
        "place": {"role": "insensitive"},
    }
)
OF_SOME_COLUMNS = [LKCPrivacy(1, 2, 0.9), Requirement(["city"], KAnonymity(2))]
CASES = [(*case, VALUES) for case in MODELS if case[0].minimum_size < 4]
CASES += [(*case, TWO_VALUES) for case in TWO_VALUED]


@pytest.mark.parametrize("engine", engines.ENGINES)
def test_every_engine_counts_the_same_people(engine, tmp_path):
    if engine == "spark":
        warnings.simplefilter("ignore")  # Spark and its gateway leave sockets to the collector
    compressed = open_table(engines.make(engine, VISITS, tmp_path)).compress(PLAIN)
    cells, people = compressed.cells, compressed.people
    texts = [cells.codings[0].texts[code] for code in cells.keys[:, 0]]
    assert texts == ["Bonn", "Kiel", "Ulm"]
    assert people.n_people == 3
    assert cells.row_counts.tolist() == [3, 1, 3]
    assert cells.sizes.tolist() == [1, 1, 1]  # q has as many rows in Kiel as in Ulm: the first
    (exact, *asked) = people.count(cells, np.arange(3), ["ill"], together=False)
    assert exact.sizes.tolist() == [2, 1, 2]
    ill = exact.histograms["ill"]
    flu = ill.coding.texts.index("flu")
    assert [table.histograms["ill"].dense()[2, flu] for table in asked].count(2) == 1


def visits(rng, n_people, values):
    """Visits of people who have one private value each, and are older at some of them."""
    ages = [*range(20, 60), *rng.integers(20, 60, n_people - 40).tolist()]
    shares = [0.25, 0.15, 0.15, 0.25, 0.2] if values is VALUES else None
    private = [values[i] for i in rng.choice(len(values), n_people, p=shares)]
    rows = [
        (
            f"p{one}",
            ages[one] + int(rng.integers(0, 3)),
            str(rng.choice(list("abcde"))),
            private[one],
        )
        for one in range(n_people)
        for _ in range(int(rng.integers(1, 4)))
    ]
    return [(*rows[at], place) for place, at in enumerate(rng.permutation(len(rows)))]


def frame_of(rows):
    """All engines count the same people, as is shown above: this one takes least time."""
    names = ("patient", "age", "city", "s", "place")
    columns = zip(names, map(list, zip(*rows, strict=True)), strict=True)
    return engines.make("polars", dict(columns), None)


@functools.cache
def case(index):
    """The visits of a model, as rows and as a table: the same for every method."""
    rows = visits(np.random.default_rng(index), 250, CASES[index][-1])
    return rows, frame_of(rows)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("index", range(len(CASES)), ids=[repr(case[0]) for case in CASES])
def test_people_in_released_groups_keep_the_promise(method, index):
    model, holds, _ = CASES[index]
    rows, table = case(index)
    estimator = make_method(method, SCHEMA, KAnonymity(3) & model)
    if method == "mondrian" and not model.is_monotone:
        try:
            release = estimator.fit(table).release_
        except InfeasibleError:
            return  # regions released alike are refused where joining allowed ones may fail
    else:
        release = estimator.fit(table).release_
    assert "patient" not in release.table.columns
    groups = defaultdict(dict)
    for age, city, s, place in engines.rows(release.table):
        patient, *_, had, _ = rows[place]
        assert s == had or s is had or str(s) == str(had)
        groups[age, city][patient] = s
    whole = [s for people in groups.values() for s in people.values()]
    assert all(len(people) >= 3 for people in groups.values())
    assert all(holds(list(people.values()), whole) for people in groups.values())
    assert groups


WHOLE = [
    (AverageRisk(0.2), lambda groups: twin.average_risk(groups, 0.2)),
    (CorrectGuesses(10), lambda groups: twin.correct_guesses(groups, 10)),
    (Uniqueness(0.05), lambda groups: twin.uniqueness(groups, 0.05)),
    (RecordsAtRisk(0.2, 0.1), lambda groups: twin.records_at_risk(groups, 0.2, 0.1)),
    (RiskThresholds(0.1, 0.2, 0.15), lambda groups: twin.thresholds(groups, 0.1, 0.2, 0.15)),
]
"""Conditions on all groups together, from the people in each."""


@pytest.mark.parametrize("method", ["local", "mondrian", "top-down"])
@pytest.mark.parametrize(("model", "holds"), WHOLE, ids=[repr(case[0]) for case in WHOLE])
def test_people_in_all_groups_keep_the_promise_together(method, model, holds):
    rows = visits(np.random.default_rng(3), 120, VALUES)
    released = make_method(method, SCHEMA, model).fit(frame_of(rows)).release_
    groups = defaultdict(set)
    for age, city, _, place in engines.rows(released.table):
        groups[age, city].add(rows[place][0])
    assert holds(list(groups.values()))


@pytest.mark.parametrize("model", OF_SOME_COLUMNS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("method", METHODS)
def test_promises_about_some_columns_are_refused_where_people_have_several_rows(method, model):
    """Who has rows in two groups would count twice, so nothing keeps such a promise."""
    with pytest.raises(SchemaError, match="people have several"):
        make_method(method, PLAIN, model).fit(VISITS)


def test_every_model_and_every_method_is_covered():
    """The guard: a model or a method that the suite does not find would be tested by nobody."""
    named = {type(case[0]).__name__ for case in [*CASES, *WHOLE]} | {"DeltaPresence"}
    named |= {type(model).__name__ for model in OF_SOME_COLUMNS}
    assert named == {model.__name__ for model in REGISTERED}
    assert len(METHODS) >= 6
