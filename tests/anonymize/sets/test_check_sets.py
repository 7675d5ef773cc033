import pytest

from shoal.anonymize import check_sets
from shoal.errors import SchemaError, TableError
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


def test_what_is_refused():
    with pytest.raises(SchemaError, match="lacks column 'basket'"):
        check_sets({"other": ["a"]}, SCHEMA, 2)
    with pytest.raises(TableError, match="no rows"):
        check_sets({"basket": []}, SCHEMA, 2)
