import pytest

from shoal.discover import suggest_schema
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


@pytest.mark.parametrize("suffix", [".sav", ".dta", ".xpt"])
def test_labels_of_columns_say_what_names_do_not(tmp_path, suffix):
    table = pd.DataFrame({
        "V1": [f"x{n:03d}" for n in range(60)], "V2": [n % 2 for n in range(60)],
        "V3": [20 + n % 40 for n in range(60)], "V4": [n % 7 for n in range(60)],
        "V5": [n % 5 for n in range(60)],
    })  # fmt: skip
    path = tmp_path / f"survey{suffix}"
    labels = ["", "Sex of respondent", "Age in years", "Diagnosis", "Trips"]
    WRITERS[suffix](table, str(path), column_labels=labels)
    engine = open_table(path)
    assert engine.titles == dict(zip(["V2", "V3", "V4", "V5"], labels[1:], strict=True))
    found = suggest_schema(path)
    roles = {name: column.role for name, column in found.schema.items()}
    assert roles["V4"] == "sensitive"
    assert {roles[name] for name in ("V2", "V3", "V5")} == {"quasi-identifier"}
    assert "its label in the file: Sex of respondent" in found.reasons["V2"]
    assert any(why.startswith("it says that it holds a sex") for why in found.reasons["V2"])
    assert "label" not in " ".join(found.reasons["V1"])
    assert "# its label in the file: Age in years" in found.to_toml()
