import pytest

from shoal import check_table, release
from shoal.errors import SchemaError
from shoal.privacy import AlphaKAnonymity, DistinctDiversity, KAnonymity
from shoal.schema import Schema
from tests.extras import need

SCHEMA = Schema({"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}})
TABLE = {"age": ["30-39"] * 3, "ill": ["flu", "cold", "Kuru"]}


def test_a_protected_value_that_somebody_has_needs_no_note():
    verdict = check_table(TABLE, SCHEMA, AlphaKAnonymity(0.5, 2, "ill", ("Kuru",)))
    assert verdict.holds
    assert verdict.notes == ()


def test_a_protected_value_that_nobody_has_is_mentioned_but_not_named():
    verdict = check_table(TABLE, SCHEMA, AlphaKAnonymity(0.5, 2, "ill", ("kurru",)))
    (note,) = verdict.notes
    assert "nobody has 1 of the protected values of column 'ill'" in note
    assert "kurru" not in note


@pytest.mark.parametrize("spelt", [("HIV", "hiv "), ("HIV", "HIV\u200b"), ("1", "1.0")])
def test_spellings_of_one_value_are_no_diversity(spelt):
    need("pandas")  # makes a table of columns
    table = {"age": ["30-39"] * 4, "ill": [*spelt] * 2}
    asked = KAnonymity(2) & DistinctDiversity(2)
    assert not check_table(table, SCHEMA, asked).holds
    with pytest.raises(SchemaError, match="1 of its texts are other spellings of a value"):
        release(table, SCHEMA, asked)
    assert release(table, SCHEMA, KAnonymity(2)).table["ill"].tolist().count(spelt[1]) == 2


def test_a_protected_value_is_protected_however_it_is_spelt():
    table = {"age": ["30-39"] * 4, "ill": ["kuru ", "Kuru", "KURU", "flu"]}
    assert not check_table(table, SCHEMA, AlphaKAnonymity(0.5, 2, "ill", ("Kuru",))).holds
