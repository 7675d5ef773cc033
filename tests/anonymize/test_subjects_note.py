"""The note on repeated identifiers is for columns that may name people, and for no others."""

import numpy as np
import pytest

from shoal.anonymize._subjects import warn_of_repeats
from shoal.schema import Schema
from shoal.tables import open_table

ROWS = 1_200


def table(name, values, **more):
    draw = np.random.default_rng(3)
    person = np.arange(ROWS) // 4
    own = {"sex": draw.integers(0, 2, ROWS)[person], "born": draw.integers(40, 99, ROWS)[person]}
    visit = {"sex": draw.integers(0, 2, ROWS), "born": draw.integers(40, 99, ROWS)}
    known = own if more.get("steady") else visit
    return {name: values} | {key: column.tolist() for key, column in known.items()}


def note(name, values, **more):
    roles = {"sex": {"role": "quasi-identifier"}, "born": {"role": "quasi-identifier"}}
    schema = Schema({name: {"role": "identifier"}} | roles)
    return warn_of_repeats(open_table(table(name, values, **more)), schema)


def people():
    return (np.arange(ROWS) // 4).tolist()


@pytest.mark.parametrize(
    ("name", "values", "steady"),
    [
        ("patient_id", people(), False),
        ("patient_id", [i % 3 for i in range(ROWS)], False),  # few people with many rows each
        ("who", [f"P{i}" for i in people()], False),
        ("x1", people(), True),  # no telling name, and what is known of people stays the same
    ],
)
def test_columns_that_may_name_people_are_noted(name, values, steady):
    (said,) = note(name, values, steady=steady)
    assert repr(name) in said


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("education-num", [i % 16 for i in range(ROWS)]),
        ("education", [f"level {i % 16}" for i in range(ROWS)]),
        ("fnlwgt", np.random.default_rng(5).integers(0, 2_000, ROWS).tolist()),
        ("patient_id", list(range(ROWS))),
    ],
)
def test_numbers_that_merely_come_again_are_not(name, values):
    assert note(name, values) == ()
