from shoal.report.release.facts._special import Special, find_special
from shoal.report.release.pages._risk_section import special_rows
from shoal.risk import special_uniques
from shoal.schema import Schema
from shoal.tables import open_table

SCHEMA = Schema({name: {"role": "quasi-identifier"} for name in ("city", "age")})


def count(ages):
    return open_table({"city": ["u"] * len(ages), "age": ages}).compress(SCHEMA).cells


def test_columns_are_listed_by_their_part_before_and_after():
    found = Special(special_uniques(count([1, 2, 2])), special_uniques(count([2, 2, 2])))
    assert found.rows == [("age", 1.0, None), ("city", 0.0, None)]
    assert special_rows(found) == [["age", "100.0\u00a0%", "none"], ["city", "0\u00a0%", "none"]]


def test_where_nobody_is_alone_nothing_is_listed():
    assert find_special(count([2, 2]), None).rows == []
    assert find_special(None, None).rows == []
