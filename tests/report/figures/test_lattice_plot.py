import numpy as np
import pytest

from shoal.anonymize import FullDomain
from shoal.errors import ParameterError
from shoal.privacy import KAnonymity
from shoal.report.figures._lattice_plot import plot_lattice
from tests.anonymize import group_cases
from tests.extras import need


@pytest.fixture
def lattice():
    table = group_cases.rows(np.random.default_rng(0), 60)
    return FullDomain(group_cases.SCHEMA, KAnonymity(4)).fit(table).lattice_


def test_the_same_search_gives_the_same_picture(lattice, tmp_path):
    need("matplotlib")
    files = [plot_lattice(lattice, tmp_path / name) for name in ("a.png", "b.png")]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_an_unknown_format_is_refused(lattice, tmp_path):
    with pytest.raises(ParameterError, match="end it in"):
        plot_lattice(lattice, tmp_path / "a.txt")
    assert not list(tmp_path.iterdir())
