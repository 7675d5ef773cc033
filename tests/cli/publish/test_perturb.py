import json

from typer.testing import CliRunner

from shoal.cli import app
from shoal.cli._failures import CANNOT_TELL

CHANGED = ["--noise", "age=0.5", "--pram", "city=0.7"]
CANARY_CASES = {
    "perturb": [
        (0, ["people.csv", "-s", "people.toml", *CHANGED, "-o", "new.csv"]),
        (2, ["people.csv", "-s", "people.toml", "--noise", "age=0.5", "-o", "new.csv"]),
        (2, ["odd.csv", "-s", "people.toml", *CHANGED, "--noise", "income=1", "-o", "new.csv"]),
        (2, ["torn.csv", "-s", "people.toml", *CHANGED, "-o", "new.csv"]),
    ]
}
# quasi-identifiers are kept: seeds are secret, so what is found among changed ones differs
FORMAT_CASES = {
    "perturb": "perturb {table} -s schema.toml --keep age --keep sex --noise dose=0.5 -o {new}.csv"
}


def write(folder):
    rows = "".join(f"{20 + i % 40},{'Ulm' if i % 3 else 'Kiel'},x{i % 2}\n" for i in range(80))
    (folder / "people.csv").write_text("age,city,ill\n" + rows)
    (folder / "people.toml").write_text(
        '[columns.age]\nrole = "quasi-identifier"\nkind = "numeric"\n'
        '[columns.city]\nrole = "quasi-identifier"\n[columns.ill]\nrole = "sensitive"\n'
    )
    return [str(folder / "people.csv"), "-s", str(folder / "people.toml")]


def run(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)])


def test_nothing_is_promised_and_check_says_so(tmp_path):
    out = tmp_path / "out.csv"
    done = run("perturb", *write(tmp_path), *CHANGED, "--out", out)
    assert done.exit_code == 0, done.output
    assert "Nothing is promised" in done.stdout
    assert "found again" in done.stdout
    manifest = json.loads((tmp_path / "out.manifest.json").read_text())
    assert manifest["guarantee"].startswith("nothing is promised")
    assert "privacy" not in manifest
    assert manifest["changes"] == {"noise": {"age": 0.5}, "pram": {"city": 0.7}}
    for asked in ([], ["-k", "1"]):
        checked = run("check", out, *asked)
        assert checked.exit_code == CANNOT_TELL
        assert "Nothing is promised" in checked.output
        assert "It holds" not in checked.output


def test_files_are_not_replaced_and_an_old_recoding_does_not_stay(tmp_path):
    files, out = write(tmp_path), tmp_path / "out.csv"
    assert run("anonymize", *files, "-k", 5, "--out", out).exit_code == 0
    assert (tmp_path / "out.private" / "recoding.json").exists()
    assert run("perturb", *files, *CHANGED, "--out", out).exit_code == 2
    assert run("perturb", *files, *CHANGED, "--out", out, "--force").exit_code == 0
    assert not (tmp_path / "out.private" / "recoding.json").exists()
    assert run("perturb", *files, *CHANGED, "--out", tmp_path / "people.csv").exit_code == 2


def test_what_would_be_written_as_it_is_is_told_with_the_options(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("age,sex\n" + "".join(f"{i},f\n" for i in range(9)))
    (tmp_path / "s.toml").write_text(
        '[columns.age]\nrole = "quasi-identifier"\n[columns.sex]\nrole = "quasi-identifier"\n'
    )
    line = ["perturb", "t.csv", "-s", "s.toml", "--pram", "sex=0.8", "-o", "o.csv"]
    said = " ".join(CliRunner().invoke(app, line).output.split())
    assert "Change each with --noise, --swap or --pram, say --keep COLUMN, or leave" in said


def test_a_second_draw_beside_the_first_is_told_to_average_out(tmp_path):
    files = write(tmp_path)
    done = run("perturb", *files, *CHANGED, "--out", tmp_path / "first.csv")
    assert "the mean of both" not in done.output
    done = run("perturb", *files, *CHANGED, "--out", tmp_path / "second.csv")
    assert "the release first has the same columns" in " ".join(done.output.split())
    assert "the mean of both is nearer to the truth" in " ".join(done.output.split())
    said = run("perturb", *files, *CHANGED, "--out", tmp_path / "third.csv", "--json")
    assert json.loads(said.stdout)["earlier"] == ["first", "second"]
