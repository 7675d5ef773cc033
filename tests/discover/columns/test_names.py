import pytest

from shoal.discover.columns._names import (
    name_of_people,
    names_a_person,
    other_meaning,
    speaks_of_amounts,
    speaks_of_text,
    words_of,
)


@pytest.mark.parametrize(
    "name",
    ["Vorname", "prénom", "apellido1", "cognome", "achternaam", "nazwisko", "full_name",
     "patientID", "CustomerNo", "Kundennummer", "nr pacjenta", "id_paziente", "dni", "BSN",
     "e-mail", "courriel", "telefon_privat", "Wohnadresse", "Straße", "spouse_name", "IBAN",
     "mother's name", "case_number", "NIF", "PESEL", "Personalausweisnummer", "matricule"],
)  # fmt: skip
def test_names_of_people_are_told(name):
    assert name_of_people(name) is not None


@pytest.mark.parametrize(
    "name",
    ["hospital_name", "city name", "drug_name", "num_children", "no_of_visits", "age",
     "Stationsname", "product id", "number_of_rooms", "width"],
)  # fmt: skip
def test_names_of_things_name_nobody(name):
    assert name_of_people(name) is None


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("Hauptdiagnose", "sensitive"),
        ("revenu_annuel", "sensitive"),
        ("orientacion_sexual", "sensitive"),
        ("wyznanie", "sensitive"),
        ("Bruttogehalt", "sensitive"),
        ("geboortedatum", "quasi-identifier"),
        ("stan_cywilny", "quasi-identifier"),
        ("profissao", "quasi-identifier"),
        ("codigo_postal", "quasi-identifier"),
        ("sesso", "quasi-identifier"),
    ],
)
def test_other_meanings_are_told(name, role):
    assert other_meaning(name).role == role


def test_words_and_small_questions():
    assert words_of("ICD10Code") == "icd code"
    assert words_of("MIĘSIĄC_łóżko") == "miesiac lozko"
    assert names_a_person("klient_id")
    assert not names_a_person("visit_id")
    assert speaks_of_amounts("Rechnungsbetrag")
    assert speaks_of_text("observações")
