"""Who is exposed, counted in memory and by the database: the same."""

import random

import pytest

from shoal.schema import Schema
from shoal.studio.work import _exposing
from shoal.studio.work._bench import Bench
from shoal.studio.work._loop import answer

SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "town": {"role": "quasi-identifier"},
        "illness": {"role": "sensitive"},
        "weight": {"role": "sensitive", "kind": "numeric"},
    }
)


def a_table(seed):
    draw = random.Random(seed)
    lines = ["age,town,illness,weight"]
    for _ in range(draw.randint(1, 60)):
        age, town = draw.choice(["", "30", "30.0", "-0", "0", "41"]), draw.choice(["", "Ulm", "K"])
        illness, weight = draw.choice(["", "flu", "gout"]), draw.choice(["", "70", "81.5"])
        lines.append(f"{age},{town},{illness},{weight}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(12))
def test_the_database_counts_what_memory_counts(tmp_path, monkeypatch, seed):
    table = tmp_path / "people.csv"
    table.write_text(a_table(seed))
    args = {"table": str(table), "stamp": [1], "schema": SCHEMA.to_toml(), "folder": str(tmp_path)}
    counted = []
    for most in (_exposing._MOST_ROWS, 0):
        monkeypatch.setattr(_exposing, "_MOST_ROWS", most)
        said = []
        answer(Bench(), {"task": "exposure", "args": args}, said.append)
        counted.append(said[-1]["done"])
    in_memory, in_place = counted
    assert in_memory.pop("without") is not None
    assert in_place.pop("without") == {}
    shares = [{n: one["certain_share"] for n, one in c.pop("inference").items()} for c in counted]
    assert shares[1] == pytest.approx(shares[0])
    assert in_place.pop("average") == pytest.approx(in_memory.pop("average"))
    assert in_place == in_memory


def test_people_with_several_rows_are_counted_once(tmp_path):
    """By the smallest group that has a row of theirs: there they are found."""
    table = tmp_path / "stays.csv"
    rows = ["A,30,U", "A,41,U", "A,52,U", "B,30,U", "B,41,K", "C,30,U", "D,60,K", "D,60,K"]
    table.write_text("\n".join(["who,age,town", *rows]) + "\n")
    schema = Schema(
        {
            "who": {"role": "subject"},
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "town": {"role": "quasi-identifier"},
        }
    )
    args = {"table": str(table), "stamp": [1], "schema": schema.to_toml(), "folder": str(tmp_path)}
    said = []
    answer(Bench(), {"task": "exposure", "args": args}, said.append)
    found = said[-1]["done"]
    assert (found["counts"], found["n"]) == ("people", 4)
    assert found["sizes"] == [[1, 3], [3, 1]]  # A, B and D are alone somewhere, C is among three
    assert found["unique"] == 3
    # without the town A and B are two at 41, and A alone at 52; without the age B and D are two
    assert found["without"] == {"age": 0, "town": 2}
