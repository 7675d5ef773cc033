from shoal import check_table
from shoal.privacy import AlphaKAnonymity
from shoal.schema import Schema

SCHEMA = Schema({"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}})
TABLE = {"age": ["30-39"] * 3, "ill": ["flu", "cold", "Kuru"]}


def test_a_protected_value_that_somebody_has_needs_no_note():
    verdict = check_table(TABLE, SCHEMA, AlphaKAnonymity(0.5, 2, "ill", ("Kuru",)))
    assert verdict.holds
    assert verdict.notes == ()


def test_a_protected_value_that_nobody_has_is_mentioned_but_not_named():
    verdict = check_table(TABLE, SCHEMA, AlphaKAnonymity(0.5, 2, "ill", ("kuru",)))
    (note,) = verdict.notes
    assert "nobody has 1 of the protected values of column 'ill'" in note
    assert "kuru" not in note
