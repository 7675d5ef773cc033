"""What the paper claims of three hospitals, on the public lung data; fewer splits than the docs."""

import importlib.util
from pathlib import Path

import pytest

from shoal.federated import Study, compare_sites

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def lung():
    spec = importlib.util.spec_from_file_location("lung", ROOT / "docs" / "examples" / "lung.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def sites(lung):
    return lung.load_sites()


def test_three_sites_share_the_patients(sites):
    assert {name: len(y) for name, (_, y) in sites.items()} == {"A": 73, "B": 67, "C": 87}


@pytest.mark.parametrize("model", ["cox", "svm"])
def test_joint_is_above_single_sites_and_near_pooled(lung, sites, model):
    found = compare_sites(sites, lung.RANGES, Study(model, 365, 0.4, n_splits=25))
    joint = found.rows()[0]["mean"]
    assert joint > found.single_site_mean()
    assert abs(found.gap()[0]) < 0.02


def test_more_components_are_no_worse(lung, sites):
    means = [
        compare_sites(sites, lung.RANGES, Study("svm", 365, 0.4, m, 60)).rows()[0]["mean"]
        for m in (2, 3, 5)
    ]
    assert means[0] < means[1] + 0.01
    assert means[1] < means[2] + 0.01
    assert means[0] < means[2]
