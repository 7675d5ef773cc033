"""A region judged beside everybody else is judged as it is within the whole table."""

import numpy as np
import pytest

from shoal.anonymize.regions._within_whole import WithinWhole
from shoal.privacy import BetaLikeness, DeltaDisclosure, TCloseness
from shoal.privacy.compiled._compile import allowed_groups, compile_model
from tests.contracts.test_privacy_models import as_table
from tests.privacy.columns import VALUES

MODELS = [
    TCloseness(0.3, "s"),
    TCloseness(0.2, "s", "ordered"),
    TCloseness(0.2, "s", "hierarchical"),
    BetaLikeness(1.0, "s"),
    DeltaDisclosure(1.0, "s"),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_groups_of_a_region_are_judged_as_in_the_whole(model):
    rng, seen = np.random.default_rng(0), set()
    for _ in range(60):
        groups = [
            [VALUES[v] for v in rng.integers(0, len(VALUES), rng.integers(1, 9))]
            for _ in range(rng.integers(2, 7))
        ]
        whole = as_table(groups)
        expected, levels = model.holds(whole), model.levels(whole)
        inside = rng.random(len(groups)) < 0.5
        if not inside.any():
            continue
        number = np.where(inside, np.cumsum(inside) - 1, -1)
        region = whole.merge(number, int(inside.sum()))
        one = whole.merge(np.zeros(len(groups), np.int64), 1)
        within = WithinWhole(model, one)
        assert within.holds(region).tolist() == expected[inside].tolist()
        np.testing.assert_allclose(within.levels(region), levels[inside], atol=1e-12)
        compiled = compile_model(within, region)
        found = allowed_groups(compiled, np.arange(region.n_groups), region.n_groups)
        assert found.tolist() == expected[inside].tolist()
        seen |= set(expected[inside].tolist())
    assert seen == {True, False}  # a region judged by itself alone would differ
