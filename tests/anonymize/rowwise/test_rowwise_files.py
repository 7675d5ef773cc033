"""Companions of releases that are made row by row: they list no value that no row has."""

import json

import pytest

from shoal.anonymize import perturb_table, release_sets
from shoal.anonymize.rowwise import _rowwise_files
from shoal.errors import GuaranteeError
from shoal.schema import Schema

GRADES = {"role": "quasi-identifier", "kind": "ordinal", "order": ["low", "high", "Zaphod"]}
TREE = {"bread": ["rye", "bun"], "drink": ["tea", "Zaphod"]}
SETS = Schema(
    {
        "basket": {"role": "quasi-identifier", "separator": ";", "hierarchy": {"tree": TREE}},
        "grade": GRADES | {"role": "insensitive"},
    }
)


def changed():
    """Nobody has Zaphod any more: one person had, and the value was drawn anew."""
    table = {"grade": ["low"] * 30 + ["high"] * 30 + ["Zaphod"]}
    made = perturb_table(table, Schema({"grade": GRADES}), pram={"grade": 0.1}, random_state=1)
    assert "Zaphod" not in set(made.table["grade"])
    return made


def sets():
    table = {"basket": ["rye;tea", "rye;tea", "bun", "rye"], "grade": ["low", "high"] * 2}
    return release_sets(table, SETS, 2)


@pytest.mark.parametrize("make", [changed, sets])
def test_no_file_names_a_value_that_no_row_has(tmp_path, make):
    made = make()
    paths = made.write(tmp_path / "out.csv")
    assert "Zaphod" not in "".join(path.read_text() for path in paths.values())
    assert "Zaphod" not in json.dumps(made.to_dict())
    assert Schema.from_toml(paths["schema"])["grade"].order == ("low", "high")
    assert json.loads(paths["manifest"].read_text())["schema"] == made.to_dict()["schema"]


@pytest.mark.parametrize("make", [changed, sets])
def test_a_schema_that_lists_one_is_withheld(tmp_path, make, monkeypatch):
    monkeypatch.setattr(_rowwise_files, "rowwise_schema", lambda schema, cells: schema)
    with pytest.raises(GuaranteeError, match="beside the output lists"):
        make().write(tmp_path / "out.csv")
    assert not list(tmp_path.iterdir())


def test_what_is_public_stays(tmp_path):
    table = {"grade": ["low"] * 30 + ["high"] * 30}
    schema = Schema({"grade": GRADES | {"public": True}})
    paths = perturb_table(table, schema, pram={"grade": 0.9}).write(tmp_path / "out.csv")
    assert Schema.from_toml(paths["schema"])["grade"].order == ("low", "high", "Zaphod")
