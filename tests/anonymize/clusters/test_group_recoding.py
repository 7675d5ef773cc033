import numpy as np
import pytest

from shoal.anonymize import LocalRecoding
from shoal.anonymize.clusters import _group_recoding
from shoal.anonymize.clusters._group_recoding import first_cover
from shoal.privacy import KAnonymity
from shoal.tables import open_table
from tests.anonymize import group_cases
from tests.reference import groups as twin


def people(seed, n=200):
    return group_cases.rows(np.random.default_rng(seed), n)


@pytest.mark.parametrize("seed", range(5))
def test_the_first_cover_is_that_of_the_slow_twin(seed):
    rng = np.random.default_rng(seed)
    ends = np.sort(rng.integers(0, 12, (2, 20, 3)), axis=0)
    keys = rng.integers(0, 12, (50, 3))
    assert first_cover(keys, *ends).tolist() == twin.first_cover(keys, *ends)


@pytest.mark.parametrize("ranges", ["lines", "exact", "nodes"])
def test_fitted_cells_get_the_groups_that_looking_them_up_gives(ranges):
    method = LocalRecoding(group_cases.SCHEMA, KAnonymity(4), ranges=ranges).fit(people(1))
    straight = method.release_.recoded
    again = open_table(people(1)).compress(group_cases.SCHEMA).cells
    looked_up = method.recoding_.recode(again)
    assert again.keys is not straight.cells.keys
    assert straight.group_of.tolist() == looked_up.group_of.tolist()
    assert straight.codes.tolist() == looked_up.codes.tolist()
    assert [a.texts for a in straight.labels] == [b.texts for b in looked_up.labels]


def test_labels_of_a_fit_are_made_once_for_each_column(monkeypatch):
    made = []
    for name in ("node_labels", "public_range_labels"):
        make = getattr(_group_recoding, name)

        def count(coding, *ends, make=make, **options):
            made.append(coding.name)
            return make(coding, *ends, **options)

        monkeypatch.setattr(_group_recoding, name, count)
    LocalRecoding(group_cases.SCHEMA, KAnonymity(4)).fit(people(2))
    assert sorted(made) == ["age", "city", "grade"]
