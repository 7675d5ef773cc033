import numpy as np
import pytest

from shoal.anonymize.clusters._k_member_kernels import k_member
from tests.anonymize import group_cases
from tests.reference import groups as twin


@pytest.mark.parametrize("model", [0, 1])
@pytest.mark.parametrize("seed", range(10))
def test_clusters_are_those_of_the_slow_twin(seed, model):
    cells = group_cases.cells(seed, 60)
    columns, *_ = group_cases.columns_of(cells, ranges=bool(seed % 2))
    compiled = group_cases.compiled_of(group_cases.models()[model], cells)
    slow = group_cases.slow_groups(cells, columns, compiled, np.empty(0), 0)
    fast = k_member(columns, compiled, cells.keys)
    assert fast.tolist() == twin.k_member(slow).tolist()
