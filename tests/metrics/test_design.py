import numpy as np
import pytest

from shoal.metrics import design_matrix
from shoal.metrics._design import design_examples
from tests.metrics.tables import GRADES, RAW, random_release


@pytest.mark.parametrize("seed", range(15))
def test_features_say_what_labels_cover(seed):
    recoded, _, _ = random_release(np.random.default_rng(seed))
    design = design_matrix(recoded)
    at = {name: place for place, name in enumerate(design.names)}
    cities, incomes, grades = recoded.labels
    for group, codes in enumerate(recoded.codes):
        row = design.features[group]
        covered = set(range(cities.low[codes[0]], cities.high[codes[0]] + 1))
        for name, leaves in {"a": {0}, "ab": {0, 1}, "abc": {0, 1, 2}, "*": set(range(6))}.items():
            assert row[at[f"city={name}"]] == (covered <= leaves)
        inside = RAW[1][incomes.low[codes[1]] : incomes.high[codes[1]] + 1]
        known = [x for x in inside if x is not None]
        if known:
            assert row[at["income"]] == pytest.approx((min(known) + max(known)) / 2)
        assert row[at["income missing"]] == pytest.approx((None in inside) / len(inside))
        ends = GRADES.numbers[[grades.low[codes[2]], grades.high[codes[2]]]]
        assert row[at["grade"]] == pytest.approx(ends.mean())
    assert np.isfinite(design.features).all()


def test_examples_count_every_released_row_once():
    recoded, rows, _ = random_release(np.random.default_rng(1))
    features, classes, counts = design_examples(recoded, "class")
    assert counts.sum() == sum(labels is not None for _, labels in rows)
    assert len(features) == len(classes) == len(counts)
