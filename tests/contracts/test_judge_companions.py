"""What is published beside a table lists no value that no released row has."""

import json
from contextlib import nullcontext

import pytest

from shoal import Schema
from shoal.anonymize import check_table
from shoal.anonymize._registry import METHODS, make_method
from shoal.anonymize._release_files import find_schema
from shoal.errors import GuaranteeError
from shoal.judge._judge import judge_companions
from shoal.privacy import AlphaKAnonymity, KAnonymity
from shoal.schema import Hierarchy

RARE = ("Quellmann-Stadt", "Seltendorf", "rarest-illness", "oddest-grade")
TREE = {"north": ["Kiel", "Emden", RARE[0]], "south": ["Ulm", "Passau", RARE[1]]}
ILLNESSES = {"chest": ["flu", RARE[2]], "feet": ["gout"]}
COLUMNS = {
    "town": {"role": "quasi-identifier", "hierarchy": {"tree": TREE}},
    "grade": {"role": "quasi-identifier", "kind": "ordinal", "order": ["low", "mid", RARE[3]]},
    "ill": {"role": "sensitive", "hierarchy": {"tree": ILLNESSES}},
    "note": {"role": "insensitive", "kind": "ordinal", "order": ["few", "many", "Quellmann-Note"]},
}
PEOPLE = {
    "town": ["Kiel", "Emden"] * 6 + ["Ulm", "Passau"] * 6,
    "grade": ["low", "mid"] * 12,
    "ill": ["flu", "gout"] * 12,
    "note": ["few", "many"] * 12,
}


def levels():
    rows = [[town, node, "*"] for node, towns in TREE.items() for town in towns]
    town = {"role": "quasi-identifier", "hierarchy": Hierarchy.from_levels(rows)}
    return COLUMNS | {"town": town}


def published_bytes(folder):
    return b"".join(
        path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".private" not in str(path)
    )


@pytest.mark.parametrize(
    ("method", "columns"),
    [*((method, COLUMNS) for method in sorted(METHODS)), ("mondrian", levels())],
)
def test_no_published_file_lists_what_no_row_has(method, columns, tmp_path):
    schema = Schema(columns)
    release = make_method(method, schema, 3).fit(PEOPLE).release_
    assert not [value for value in RARE if value in json.dumps(release.to_dict())]
    paths = release.write(tmp_path / "o.csv", publish=tmp_path / "out")
    assert json.loads(paths["manifest"].read_text())["schema"] == release.to_dict()["schema"]
    for place in (tmp_path, tmp_path / "out"):
        told = published_bytes(place)
        assert not [value for value in (*RARE, "Quellmann-Note") if value.encode() in told]
    assert find_schema(paths["table"]) == tmp_path / "o.private" / "schema.toml"
    assert Schema.from_toml(find_schema(paths["table"])) == schema
    shown = Schema.from_toml(find_schema(tmp_path / "out" / "o.csv"))
    assert {n: c.role for n, c in shown.items()} == {n: c.role for n, c in schema.items()}
    assert check_table(tmp_path / "out" / "o.csv", shown, 3).holds


def test_a_suppressed_person_is_in_no_published_file(tmp_path):
    last = {name: values[0] for name, values in PEOPLE.items()} | {"town": RARE[0]}
    people = {name: [*values, last[name]] for name, values in PEOPLE.items()}
    method = make_method("full-domain", Schema(COLUMNS), 3, {"max_suppression": 0.1})
    release = method.fit(people).release_
    release.write(tmp_path / "o.csv")
    shown = RARE[0] in (tmp_path / "o.csv").read_text()
    assert (RARE[0].encode() in published_bytes(tmp_path)) is shown


def test_what_is_declared_public_is_published(tmp_path):
    public = {name: column | {"public": True} for name, column in COLUMNS.items()}
    release = make_method("mondrian", Schema(public), 3).fit(PEOPLE).release_
    paths = release.write(tmp_path / "o.csv")
    assert Schema.from_toml(paths["schema"]) == Schema(public)
    assert "full schema" not in paths
    assert not (tmp_path / "o.private" / "schema.toml").exists()


def test_a_full_schema_of_an_older_set_goes(tmp_path):
    make_method("mondrian", Schema(COLUMNS), 3).fit(PEOPLE).release_.write(tmp_path / "o.csv")
    public = {name: column | {"public": True} for name, column in COLUMNS.items()}
    later = make_method("mondrian", Schema(public), 3).fit(PEOPLE).release_
    later.write(tmp_path / "o.csv", force=True)
    assert not (tmp_path / "o.private" / "schema.toml").exists()


def test_the_judge_withholds_files_that_list_more(tmp_path, monkeypatch):
    """It can fail: nothing is published where the schema is written as it is."""
    release = make_method("mondrian", Schema(COLUMNS), 3).fit(PEOPLE).release_
    monkeypatch.setattr("shoal.anonymize._release.published_schema", lambda schema, told: schema)
    with pytest.raises(
        GuaranteeError, match="the schema beside the output lists 2 values"
    ) as caught:
        release.write(tmp_path / "o.csv")
    assert not any(value in str(caught.value) for value in RARE)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("cell", "text", "named"),
    [
        ("Kiel", "Kiel", True),
        ("[Kiel to Ulm]", "Kiel", True),
        ("[1-12]", "12", True),
        ("[1-12]", "2", False),
        ("* [level 2]", "*", True),
        ("Kiel", "Kie", False),
        ("x-Kiel]", "Kiel", False),
    ],
)
def test_what_a_cell_names(cell, text, named, tmp_path):
    manifest, schema = tmp_path / "o.manifest.json", tmp_path / "o.schema.toml"
    manifest.write_text(json.dumps({"schema": {"columns": {"town": {"order": [text]}}}}))
    schema.write_text(f'[columns.town]\norder = ["{text}"]\n')
    own = Schema({"town": {"role": "quasi-identifier"}})
    refused = nullcontext() if named else pytest.raises(GuaranteeError, match="lists 1 values")
    with refused:
        judge_companions(manifest, schema, own, {"town": {cell}})


def test_how_the_raw_table_is_read_is_not_published(tmp_path):
    manifest, schema = tmp_path / "o.manifest.json", tmp_path / "o.schema.toml"
    own = Schema({"town": {"role": "quasi-identifier"}}, reading={"sheet": "Ward 7"})
    schema.write_text(own.to_toml())
    manifest.write_text(json.dumps({"schema": {"columns": {}}}))
    with pytest.raises(GuaranteeError, match="tells how the raw table is read") as caught:
        judge_companions(manifest, schema, own, {})
    assert "Ward" not in str(caught.value)


def test_a_protected_value_that_only_suppressed_people_have_is_told_nowhere(tmp_path):
    town = {"role": "quasi-identifier", "hierarchy": "flat", "limit": ["Seltendorf"]}
    schema = Schema({"town": town, "ill": {"role": "sensitive"}})
    table = {"town": ["Kiel", "Ulm"] * 12 + ["Seltendorf"], "ill": ["flu", "gout"] * 12 + [RARE[2]]}
    asked = KAnonymity(3) & AlphaKAnonymity(0.9, 3, "ill", values=(RARE[2],))
    release = make_method("full-domain", schema, asked, {"max_suppression": 0.1}).fit(table)
    release.release_.write(tmp_path / "out.csv")
    told = published_bytes(tmp_path)
    assert b"Seltendorf" not in told
    assert RARE[2].encode() not in told
