"""People of a population whom the labels of a release may mean, against plain loops."""

import random

import pandas as pd
import pytest

from shoal.anonymize import LocalRecoding, Mondrian, check_table
from shoal.errors import SchemaError
from shoal.privacy import DeltaPresence, KAnonymity, KMap
from shoal.privacy._written_population import ask_of_population
from shoal.risk import population_of
from shoal.schema import Schema

TREE = {"L": ["a", "b", "c"], "R": ["d", "e"]}
SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "city": {"role": "quasi-identifier", "hierarchy": {"tree": TREE}},
    }
)


def draw(seed):
    rng = random.Random(seed)
    people = [(rng.randrange(20, 40), rng.choice("abcde")) for _ in range(60)]
    return (pd.DataFrame(rows, columns=["age", "city"]) for rows in (people[:20], people))


def means(label, age):
    if label == "*":
        return True
    low, _, high = label.strip("[]").partition("-")
    return int(low) <= age <= int(high or low)


def slow_smallest(table, everybody):
    """Fewest people of the population whom the labels of a released row may mean."""
    return min(
        sum(
            means(str(row.age), one.age) and row.city in ("*", one.city, *above(one.city))
            for one in everybody.itertuples()
        )
        for row in table.itertuples()
    )


def above(city):
    return [node for node, cities in TREE.items() if city in cities]


@pytest.mark.parametrize("method", [Mondrian, LocalRecoding])
@pytest.mark.parametrize("seed", range(4))
def test_people_are_counted_by_labels(seed, method):
    rows, everybody = draw(seed)
    population = population_of(everybody, SCHEMA)
    released = method(SCHEMA, KMap(5, population=population)).fit(rows).release_.table
    verdict = check_table(released, SCHEMA, KMap(5, population=population))
    assert verdict.holds  # what the method counts is never more than what labels may mean
    assert verdict.reached[0].reached == slow_smallest(released, everybody)
    assert not check_table(rows, SCHEMA, KMap(60, population=population)).holds


def test_a_promise_of_a_manifest_gets_its_population_back():
    rows, everybody = draw(0)
    population = population_of(everybody, SCHEMA)
    promise = KAnonymity(1) & KMap(2)
    with pytest.raises(SchemaError, match="--population FILE"):
        check_table(rows, SCHEMA, promise)
    asked = ask_of_population(promise, population)
    assert [part.description for part in check_table(rows, SCHEMA, asked).reached] == [
        "every group has at least 1 rows",
        "every group has at least 2 of the population's people",
    ]


def test_a_share_of_people_in_several_groups_is_not_told():
    schema = Schema({"city": SCHEMA["city"]})
    everybody = population_of(pd.DataFrame({"city": list("aabbde")}), schema)
    model = DeltaPresence(0, 0.9, population=everybody)
    apart = check_table({"city": ["L", "R"]}, schema, model)
    assert apart.holds
    with pytest.raises(SchemaError, match="same 2 people"):
        check_table({"city": ["L", "a", "R"]}, schema, model)


def test_a_population_without_a_column_is_named():
    rows, everybody = draw(0)
    one = Schema({"age": SCHEMA["age"]})
    with pytest.raises(SchemaError, match="lacks the quasi-identifiers 'city'"):
        check_table(rows, SCHEMA, KMap(2, population=population_of(everybody[["age"]], one)))
