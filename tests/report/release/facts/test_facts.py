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


def attacked(left_out, illness, seed, tmp_path):
    rows = [(25, "flu")] * 80 + [(35, "flu")] * 10 + [(35, "HIV")] * 5
    rows += [(90 - 10 * (row % 4), illness) for row in range(left_out)]
    table = {"age": [age for age, _ in rows], "illness": [ill for _, ill in rows]}
    path = tmp_path / f"{illness}{left_out}.csv"
    FullDomain(SCHEMA, 10, max_suppression=0.2).fit(table).release_.write(path, force=True)
    return release_report(path, table, random_state=seed).attacks[0]


def test_right_guesses_do_not_tell_what_one_row_that_was_left_out_has(tmp_path):
    """Whoever counts those of the release knew the last one; some draws now agree on both."""
    seen = {illness: {(a.risk, a.baseline) for seed in range(6)
                      for a in [attacked(1, illness, seed, tmp_path)]}
            for illness in ("flu", "HIV")}  # fmt: skip
    assert seen["flu"] & seen["HIV"]
    assert attacked(1, "flu", 0, tmp_path).n_people == 86  # of 96: ten as in a group
    assert attacked(12, "flu", 0, tmp_path).n_people == 107
    assert attacked(0, "flu", 0, tmp_path).n_people == 95
