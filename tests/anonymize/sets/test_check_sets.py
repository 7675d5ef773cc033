import pytest

from shoal.anonymize import check_sets
from shoal.errors import SchemaError, TableError, TableWarning
from shoal.schema import Schema

SCHEMA = Schema({"basket": {"role": "quasi-identifier", "separator": ","}})


def test_rare_combinations_are_counted_by_size():
    found = check_sets({"basket": ["a,b", "a,b", "a, c", "c", None]}, SCHEMA, 2)
    assert found.fewest == (2, 1)
    assert found.combinations == (3, 2)
    assert found.rare == (0, 1)
    assert not found.holds
    assert check_sets({"basket": ["a,b", "a,b", "a, c", "c"]}, SCHEMA, 2, 1).holds
    assert found.to_dict()["holds"] is False


def test_a_file_with_more_than_cells_is_undecided(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"basket": "a,b"}\n' * 2)
    assert check_sets(path, SCHEMA, 2).holds
    path.write_text('{"basket": "a,b"}\n{"basket": "a,b", "basket": "a,b"}\n')
    found = check_sets(path, SCHEMA, 2)
    assert not found.holds
    assert found.is_undecided
    assert found.to_dict()["side_doors"]
    assert not check_sets(path, SCHEMA, 3).is_undecided  # it does not hold, whatever else is there


def test_lines_above_a_table_of_sets_are_undecided(tmp_path):
    (tmp_path / "t.csv").write_text('remarks on somebody\nbasket,n\n"a,b",1\n"a,b",2\n')
    with pytest.warns(TableWarning, match="1 line before the names"):
        found = check_sets(tmp_path / "t.csv", SCHEMA.replace(n={"role": "insensitive"}), 2)
    assert found.is_undecided


def test_what_is_refused():
    with pytest.raises(SchemaError, match="columns without a role: 'name'"):
        check_sets({"basket": ["a", "a"], "name": ["x", "y"]}, SCHEMA, 2)
    with pytest.raises(SchemaError, match="lacks column 'basket'"):
        check_sets({"other": ["a"]}, SCHEMA, 2)
    with pytest.raises(TableError, match="no rows"):
        check_sets({"basket": []}, SCHEMA, 2)


@pytest.mark.parametrize(
    "cells",
    [
        ["a,b", "b,a", "a,b"],
        ["a,b", "a,b,a", "a,b"],
        ["a,b", "a, b", "a,b"],
        ["a,b,c", "c,a,b", "a,b,c"],
        ["a,b", "b,c", "c,a"] * 2,
    ],
)
def test_what_cells_tell_besides_their_items_is_undecided(cells):
    found = check_sets({"basket": cells}, SCHEMA, 2)
    assert not any(found.rare)
    assert found.is_undecided
    assert found.side_doors


@pytest.mark.parametrize("cells", [["b,a", "c,b,a", "c,b", "", None], ["b, a", "c, b, a", "c, b"]])
def test_items_in_one_order_and_with_blanks_after_every_sign_are_cells_only(cells):
    assert check_sets({"basket": cells * 2}, SCHEMA, 2).side_doors == ()
