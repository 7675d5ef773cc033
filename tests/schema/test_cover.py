"""Values that a hierarchy lacks because the table's reader writes them in another way."""

import pytest

from shoal import Schema
from shoal.anonymize import Mondrian
from shoal.errors import UncoveredValuesError


def _refusal(leaves, rows, folder):
    (folder / "t.csv").write_text("\n".join(["tag;sex", *rows]) + "\n")
    levels = [[leaf, "*"] for leaf in leaves]
    schema = Schema(
        {
            "tag": {"role": "quasi-identifier", "hierarchy": {"levels": levels}},
            "sex": {"role": "quasi-identifier"},
        }
    )
    with pytest.raises(UncoveredValuesError) as told:
        Mondrian(schema, 2).fit(folder / "t.csv")
    return str(told.value)


def test_days_of_a_hierarchy_that_are_written_in_another_way_are_spoken_of(tmp_path):
    days = ["12 Jan 2024", "13 Jan 2024"]
    said = _refusal(days, [f"{day};{sex}" for day in days for sex in "mmff"], tmp_path)
    assert "Days of the table are read as YYYY-MM-DD" in said
    assert "2024" not in said


def test_numbers_with_a_comma_in_a_hierarchy_are_spoken_of(tmp_path):
    rows = [f"{number};{sex}" for number in ("1,5", "2,5") for sex in "mmff"]
    assert "read with a point" in _refusal(["1,5", "2,5"], rows, tmp_path)


def test_of_values_that_are_not_there_in_any_form_no_more_is_said(tmp_path):
    said = _refusal(["a", "b"], [f"{value};m" for value in "aabbcc"], tmp_path)
    assert said.endswith("(missing_to_root=True).")
