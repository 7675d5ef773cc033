"""Rules fit to publish: audited, fixed, audited again."""

import copy
import csv
import pickle

import numpy as np
import pytest

from shoal.audit import audit, item_schema
from shoal.errors import ParameterError, SchemaError, TableError
from shoal.models import KAnonymousRules
from shoal.models.rules._mine_rules import find_channels, mine
from shoal.models.rules._rules import read_baskets
from shoal.privacy import DistinctDiversity, KAnonymity
from shoal.privacy.spans._rule_spans import ItemRule
from tests.extras import need

need("pandas")
need("mlxtend")


def random_baskets(seed, n=200):
    rng = np.random.default_rng(seed)
    items = list("abcdefg")
    baskets = [[i for i in items if rng.random() < 0.45] for _ in range(n)]
    private = set(rng.permutation(items)[:3].tolist())
    return baskets, items, private


# a world of few baskets is found or ruled out in a moment, one of many takes seconds
@pytest.mark.parametrize(
    ("seed", "n", "k"), [(0, 200, 15), (4, 200, 15), *((seed, 60, 6) for seed in range(6))]
)
def test_the_audit_passes(seed, n, k):
    baskets, items, private = random_baskets(seed, n)
    parents = {item: "vowel" if item in "ae" else "consonant" for item in items}
    model = KAnonymousRules(item_schema(items, private), k, min_support=0.1, hierarchy=parents).fit(
        baskets
    )
    assert model.rules_
    table = model.to_columns(baskets)
    schema = item_schema(table, model.private_)
    found = audit(model.rules_, table, schema, k=k)
    assert not found.breaches
    cost = model.cost_
    assert cost.mined == cost.kept + cost.generalized + cost.dropped
    raw = mine(read_baskets(baskets), 0.1, 0.3, 4)
    before = audit([m.to_dict() for m in raw], baskets, item_schema(items, private), k=k)
    assert not before.is_safe  # else nothing was tested
    assert cost.dropped > 0
    assert 0 < cost.weight_after < cost.weight_before


def test_channels_against_counting():
    baskets, _, _ = random_baskets(1)
    columns = read_baskets(baskets)
    rules = [ItemRule(frozenset("a"), frozenset("b")), ItemRule(frozenset("ab"), frozenset("c"))]
    found = find_channels(rules, columns, frozenset("abc"), 30, len(baskets))
    without_b = sum({"a"} <= set(x) and "b" not in x for x in baskets)
    assert ((frozenset("a"), frozenset("ab")) in found) == (0 < without_b < 30)
    without_c = sum({"a", "b"} <= set(x) and "c" not in x for x in baskets)
    assert ((frozenset("ab"), frozenset("abc")) in found) == (0 < without_c < 30)


def test_channels_are_closed_unless_asked_to_stay():
    baskets, items, private = random_baskets(1, 60)
    schema = item_schema(items, private)
    kept = KAnonymousRules(schema, 6, min_support=0.1).fit(baskets)
    rules = [
        ItemRule(frozenset(r["antecedents"]), frozenset(r["consequents"])) for r in kept.rules_
    ]
    assert rules
    assert not find_channels(rules, read_baskets(baskets), frozenset(private), 6, len(baskets))
    loose = KAnonymousRules(schema, 6, min_support=0.1, close_channels=False).fit(baskets)
    assert len(loose.rules_) >= len(kept.rules_)


# the guide on clusters and rules does the same with all baskets and k = 30, which takes 10 s
def test_groceries_with_half_of_the_departments_private():
    from shoal.datasets import groceries
    from shoal.datasets._sources import find_data
    from shoal.errors import DataNotFoundError

    try:
        baskets = groceries()[:3_000]
        with find_data("groceries/hierarchies/item.csv").open(encoding="utf-8") as file:
            levels = [row for row in csv.reader(file, delimiter=";") if row]
    except DataNotFoundError as error:
        pytest.skip(str(error))
    items = sorted({item for basket in baskets for item in basket})
    group = {row[0]: row[1] for row in levels}
    department = {row[0]: row[2] for row in levels}
    hidden = sorted(set(department.values()))[::2]
    private = [item for item in items if department[item] in hidden]
    raw = [m.to_dict() for m in mine(read_baskets(baskets), 0.01, 0.2, 3)]
    schema = item_schema(items, private)
    assert not audit(raw, baskets, schema, k=10).is_safe
    model = KAnonymousRules(
        schema, 10, min_support=0.01, min_confidence=0.2, max_items=3, hierarchy=group
    ).fit(baskets)
    table = model.to_columns(baskets)
    after = audit(model.rules_, table, item_schema(table, model.private_), k=10)
    assert not after.breaches
    assert model.rules_
    assert model.cost_.mined == len(raw)


