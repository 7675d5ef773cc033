"""With k-anonymity no label depends on a sensitive value, so that labels tell nothing of them."""

import itertools
from pathlib import Path

import pytest

import shoal
from shoal import Schema
from shoal.anonymize import ModelBased
from shoal.anonymize._registry import EVERY_METHOD, METHODS, make_method, method_class
from shoal.models import KAnonymousTreeClassifier
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


LOOKING = [
    ("bottom-up", {"metric": "information"}),
    ("top-down", {"metric": "information"}),
    ("full-domain", {"metric": "classification"}),
    ("mondrian", {"gain": 0.5}),
    ("tree", {}),
]
TABLE = {"town": TOWNS, "age": AGES, "ill": ["HIV", "no"] * 3}
NOTE = "the search looked at the sensitive column 'ill'"


@pytest.mark.parametrize(("method", "parameters"), LOOKING)
def test_a_search_that_looks_at_a_sensitive_target_says_so(method, parameters):
    estimator = make_method(method, SCHEMA, 2, parameters)
    assert estimator.looks_at_target
    assert any(NOTE in note for note in estimator.fit(TABLE).release_.notes)
    plain = SCHEMA.replace(ill={"role": "insensitive", "target": True})
    released = make_method(method, plain, 2, parameters).fit(TABLE).release_
    assert not any("looked at the sensitive" in note for note in released.notes)


def test_a_table_made_from_a_tree_says_so():
    made = ModelBased(KAnonymousTreeClassifier(SCHEMA, 2)).fit(TABLE).release_
    assert any(NOTE in note for note in made.notes)


@pytest.mark.parametrize("method", EVERY_METHOD)
def test_methods_look_by_default_only_where_they_must(method):
    estimator = make_method(method, SCHEMA, 2)
    assert estimator.looks_at_target == (method not in METHODS)
    said = any(NOTE in note for note in estimator.fit(TABLE).release_.notes)
    assert said == estimator.looks_at_target


def test_every_method_that_can_look_is_tried_and_is_on_the_page_of_guarantees():
    default = method_class("local").looks_at_target
    looking = [name for name in EVERY_METHOD if method_class(name).looks_at_target is not default]
    assert set(looking) == {name for name, _ in LOOKING}
    page = Path(__file__).parents[2] / "docs/theory/guarantees.md"
    section = page.read_text("utf-8").split("### Knowing why the method did it")[1].split("###")[0]
    assert all(f"`{method_class(name).__name__}`" in section for name in looking)
