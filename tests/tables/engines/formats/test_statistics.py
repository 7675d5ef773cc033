import pytest

from shoal.errors import TableError
from shoal.tables import open_table
from tests.extras import need

pyreadstat = need("pyreadstat")
pd = need("pandas")

WRITERS = {
    ".sav": pyreadstat.write_sav,
    ".dta": pyreadstat.write_dta,
    ".xpt": pyreadstat.write_xport,
}


def write_example(table, path):
    WRITERS[path.suffix](pd.DataFrame(table.to_dict(as_series=False)), str(path))


@pytest.mark.parametrize("suffix", [".sav", ".dta"])
def test_labels_of_values_are_kept_where_all_values_have_one(tmp_path, suffix):
    table = pd.DataFrame({"sex": [1, 2, 1], "age": [31, 99, 44]})
    labels = {"sex": {1: "female", 2: "male"}, "age": {99: "refused"}}
    path = tmp_path / f"people{suffix}"
    WRITERS[suffix](table, str(path), variable_value_labels=labels)
    engine = open_table(path)
    assert sorted(engine.distinct("sex")[0]) == ["female", "male"]
    assert sorted(engine.distinct("age")[0]) == [31, 44, 99]


@pytest.mark.parametrize("suffix", [".sav", ".dta", ".xpt", ".sas7bdat", ".por"])
def test_a_damaged_file_is_refused_in_plain_words(tmp_path, suffix):
    (tmp_path / f"people{suffix}").write_bytes(b"nothing of the kind" * 100)
    with pytest.raises(TableError, match="damaged, cut short"):
        open_table(tmp_path / f"people{suffix}")
