import pytest

from shoal.anonymize import FullDomain
from shoal.report import release_report
from shoal.schema import Schema

SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric", "hierarchy": {"intervals": [10]}},
        "illness": {"role": "sensitive"},
    }
)


@pytest.mark.parametrize("illness", ["flu", "HIV"])
@pytest.mark.parametrize(("left_out", "told"), [(1, False), (12, True)])
def test_how_far_sensitive_values_move_is_not_told_of_few_rows_left_out(
    illness, left_out, told, tmp_path
):
    rows = [(25, "flu")] * 80 + [(35, "flu")] * 10 + [(35, "HIV")] * 5
    rows += [(90 - 10 * (row % 4), illness) for row in range(left_out)]
    table = {"age": [age for age, _ in rows], "illness": [ill for _, ill in rows]}
    method = FullDomain(SCHEMA, 10, max_suppression=0.2).fit(table)
    assert method.release_.n_suppressed == left_out
    path = tmp_path / "released.csv"
    method.release_.write(path)
    page = release_report(path, table).html
    assert ("Their values are not shown here" in page) == told
    assert ("how far it moves would tell of them" in page) != told


def people(illnesses):
    rows = [(25, "flu")] * 80 + [(35, "flu")] * 10 + [(35, "HIV")] * 5
    rows += [(90 - 10 * (row % 4), illness) for row, illness in enumerate(illnesses)]
    return {"age": [age for age, _ in rows], "illness": [ill for _, ill in rows]}


@pytest.mark.parametrize("left_out", [1, 9])
def test_a_report_is_the_same_whatever_the_few_have_who_were_left_out(left_out, tmp_path):
    """Of a raw table in which they have something else: guesses would tell, however drawn."""
    made = FullDomain(SCHEMA, 10, max_suppression=0.2).fit(people(["flu"] * left_out)).release_
    assert made.n_suppressed == left_out
    path = tmp_path / "released.csv"
    made.write(path)
    pages = {
        release_report(path, people([illness] * left_out), random_state=seed).html
        for illness in ("flu", "HIV", "kuru")
        for seed in range(2)
    }
    assert len(pages) == 1
    (page,) = pages
    assert "nobody was linked" in page


@pytest.mark.parametrize("left_out", [0, 12])
def test_everybody_is_attacked_where_nobody_was_left_out_or_as_many_as_in_a_group(
    left_out, tmp_path
):
    path, table = tmp_path / "released.csv", people(["flu"] * left_out)
    FullDomain(SCHEMA, 10, max_suppression=0.2).fit(table).release_.write(path)
    (attack,) = release_report(path, table).attacks
    assert attack.n_people == 95 + left_out
