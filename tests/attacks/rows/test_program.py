"""What a manifest says is enough to make the same release again, whatever made it."""

import json

import numpy as np
import pytest

import shoal
from shoal.anonymize import perturb_table, release_sets
from shoal.attacks.rows._program import read_program
from shoal.errors import ParameterError
from shoal.frames._frame import Frame
from shoal.schema import Schema
from shoal.tables import RowOptions

SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "town": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive"},
    }
)


def people(n=120):
    rng = np.random.default_rng(0)
    return Frame.from_columns(
        {
            "age": rng.integers(20, 80, n),
            "town": rng.choice(["A", "B", "C"], n),
            "ill": rng.choice(["flu", "gout", "cold"], n),
        }
    ).native


def rows(table):
    return sorted(zip(*(map(str, table[name].tolist()) for name in table.columns), strict=True))


@pytest.mark.parametrize("form", ["labels", "midpoints"])
def test_a_release_is_made_again_row_by_row(tmp_path, form):
    made = shoal.release(
        people(), SCHEMA, k=5, method="mondrian", relaxed=True, output=RowOptions(form=form)
    )
    made.write(tmp_path / "r.csv")
    again = read_program(tmp_path / "r.csv", SCHEMA)(people())
    assert rows(again) == rows(made.table)


def test_intervals_are_made_as_labels(tmp_path):
    output = RowOptions(form="intervals")
    shoal.release(people(), SCHEMA, k=5, method="mondrian", output=output).write(tmp_path / "r.csv")
    assert list(read_program(tmp_path / "r.csv", SCHEMA)(people()).columns) == [*SCHEMA]


def test_changed_tables_and_sets_are_made_again(tmp_path):
    made = perturb_table(people(), SCHEMA, noise={"age": 0.1}, keep=["town"])
    made.write(tmp_path / "noisy.csv")
    again = read_program(tmp_path / "noisy.csv", SCHEMA)(people())
    assert sorted(again["town"]) == sorted(made.table["town"])
    assert sorted(again["age"]) != sorted(people()["age"])
    sets = Schema({"basket": {"role": "quasi-identifier", "separator": ";"}})
    baskets = {"basket": ["tea;rye", "tea;rye", "tea", "rum"]}
    release_sets(baskets, sets, 2).write(tmp_path / "sets.csv")
    again = read_program(tmp_path / "sets.csv", sets)(baskets)
    assert "rum" not in ";".join(again["basket"])


def test_a_table_behind_a_tree_is_made_again(tmp_path):
    target = Schema({**SCHEMA, "ill": {"role": "sensitive", "target": True}})
    made = shoal.release(people(), target, k=5, method="tree")
    made.write(tmp_path / "r.csv")
    assert rows(read_program(tmp_path / "r.csv", target)(people())) == rows(made.table)


@pytest.mark.parametrize(
    "said",
    [
        {"method": "import_module"},  # what stands beside methods is no method
        {"method": "ModelBased"},  # which wants a tree that no manifest has
        {"method": ["Mondrian"]},
        {"parameters": None, "form": {}},
        {"privacy": {"model": "Nobody"}},
    ],
)
def test_a_manifest_that_names_no_method_runs_nothing(tmp_path, said):
    shoal.release(people(), SCHEMA, k=5, method="mondrian").write(tmp_path / "r.csv")
    manifest = tmp_path / "r.manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | said))
    with pytest.raises(ParameterError):
        read_program(tmp_path / "r.csv", SCHEMA)


def test_without_a_manifest_a_program_is_asked_for(tmp_path):
    with pytest.raises(ParameterError, match="--program"):
        read_program(tmp_path / "r.csv", SCHEMA)
