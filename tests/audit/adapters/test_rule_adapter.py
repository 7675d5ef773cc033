"""Rules: worked example 4 to the number, and brute force over baskets."""

from itertools import product
from typing import NamedTuple

import numpy as np
import pytest

from shoal.audit import audit, item_schema
from shoal.errors import SchemaError, TableError
from shoal.privacy.spans._rule_spans import count_classes, read_rules
from tests.extras import need

pd = need("pandas")


def shop():
    """1,000 customers with the supports of the paper: 112 cherries, 30 of them with candles."""
    baskets = []
    for place in range(1000):
        basket = []
        if place < 112:
            basket.append("cherries")
            if place < 30:
                basket.append("candles")
            if place >= 28:
                basket.append("viagra")  # 84 of 112
            if place < 24:
                basket.append("tylenol")
        elif place % 7 == 0:
            basket += ["candles", "viagra"]
        baskets.append(basket)
    return baskets


RULES = pd.DataFrame(
    {
        "antecedents": [frozenset(["cherries"]), frozenset(["cherries", "candles"])],
        "consequents": [frozenset(["viagra"]), frozenset(["tylenol"])],
        "support": [0.084, 0.024],
        "confidence": [0.75, 0.8],
    }
)
SCHEMA = item_schema(["cherries", "candles"], ["viagra", "tylenol"])


def example():
    has = {item: [item in basket for basket in shop()] for item in SCHEMA}
    return RULES, pd.DataFrame(has), SCHEMA


def test_worked_example_4():
    found = audit(RULES, shop(), SCHEMA, k=30)
    assert sorted(found.spans.population.tolist()) == [30, 82, 888]
    assert not found.breaches
    assert found.answer == "cannot tell"  # 24 of 30 have tylenol: the supports count out six
    assert audit(RULES[["antecedents", "consequents"]], shop(), SCHEMA, k=30).is_safe
    assert found.safe_k == 30
    by_size = dict(zip(found.spans.population.tolist(), found.spans.n_bins.tolist(), strict=True))
    assert by_size == {888: 1, 30: 4, 82: 2}
    assert len(found.bins) == 7
    assert count_classes(read_rules(RULES)) == 7
    broken = audit(RULES, shop(), SCHEMA, k=31)
    assert [breach.rows for breach in broken.breaches] == [30]
    assert any("tylenol" in cause for cause in broken.breaches[0].causes)
    assert broken.confidence["tylenol"]["true"] == pytest.approx(0.8)


@pytest.mark.parametrize("seed", range(60))
def test_rules_agree_with_brute_force(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    items = list("abcde")
    private = set(rng.permutation(items)[: rng.integers(1, 4)].tolist())
    rules = []
    for _ in range(int(rng.integers(1, 5))):
        chosen = rng.permutation(items)[: rng.integers(2, 5)].tolist()
        cut = int(rng.integers(1, len(chosen)))
        rules.append((chosen[:cut], chosen[cut:]))
    baskets = [[i for i in items if rng.random() < 0.5] for _ in range(30)]
    schema = item_schema(items, private)
    hidden = sorted(private)
    expected = {}
    for row, basket in enumerate(baskets):
        reached = set()
        for has in product((False, True), repeat=len(hidden)):
            own = set(basket) - private | {i for i, h in zip(hidden, has, strict=True) if h}
            reached.add(tuple(rule.state(own) for rule in read_rules(rules)))
        expected.setdefault(frozenset(reached), []).append(row)
    for most in (20_000, 0):  # joint classes, and the states of each rule
        monkeypatch.setattr("shoal.privacy.spans._rule_spans.MOST_JOINT", most)
        found = audit(rules, baskets, schema, k=3)
        got = {}
        for row, span in enumerate(found.span_of_row.tolist()):
            got.setdefault(span, []).append(row)
        assert sorted(got.values()) == sorted(expected.values())
        for reached, rows in expected.items():
            span = found.span_of_row[rows[0]]
            assert found.spans.is_single[span] == (len(reached) == 1)
            if most:
                assert found.spans.n_bins[span] == len(reached)
        told = [len(rows) for reached, rows in expected.items() if len(reached) > 1]
        assert found.safe_k == min(told, default=30)


def test_what_is_refused():
    with pytest.raises(TableError, match="1 of 2 rules have another support"):
        audit(RULES.assign(support=[0.084, 0.5]), shop(), SCHEMA)
    with pytest.raises(SchemaError, match="items that are no columns"):
        audit([(["cherries"], ["beer"])], shop(), SCHEMA)
    with pytest.raises(SchemaError, match="shares items"):
        audit([(["cherries"], ["cherries"])], shop(), SCHEMA)


def test_no_rules_say_nothing():
    from shoal.privacy.spans._rule_spans import rule_spans

    found = rule_spans([], {}, ["viagra"], 5)
    assert found.spans.is_single.tolist() == [True]
    assert found.spans.population.tolist() == [5]


def rules_that_count_out_three():
    """Of 53 people with pills 50 have bread: whoever hears of 53 and 50 counts out three."""
    bread, pills = np.arange(200) < 100, np.arange(200) < 50
    pills[100:103] = True
    rule = {"antecedents": ["bread"], "consequents": ["pills"], "support": 0.25, "confidence": 0.5}
    return rule, pd.DataFrame({"bread": bread, "pills": pills}), item_schema(["bread"], ["pills"])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("consequent support", 0.265),
        ("lift", 0.5 / 0.265),
        ("leverage", 0.25 - 0.5 * 0.265),
        ("kulczynski", (0.5 + 50 / 53) / 2),
    ],
)
def test_numbers_that_tell_of_the_right_side_are_supports_too(name, value):
    rule, table, schema = rules_that_count_out_three()
    assert audit([rule], table, schema, k=10).is_safe
    for model in ([rule | {name: value}], pd.DataFrame([rule | {name: value}])):
        found = audit(model, table, schema, k=10)
        assert found.answer == "cannot tell"
        assert "count out fewer than 10" in found.unread[0]


