import json

from typer.testing import CliRunner

from shoal.cli import app

SCHEMA = """
[columns.basket]
role = "quasi-identifier"
separator = ";"
hierarchy = {tree = {dairy = ["milk", "kefir"], bread = ["rye", "bun"]}}
[columns.name]
role = "identifier"
"""
CANARY_CASES = {
    "sets": [
        (2, ["people.csv", "-s", "people.toml", "-o", "new.csv"]),
        (2, ["torn.csv", "-s", "people.toml", "-o", "new.csv"]),
    ]
}
FORMAT_CASES = {"sets": "sets {table} -s sets.toml -o {new}.csv"}


def write(folder):
    baskets = ["milk;rye", "milk;bun", "kefir", "milk;rye"] * 3
    rows = "".join(f"{basket},p{i}\n" for i, basket in enumerate(baskets))
    (folder / "baskets.csv").write_text("basket,name\n" + rows)
    (folder / "baskets.toml").write_text(SCHEMA)
    return [str(folder / "baskets.csv"), "-s", str(folder / "baskets.toml")]


def run(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)])


def test_sets_are_released_and_checked(tmp_path):
    files, out = write(tmp_path), tmp_path / "out.csv"
    raw = run("check", *files, "--km", "4,2")
    assert raw.exit_code == 1
    assert "combinations are rare" in raw.stdout
    done = run("sets", *files, "--km", "4,2", "--out", out)
    assert done.exit_code == 0, done.output
    assert "in at least 4 rows" in done.stdout
    assert out.read_text().splitlines()[0] == "basket"
    checked = run("check", out)
    assert checked.exit_code == 0, checked.output
    assert "It holds" in checked.stdout
    found = json.loads(run("check", out, "--km", "10,2", "--json").stdout)
    assert found["holds"] is False
    assert "rye" not in (tmp_path / "out.schema.toml").read_text()
    assert run("sets", *files, "--out", out).exit_code == 2
    assert run("sets", *files, "--km", "five", "--out", tmp_path / "new.csv").exit_code == 2


def test_sets_beside_names_do_not_hold(tmp_path):
    found = run("check", *write(tmp_path), "--km", "1,1")
    assert found.exit_code == 1
    assert "It holds" not in found.stdout
    assert "by the schema no release has 'name'" in " ".join(found.stdout.split())


def test_a_changed_release_is_noticed(tmp_path):
    files, out = write(tmp_path), tmp_path / "out.csv"
    run("sets", *files, "--km", "4,2", "--out", out)
    out.write_text(out.read_text() + "dairy\n")
    assert run("check", out).exit_code == 1
