import pytest

import shoal
from shoal.anonymize import FullDomain
from shoal.anonymize._explain import explain_released
from shoal.errors import ParameterError, TableError
from tests.extras import need

SCHEMA = shoal.Schema(
    {
        "age": {
            "role": "quasi-identifier",
            "kind": "numeric",
            "hierarchy": {"intervals": [10]},
            "limit_level": 1,
        },
        "sex": {"role": "quasi-identifier", "hierarchy": "flat", "limit_level": 0},
    }
)
TABLE = {"age": [31, 32, 33, 34, 71], "sex": ["f", "f", "f", "f", "m"]}


@pytest.fixture
def release():
    need("pandas")  # makes a table of columns
    return FullDomain(SCHEMA, 2, max_suppression=0.3).fit(TABLE).release_


def test_a_row_that_was_left_out_says_what_sets_it_apart(release):
    told = release.explain(4)
    assert (told.released, told.group, told.alike) == (False, 0, 1)
    assert told.lost == {"age": 1.0, "sex": 1.0}
    assert told.alike_without == {"age": 1, "sex": 1}
    assert "was left out" in told.sentences[0]


def test_a_coarse_row_names_the_column_that_lost_and_another_k(release):
    told = release.explain(0, k=[1, 2])
    assert told.released
    assert (told.group, told.alike, told.costliest) == (4, 1, "age")
    assert told.labels == {"age": "[30-39]", "sex": "f"}
    assert told.alike_without == {"age": 4, "sex": 1}
    assert told.tried[1] <= told.tried[2]
    assert told.to_dict()["sentences"][-1].startswith("With k = 2")


def test_the_written_release_tells_the_same(release, tmp_path):
    path = release.write(tmp_path / "r.csv")["table"]
    told = explain_released(path, TABLE, 0, [1])
    assert told == release.explain(0, k=1)
    (tmp_path / "r.manifest.json").write_text("{}")
    with pytest.raises(TableError, match="no other k"):
        explain_released(path, TABLE, 0, [1])


def test_rows_have_numbers(release):
    with pytest.raises(ParameterError, match="rows 0 to 4"):
        release.explain(5)
