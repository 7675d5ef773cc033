"""Groups told apart rule by rule are those of all states at once."""

import numpy as np
import pytest

from shoal.privacy.spans._rule_groups import RuleGroups, split_by_rule
from shoal.privacy.spans._rule_spans import ItemRule


@pytest.mark.parametrize("seed", range(10))
def test_groups_are_those_of_the_states_by_public_items(seed):
    rng = np.random.default_rng(seed)
    items, private = list("abcdp"), frozenset("p")
    columns = {item: rng.random(60) < 0.5 for item in items}
    groups, rules = RuleGroups.all_alike(60), []
    for _ in range(4):
        chosen = rng.permutation(items)[: rng.integers(2, 5)].tolist()
        rules.append(ItemRule(frozenset(chosen[:1]), frozenset(chosen[1:])))
        groups = split_by_rule(groups, rules[-1], columns, private)
    groups = groups.in_order()
    seen = {}
    for row in range(60):
        own = {item for item in items if columns[item][row]}
        states = tuple((rule.state(own - private), rule.state(own | private)) for rule in rules)
        number = seen.setdefault(states, len(seen))
        assert groups.label[row] == number
        assert groups.told[number] == any(low != high for low, high in states)
    assert groups.sizes.tolist() == np.bincount(groups.label).tolist()
    assert groups.first_rows().tolist() == sorted(groups.first_rows().tolist())