def test_bad_input():
    with pytest.raises(ParameterError, match="k must be"):
        KAnonymousRules(privacy=0).fit([["a"]])
    with pytest.raises(SchemaError, match="must be a Schema, got list"):
        KAnonymousRules(["a"], 1).fit([["a"]])
    with pytest.raises(SchemaError, match="1 items of the baskets are no columns"):
        KAnonymousRules(item_schema(["a"], []), 1).fit([["a"], ["b"]])
    with pytest.raises(SchemaError, match="private items are in no basket"):
        KAnonymousRules(item_schema("ab", ["z"]), 1).fit([["a"], ["b"]])


def test_a_channel_costs_the_rule_that_opens_it():
    """Three buyers of pills without bread: the support of pills must not be known."""
    baskets = [["bread", "pills"]] * 30 + [["bread"]] * 30 + [["tea", "pills"]] * 3 + [["tea"]] * 40
    model = KAnonymousRules(item_schema(["bread", "tea"], ["pills"]), 20, min_support=0.02).fit(
        baskets
    )
    assert [rule["antecedents"] for rule in model.rules_] == [["bread"]]
    assert model.cost_.channels == 1


def subsets(items):
    items = sorted(items)
    for mask in range(1 << len(items)):
        yield frozenset(item for at, item in enumerate(items) if mask >> at & 1)


def open_channels(baskets, rules, private, k):
    """Pairs of sets by whose published supports few baskets are counted out, one by one."""
    published = {side for rule in rules for side in (rule.left, rule.items)} | {frozenset()}
    found = set()
    for big in (big for big in published if big & private):
        for small in subsets(big):
            not_all = sum(small <= set(b) and not big <= set(b) for b in baskets)
            nothing_else = sum(set(b) & big == small for b in baskets)
            between = all(small | more in published for more in subsets(big - small))
            if (small in published and 0 < not_all < k) or (between and 0 < nothing_else < k):
                found.add((small, big))
    return found


@pytest.mark.parametrize("seed", range(8))
def test_channels_are_found_and_closed_as_counting_basket_by_basket_says(seed):
    rng = np.random.default_rng(seed)
    items = list("abcde")
    baskets = [[i for i in items if rng.random() < 0.5] for _ in range(60)]
    private, k = frozenset("ab"), 6
    schema = item_schema(items, private)
    columns = read_baskets(baskets)
    mined = mine(columns, 0.05, 0.2, 4)
    rules = [m.rule for m in mined]
    found = set(find_channels(rules, columns, private, k, len(baskets)))
    assert found == open_channels(baskets, rules, private, k)
    assert found  # else nothing was tested
    kept = KAnonymousRules(schema, k, min_support=0.05, min_confidence=0.2).fit(baskets)
    left = [ItemRule(frozenset(r["antecedents"]), frozenset(r["consequents"])) for r in kept.rules_]
    assert left
    assert not open_channels(baskets, left, private, k)
    loose = KAnonymousRules(
        schema, k, min_support=0.05, min_confidence=0.2, close_channels=False
    ).fit(baskets)
    before = [
        ItemRule(frozenset(r["antecedents"]), frozenset(r["consequents"])) for r in loose.rules_
    ]
    assert kept.cost_.channels == len(before) - len(left)


def test_tables_and_arrays_are_baskets_too():
    baskets, items, private = random_baskets(2)
    columns = read_baskets(baskets)
    table = need("pandas").DataFrame(columns)
    schema = item_schema(items, private)
    one = KAnonymousRules(schema, 15, min_support=0.2).fit(baskets)
    two = KAnonymousRules(schema, 15, min_support=0.2).fit(table)
    assert one.rules_
    assert one.rules_ == two.rules_
    assert two.n_features_in_ == len(items)
    unnamed = item_schema([f"x{number}" for number in range(len(items))], ["x0"])
    array = KAnonymousRules(unnamed, 15, min_support=0.2).fit(table.to_numpy())
    assert array.private_ == ("x0",)
    with pytest.raises(TableError, match="missing values"):
        KAnonymousRules(privacy=2).fit(table.astype(float).where(table))


