"""Trees of Shoal: worked example 1 of the paper, and what is refused."""

import numpy as np
import pytest

from shoal.audit import audit
from shoal.errors import SchemaError
from shoal.models import KAnonymousTreeClassifier
from shoal.schema import Schema
from tests.audit.people import MORTGAGE, roles
from tests.extras import need
from tests.models.tree.test_tree import weighted_tree

pd = need("pandas")

SCHEMA = roles(marital="p", car="s", risk="s")


def example():
    table = pd.DataFrame(MORTGAGE)
    tree = KAnonymousTreeClassifier(SCHEMA, 3, min_branch=1)
    return tree.fit(table[["marital", "car"]], table["risk"]), table, SCHEMA


def test_worked_example_1():
    tree, table, schema = example()
    found = audit(tree, table, schema, k=3)
    assert found.is_safe
    assert sorted(found.spans.population.tolist()) == [3, 3]
    assert found.safe_k == 3


def test_two_subsets_are_read_as_the_tree_reads_them():
    _, table, schema = example()
    tree = KAnonymousTreeClassifier(schema, 3, splits="binary")
    tree.fit(table[["marital", "car"]], table["risk"])
    found = audit(tree, table, schema, k=3)
    assert found.is_safe
    assert sorted(found.spans.population.tolist()) == sorted(tree.spans_.population.tolist())


def test_a_tree_that_names_a_private_value_of_few_is_unsafe():
    table = pd.DataFrame(
        {
            "car": ["yes"] * 6 + ["no"] * 5 + ["rocket"],
            "marital": ["single", "married"] * 6,
            "risk": ["good"] * 6 + ["bad"] * 6,
        }
    )
    tree = KAnonymousTreeClassifier(SCHEMA, 1, splits="multiway", max_depth=1)
    tree.fit(table[["marital", "car"]], table["risk"])
    found = audit(tree, table, SCHEMA, k=3)
    assert found.answer == "unsafe"
    assert not found.breaches
    assert found.held == (
        "tests name 1 values of private column 'car' that fewer than 3 of the people have who "
        "may be there",
    )
    assert audit(tree, table, SCHEMA, k=1).answer == "safe"


def test_a_tree_of_an_earlier_version_that_cuts_half_way_is_not_called_safe():
    age = [20 + n for n in range(12)]
    ill = ["yes" if n == 2 else "no" if n < 6 else "maybe" for n in range(12)]
    table = pd.DataFrame({"age": age, "fine": [12_345.67 * (n == 2) for n in range(12)]})
    schema = roles(age="pn", fine="sn", ill="s")
    tree = KAnonymousTreeClassifier(schema, 3, min_branch=1).fit(table, ill)
    table["ill"] = ill
    slots = [place for place, view in enumerate(tree.tree_.views) if view.attribute == 1]
    at = [node for node, slot in enumerate(tree.tree_.nodes.slot) if slot in slots]
    assert tree.tree_.nodes.threshold[at].tolist() == [0.0]
    assert audit(tree, table, schema, k=3).is_safe
    tree.tree_.nodes.threshold[at] = 12_345.67 / 2
    found = audit(tree, table, schema, k=3)
    assert found.answer == "cannot tell"
    assert "'fine'" in found.unread[0]


def test_nor_is_one_that_cuts_between_two_people_of_whom_something_private_was_asked():
    draw = np.random.default_rng(1)
    table = pd.DataFrame({"age": draw.lognormal(3, 0.5, 300), "ill": draw.choice(["a", "b"], 300)})
    offer = np.where(table["ill"] == "a", table["age"] > 15, 2 + (table["age"] > 30)).astype(int)
    columns = {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "ill": {"role": "sensitive"},
        "offer": {"role": "quasi-identifier", "target": True},
    }
    schema = Schema(columns)
    tree = KAnonymousTreeClassifier(schema, 5, max_leaves=4).fit(table, offer)
    whole = table.assign(offer=offer)
    assert audit(tree, whole, schema, k=5).is_safe
    own = np.sort(table["age"][table["ill"] == "a"])
    node = next(n for n in (1, 2) if tree.tree_.nodes.threshold[n] < 22)
    above = np.searchsorted(own, tree.tree_.nodes.threshold[node])
    tree.tree_.nodes.threshold[node] = own[above - 1] + (own[above] - own[above - 1]) / 2
    found = audit(tree, whole, schema, k=5)
    assert found.answer == "cannot tell"
    assert "'age' below private ones" in found.unread[0]


def test_an_audit_cannot_tell_what_weighted_shares_tell():
    tree, table, ill, _, schema = weighted_tree(10)
    found = audit(tree, table.assign(ill=ill), schema, k=10)
    assert found.answer == "cannot tell"
    assert "weighted" in found.unread[0]


def test_other_private_columns_are_refused():
    tree, table, _ = example()
    with pytest.raises(SchemaError, match="not those the tree was fitted with"):
        audit(tree, table, roles(marital="s", car="p", risk="s"))
