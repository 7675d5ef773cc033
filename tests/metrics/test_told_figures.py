import json
import re

import pytest

from shoal.anonymize import FullDomain, LocalRecoding, Microaggregation, Mondrian
from shoal.schema import Schema

SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "ill": {"role": "sensitive", "target": True},
    }
)
INCOMES = Schema({"income": {"role": "quasi-identifier", "kind": "numeric"}})
TWINS = [30, 30, 35, 61, 64, 69]


def manifest(method, people, tmp_path, schema, k, **known):
    release = method(schema, k, **known).fit(people).release_
    paths = release.write(tmp_path / "r.csv", force=True)
    assert {**release.to_dict(), "seconds": 0}.items() <= {
        **json.loads(paths["manifest"].read_text()),
        "seconds": 0,
    }.items()
    return json.loads(paths["manifest"].read_text()), paths["table"].read_text()


@pytest.mark.parametrize("method", [LocalRecoding, Mondrian, FullDomain, Microaggregation])
def test_a_manifest_does_not_tell_whether_two_who_are_alike_have_one_illness(method, tmp_path):
    told = []
    for ills in ("hiv hiv flu a b c", "hiv flu hiv a b c"):
        people = {"age": TWINS, "ill": ills.split()}
        found, table = manifest(method, people, tmp_path, SCHEMA, 3)
        told.append(({**found, "seconds": 0, "files": 0}, sorted(table.splitlines())))
    assert told[0] == told[1]


@pytest.mark.parametrize("method", [LocalRecoding, Mondrian, FullDomain])
def test_a_manifest_does_not_tell_which_values_one_person_has(method, tmp_path):
    schema = SCHEMA.replace(who={"role": "subject"})
    told = []
    for ills in ("hhfcfh", "fchfhh"):  # the first two are of one person
        people = {"age": [30] * 6, "ill": [*ills], "who": [*"AABCDE"]}
        found, table = manifest(method, people, tmp_path, schema, 3)
        told.append(({**found, "seconds": 0, "files": 0}, sorted(table.splitlines())))
    assert told[0] == told[1]


@pytest.mark.parametrize("n_left_out", [1, 3])
def test_a_manifest_does_not_tell_what_few_rows_have_that_are_left_out(n_left_out, tmp_path):
    towns = {"role": "quasi-identifier", "hierarchy": "flat"}
    schema = Schema({"sex": towns, "town": towns})
    told = []
    for sex in ("F", "M", "X"):  # all others are released as they are
        people = {
            "sex": [*"FFFFFFFFMMMMM", *sex * n_left_out],
            "town": [*["Kiel"] * 13, *["Marl"] * n_left_out],
        }
        found, table = manifest(FullDomain, people, tmp_path, schema, 5, max_suppression=0.2)
        assert found["suppressed_rows"] == n_left_out
        told.append(({**found, "seconds": 0, "files": 0}, sorted(table.split())))
    assert told[0] == told[1] == told[2]


@pytest.mark.parametrize("method", [LocalRecoding, Mondrian, FullDomain])
def test_losses_do_not_tell_where_a_person_has_most_rows(method, tmp_path):
    schema = Schema({
        "who": {"role": "subject"},
        "town": {"role": "quasi-identifier", "hierarchy": {"prefix": [1]}},
    })  # fmt: skip
    told = []
    for towns in ("a1 a1 b1 a1 a1 b1", "a1 a1 a1 a1 b1 b1"):  # of two who have three rows each
        people = {
            "who": [*"XXXYYY", *"ABCDEFGH"],
            "town": [*towns.split(), *["a1", "a1", "a2", "a3", "b1", "b1", "b2", "b3"]],
        }
        found, table = manifest(method, people, tmp_path, schema, 4)
        told.append((found["metrics"]["after"], sorted(table.split())))
    assert told[0] == told[1]
    assert told[0][0]["n_rows"] == 14
    assert (told[0][0]["smallest_group"], told[0][0]["largest_group"]) == (6, 8)


@pytest.mark.parametrize("method", [LocalRecoding, Mondrian, Microaggregation])
def test_losses_do_not_tell_the_largest_value_where_cells_hide_it(method, tmp_path):
    incomes = [20_000 + 700 * (place % 50) for place in range(60)]
    told = []
    for largest in (940_000, 987_654):
        people = {"income": [*incomes, *[None] * 4, largest]}
        found, table = manifest(method, people, tmp_path, INCOMES, 5)
        told.append((found["metrics"], found["risk"], sorted(table.splitlines())))
    if told[0][2] == told[1][2]:  # else cells tell the mean of a group
        assert told[0] == told[1]
    assert method is Microaggregation or told[0][2] == told[1][2]


@pytest.mark.parametrize("method", [LocalRecoding, Mondrian])
def test_losses_are_widths_over_the_widest_range_that_labels_tell(method, tmp_path):
    people = {"income": [21, 22, 34, 35, 61, 62, 63]}
    found, table = manifest(method, people, tmp_path, INCOMES, 2)
    ends = [tuple(map(int, re.findall(r"\d+", row))) for row in table.split()[1:]]
    widest = max(high for _, high in ends) - min(low for low, _ in ends)
    lost = sum(high - low for low, high in ends) / widest / len(ends)
    assert found["metrics"]["after"]["ncp"]["income"] == pytest.approx(lost, rel=0.01)
    assert found["metrics"]["after"]["gcp"] == found["metrics"]["after"]["loss"]


def test_figures_of_the_release_itself_are_those_of_the_house():
    release = Mondrian(SCHEMA, 3).fit({"age": TWINS, "ill": list("aabbcc")}).release_
    assert release.risk_before.inference["ill"].certain_rows == 6
    assert release.metrics_before.classification_metric == 0
    told = release.to_dict()
    assert set(told["risk"]["before"]["inference"]["ill"].values()) == {None}
    assert told["risk"]["after"]["inference"]["ill"]["certain_rows"] == 0
    assert told["metrics"]["before"]["classification_metric"] is None
    assert told["metrics"]["after"]["classification_metric"] == pytest.approx(2 / 6)
