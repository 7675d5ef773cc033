from collections import Counter

import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.metrics import weighted_discernibility
from shoal.metrics._weighted import column_discernibility
from tests.metrics.tables import random_release


@pytest.mark.parametrize("seed", range(20))
def test_agrees_with_counting_labels(seed):
    recoded, rows, _ = random_release(np.random.default_rng(seed))
    expected = []
    for column in range(3):
        labels = Counter(frozenset(sets[column]) for _, sets in rows if sets is not None)
        hidden = sum(sets is None for _, sets in rows)
        expected.append(sum(n * n for n in labels.values()) + hidden * len(rows))
    assert column_discernibility(recoded).tolist() == expected
    found = weighted_discernibility(recoded, {"city": 1, "grade": 0.5})
    assert found == pytest.approx(expected[0] + expected[2] / 2)
    sets = [labels for _, labels in rows if labels is not None]
    alike = [
        sum(bool(one[j] & other[j]) for one in sets for other in sets) + hidden * len(rows)
        for j in range(3)
    ]
    assert column_discernibility(recoded, overlapping=True).tolist() == alike


@pytest.mark.parametrize("weights", [{"nobody": 1}, {"city": -1, "grade": 1}, {"city": 0}, {}])
def test_weights_that_make_no_sense_are_refused(weights):
    recoded, _, _ = random_release(np.random.default_rng(0))
    with pytest.raises(ParameterError, match="weights"):
        weighted_discernibility(recoded, weights)
