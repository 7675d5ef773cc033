"""Which rules stay: never fewer than those that say nothing private."""

import os

import numpy as np
import pytest

from shoal.audit import item_schema
from shoal.models import KAnonymousRules
from shoal.models.rules._mine_rules import mine
from shoal.models.rules._rules import read_baskets
from tests.extras import need
from tests.privacy.spans.test_rule_worlds import derivable

need("pandas")
need("mlxtend")


@pytest.mark.parametrize("close_channels", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_no_fewer_rules_than_those_without_a_private_item(seed, close_channels):
    """The heaviest rule has private items only, so it tells of everybody."""
    rng = np.random.default_rng(seed)
    often = {"p": 0.95, "q": 0.95, "a": 0.5, "b": 0.4, "c": 0.3, "d": 0.2}
    baskets = [[i for i, share in often.items() if rng.random() < share] for _ in range(150)]
    mined = mine(read_baskets(baskets), 0.02, 0.1, 3)
    heaviest = max(mined, key=lambda one: one.weight).rule
    assert heaviest.items == {"p", "q"}
    silent = [one for one in mined if not one.rule.items & {"p", "q"}]
    model = KAnonymousRules(
        item_schema(often, ["p", "q"]),
        20,
        min_support=0.02,
        min_confidence=0.1,
        max_items=3,
        close_channels=close_channels,
    ).fit(baskets)
    assert len(silent) > 10
    assert len(model.rules_) >= len(silent)
    assert model.cost_.dropped == model.cost_.mined - len(model.rules_)


@pytest.mark.parametrize("seed", range(4))
def test_more_rules_or_more_weight(seed):
    rng = np.random.default_rng(seed)
    often = {"p": 0.9, "q": 0.6, "a": 0.5, "b": 0.4, "c": 0.3, "d": 0.2}
    baskets = [[i for i, share in often.items() if rng.random() < share] for _ in range(200)]
    mined = mine(read_baskets(baskets), 0.02, 0.1, 3)
    silent = sum(one.weight for one in mined if not one.rule.items & {"p", "q"})
    options = {"min_support": 0.02, "min_confidence": 0.1, "max_items": 3}
    schema = item_schema(often, ["p", "q"])
    fitted = {p: KAnonymousRules(schema, 15, prefer=p, **options).fit(baskets)
              for p in ("rules", "weight")}  # fmt: skip
    assert len(fitted["rules"].rules_) >= len(fitted["weight"].rules_)
    assert fitted["weight"].cost_.weight_after >= fitted["rules"].cost_.weight_after - 1e-12
    assert fitted["weight"].cost_.weight_after >= silent - 1e-12


def test_linear_programs_derive_nothing_from_fitted_rules():
    """Released supports of random tables, by an independent check: 0 breaks."""
    n_seeds = int(os.environ.get("SHOAL_RULE_SEEDS", "16"))  # 1,000 take ten minutes
    told = broken = 0
    for seed in range(n_seeds):
        rng = np.random.default_rng(20_000 + seed)
        items = "abc" if seed % 4 else "abcd"
        private = set(items[: 1 + seed % 2])
        n_rows, k = int(rng.integers(30, 200)), int(rng.choice([3, 5, 10]))
        has = rng.random((n_rows, len(items))) < rng.uniform(0.2, 0.9, len(items))
        columns = dict(zip(items, has.T, strict=True))
        prefer = "weight" if seed % 3 else "rules"
        model = KAnonymousRules(item_schema(items, private), k, min_support=0.01,
                                min_confidence=0.05, prefer=prefer).fit(columns)  # fmt: skip
        supports = {}
        for rule in model.rules_:
            whole = round(rule["support"] * n_rows)
            supports[frozenset(rule["antecedents"] + rule["consequents"])] = whole
            supports[frozenset(rule["antecedents"])] = round(whole / rule["confidence"])
        told += any(private & own for own in supports)
        broken += bool(derivable(supports, n_rows, tuple(items), private, k))
    assert told > n_seeds // 10
    assert broken == 0
