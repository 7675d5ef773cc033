import random

import pytest

from shoal import Schema
from shoal.schema import Hierarchy
from shoal.schema._schema import named_by, published_schema

TREE = {"north": {"coast": ["Kiel", "Emden"], "plain": ["Celle"]}, "south": {"alps": ["Ulm"]}}


def town(**more):
    return Schema({"town": {"role": "quasi-identifier", "hierarchy": {"tree": TREE}, **more}})


@pytest.mark.parametrize(
    ("told", "tree"),
    [
        (["Kiel"], {"north": {"coast": ["Kiel"]}}),
        (["coast", "Kiel"], {"north": {"coast": ["Kiel"]}}),
        (["coast"], {"north": {"coast": []}}),
        (["north", "Ulm", "*"], {"north": [], "south": {"alps": ["Ulm"]}}),
        (["[Emden to Kiel]"], {"north": {"coast": ["Kiel", "Emden"]}}),
    ],
)
def test_only_what_is_told_and_what_is_above_it_stays(told, tree):
    column = published_schema(town(), {"town": told})["town"]
    plain = column.to_toml()["hierarchy"]["tree"]
    assert _bare(plain) == _bare(tree)
    column.hierarchy.build([])  # it is a hierarchy


def _bare(tree):
    return {k: _bare(v) for k, v in tree.items()} if isinstance(tree, dict) and tree else tree or []


def test_a_column_of_which_nothing_is_told_has_no_hierarchy_and_no_limit():
    column = published_schema(town(limit=["north"]), {"town": ["*"]})["town"]
    assert (column.hierarchy, column.limit) == (None, ())


def test_what_is_public_stays_and_recipes_list_nothing():
    assert published_schema(town(public=True), {}) == town(public=True)
    recipes = {
        "age": {"role": "quasi-identifier", "kind": "numeric", "hierarchy": {"intervals": [5]}},
        "land": {"role": "quasi-identifier", "hierarchy": {"ready": "countries"}},
        "zip": {"role": "quasi-identifier", "hierarchy": {"prefix": [1, 3]}},
    }
    assert not Schema(recipes).listing
    assert published_schema(Schema(recipes), {}) == Schema(recipes)


def test_orders_keep_what_is_told_in_their_order():
    graded = {"role": "quasi-identifier", "kind": "ordinal", "order": ["low", "mid", "a-b", "top"]}
    made = published_schema(Schema({"grade": graded}), {"grade": ["[low to mid]", "[a-b-top]"]})
    assert made["grade"].order == ("low", "mid", "a-b", "top")
    assert published_schema(Schema({"grade": graded}), {"grade": ["mid", "*"]})["grade"].order == (
        "mid",
    )


def test_columns_that_are_not_counted_list_nothing():
    schema = Schema({"ill": {"role": "insensitive", "hierarchy": {"tree": {"chest": ["flu"]}}}})
    assert published_schema(schema, {})["ill"].hierarchy is None


def test_levels_are_cut_at_random_labels():
    rng = random.Random(3)
    for _ in range(200):
        n = rng.randint(1, 8)
        rows = [[f"v{i}", f"a{i // 2}", f"b{i // 4}", "*"] for i in range(n)]
        tree = Hierarchy.from_levels(rows)
        labels = sorted({label for row in rows for label in row[:-1]})
        told = set(rng.sample(labels, rng.randint(0, len(labels))))
        schema = Schema({"x": {"role": "quasi-identifier", "hierarchy": tree}})
        cut = published_schema(schema, {"x": told})["x"].hierarchy
        if not told:
            assert cut is None
            continue
        above = {label for row in rows for at, label in enumerate(row) if told & set(row[: at + 1])}
        assert set(cut.labels) == above
        assert set(cut.labels[: cut.n_leaves]) <= told


def test_ends_of_ranges_are_named():
    assert named_by(["[a to b]", None, "* [level 2]"]) >= {"a", "b", "*"}


@pytest.mark.parametrize("recipe", ["flat", {"prefix": [1]}])
def test_limits_name_labels_and_stay_in_the_house(recipe):
    column = {"role": "quasi-identifier", "hierarchy": recipe, "limit": ["Seltendorf"]}
    schema = Schema({"town": column})
    assert schema.listing
    assert published_schema(schema, {"town": ["Ulm"]})["town"].limit == ()
    public = schema.replace(town=column | {"hierarchy": "flat", "public": True})
    assert published_schema(public, {"town": ["Ulm"]})["town"].limit == ("Seltendorf",)