@pytest.mark.parametrize("seed", range(3))
def test_private_values_of_every_told_span_are_diverse(seed):
    """Spans formed basket by basket; with k alone some of them are not diverse."""
    rng = np.random.default_rng(seed)
    baskets = []
    for _ in range(150):
        basket = [item for item in "abc" if rng.random() < 0.5]
        sure = "a" in basket or rng.random() < 0.2  # whoever has a, has the private item too
        baskets.append([*basket, "p"] if sure else basket)
    schema = item_schema("abc", ["p"])
    lacking = {}
    for privacy in (KAnonymity(10), KAnonymity(10) & DistinctDiversity(2)):
        model = KAnonymousRules(schema, privacy, min_support=0.05, max_items=3).fit(baskets)
        lacking[privacy] = not_diverse(baskets, model.rules_, {"p"})
        assert model.rules_
    assert list(lacking.values()) == [lacking[KAnonymity(10)], 0]
    assert lacking[KAnonymity(10)] > 0


def not_diverse(baskets, rules, private):
    """Groups about which rules say something private and in which all or none have the item."""
    rules = [ItemRule(frozenset(r["antecedents"]), frozenset(r["consequents"])) for r in rules]
    groups = {}
    for basket in baskets:
        states = tuple(
            frozenset(rule.state(set(basket) - private | own) for own in subsets(private))
            for rule in rules
        )
        groups.setdefault(states, []).append(private <= set(basket))
    told = [own for states, own in groups.items() if any(len(one) > 1 for one in states)]
    return sum(len(set(own)) < 2 for own in told)


def _numbers_within(model):
    """All that a pickle of a model holds of counted things: arrays, and numbers by name."""
    return {name: value for name, value in vars(model).items() if name.endswith("_")}


@pytest.mark.parametrize("seed", range(3))
def test_pickles_hold_no_basket_and_nothing_of_rules_left_out(seed):
    baskets, items, private = random_baskets(seed, 60)
    model = KAnonymousRules(item_schema(items, private), 6, min_support=0.1).fit(baskets)
    assert model.cost_.dropped  # else nothing was tested
    assert len(model.spans_.span_of_row) == 60
    for again in (pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model)):
        assert _numbers_within(again).keys() == {"rules_", "private_", "privacy_"}
        assert again.rules_ == model.rules_
        assert again.to_columns(baskets).keys() == model.to_columns(baskets).keys()


def test_the_weights_of_cost_tell_the_rule_that_was_left_out():
    """Why `cost_` is no part of what is published: 53 have pills, 50 of them bread."""
    baskets = 50 * [["bread", "pills"]] + 50 * [["bread"]] + 3 * [["tea", "pills"]] + 97 * [["tea"]]
    model = KAnonymousRules(item_schema(["bread", "tea"], ["pills"]), 10).fit(baskets)
    (rule,) = model.rules_
    lost = model.cost_.weight_before - model.cost_.weight_after
    assert round(rule["support"] * 200 / (lost / rule["support"])) == 53  # the support of pills
    assert not hasattr(pickle.loads(pickle.dumps(model)), "cost_")


def test_rules_are_in_an_order_that_the_search_does_not_decide():
    """White bread and pills is refused, and the rule of all bread has its place in the search."""
    baskets = 20 * [["white", "pills"]] + 30 * [["brown", "pills"]] + 30 * [["brown"]]
    baskets += 30 * [["tea", "milk"]] + 20 * [["tea"]] + 70 * [["pills"]]
    schema = item_schema(["white", "brown", "tea", "milk"], ["pills"])
    parents = {"white": "bread", "brown": "bread"}
    model = KAnonymousRules(schema, 30, hierarchy=parents, close_channels=False).fit(baskets)
    assert model.cost_.generalized
    weights = [rule["support"] * rule["confidence"] for rule in model.rules_]
    assert len(weights) > 1
    assert weights == sorted(weights, reverse=True)
