import datetime as dt

import pytest

import shoal
from shoal.anonymize import Mondrian
from shoal.errors import TableError
from shoal.privacy import KAnonymity
from shoal.tables import RowOptions
from tests.extras import need

pd = need("pandas")

SCHEMA = shoal.Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "born": {"role": "quasi-identifier", "kind": "date"},
        "town": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive"},
    }
)
PEOPLE = {
    "age": [31, 34, 52, 58, 33, 51],
    "born": [dt.date(1990, 5, d) for d in (1, 2, 3, 4, 5, 6)],
    "town": ["Ulm", "Ulm", "Kiel", "Kiel", "Ulm", "Kiel"],
    "ill": ["flu", "gout", "flu", "none", "none", "gout"],
}


@pytest.fixture(params=["r.csv", "r.parquet"])
def written(tmp_path, request):
    release = Mondrian(SCHEMA, KAnonymity(3)).fit(PEOPLE).release_
    return release.write(tmp_path / request.param)["table"]


def test_columns_have_types(written):
    frame = shoal.read_release(written)
    assert sorted(frame["age_low"]) == [30, 30, 30, 50, 50, 50]
    assert sorted(frame["age_high"]) == [34, 34, 34, 59, 59, 59]
    assert frame["age_low"].dtype.kind == "i"
    assert frame["born_low"].dtype.kind == "M"
    assert set(frame["born_low"]) == {pd.Timestamp("1990-05-01")}
    assert set(frame["town"]) == {"Ulm", "Kiel"}
    assert sorted(shoal.read_release(written, "midpoints")["age"]) == [32.0] * 3 + [54.5] * 3
    drawn = shoal.read_release(written, "draws", random_state=4)
    assert drawn["age"].between(30, 59).all()


def test_what_was_written_as_intervals_is_read_as_it_is(tmp_path):
    release = Mondrian(SCHEMA, KAnonymity(3)).fit(PEOPLE, output=RowOptions(form="intervals"))
    paths = release.release_.write(tmp_path / "i.csv")
    assert sorted(shoal.read_release(paths["manifest"])["age_low"]) == [30, 30, 30, 50, 50, 50]


def test_without_a_schema_it_says_so(tmp_path):
    path = tmp_path / "alone.csv"
    path.write_text("age\n31\n")
    with pytest.raises(TableError, match=r"alone\.schema\.toml"):
        shoal.read_release(path)
