from itertools import combinations

import pytest

from shoal import check_table, release
from shoal.errors import SchemaError
from shoal.judge._count import as_meant
from shoal.privacy import AlphaKAnonymity, DistinctDiversity, KAnonymity
from shoal.schema import Schema
from shoal.schema._text import readings
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


@pytest.mark.parametrize(
    "spelt",
    [("HIV", "hiv "), ("HIV", "HIV\u200b"), ("1", "1.0"), ("\u0130zmir", "izmir"),
     ("ISPARTA", "\u0131sparta"), ("non-smoker", "Non\u2013smoker"), ("-5", "\u22125"),
     ("Crohn's", "Crohn\u2019s"), ('"x"', "\u201ex\u201c"), ("HIV", "HIV\ufe0f"),
     ("HIV", "H\u034fIV"), ("HIV", "HIV\u3164"), ("HIV", "HIV\u2800"), ("HIV", "H\x01IV\x7f")],
)  # fmt: skip
def test_spellings_of_one_value_are_no_diversity(spelt):
    need("pandas")  # makes a table of columns
    table = {"age": ["30-39"] * 4, "ill": [*spelt] * 2}
    asked = KAnonymity(2) & DistinctDiversity(2)
    assert not check_table(table, SCHEMA, asked).holds
    with pytest.raises(SchemaError, match="1 of its texts are other spellings of a value"):
        release(table, SCHEMA, asked)
    assert release(table, SCHEMA, KAnonymity(2)).table["ill"].tolist().count(spelt[1]) == 2


@pytest.mark.parametrize("other", ["positive", ">90", "", "2024-01-01"])
@pytest.mark.parametrize(
    "spelt",
    [("1", "1.0"), ("7", "07"), ("1e2", "100"), ("2024-12-31", "2024-12-31 00:00"), ("NA", "N/A"),
     ("", "NA"), ("31.12.2024", "2024-12-31"), ("1,000", "1000"), (None, ""), (None, "n/a")],
)  # fmt: skip
def test_spellings_are_no_diversity_beside_other_values_either(spelt, other):
    need("pandas")  # makes a table of columns
    table = {"age": ["30-39"] * 4 + ["40-49"] * 4, "ill": [*spelt] * 2 + ["2", other] * 2}
    asked = KAnonymity(2) & DistinctDiversity(2)
    assert not check_table(table, SCHEMA, asked).holds
    with pytest.raises(SchemaError, match="of its texts are other spellings of a value"):
        release(table, SCHEMA, asked)


@pytest.mark.parametrize("kind", ["categorical", "numeric"])
@pytest.mark.parametrize(
    "computed",
    [(0.3, 0.1 + 0.2), (1.0, 1 - 2**-53), (-2.2, 2 * -1.1 - 2**-51), (3e-7, 3e-7 + 2**-74)],
)
def test_what_arithmetic_adds_to_a_number_is_no_diversity(kind, computed):
    need("pandas")  # makes a table of columns
    table = {"age": ["30-39"] * 4 + ["40-49"] * 4, "ill": [*computed] * 2 + [7.5, 8.0] * 2}
    assert len(set(table["ill"])) == 4
    schema = SCHEMA.replace(ill={"role": "sensitive", "kind": kind})
    asked = KAnonymity(2) & DistinctDiversity(2)
    assert not check_table(table, schema, asked).holds
    with pytest.raises(SchemaError, match="1 of its texts are other spellings of a value"):
        release(table, schema, asked)


@pytest.mark.parametrize("kind", ["categorical", "numeric"])
def test_numbers_that_differ_in_fifteen_digits_are_values(kind):
    need("pandas")  # makes a table of columns
    table = {"age": ["30-39"] * 4, "ill": [1.23456789012345, 1.23456789012346] * 2}
    schema = SCHEMA.replace(ill={"role": "sensitive", "kind": kind})
    asked = KAnonymity(2) & DistinctDiversity(2)
    assert check_table(table, schema, asked).holds
    assert len(set(release(table, schema, asked).table["ill"])) == 2
    whole = table | {"ill": [12345678901234567, 12345678901234569] * 2}
    assert check_table(whole, schema, asked).holds


SPELLINGS = (
    "1|01|1.0|1,|1,0|1,00|1,000|1000|1e3|1,000.0|1,000,000|1234,567|1234.567|.5|0.5|-0|0|+1|1_0|10|"
    "1,0000,000|inf|2024-01-01|1.1.2024|31.2.2024|31.12.2024|20241231|2024-01|2024-W01|1.2.3|NA|"
    "1e99999999999999999999|n/a|NaT|null|none|TRUE|true|HIV|hiv|H\u200bIV|1\u200b|\uff11|\u0663|>90|"
    "\u0663,\u0660|2024-01-01T00:00Z|2024-01-01t00:00+01:00|-|?|| |1.1.2024 00:00|1.2.2024 05:00|"
    "2024-02-01 05:00|\u22121|-1|\u20131|i|\u0130|\u0131|I|I\u0307|\u2019|'|\u201c|\"|"
    "2024\u201301\u201301|\u2011|\u2010|\u2015|1\x00|1\x7f|1\u2800|1 2|1\u28002|1\u3164|\uffa01|"
    "1\ufe0e|1\U000e0101|1\x852|12|1\x1f2|H\x9fIV|\u180bHIV|\u180eHIV|\u17b4HIV|HIV\x08|\x1cHIV"
)


def test_what_a_search_takes_for_one_value_the_judge_takes_for_one():
    texts = SPELLINGS.split("|")
    searched, judged = readings(texts), [as_meant(text) for text in texts]
    for first, second in combinations(range(len(texts)), 2):
        alike = searched[first] == searched[second]
        assert alike == (judged[first] == judged[second]), (texts[first], texts[second])


def test_a_protected_value_is_protected_however_it_is_spelt():
    table = {"age": ["30-39"] * 4, "ill": ["kuru ", "Kuru", "KURU", "flu"]}
    assert not check_table(table, SCHEMA, AlphaKAnonymity(0.5, 2, "ill", ("Kuru",))).holds


@pytest.mark.parametrize("role", ["identifier", "subject", "household"])
def test_a_table_with_a_column_that_is_never_released_does_not_hold(role):
    schema = SCHEMA.replace(who={"role": role})
    verdict = check_table(TABLE | {"who": ["Ann", "Ben", "Eve"]}, schema, 2)
    assert not verdict.holds
    assert (verdict.n_failing_groups, verdict.smallest_group) == (0, 3)  # measured all the same
    assert verdict.to_dict()["never_released"] == ["who"]
    assert "column 'who'" in verdict.reasons[0]
    assert "Ann" not in verdict._repr_html_()
    assert check_table(TABLE, schema, 2).holds


def test_tokens_may_be_in_a_table_that_holds():
    schema = SCHEMA.replace(who={"role": "pseudonym"})
    assert check_table(TABLE | {"who": ["q8", "z3", "m1"]}, schema, 2).holds
