import re

import numpy as np
import pytest

import shoal
from shoal.anonymize import LocalRecoding
from shoal.anonymize._choose import choose_method
from shoal.anonymize.trials import _choose_on_table
from shoal.anonymize.trials._choose_on_table import MeasuredChoice, choose_on_table
from shoal.errors import ParameterError
from shoal.privacy import KAnonymity
from shoal.schema import Schema
from shoal.tables import open_table


def wide(n_rows=150, n_columns=26):
    draw = np.random.default_rng(0)
    columns = {f"c{i}": draw.integers(0, 4, n_rows) for i in range(n_columns)}
    return columns, Schema({name: {"role": "quasi-identifier"} for name in columns})


def test_a_narrow_table_gets_what_the_rule_says():
    columns, schema = wide(n_columns=3)
    choice = choose_on_table(open_table(columns), schema, privacy=KAnonymity(3))
    assert choice == choose_method(schema, 150)
    assert choice.method == "local"


def test_a_narrow_table_of_many_rows_is_measured_on_a_sample(monkeypatch):
    monkeypatch.setattr(_choose_on_table, "FEW_ROWS", 100)
    monkeypatch.setattr(_choose_on_table, "_CELLS_OF_FEW_COLUMNS", 20)
    columns, schema = wide(n_columns=3)
    asked = {"privacy": KAnonymity(3)}
    choice = choose_on_table(open_table(columns), schema, **asked)
    assert isinstance(choice, MeasuredChoice)
    assert [trial.method for trial in choice.trials] == ["local", "mondrian"]
    lost = {trial.method: trial.lost for trial in choice.trials}
    assert choice.method == min(lost, key=lost.get)
    assert re.match(r"on a sample of \d+ of \d+ different rows it loses \d+%", choice.reason)
    for purpose in ("queries", "general"):
        rule = choose_method(schema, 150, purpose)
        monkeypatch.setattr(_choose_on_table, "MOST_ROWS", 100)
        choice = choose_on_table(open_table(columns), schema, purpose, **asked)
        assert choice.method == rule.method
        assert ("no method was tried" in choice.reason) == (purpose == "general")


def test_a_method_that_refuses_what_is_asked_is_not_taken(monkeypatch):
    monkeypatch.setattr(_choose_on_table, "FEW_ROWS", 100)

    def refuses(cells, *asked):
        raise ParameterError("not that")

    columns, schema = wide(n_columns=3)
    monkeypatch.setattr(LocalRecoding, "_solve", refuses)
    choice = choose_on_table(open_table(columns), schema, privacy=KAnonymity(3))
    assert choice.method == "mondrian"


def test_with_many_columns_the_method_that_loses_least_on_a_sample_is_taken():
    columns, schema = wide()
    engine = open_table(columns)
    choice = choose_on_table(engine, schema, privacy=KAnonymity(3))
    assert isinstance(choice, MeasuredChoice)
    lost = {trial.method: trial.lost for trial in choice.trials}
    assert choice.method == min(lost, key=lost.get)
    assert f"loses {lost[choice.method]:.0%} of the detail" in choice.reason
    assert f"top-down {lost['top-down']:.0%}" in choice.reason
    assert choose_on_table(engine, schema, privacy=KAnonymity(3)) == choice


def test_a_method_that_takes_too_long_is_not_taken_and_its_time_is_said(monkeypatch):
    columns, schema = wide()
    monkeypatch.setattr(_choose_on_table, "MOST_SECONDS", 0.1)
    choice = choose_on_table(open_table(columns), schema, privacy=KAnonymity(3))
    assert choice.method != "local"
    assert "local" in choice.reason
    monkeypatch.setattr(_choose_on_table, "MOST_SECONDS", 0.0)
    assert choose_on_table(open_table(columns), schema, privacy=KAnonymity(3)) == choose_method(
        schema, 150
    )


@pytest.mark.parametrize("asked", [{"privacy": None}, {"parameters": ["metric"]}])
def test_without_anything_to_try_the_rule_decides(asked):
    columns, schema = wide()
    asked = {"privacy": KAnonymity(3), **asked}
    choice = choose_on_table(open_table(columns), schema, **asked)
    assert not isinstance(choice, MeasuredChoice)


def test_the_manifest_says_why():
    columns, schema = wide()
    notes = shoal.release(columns, schema, k=3).to_dict()["notes"]
    assert any("was chosen: of those tried on a sample" in note for note in notes)
    assert not any("%" in note for note in notes)  # figures rest on raw values
    named = shoal.release(columns, schema, k=3, method="top-down").to_dict()["notes"]
    assert not any("chosen" in note for note in named)


def test_the_manifest_says_the_same_whatever_a_value_that_no_label_shows(monkeypatch):
    """Losses are shares of the whole range of a column, which one person's income may stretch."""
    monkeypatch.setattr(_choose_on_table, "FEW_ROWS", 100)
    draw = np.random.default_rng(1)
    columns = {"a": draw.integers(0, 4, 150), "income": draw.integers(0, 100, 150).astype(float)}
    numeric = {"role": "quasi-identifier", "kind": "numeric"}
    schema = Schema({"a": {"role": "quasi-identifier"}, "income": numeric})
    notes, reasons = set(), set()
    for far in (1e3, 1e6, 1e9):
        columns["income"][0] = far
        release = shoal.release(columns, schema, k=3)
        notes.add(tuple(release.to_dict()["notes"]))
        engine = open_table(columns)
        reasons.add(choose_on_table(engine, schema, privacy=KAnonymity(3)).reason)
    assert len(notes) == 1
    assert len(reasons) > 1
