"""Only tables on a cluster are counted from afar."""

import numpy as np
import pytest

from shoal.risk import individual_risk
from shoal.risk._far_survey import open_far
from shoal.risk._individual import risk_of_sizes
from shoal.risk._size_counts import count_sizes
from shoal.schema import Schema
from shoal.tables import open_table

SCHEMA = Schema({"city": {"role": "quasi-identifier"}})


def test_tables_at_hand_are_counted_here():
    assert open_far({"city": ["Ulm"]}, SCHEMA, []) is None


@pytest.mark.parametrize("fraction", [0.01, 0.3, 1.0])
def test_sizes_tell_what_groups_do(fraction):
    rng = np.random.default_rng(3)
    groups = open_table({"city": rng.geometric(0.05, 300).tolist()}).compress(SCHEMA).cells
    counts = count_sizes(groups.sizes)
    assert count_sizes(counts) is counts
    there = risk_of_sizes(counts, fraction, 0.2)
    here = individual_risk(groups, fraction=fraction)
    assert there.to_dict() == pytest.approx(here.to_dict())
