import json
import zipfile

import pytest
from typer.testing import CliRunner

from shoal import cli
from shoal.datasets import census
from shoal.schema import Schema

CANARY_CASES = {
    "schema suggest": [
        (0, ["people.csv"]),
        (0, ["people.csv", "-o", "s.toml", "--hierarchies", "h"]),
        (2, ["people.csv", "--group"]),
        (2, ["people.csv", "--interactive"]),
        (2, ["torn.csv"]),
        (2, ["people.toml"]),
    ],
    "schema import": [(2, ["people.csv", "--out", "s.toml"]), (2, ["gone.deid", "-o", "s.toml"])],
}


def shoal(*arguments):
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments])


@pytest.fixture
def table(tmp_path):
    return census(300).to_file(tmp_path / "people.csv")


def test_a_suggested_schema_is_a_schema_with_reasons(table, tmp_path):
    result = shoal("schema", table)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("# Suggested by `shoal schema`.")
    assert shoal("schema", table, "--out", "-").stdout == result.stdout
    path = tmp_path / "s.toml"
    assert shoal("schema", table, "--out", path).exit_code == 0
    assert path.read_text().rstrip("\n") == result.stdout.rstrip("\n")
    schema = Schema.from_toml(path)
    assert schema["name"].role == "identifier"
    assert schema["illness"].role == "sensitive"
    assert set(schema.quasi_identifiers) >= {"age", "sex", "zip", "education"}


def test_an_existing_schema_is_not_overwritten(table, tmp_path):
    path = tmp_path / "s.toml"
    path.write_text("mine")
    assert shoal("schema", table, "--out", path).exit_code == 2
    assert path.read_text() == "mine"
    assert shoal("schema", table, "--out", path, "--force").exit_code == 0


def test_suggestions_as_json(table):
    shown = json.loads(shoal("schema", table, "--json").stdout)
    assert shown["schema"]["columns"]["age"]["role"] == "quasi-identifier"
    assert shown["reasons"]["name"]


