"""Tables with more columns than one query joins give the same release."""

import random

import pytest

import shoal
from shoal.tables import RowOptions
from shoal.tables.engines import _duck_release

NAMES = [f"q{i}" for i in range(6)]


@pytest.fixture
def table(tmp_path):
    draw = random.Random(4)
    rows = [[draw.choice(["a", "b's", "", "c"]) for _ in NAMES] + [f"x{i % 3}"] for i in range(60)]
    lines = [",".join(row) for row in [[*NAMES, "ill"], *rows]]
    (tmp_path / "wide.csv").write_text("\n".join(lines) + "\n")
    return tmp_path / "wide.csv"


def release(table, out, **more):
    roles = {name: {"role": "quasi-identifier"} for name in NAMES} | {"ill": {"role": "sensitive"}}
    output = RowOptions(shuffle=3, **more)
    made = shoal.release(
        table, shoal.Schema(roles), k=4, method="top-down", output=output, max_suppression=0.1
    )
    made.write(out)
    return out.read_bytes()


@pytest.mark.parametrize("more", [{}, {"keep_suppressed": True}])
def test_columns_beyond_the_joins_of_a_query_are_written_the_same(
    table, tmp_path, monkeypatch, more
):
    expected = release(table, tmp_path / "one.csv", **more)
    monkeypatch.setattr(_duck_release, "MOST_JOINS", 2)
    assert release(table, tmp_path / "parts.csv", **more) == expected
