import pytest

from shoal.errors import ParameterError, TableError
from shoal.metrics._queries import Among, Between, QueryCondition
from tests.extras import need

need("sqlglot")
from shoal.workload import parse_workload, read_workload  # noqa: E402
from shoal.workload._read import split_statements  # noqa: E402


def only(sql):
    (query,) = parse_workload(sql).queries
    return query


def test_columns_are_told_apart_by_what_the_query_does_with_them():
    query = only(
        "SELECT sex, avg(income) FROM people WHERE age > 30 AND city = 'X' GROUP BY sex, race"
    )
    assert query.selections == ("age", "city")
    assert query.features == ("sex", "race")
    assert query.targets == ("income",)


@pytest.mark.parametrize(
    ("where", "condition"),
    [
        ("age < 30", QueryCondition("age", (Between(high=30, with_high=False),))),
        ("30 < age", QueryCondition("age", (Between(low=30, with_low=False),))),
        ("age >= -2.5", QueryCondition("age", (Between(low=-2.5),))),
        ("age BETWEEN 1 AND 9", QueryCondition("age", (Between(1, 9),))),
        ("NOT age BETWEEN 1 AND 9", QueryCondition("age", (Between(1, 9),), True)),
        ("city IN ('a', 'b')", QueryCondition("city", (Among(("a", "b")),))),
        ("city <> 'a'", QueryCondition("city", (Among(("a",)),), True)),
        ("city IS NULL", QueryCondition("city", (Among((None,)),))),
        ("city IS NOT NULL", QueryCondition("city", (Among((None,)),), True)),
        (
            "(age < 5 OR age > 9)",
            QueryCondition(
                "age", (Between(high=5, with_high=False), Between(low=9, with_low=False))
            ),
        ),
        ("born >= DATE '1990-01-01'", QueryCondition("born", (Between(low="1990-01-01"),))),
    ],
)
def test_comparisons_with_constants_become_conditions(where, condition):
    query = only(f"SELECT count(*) FROM t WHERE {where}")
    assert query.conditions == (condition,)
    assert query.is_conjunction


def test_what_is_no_conjunction_still_tells_constants():
    query = only("SELECT count(*) FROM t WHERE age < 30 OR city = 'a'")
    assert not query.is_conjunction
    assert {condition.column for condition in query.conditions} == {"age", "city"}
    assert query.selections == ("age", "city")
    assert not only("SELECT count(*) FROM t WHERE age < limit_age").is_conjunction


def test_lines_survive_comments_and_quotes():
    text = "-- one; two\nSELECT 'a;b' FROM t;\n\n/* ; */ SELECT 2 FROM t\n;\nSELECT 'open"
    assert [line for line, _ in split_statements(text)] == [2, 4, 6]


def test_what_cannot_be_parsed_is_reported_with_its_line_and_skipped():
    read = parse_workload("SELECT age FROM t;\nSELEC age FRM t WHERE;\nDROP TABLE t;\nSELECT 'x")
    assert len(read.queries) == 1
    assert [problem.line for problem in read.problems] == [2, 3, 4]
    with pytest.raises(ParameterError, match="line 2"):
        parse_workload("SELECT age FROM t;\nSELEC age FRM t WHERE;", strict=True)


def test_a_workload_without_queries_is_an_error(tmp_path):
    with pytest.raises(ParameterError, match="no query"):
        parse_workload("-- nothing\n")
    with pytest.raises(TableError, match="cannot read"):
        read_workload(tmp_path / "absent.sql")
    (tmp_path / "binary.sql").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TableError, match="UTF-8"):
        read_workload(tmp_path / "binary.sql")