def test_showing_a_schema(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(
        "[columns.age]\nrole = 'quasi-identifier'\nkind = 'numeric'\nweight = 2\n"
        "hierarchy = {intervals = [5, 10]}\nlimit_level = 1\n"
        "[columns.town]\nrole = 'quasi-identifier'\n"
        "hierarchy = {tree = {West = ['LA']}}\nlimit = ['West']\n"
        "[columns.x]\nrole = 'sensitive'\ntarget = true\n"
    )
    result = shoal("schema", "show", path)
    assert result.exit_code == 0
    for part in ("quasi-identifier (2)", "age: numeric; intervals [5, 10]; weight 2",
                 "not beyond level 1", "not beyond West", "target"):  # fmt: skip
        assert part in result.stdout
    assert json.loads(shoal("schema", "show", path, "--json").stdout)["columns"]["x"]["target"]


def test_help_of_the_group_and_bad_files(tmp_path):
    assert "suggest" in shoal("schema", "--help").stdout
    assert shoal("schema", tmp_path / "no.csv").exit_code == 2
    assert shoal("schema", "show", tmp_path / "no.toml").exit_code == 2


def test_a_header_alone_gets_no_roles(tmp_path):
    (tmp_path / "t.csv").write_text("name,age\n")
    done = shoal("schema", tmp_path / "t.csv")
    assert done.exit_code == 2
    assert "has no rows" in done.output


def test_warnings_are_said_and_stand_in_the_file(tmp_path):
    lines = ["cost,sex", *(f"{i * 17.31:.2f},{'mf'[i % 2]}" for i in range(60))]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    done = shoal("schema", tmp_path / "t.csv", "-o", tmp_path / "s.toml")
    assert done.exit_code == 0, done.output
    assert "column 'cost'" in done.stderr
    assert "# Warning: column 'cost'" in (tmp_path / "s.toml").read_text()


def test_hierarchies_are_written_as_files_to_edit(table, tmp_path):
    path = tmp_path / "s.toml"
    done = shoal("schema", table, "-o", path, "--hierarchies", tmp_path / "trees", "--json")
    files = json.loads(done.stdout)["hierarchies"]
    schema = Schema.from_toml(path)
    assert set(files) == {n for n in schema.quasi_identifiers if schema[n].hierarchy is not None}
    assert (tmp_path / "trees" / "zip.csv").read_text().count("\n") > 5
    again = shoal("schema", table, "-o", path, "--hierarchies", tmp_path / "trees")
    assert again.exit_code == 2
    release = shoal("anonymize", table, "-s", path, "-k", 5, "--method", "mondrian", "-o",
                    tmp_path / "r.csv")  # fmt: skip
    assert release.exit_code == 0, release.output


def test_a_schema_without_quasi_identifiers_is_told_at_once(tmp_path):
    rows = [f"{'ab'[i % 2]},{'ny'[i % 3 == 0]}" for i in range(200)]
    (tmp_path / "t.csv").write_text("\n".join(["treatment,death", *rows]))
    done = shoal("schema", tmp_path / "t.csv", "-o", tmp_path / "s.toml")
    assert done.exit_code == 0
    assert "No quasi-identifier was found" in " ".join(done.stderr.split())


def test_groups_need_a_file_to_stand_in(table):
    done = shoal("schema", table, "--group")
    assert done.exit_code == 2
    assert "--out" in done.output


def test_groups_are_written_beside_the_schema(tmp_path):
    towns = [t for t, n in zip("abcdefghij", (40, 30, 9, 8, 5, 4, 3, 2, 2, 1), strict=True)
             for _ in range(n)]  # fmt: skip
    lines = ["ward,sex", *(f"{t},{'mf'[i % 2]}" for i, t in enumerate(towns))]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    asked = ["schema", tmp_path / "t.csv", "--group", "-k", 4, "-o", tmp_path / "s.toml"]
    told = json.loads(shoal(*asked, "--json").stdout)
    named = told["schema"]["columns"]["ward"]["hierarchy"]
    assert named == {"file": "s-hierarchies/ward.csv"}  # values of rows stay in the file
    done = shoal(*asked, "--force")
    assert done.exit_code == 0, done.output
    assert "also one that a single person has" in " ".join(done.stderr.split())
    lines = (tmp_path / "s-hierarchies" / "ward.csv").read_text().splitlines()
    assert len(lines) == 10
    assert all(line.count(";") >= 2 for line in lines)


def test_a_project_of_arx_becomes_a_schema(tmp_path):
    definition = (
        "<definition><assigment><name>a/b</name><type>QUASI_IDENTIFYING_ATTRIBUTE</type>"
        "<datatype>String</datatype><ref>hierarchies/x.csv</ref></assigment></definition>"
    )
    config = "<config><criterion>7-anonymity</criterion></config>"
    with zipfile.ZipFile(tmp_path / "p.deid", "w") as archive:
        archive.writestr("input/definition.xml", definition)
        archive.writestr("input/config.xml", config)
        archive.writestr("input/hierarchies/x.csv", "u;v;*\nw;v;*\n")
    done = shoal("schema", "import", tmp_path / "p.deid", "-o", tmp_path / "s.toml")
    assert done.exit_code == 0, done.output
    assert "7-anonymity" in done.stderr
    assert Schema.from_toml(tmp_path / "s.toml")["a/b"].hierarchy.build([]).n_levels == 3
    assert (tmp_path / "s-hierarchies" / "a_b.csv").exists()


def test_how_a_table_was_read_stands_in_the_schema_and_its_lack_is_told(table, tmp_path):
    path, people = tmp_path / "s.toml", tmp_path / "mixed.csv"
    ages = "".join(f"{20 + i % 30},{'ab'[i % 2]}\n" for i in range(60))
    people.write_text(f"age,sex\nwas asked,a\n{ages}")
    told = ["--missing", "was asked", "--dates", "dmy", "--header"]
    assert shoal("schema", people, *told, "-o", path).exit_code == 0
    said = {"dates": "dmy", "header": True, "missing": ("was asked",)}
    assert Schema.from_toml(path).reading == said
    assert "reading" not in shoal("schema", table).stdout
    release = ["anonymize", people, "-s", path, "-k", 5, "-m", "mondrian", "-o", tmp_path / "o.csv"]
    made = shoal(*release)
    assert made.exit_code == 0, made.output
    noted = " ".join(made.output.split())
    assert "mixed.csv is read with --dates=dmy --header '--missing=was asked', as s.toml" in noted
    shown = shoal("schema", "show", path).output
    assert "Its table is read with --dates=dmy --header '--missing=was asked'." in shown
    Schema(Schema.from_toml(path)).to_toml(path)  # without it
    failed = shoal(*release, "--force")
    assert failed.exit_code == 2
    assert "as when the schema was made (--missing" in " ".join(failed.output.split())


def test_help_of_the_group_says_where_the_options_are():
    assert "shoal schema suggest -h" in shoal("schema", "-h").output
