import pytest

from shoal.federated import RandomKernel
from tests.reference.sites import RANGES, patients


@pytest.fixture
def kernel():
    return RandomKernel(RANGES, random_state=2**100 + 11).fit()


@pytest.fixture
def sites():
    return {name: patients(n, n) for name, n in {"gent": 60, "leuven": 41, "maastro": 90}.items()}
