"""Answers of pycanon 1.3.6 on Adult's 32,561 training rows, reproduced."""

import pytest

from shoal.datasets import adult
from shoal.errors import DataNotFoundError
from shoal.privacy import (
    AlphaKAnonymity,
    BetaLikeness,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    TCloseness,
)
from shoal.schema import Column, Schema
from shoal.tables import open_table

HOURS = "hours-per-week"
# quasi-identifiers, sensitive column; k, distinct l, entropy l rounded down, t, alpha, beta
PYCANON = [
    (("sex",), "income", 10771, 2, 1, 0.131348969, 0.890539411, 0.269619776),
    (("sex",), HOURS, 10771, 78, 10, 0.0429685817, 0.472464433, 2.02302479),
    (("sex", "race"), "income", 109, 2, 1, 0.185763686, 0.944954128, 0.396204286),
    (("sex", "race"), HOURS, 109, 23, 6, 0.0496175462, 0.599107712, 20.3374836),
    (("marital-status",), "income", 23, 2, 1, 0.206038733, 0.954039128, 0.85560862),
    (("marital-status",), HOURS, 23, 13, 8, 0.0799063783, 0.523923445, 47.8170915),
]  # fmt: skip


@pytest.fixture(scope="module")
def people():
    try:
        return adult("train", missing="keep")
    except DataNotFoundError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("case", PYCANON, ids=lambda case: "-".join([*case[0], case[1]]))
def test_same_answers_as_pycanon(people, tmp_path, case):
    quasi_identifiers, sensitive, k, distinct, entropy, t, alpha, beta = case
    numeric = sensitive == HOURS
    schema = Schema(
        {name: Column("quasi-identifier") for name in quasi_identifiers}
        | {sensitive: Column("sensitive", "numeric" if numeric else "categorical")}
    )
    path = tmp_path / "adult.csv"
    people.select([*quasi_identifiers, sensitive]).to_file(path)
    groups = open_table(path).compress(schema).cells
    assert groups.n_rows == 32561
    assert KAnonymity(1).value(groups) == k
    assert DistinctDiversity(1).value(groups) == distinct
    assert int(EntropyDiversity(1).value(groups)) == entropy
    distance = "ordered" if numeric else "equal"
    assert TCloseness(1, distance=distance).value(groups) == pytest.approx(t, rel=1e-8)
    assert AlphaKAnonymity(1, 1).value(groups) == pytest.approx(alpha, rel=1e-8)
    assert BetaLikeness(1).value(groups) == pytest.approx(beta, rel=1e-8)
