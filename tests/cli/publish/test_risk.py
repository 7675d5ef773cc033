import json

from typer.testing import CliRunner

from shoal.cli import app

CANARY_CASES = {
    "risk": [
        (0, ["people.csv", "-s", "people.toml", "--fraction", "0.1", "--bootstrap", "5"]),
        (2, ["people.csv", "-s", "people.toml", "--fraction", "7"]),
    ]
}
FORMAT_CASES = {"risk": "risk {table} -s schema.toml --fraction 0.5 --bootstrap 3"}


def write(folder):
    (folder / "people.csv").write_text(
        "age,city,weight,home\n31,Ulm,10,a\n31,Ulm,10,a\n44,Kiel,12,b\n52,Kiel,9,b\n"
    )
    (folder / "people.toml").write_text(
        '[columns.age]\nrole = "quasi-identifier"\nkind = "numeric"\n'
        '[columns.city]\nrole = "quasi-identifier"\n'
        '[columns.weight]\nrole = "insensitive"\nkind = "numeric"\n'
        '[columns.home]\nrole = "identifier"\n'
    )
    return [str(folder / "people.csv"), "-s", str(folder / "people.toml")]


def test_weights_and_households_reach_the_figures(tmp_path):
    files = write(tmp_path)
    asked = ["risk", *files, "--weights", "weight", "--household", "home", "--bootstrap", "5"]
    done = CliRunner().invoke(app, [*asked, "--json"])
    data = json.loads(done.stdout)
    assert data["individual"]["n_households"] == 2
    assert round(data["fraction"], 4) == round(4 / 41, 4)
    assert data["special"]["contributions"]["age"] == 1.0
    shown = CliRunner().invoke(app, asked).stdout
    assert "average chance for a household" in shown
    assert "What makes rows stand out" in shown


def test_without_a_fraction_the_table_is_the_population(tmp_path):
    done = CliRunner().invoke(app, ["risk", *write(tmp_path), "--json"])
    data = json.loads(done.stdout)
    assert data["uniques"]["share"] == 0.5
    assert data["individual"]["highest"] == 1.0


def test_a_population_is_a_table_of_everybody(tmp_path):
    files = write(tmp_path)
    (tmp_path / "all.csv").write_text("age,city\n" + "31,Ulm\n" * 9 + "44,Kiel\n52,Kiel\n")
    asked = ["anonymize", *files, "--method", "mondrian", "--privacy", "k-map:2", "--json"]
    everybody = ["--population", str(tmp_path / "all.csv")]
    done = CliRunner().invoke(app, [*asked, *everybody, "-o", str(tmp_path / "out.csv")])
    assert done.exit_code == 0, done.output
    (part,) = json.loads((tmp_path / "out.manifest.json").read_text())["reached"]
    assert part["description"] == "every group has at least 2 of the population's people"
    assert part["reached"] == 2
    check = ["check", str(tmp_path / "out.csv")]
    again = CliRunner().invoke(app, [*check, *everybody, "--json"])
    assert again.exit_code == 0, again.output
    assert json.loads(again.stdout)["reached"][0]["reached"] == 2
    more = CliRunner().invoke(app, [*check, *everybody, "--privacy", "k-map:99"])
    assert more.exit_code == 1
    alone = CliRunner().invoke(app, check)
    assert alone.exit_code == 2
    assert "--population FILE" in " ".join(alone.output.split())
    without = CliRunner().invoke(app, [*asked, "-o", str(tmp_path / "other.csv")])
    assert without.exit_code == 2
    assert "needs a population" in without.output


def test_a_release_is_looked_at_with_the_schema_beside_it(tmp_path):
    files, out = write(tmp_path), str(tmp_path / "out.csv")
    made = CliRunner().invoke(app, ["anonymize", *files, "-k", "2", "-o", out, "-q"])
    assert made.exit_code == 0, made.output
    beside = ["-s", str(tmp_path / "out.schema.toml")]
    raw = ["--original", files[0]]
    for line in (["risk", out, "--bootstrap", "2"], ["metrics", out]):
        alone, told = (CliRunner().invoke(app, [*line, *more]) for more in ([], beside))
        assert alone.exit_code == 0, alone.output
        assert alone.stdout == told.stdout
    for line in (["attack", "release", out, *raw], ["attack", "refine", out]):
        alone, told = (CliRunner().invoke(app, [*line, *more]) for more in ([], beside))
        assert "--schema" not in alone.output
        assert (alone.exit_code, alone.stdout) == (told.exit_code, told.stdout)


def test_without_a_schema_beside_it_a_table_is_refused_with_what_to_do(tmp_path):
    table = write(tmp_path)[0]
    for line in (["risk", table], ["metrics", table], ["attack", "release", table, "--original"]):
        done = CliRunner().invoke(app, [*line, table] if line[-1] == "--original" else line)
        assert done.exit_code == 2
        assert "--schema FILE (`shoal schema people.csv`" in " ".join(done.stderr.split())


def test_what_the_manifest_says_is_shown_in_words(tmp_path):
    files, out = write(tmp_path), str(tmp_path / "out.csv")
    CliRunner().invoke(app, ["anonymize", *files, "-k", "2", "-o", out, "-q"])
    shown = CliRunner().invoke(app, ["metrics", out]).stdout
    assert "detail lost (GCP)" in shown
    assert not {"gcp", "n suppressed", "information loss share"} & set(shown.split("  "))


def test_that_rows_were_counted_is_said_where_people_have_several(tmp_path):
    files = write(tmp_path)
    assert "rows were counted" not in CliRunner().invoke(app, ["risk", *files]).stderr
    described = (tmp_path / "people.toml").read_text()
    (tmp_path / "people.toml").write_text(described.replace('"identifier"', '"subject"'))
    said = " ".join(CliRunner().invoke(app, ["risk", *files]).stderr.split())
    assert "rows were counted, whoever they belong to by column 'home'" in said
