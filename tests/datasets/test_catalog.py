import re

import pytest

from shoal.datasets._catalog import CATALOG
from shoal.datasets._columns import CENSUS_INCOME, COVTYPE
from shoal.datasets._fetch import verify_data


@pytest.mark.parametrize("name", CATALOG)
def test_every_data_set_can_be_fetched_or_says_where_it_is(name):
    data = CATALOG[name]
    assert data.what.endswith(".")
    assert bool(data.archive) != bool(data.source)
    for file in data.files:
        assert all(re.fullmatch("[0-9a-f]{64}", sha256) for sha256 in file.sha256)
        assert bool(file.inside) == (data.archive is not None)
        assert not file.path.startswith("/")
    if data.archive:
        assert data.archive.url.startswith("https://")
        assert data.archive.licence


def test_what_is_on_this_machine_is_what_was_published():
    states = verify_data(list(CATALOG))
    assert {state.dataset for state in states} == set(CATALOG)
    assert "differs" not in {state.state for state in states}


def test_files_without_a_header_have_names():
    assert len(set(CENSUS_INCOME)) == len(CENSUS_INCOME) == 42
    assert len(set(COVTYPE)) == len(COVTYPE) == 55
