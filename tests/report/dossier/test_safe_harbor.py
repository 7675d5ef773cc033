import pytest

from shoal.discover.columns._forms import IDENTIFYING
from shoal.report.dossier._safe_harbor import BY_VALUES, CATEGORIES, check_safe_harbor
from shoal.schema import Schema
from shoal.tables import open_table


def test_there_are_eighteen_kinds():
    assert len(CATEGORIES) == 18


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("last_name", 0), ("postcode", 1), ("ZIP", 1), ("birthDate", 2), ("age", 2), ("phone", 3),
        ("e-mail", 5), ("ssn", 6), ("patient_id", 7), ("ip", 14), ("photo", 16), ("case-code", 17),
    ],
)  # fmt: skip
def test_names_suggest_a_kind(name, place):
    lines = check_safe_harbor(Schema({name: {"role": "quasi-identifier"}}))
    assert [i for i, line in enumerate(lines) if line.released] == [place]


def test_dates_count_whatever_they_are_called_and_other_words_do_not():
    columns = {
        "seen": {"role": "quasi-identifier", "kind": "date"},
        "wage": {"role": "sensitive"},
        "idea": {"role": "insensitive"},
        "email": {"role": "identifier"},
    }
    lines = check_safe_harbor(Schema(columns))
    assert [line.released for line in lines if line.released] == [("seen",)]
    assert [line.removed for line in lines if line.removed] == [("email",)]


def test_values_are_looked_at_whatever_a_column_is_called():
    table = {
        "contact": [f"a{i}@example.org" for i in range(20)],
        "where": [f"192.168.0.{i}" for i in range(20)],
        "seen": [f"2020-01-{i + 1:02}" for i in range(20)],
        "stage": ["I", "II"] * 10,
    }
    schema = Schema({name: {"role": "insensitive"} for name in table})
    lines = check_safe_harbor(schema, open_table(table))
    found = {i: line.by_values for i, line in enumerate(lines) if line.by_values}
    assert found == {2: ("seen",), 5: ("contact",), 14: ("where",)}
    assert not any(line.released for line in lines)


def test_whatever_names_people_has_a_kind():
    places = [place_of(form.what) for form in IDENTIFYING]
    assert places[:3] == [5, 13, 17]  # e-mail, web, keys made by a computer
    assert places.count(17) == 2
    assert place_of("numbers of people (US, check digits agree)") == 6


def place_of(what):
    return next(at for words, at in BY_VALUES if what.startswith(words))


def test_a_token_is_a_code_whatever_its_column_is_called():
    lines = check_safe_harbor(Schema({"visitor": {"role": "pseudonym"}}))
    assert lines[17].released == ("visitor",)
