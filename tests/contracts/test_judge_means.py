"""Means beside ranges: told of groups alone, made again from the source, and withheld otherwise."""

import csv
import warnings

import numpy as np
import pandas as pd
import pytest

from shoal.anonymize import FullDomain, Mondrian
from shoal.errors import GuaranteeError, ParameterError
from shoal.judge._means import Members, judge_means
from shoal.judge._text_table import TextColumn
from shoal.privacy import AverageRisk, KAnonymity, TCloseness
from shoal.schema import Schema
from shoal.tables import RowOptions
from shoal.tables.engines._duck_release import CompressedRelation

BANDS = {"role": "quasi-identifier", "kind": "numeric", "hierarchy": {"intervals": [10, 20]}}
SCHEMA = Schema({"age": BANDS, "ill": {"role": "sensitive"}})
AGES = [31, 33, 38, 52, 54, 55, 57]


def write(folder, monkeypatch, spoil):
    """Write a release with means, its rows changed on the way to the judge."""
    (folder / "people.csv").write_text(
        "age,ill\n" + "".join(f"{age},{'flu' if age % 2 else 'cold'}\n" for age in AGES)
    )
    first = CompressedRelation.write

    def write_and_spoil(self, recoded, output, path):
        witness = first(self, recoded, output, path)
        with path.open(newline="") as file:
            header, *rows = list(csv.reader(file))
        rows = [dict(zip(header, row, strict=True)) for row in rows]
        spoil(rows)
        with path.open("w", newline="") as file:
            out = csv.DictWriter(file, header, lineterminator="\n")
            out.writeheader()
            out.writerows(rows)
        return witness

    monkeypatch.setattr(CompressedRelation, "write", write_and_spoil)
    output = RowOptions(ranges=("age",))
    release = FullDomain(SCHEMA, 3).fit(folder / "people.csv", output=output).release_
    return release.write(folder / "out.csv")["table"]


def test_means_of_the_source_pass(tmp_path, monkeypatch):
    table = pd.read_csv(write(tmp_path, monkeypatch, lambda rows: None))
    assert sorted(set(table["age_mean"])) == [34.0, 54.5]


def shift(rows):
    for row in rows:
        row["age_mean"] = str(float(row["age_mean"]) + 0.5)


def tell_one(rows):
    rows[0]["age_mean"] = "31.0"


def hide_one(rows):
    rows[0]["age_mean"] = ""


@pytest.mark.parametrize("spoil", [shift, tell_one, hide_one])
def test_other_means_are_withheld(tmp_path, monkeypatch, spoil):
    with pytest.raises(GuaranteeError, match=r"'age_mean'.*means that are not theirs"):
        write(tmp_path, monkeypatch, spoil)


def column(values):
    texts = list(dict.fromkeys(values))
    return TextColumn(np.array([texts.index(value) for value in values]), tuple(texts))


def judged(means, values, groups, smallest, people=None):
    own = column(values)
    who = None if people is None else np.array(people)
    members = Members(np.array(groups), who, smallest)
    judge_means("age_mean", column(means), own, own.codes, members)


def test_a_mean_of_the_few_who_have_a_value_is_withheld():
    judged(["30.5", "30.5", "30.5"], ["30", "31", None], [0, 0, 0], 2)
    with pytest.raises(GuaranteeError):
        judged(["30.0", "30.0", "30.0"], ["30", None, None], [0, 0, 0], 2)
    judged([None, None, None], ["30", None, None], [0, 0, 0], 2)


def test_a_mean_of_one_person_in_several_rows_is_withheld():
    judged(["30.0"] * 3, ["30", "30", "30"], [0, 0, 0], 2, people=[0, 0, 1])
    with pytest.raises(GuaranteeError):
        judged(["30.0"] * 3, ["30", "30", None], [0, 0, 0], 2, people=[0, 0, 1])
    with pytest.raises(GuaranteeError):  # beyond all values of the group
        judged(["33.0"] * 3, ["30", "30", "31"], [0, 0, 0], 2, people=[0, 0, 1])


def test_means_of_dates_are_days():
    judged(["1.0", "1.0"], ["1970-01-01", "1970-01-03"], [0, 0], 2)
    with pytest.raises(GuaranteeError):
        judged(["1.5", "1.5"], ["1970-01-01", "1970-01-03"], [0, 0], 2)


@pytest.mark.parametrize("privacy", [AverageRisk(0.9), TCloseness(1.0)])
def test_no_mean_is_told_where_a_group_may_be_one_person(privacy):
    table = {"age": AGES, "ill": list("ababaab")}
    output = RowOptions(ranges=("age",))
    for method in (FullDomain, Mondrian):
        with pytest.raises(ParameterError, match="mean of one row is what that person has"):
            method(SCHEMA, privacy).fit(table, output=output)
        method(SCHEMA, privacy & KAnonymity(2)).fit(table, output=output)


@pytest.mark.parametrize("values", [[None, None], ["1e400", "1e400"]])
def test_a_group_without_numbers_warns_of_nothing(values):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        judged(["", ""], values, [0, 0], 2, people=[0, 1])
        with pytest.raises(GuaranteeError):
            judged(["3", "3"], values, [0, 0], 2, people=[0, 1])
