import numpy as np
import pytest

from reproduce import _survival_sets
from reproduce._survival_sets import COHORTS, Cohort, load_cohort, of_paper_sizes
from shoal.errors import DataNotFoundError

ARFF = """% a comment
@relation study
@attribute age numeric
@attribute 'creatinine' numeric
@attribute kappa numeric
@attribute lambda numeric
@attribute futime numeric
@attribute death {alive,dead}
@attribute sample.yr {1995,1996,1997}
@data
"""


@pytest.fixture
def flchain(tmp_path, monkeypatch):
    monkeypatch.setenv("SHOAL_DATA", str(tmp_path))
    years = [1995, 1995, 1996, 1996, 1997, 1997]
    rows = [f"{50 + i},1.{i},2,3,{100 * i},{'dead' if i % 2 else 'alive'},{y}"
            for i, y in enumerate(years)]  # fmt: skip
    rows.append("60,?,2,3,900,dead,1997")
    folder = tmp_path / "survival"
    folder.mkdir()
    (folder / "flchain.arff").write_text(ARFF + "\n".join(rows) + "\n")
    return folder


def test_complete_rows_become_sites_by_year(flchain):
    cohort = load_cohort("flchain", seed=0)
    assert len(list(flchain.iterdir())) == 1
    assert {name: len(y) for name, (_, y) in cohort.sites.items()} == {"A": 2, "B": 2, "C": 2}
    rows, target = cohort.sites["B"]
    assert sorted(rows[:, 0]) == [52, 53]
    assert sorted(map(tuple, target.tolist())) == [(200, 0), (300, 1)]
    assert cohort.ranges["age"] == (50, 55)
    assert list(cohort.ranges) == ["age", "creatinine", "kappa", "lambda"]


def test_absent_data_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setattr("shoal.datasets._sources.data_folders", lambda: iter([tmp_path]))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for name in COHORTS:
        with pytest.raises(DataNotFoundError, match=f"shoal datasets fetch {name}"):
            load_cohort(name, 0)


def test_sites_are_cut_to_the_sizes_of_the_papers():
    rows = np.arange(200.0).reshape(100, 2)
    target = np.column_stack([np.arange(100.0), np.ones(100)])
    whole = Cohort(dict.fromkeys("ABC", (rows, target)), {}, 1)
    small = of_paper_sizes(whole, seed=1)
    assert [len(y) for _, y in small.sites.values()] == list(_survival_sets.PAPER_SIZES)
    for people, survival in small.sites.values():
        np.testing.assert_array_equal(people[:, 0], 2 * survival[:, 0])  # rows stay together
        assert len(np.unique(survival[:, 0])) == len(survival)
