import numpy as np
import polars as pl
import pytest

from shoal.attacks import attack_kernel, attack_table
from shoal.federated import AliasTable, GradedRanges, RandomKernel, TransformKey


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "age": rng.integers(0, 100, 400),
            "sex": rng.choice(["f", "m"], 400, p=[0.3, 0.7]),
            "score": rng.integers(0, 5, 400),
            "dose": rng.integers(0, 60, 400),
        }
    )


def test_every_column_of_the_key_is_attacked(table):
    key = TransformKey.create(
        {"age": GradedRanges.uniform(0, 99), "sex": AliasTable.random(["f", "m"], "sex")}
    )
    results = attack_table(table, key, public=table.head(100), n_known=(2, 5))
    assert [r.attack for r in results] == [
        "2 known values of 'age'",
        "5 known values of 'age'",
        "fractions of 'age', 1 known",
        "frequency analysis of 'sex'",
        "membership, 5 known people",
    ]
    assert results[2].risk == results[3].risk == 1
    assert all(r.low <= r.risk <= r.high for r in results)
    assert results[4].risk > 0.6


def test_uneven_ranges_hold_out_a_little_longer_against_order_alone(table):
    keys = [
        TransformKey.create({"age": GradedRanges.uniform(0, 99)}),
        TransformKey.create({"age": GradedRanges.from_breaks([0, 3, 50, 55, 99])}),
    ]
    uniform, uneven = (attack_table(table, key, n_known=(2,)) for key in keys)
    assert uneven[0].risk < uniform[0].risk
    assert uneven[1].risk == 1  # fractions undo them all the same


@pytest.mark.parametrize("kind", ["linear", "gaussian"])
def test_a_kernel_is_attacked_with_and_without_b(table, kind):
    ranges = {"age": (0, 99), "score": (0, 4), "dose": (0, 59)}
    kernel = RandomKernel(ranges, 2, kind, random_state=4).fit()
    results = attack_kernel(table, kernel, n_known=(0, 3))
    by_name = {r.attack: r for r in results}
    ruled_out = by_name["known B, no known rows"]
    assert 0 < ruled_out.risk < 1
    assert set(ruled_out.details) == set(ranges)
    assert by_name["unknown B, 0 known rows"].risk == by_name["unknown B, 0 known rows"].baseline
    assert by_name["membership, known B"].risk > 0.95
    whole = "features stored as whole numbers"
    assert by_name[f"known B, {whole}"].risk > 0.9
    assert (f"unknown B, 3 known rows, {whole}" in by_name) == (kind == "linear")


def test_continuous_features_have_no_exact_attack(table):
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(rng.random((50, 3)), schema=["a", "b", "c"])
    kernel = RandomKernel(dict.fromkeys("abc", (0, 1)), random_state=4).fit()
    results = attack_kernel(frame, kernel, n_known=(0,))
    assert not any("whole numbers" in r.attack for r in results)
