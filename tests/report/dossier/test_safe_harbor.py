import pytest

from shoal.report.dossier._safe_harbor import CATEGORIES, check_safe_harbor
from shoal.schema import Schema


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
