"""With k-anonymity no label depends on a sensitive value, so that labels tell nothing of them."""

import itertools

import pytest

import shoal
from shoal import Schema
from shoal.anonymize._registry import METHODS
from shoal.tables import RowOptions

SCHEMA = Schema({
    "town": {"role": "quasi-identifier", "hierarchy": "flat"},
    "age": {"role": "quasi-identifier", "kind": "numeric"},
    "ill": {"role": "sensitive", "target": True},
})  # fmt: skip
TOWNS, AGES = list("yxyxxz"), [31, 44, 39, 52, 58, 33]
EVERY = list(itertools.product(["HIV", "no"], repeat=6))


@pytest.mark.parametrize("method", [*METHODS, "auto"])
def test_labels_are_the_same_whatever_people_have(method):
    labels = set()
    for ill in EVERY[::7]:
        table = {"town": TOWNS, "age": AGES, "ill": list(ill)}
        made = shoal.release(
            table, SCHEMA, k=2, method=method, output=RowOptions(keep_order=True)
        ).table
        labels.add(tuple(zip(map(str, made["town"]), map(str, made["age"]), strict=True)))
    assert len(labels) == 1
