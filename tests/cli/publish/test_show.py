"""What `anonymize` says of a release is short, and counts what it says."""

import pytest
from typer.testing import CliRunner

from shoal import cli


def shoal(*arguments):
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments])


@pytest.fixture
def survey(tmp_path, monkeypatch):
    """Eighteen questions, of which one is answered alike by all but a few."""
    monkeypatch.chdir(tmp_path)
    names = [f"q{i}" for i in range(18)]
    rows = [[(row * 7 + i * row) % 5 for i in range(18)] for row in range(40)]
    lines = [",".join(names), *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    roles = (f'[columns.{n}]\nrole = "quasi-identifier"\nkind = "numeric"\n' for n in names)
    (tmp_path / "s.toml").write_text("".join(roles))
    return tmp_path


def test_of_many_columns_those_that_lost_most_are_listed(survey):
    done = shoal("anonymize", "t.csv", "-s", "s.toml", "-k", 9, "-m", "mondrian", "-o", "o.csv")
    assert done.exit_code == 0, done.output
    listed = [line.split()[0] for line in done.stdout.splitlines() if line.startswith("  q")]
    assert len(listed) == 10
    assert "and less in 8 more columns, which --json lists." in done.stdout


def test_where_most_is_lost_it_is_said_what_keeps_more(survey):
    line = ("anonymize", "t.csv", "-s", "s.toml", "-m", "mondrian", "-o", "o.csv", "--force")
    lossy = " ".join(shoal(*line, "-k", 20).stderr.split())
    assert "of the detail is lost. More is kept with fewer quasi-identifiers" in lossy
    assert "More is kept" not in shoal(*line, "-k", 1).stderr


def test_why_a_method_was_chosen_is_said_once(survey):
    """Methods are tried on a sample where there are many columns."""
    with (survey / "s.toml").open("a") as file:
        file.write("".join(f'[columns.r{i}]\nrole = "quasi-identifier"\n' for i in range(9)))
    head, *rows = (survey / "t.csv").read_text().splitlines()
    more = ",".join(f"r{i}" for i in range(9))
    lines = [f"{head},{more}", *(f"{row},{','.join('abababbaa')}" for row in rows)]
    (survey / "t.csv").write_text("\n".join(lines) + "\n")
    done = shoal("anonymize", "t.csv", "-s", "s.toml", "-k", 5, "-o", "o.csv")
    assert done.exit_code == 0, done.output
    assert " ".join(done.stderr.split()).count("on a sample of") == 1


def test_people_with_several_rows_are_not_counted_as_unique_more_than_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"P{i // 2},{20 + i}" for i in range(20)]
    (tmp_path / "t.csv").write_text("\n".join(["who,age", *rows]) + "\n")
    (tmp_path / "s.toml").write_text(
        '[columns.who]\nrole = "subject"\n'
        '[columns.age]\nrole = "quasi-identifier"\nkind = "numeric"\n'
    )
    done = shoal("anonymize", "t.csv", "-s", "s.toml", "-k", 3, "-m", "mondrian", "-o", "o.csv")
    assert done.exit_code == 0, done.output
    lines = [line.split() for line in done.stdout.splitlines() if len(line.split()) > 2]
    shown = {" ".join(words[:-2]): words[-2] for words in lines}
    assert shown["people"] == "10"
    assert shown["combinations of one person"] == "20"
    assert "people that are unique" not in done.stdout
