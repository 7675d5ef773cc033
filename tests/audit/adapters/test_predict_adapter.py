"""Functions against the definition, row by row."""

import numpy as np
import pytest

from shoal.audit import audit
from tests.audit.people import random_people
from tests.extras import need

need("pandas")


def example():
    case = random_people(2, whole=True)
    return lambda rows: rows["a"] + rows["c"] > 2, case.table, case.schema


@pytest.mark.parametrize("seed", range(20))
def test_functions_agree_with_brute_force(seed):
    case = random_people(seed)

    def predict(rows):
        mixed = [hash((a, c)) % 3 + ord(b) + ord(d) for a, b, c, d in rows.to_numpy().tolist()]
        return np.array(mixed) % 4

    case.domains = {name: sorted(case.table[name].unique().tolist()) for name in case.domains}
    found = audit(predict, case.table, case.schema, k=3, domain=case.domains)
    case.check(found, predict, n_classes=1)  # the class is no part of the output
    assert found.method.startswith("exhaustive")


def test_a_sampled_domain_says_so():
    case = random_people(3)
    found = audit(lambda rows: np.zeros(len(rows)), case.table, case.schema, max_points=5)
    assert found.method.startswith("sampled: 5 combinations")
