"""Who is behind a row: people with several rows, and households."""

import random

import pytest

from shoal.discover import suggest_schema

_random = random.Random(3)


def panel(number, *, n_people=120, waves=4, **more):
    people = [i for i in range(n_people) for _ in range(waves)]
    sex = [_random.choice("mf") for _ in range(n_people)]
    table = {number: people, "sex": [sex[i] for i in people]}
    return {**table, "wave": [2015 + i % waves for i in range(len(people))], **more}


@pytest.mark.parametrize("name", ["pid", "subjid", "case:concept:name", "patnr"])
def test_numbers_of_people_in_panels_and_logs_are_the_subject(name):
    assert suggest_schema(panel(name)).schema.subject == name


def test_a_number_whose_rows_agree_on_the_sex_is_the_subject_whatever_its_name():
    found = suggest_schema(panel("x1"))
    assert found.schema["x1"].role == "subject"
    assert "agree on 'sex'" in " ".join(found.reasons["x1"])
    words = panel("x1")
    words["x1"] = [f"k{i * 7919 % 1000:03d}" for i in words["x1"]]
    assert suggest_schema(words).schema["x1"].role == "subject"


def test_places_and_numbers_whose_rows_differ_in_sex_are_no_subject():
    rows = 400
    table = {
        "x1": [i % 50 for i in range(rows)],
        "sex": [_random.choice("mf") for _ in range(rows)],
        "age": [_random.randrange(18, 90) for _ in range(rows)],
    }
    assert suggest_schema(table).schema.subject is None


@pytest.mark.parametrize("name", ["Haushaltsnummer", "hid", "hh_id", "Haushalt"])
def test_numbers_of_households_are_the_household(name):
    rows = 300
    table = {
        name: [1000 + i // 3 for i in range(rows)],
        "sex": [_random.choice("mf") for _ in range(rows)],
        "age": [_random.randrange(90) for _ in range(rows)],
    }
    found = suggest_schema(table)
    assert found.schema.household == name
    assert "household" in " ".join(found.reasons[name])


def test_the_size_of_a_household_is_no_number_of_it():
    rows = 300
    table = {"Haushalt": [1 + i % 6 for i in range(rows)], "age": [i % 70 for i in range(rows)]}
    assert suggest_schema(table).schema["Haushalt"].role == "quasi-identifier"


def test_beside_a_person_a_household_is_left_out_and_the_reason_says_what_to_do():
    table = panel("pid")
    found = suggest_schema({**table, "hid": [i // 2 for i in table["pid"]]})
    assert (found.schema.subject, found.schema["hid"].role) == ("pid", "identifier")
    assert "whole families" in found.reasons["hid"][-1]
