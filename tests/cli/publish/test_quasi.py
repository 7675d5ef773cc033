import json

from typer.testing import CliRunner

from shoal import cli
from tests.discover.tables import table as table
from tests.extras import need


def run(*arguments):
    return CliRunner().invoke(cli.app, ["quasi", *map(str, arguments)])


def test_columns_keys_and_attackers_are_shown(table):
    done = run(table)
    assert done.exit_code == 0, done.output
    assert "Single columns of 5 rows" in done.stdout
    assert "age, sex" in done.stdout
    assert "age, state" in done.stdout
    assert "exact: all 5 rows were examined" in done.stderr


def test_json_holds_the_whole_survey(table):
    done = run(table, "--json", "--max-size", 2, "-c", "age", "-c", "sex")
    found = json.loads(done.stdout)
    assert found["key"]["attributes"] == ["age", "sex"]
    assert [risk["unique_share"] for risk in found["attacker"]] == [0.2, 1.0]
    assert found["plot"] is None


def test_the_risk_is_drawn_and_nothing_is_overwritten(table, tmp_path):
    need("matplotlib")
    plot = tmp_path / "risk.svg"
    assert run(table, "--plot", plot, "-q").exit_code == 0
    assert plot.exists()
    again = run(table, "--plot", plot)
    assert again.exit_code == 2
    assert "there already" in again.output
    assert run(table, "--plot", plot, "--force", "-q").exit_code == 0


def test_costs_and_bins_are_given_by_column(table):
    done = run(table, "--json", "--weight", "sex=9", "--bins", "age=5")
    assert json.loads(done.stdout)["key"]["attributes"] == ["age", "state"]
    wrong = run(table, "--bins", "age")
    assert wrong.exit_code == 2
    assert "COLUMN=NUMBER" in wrong.output


def test_the_fewest_columns_that_tell_a_share_of_pairs_apart(table):
    found = json.loads(run(table, "--json", "--beta", 0.8).stdout)["apart"]
    assert found["attributes"] == ["age"]  # 8 of 10 pairs, as in the paper's example
    assert found["ratios"][-1] == 0.8
    assert found["proved_minimum"]
    shown = run(table, "--beta", 0.9)
    assert "Columns that tell that share of pairs apart" in shown.stdout
    assert len(json.loads(run(table, "--json", "--beta", 0.9).stdout)["apart"]["attributes"]) == 2
    assert json.loads(run(table, "--json").stdout)["apart"] is None
    assert run(table, "--beta", 1.5).exit_code == 2


def test_equal_rows_are_remarked_on(table):
    table.write_text(table.read_text() + "\n20,F,CA\n")
    assert "1 rows equal another one" in " ".join(run(table).stderr.split())


def test_bad_input_is_a_sentence(tmp_path):
    done = run(tmp_path / "nothing.csv")
    assert done.exit_code == 2
    assert "no file or folder" in done.output


def test_a_schema_leaves_identifiers_out(table, tmp_path):
    lines = table.read_text().splitlines()
    named = [f"{'id' if i == 0 else i},{line}" for i, line in enumerate(lines)]
    table.write_text("\n".join(named))
    assert json.loads(run(table, "--json").stdout)["key"]["attributes"] == ["id"]
    roles = {"id": "identifier", "age": "quasi-identifier", "sex": "quasi-identifier",
             "state": "insensitive"}  # fmt: skip
    schema = tmp_path / "s.toml"
    schema.write_text("".join(f'[columns.{n}]\nrole = "{r}"\n' for n, r in roles.items()))
    done = run(table, "--schema", schema)
    assert done.exit_code == 0, done.output
    assert "Left out: 1 column that names people" in done.stderr
    found = json.loads(run(table, "--json", "-s", schema).stdout)
    assert found["key"]["attributes"] == ["age", "sex"]
    assert {risk["attributes"][0] for risk in found["columns"]} == {"age", "sex", "state"}


def test_a_schema_of_another_table_is_refused(table, tmp_path):
    (tmp_path / "s.toml").write_text('[columns.age]\nrole = "identifier"\n')
    done = run(table, "--schema", tmp_path / "s.toml")
    assert done.exit_code == 2
    assert "without a role" in done.output


def test_of_many_columns_those_that_tell_most_are_listed(tmp_path):
    names = [f"q{i}" for i in range(18)]
    rows = [[row % 2] * 17 + [row] for row in range(12)]
    lines = [",".join(names), *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    done = run(tmp_path / "t.csv")
    assert done.exit_code == 0, done.output
    listed = done.stdout.partition("An attacker")[0]
    assert "  q17 " in listed
    assert listed.count("\n  q") == 15
    assert "3 further columns tell fewer rows apart: see --json." in done.stderr
