"""What the paper claims of three hospitals, on public data, beyond the quick experiment."""

import pytest

from reproduce._survival_sets import lung_cohort
from shoal.datasets._public import LUNG_RANGES
from shoal.errors import DataNotFoundError
from shoal.federated.kernels._compare import Study, run_study


def test_more_components_are_no_worse():
    try:
        sites = lung_cohort().sites
    except DataNotFoundError as error:
        pytest.skip(str(error))
    means = [
        run_study(sites, LUNG_RANGES, Study("svm", 365, 0.4, m, 60)).rows()[0]["mean"]
        for m in (2, 3, 5)
    ]
    assert means[0] < means[1] + 0.01
    assert means[1] < means[2] + 0.01
    assert means[0] < means[2]