def test_rules_of_mlxtend_publish_their_right_sides():
    patterns = need("mlxtend.frequent_patterns")
    _, table, schema = rules_that_count_out_three()
    sets = patterns.fpgrowth(table, 0.05, use_colnames=True)
    rules = patterns.association_rules(sets, min_threshold=0.3)
    one = rules[rules["antecedents"] == frozenset(["bread"])]
    assert audit(one, table, schema, k=10).answer == "cannot tell"
    assert audit(one[["antecedents", "consequents", "support"]], table, schema, k=10).is_safe


def test_supports_count_whichever_rule_has_them():
    rule, table, schema = rules_that_count_out_three()
    back = {"antecedents": ["pills"], "consequents": ["bread"], "support": 0.25}
    first = {"antecedents": ["bread"], "consequents": ["pills"]}
    assert audit([first, {**back, "support": None}], table, schema, k=10).is_safe
    assert audit([first, back], table, schema, k=10).answer == "cannot tell"
    assert audit([first, rule], table, schema, k=10).is_safe


def test_numbers_that_nobody_knows_are_not_read():
    rule, table, schema = rules_that_count_out_three()
    table["bread"] = table["pills"] = table["bread"]
    rule = rule | {"support": 0.5, "confidence": 1.0}
    assert audit([rule], table, schema, k=10).is_safe
    found = audit([rule | {"of whom": 31}], table, schema, k=10)
    assert found.answer == "cannot tell"
    assert "'of whom'" in found.unread[0]


class Named(NamedTuple):
    """A rule with a number on its class."""

    left: list
    right: list
    confidence = 50 / 53


class Noted(dict):
    """A rule that takes attributes."""


class Found(list):
    """A list that takes attributes."""


def beside_items():
    """Rules that tell by some way that 50 of 53 people with pills have bread."""
    plain = {"antecedents": ["pills"], "consequents": ["bread"]}
    frame = pd.DataFrame({name: [side] for name, side in plain.items()})
    noted, found = Noted(plain), Found([plain])
    noted.confidence = found.confidence = 50 / 53
    notes = frame.copy()
    notes.attrs = {"confidence": 50 / 53}
    return {
        "index": frame.assign(confidence=50 / 53).set_index("confidence"),
        "name of the index": frame.rename_axis(index="50 of 53"),
        "name of the columns": frame.rename_axis(columns="50 of 53"),
        "attrs": notes,
        "items with numbers": [{**plain, "antecedents": {"pills": 50 / 53}}],
        "items with numbers in a table": frame.assign(antecedents=[{"pills": 50 / 53}]),
        "named tuple": [Named(["pills"], ["bread"])],
        "attribute of a rule": [noted],
        "attribute of the list": found,
    }


@pytest.mark.parametrize("way", beside_items())
def test_numbers_beside_rules_are_not_passed_over(way):
    baskets = 50 * [{"pills", "bread"}] + 3 * [{"pills"}] + 60 * [{"bread"}] + 60 * [set()]
    table = pd.DataFrame({item: [item in own for own in baskets] for item in ("bread", "pills")})
    schema = item_schema(["bread"], ["pills"])
    plain = {"antecedents": ["pills"], "consequents": ["bread"]}
    assert audit([plain], table, schema, k=10).is_safe
    kept = pd.DataFrame({name: [side, side] for name, side in plain.items()}).iloc[1:]
    assert audit(kept, table, schema, k=10).is_safe  # places in a longer table are no secret
    found = audit(beside_items()[way], table, schema, k=10)
    assert found.answer == "cannot tell"
    assert "beside their items" in found.unread[-1]
