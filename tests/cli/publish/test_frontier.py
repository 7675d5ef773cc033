import json

import pytest
from typer.testing import CliRunner

from shoal import cli
from tests.cli import worked_example
from tests.extras import need


@pytest.fixture
def folder(tmp_path, monkeypatch):
    worked_example.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shoal(*arguments):
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments])


def test_a_frontier_is_drawn_and_listed(folder):
    need("matplotlib")
    arguments = ["frontier", "table.csv", "-s", "schema.toml", "-o", "f.png", "-k", "2,3,99"]
    done = shoal(*arguments, "-m", "mondrian", "-m", "bottom-up", "--json")
    assert done.exit_code == 0, done.output
    points = json.loads(done.stdout)["points"]
    assert [(p["method"], p["k"]) for p in points] == [
        (name, k) for name in ("mondrian", "bottom-up") for k in (2, 3, 99)
    ]
    assert all((p["failure"] is None) == (p["k"] < 99) for p in points)
    assert (folder / "f.png").stat().st_size > 1000
    assert len((folder / "f.csv").read_text().splitlines()) == 7
    assert shoal(*arguments, "-m", "mondrian").exit_code == 2  # the files are there


def test_the_lattice_that_full_domain_searched_is_drawn(folder):
    need("matplotlib")
    done = shoal(
        *("frontier", "table.csv", "-s", "schema.toml", "-o", "f.svg", "-k", "3"),
        *("-m", "full-domain", "--lattice", "lattice.svg"),
    )
    assert done.exit_code == 0, done.output
    assert "<svg" in (folder / "lattice.svg").read_text("utf-8")


@pytest.mark.parametrize("more", [["-k", "two"], ["-m", "nothing"], ["--diversity", "odd:1"]])
def test_bad_usage_is_told_before_any_work(folder, more):
    done = shoal("frontier", "table.csv", "-s", "schema.toml", "-o", "f.png", *more)
    assert done.exit_code == 2
    assert not (folder / "f.png").exists()


def test_a_workload_steers_mondrian(folder):
    need("sqlglot")
    queries = "SELECT count(*) FROM t WHERE race = 'b2';\nSELEC nothing;\n"
    (folder / "queries.sql").write_text(queries)
    arguments = ["anonymize", "table.csv", "-s", "schema.toml", "-m", "mondrian", "-k", "3"]
    done = shoal(*arguments, "-o", "r.csv", "--workload", "queries.sql")
    assert done.exit_code == 0, done.output
    assert "queries.sql, line 2" in done.stderr
    manifest = json.loads((folder / "r.manifest.json").read_text())
    assert manifest["parameters"]["weights"] == {"race": 1.0}
    strict = shoal(*arguments, "-o", "s.csv", "--workload", "queries.sql", "--strict")
    assert strict.exit_code == 2
    assert "line 2" in strict.stderr
    other = [name if name != "mondrian" else "bottom-up" for name in arguments]
    assert shoal(*other, "-o", "s.csv", "--workload", "queries.sql").exit_code == 2


def test_a_note_on_the_table_is_said_from_the_threads_that_read_it(tmp_path, monkeypatch):
    need("matplotlib")
    monkeypatch.chdir(tmp_path)
    rows = [f"{20 + i},{i} €" for i in range(12)]
    (tmp_path / "t.csv").write_text("\n".join(["age,cost", *rows]) + "\n", encoding="utf-8")
    (tmp_path / "s.toml").write_text(
        'columns.age = {role = "quasi-identifier", kind = "numeric"}\n'
        'columns.cost = {role = "sensitive", kind = "numeric"}\n'
    )
    done = shoal("frontier", "t.csv", "-s", "s.toml", "-k", "2,3", "-m", "mondrian", "-o", "f.png")
    assert done.exit_code == 0, done.output
    assert done.stderr.count("beside the unit €") == 1
