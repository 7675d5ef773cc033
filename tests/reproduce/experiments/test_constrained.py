from collections import Counter

import pytest

from reproduce.experiments._constrained import EIGHT, count_outside, limited_schema
from shoal.datasets._dataset import Dataset
from shoal.tables import open_table


def people():
    """Ages in four decades, countries of three regions, everything else alike."""
    rows = [
        (age, country)
        for age, country, n in (
            (23, "Cuba", 2),
            (27, "Haiti", 2),
            (31, "Cuba", 1),
            (64, "Japan", 3),
            (65, "Laos", 1),
            (47, "Peru", 1),
        )
        for _ in range(n)
    ]
    alike = {
        "education-num": 9,
        "workclass": "Private",
        "marital-status": "Divorced",
        "occupation": "Sales",
        "race": "White",
        "sex": "Male",
    }
    columns = {name: [alike.get(name)] * len(rows) for name in EIGHT}
    columns["age"], columns["native-country"] = (list(values) for values in zip(*rows, strict=True))
    return rows, Dataset("few-people", columns).path()


REGION = {
    "Cuba": "Caribbean",
    "Haiti": "Caribbean",
    "Japan": "Asia",
    "Laos": "Asia",
    "Peru": "South-America",
}


def cells(table, limits):
    return open_table(table).compress(limited_schema(limits)).cells


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 9])
def test_rows_outside_are_those_of_small_groups_at_the_limits(k, monkeypatch, tmp_path):
    monkeypatch.setenv("SHOAL_CACHE", str(tmp_path))
    rows, table = people()
    for limits, key in (
        (("native-country",), lambda age, country: REGION[country]),
        (("native-country", "age"), lambda age, country: (REGION[country], age // 10)),
    ):
        sizes = Counter(key(*row) for row in rows)
        expected = sum(n for n in sizes.values() if n < k)
        assert count_outside(cells(table, limits), k) == expected


def test_without_limits_nobody_is_outside(monkeypatch, tmp_path):
    monkeypatch.setenv("SHOAL_CACHE", str(tmp_path))
    rows, table = people()
    assert count_outside(cells(table, ()), len(rows)) == 0
