"""Values that formats keep in ways of their own are written, judged and checked in every format."""

import datetime as dt

import pytest

from shoal.anonymize import check_table
from shoal.anonymize._recheck import count_written
from shoal.anonymize._registry import make_method
from shoal.errors import TableError
from shoal.privacy import DeltaPresence, KAnonymity, KMap
from shoal.schema import Schema
from shoal.tables import open_table
from tests import engines
from tests.extras import need

ROLES = {
    "vip": {"role": "quasi-identifier"},
    "note": {"role": "quasi-identifier"},
    "born": {"role": "quasi-identifier", "kind": "date"},
    "age": {"role": "quasi-identifier", "kind": "numeric"},
    "ill": {"role": "sensitive"},
    "paid": {"role": "insensitive"},
}
PEOPLE = {
    "vip": [True, False, None, True] * 15,  # truth values, some missing
    "note": ["a", "a", "b", "b"] * 15,
    "born": [None if i % 9 == 4 else dt.date(1960 + i % 30, 1 + i % 12, 3) for i in range(60)],
    "age": [None if i % 11 == 4 else 20 + i % 40 for i in range(60)],
    "ill": [(True, False, None)[i % 3] for i in range(60)],
    "paid": [("", None, "1", "true")[i % 4] for i in range(60)],
}


@pytest.mark.parametrize("ending", ["csv", "jsonl", "xlsx", "sqlite", "duckdb", "arrow", "parquet"])
@pytest.mark.parametrize("method", ["mondrian", "microaggregation", "full-domain"])
@pytest.mark.parametrize("source", ["memory", "file"])
def test_truth_emptiness_and_gaps_can_be_written_and_checked(source, method, ending, tmp_path):
    pa = need("pyarrow")
    need("openpyxl")
    schema, table = Schema(ROLES), PEOPLE
    if source == "file":
        parquet = need("pyarrow.parquet")
        table = tmp_path / "people.parquet"
        parquet.write_table(pa.table(PEOPLE), table)
    path = tmp_path / f"out.{ending}"
    made = make_method(method, schema, KAnonymity(4)).fit(table).release_
    made.write(path)
    assert open_table(path, keep_empty_rows=True).n_rows == made.recoded.n_released_rows
    assert check_table(path, schema, KAnonymity(4)).holds


TOWNS = Schema({"town": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}})
NOTHING = {"town": ["", "", "", None, None, None, "Kiel", "Kiel", "Kiel"], "ill": list("abc" * 3)}


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "xlsx"])
@pytest.mark.parametrize("engine", [kind for kind in engines.ENGINES if kind != "spark"])
def test_an_empty_text_and_nothing_are_one_where_a_file_cannot_hold_both(engine, ending, tmp_path):
    need("openpyxl")
    table = engines.make(engine, NOTHING, tmp_path)
    path = tmp_path / f"out.{ending}"
    make_method("full-domain", TOWNS, 2).fit(table).release_.write(path)
    read = count_written(path, TOWNS)
    assert (read.side_doors, sorted(read.groups.sizes)) == ((), [3, 6])


@pytest.mark.parametrize("ending", ["csv", "xlsx", "parquet"])
@pytest.mark.parametrize("model", ["delta-presence", "k-map"])
@pytest.mark.parametrize("names", [["town", "ill"], ["town"]])
def test_people_of_both_an_empty_text_and_nothing_are_counted_in_a_population(
    names, model, ending, tmp_path
):
    schema = Schema({name: TOWNS[name] for name in names})
    table = {name: NOTHING[name] for name in names}
    people = {"town": NOTHING["town"] * 2 + [None] * 2}
    everybody = open_table(people).compress(Schema({"town": TOWNS["town"]})).cells
    asked = DeltaPresence(0.1, 0.5, everybody) if model[0] == "d" else KMap(5, population=everybody)
    release = make_method("full-domain", schema, KAnonymity(2) & asked).fit(table).release_
    release.write(tmp_path / f"out.{ending}")
    assert release.recoded.groups.n_groups == 3


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
@pytest.mark.parametrize("kind", ["time64", "timestamp"])
def test_times_that_only_nanoseconds_tell_apart_are_groups_of_their_own(kind, ending, tmp_path):
    pa, parquet, feather = map(need, ("pyarrow", "pyarrow.parquet", "pyarrow.feather"))
    moments = pa.array([0, 1, 2, 3], pa.int64()).cast(getattr(pa, kind)("ns"))
    table = pa.table({"town": moments, "ill": list("abcd")})
    write = parquet.write_table if ending == "parquet" else feather.write_feather
    write(table, tmp_path / f"people.{ending}")
    assert check_table(tmp_path / f"people.{ending}", TOWNS, KAnonymity(2)).smallest_group == 1
    try:
        made = make_method("mondrian", TOWNS, 2).fit(tmp_path / f"people.{ending}").release_
    except TableError:
        assert ending == "arrow"  # read into memory, where they are refused
        return
    made.write(tmp_path / f"out.{ending}")
    assert check_table(tmp_path / f"out.{ending}", TOWNS, KAnonymity(2)).holds


def test_entries_of_a_dictionary_that_are_equal_are_refused(tmp_path):
    pa, parquet = need("pyarrow"), need("pyarrow.parquet")
    path = tmp_path / "people.parquet"
    columns = {"town": ["Kiel", "Kiel", "Marl", "Marl"], "ill": list("abab")}
    parquet.write_table(pa.table(columns), path, compression="none", write_statistics=False)
    assert count_written(path, TOWNS).side_doors == ()
    kiel, marl = b"\x04\0\0\0Kiel", b"\x04\0\0\0Marl"
    assert path.read_bytes().count(marl) == 1
    path.write_bytes(path.read_bytes().replace(marl, kiel))
    with pytest.raises(TableError, match="codes without a value, or several for one"):
        count_written(path, TOWNS)
