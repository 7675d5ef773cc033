"""Which rules stay: never fewer than those that say nothing private."""

import numpy as np
import pytest

from shoal.audit import item_schema
from shoal.models import KAnonymousRules
from shoal.models.rules._mine_rules import mine
from shoal.models.rules._rules import read_baskets
from tests.extras import need

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
