import re
import shlex
from html import unescape

import pytest
from typer.testing import CliRunner

from shoal import cli
from shoal.anonymize import (
    BottomUpGeneralization,
    LocalRecoding,
    Mondrian,
    TopDownSpecialization,
)
from shoal.privacy import (
    AlphaKAnonymity,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    RecursiveDiversity,
    TCloseness,
)
from shoal.report import release_report
from shoal.report.release.facts._command import commands
from shoal.report.release.facts._release_file import read_release
from shoal.schema import Schema
from shoal.tables import RowOptions
from shoal.tables._engine import OpenOptions, TableFile
from tests.cli import worked_example


@pytest.fixture
def folder(tmp_path, monkeypatch):
    worked_example.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lines(folder, kind, promise, output=None, **parameters):
    method = kind(Schema.from_toml(folder / "schema.toml"), promise, **parameters)
    method.fit(folder / "table.csv", output=output).release_.write(folder / "r.csv")
    return commands(read_release(folder / "r.csv"), None, "table.csv")


@pytest.mark.parametrize(
    ("kind", "promise", "parameters"),
    [
        (BottomUpGeneralization, KAnonymity(3), {"max_suppression": 0.2}),
        (LocalRecoding, KAnonymity(3) & DistinctDiversity(2, "class"), {}),
        (TopDownSpecialization, KAnonymity(4) & EntropyDiversity(1.2), {}),
        (BottomUpGeneralization, KAnonymity(2) & RecursiveDiversity(4, 2), {}),
        (BottomUpGeneralization, TCloseness(0.5), {"search": "anneal", "iterations": 50}),
    ],
)
def test_the_command_makes_the_same_release(folder, kind, promise, parameters):
    found = lines(folder, kind, promise, **parameters)
    before = sorted((folder / "r.csv").read_text().splitlines())
    words = shlex.split(found[0])
    assert words[:3] == ["shoal", "anonymize", "table.csv"]
    result = CliRunner().invoke(cli.app, words[1:])
    assert result.exit_code == 0, result.output
    assert sorted((folder / "r-again.csv").read_text().splitlines()) == before
    result = CliRunner().invoke(cli.app, shlex.split(found[1])[1:])
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    "promise",
    [
        KAnonymity(3) & AlphaKAnonymity(0.9, 3, "class", ("Y",)),
        KAnonymity(3) & AlphaKAnonymity(0.9, 2, "class"),
        TCloseness(0.9, distance="hierarchical"),
    ],
)
def test_what_the_command_line_has_no_word_for_gives_no_command(folder, promise):
    if isinstance(promise, TCloseness):
        text = (folder / "schema.toml").read_text() + "hierarchy = {tree = {Y = [], N = []}}\n"
        (folder / "schema.toml").write_text(text)
    assert lines(folder, BottomUpGeneralization, promise) == []


def test_free_text_among_the_parameters_gives_no_command(folder):
    lines(folder, BottomUpGeneralization, KAnonymity(3))
    release = read_release(folder / "r.csv")
    release.manifest["parameters"]["metric"] = "age = 'somebody'"
    assert commands(release, None, None) == []


def test_starred_rows_are_kept_again(folder):
    output = RowOptions(keep_suppressed=True)
    lines(folder, BottomUpGeneralization, KAnonymity(3), output, max_suppression=0.3)
    assert "*,*,*" in (folder / "r.csv").read_text()
    assert "--keep-suppressed" in release_report(folder / "r.csv").html


def test_options_on_rows_are_part_of_the_command(folder):
    table = Schema.from_toml(folder / "schema.toml")
    weights = dict.fromkeys(table.quasi_identifiers[:2], 2.0)
    output = RowOptions(shuffle=3)
    found = lines(folder, Mondrian, KAnonymity(3), output, weights=weights)
    first, second = table.quasi_identifiers[:2]
    assert f"--weight {first}=2.0 --weight {second}=2.0" in found[0]
    assert "--order-seed SEED" in found[0]


def test_how_the_raw_table_was_read_is_part_of_both_commands(folder):
    text = (folder / "table.csv").read_text().replace(",", "|")
    raw = TableFile.of(
        "table.csv",
        OpenOptions(delimiter="|", encoding="utf-16", skip_bad_rows=True, missing=("n a",)),
    )
    (folder / "table.csv").write_text(text, "utf-16")
    method = LocalRecoding(Schema.from_toml(folder / "schema.toml"), KAnonymity(3))
    method.fit(raw).release_.write(folder / "r.csv")
    html = unescape(release_report(folder / "r.csv", raw).html)
    found = re.findall(r"shoal (?:anonymize|report) r?[^<\n]*", html)
    assert len(found) == 2
    how = "--encoding utf-16 --delimiter '|' --missing 'n a' --skip-bad-rows"
    assert all(how in line for line in found)
    (folder / "table.csv").rename("RAW.csv")
    for line in found:
        done = CliRunner().invoke(cli.app, shlex.split(line)[1:])
        assert done.exit_code == 0, (line, done.output)
    assert (folder / "r-again.csv").exists()


def test_names_of_the_house_are_left_open(folder):
    lines(folder, LocalRecoding, KAnonymity(3))
    told = OpenOptions(sheet="of Xq7canary", table="house.Xq7canary")
    (folder / "table.csv").rename("Xq7canary.csv")
    html = release_report(folder / "r.csv", "Xq7canary.csv").html
    assert "shoal anonymize RAW.csv" in html
    assert "Xq7canary" not in html
    found = commands(read_release(folder / "r.csv"), None, "RAW.xlsx", told)
    assert all("--sheet SHEET --table TABLE" in line for line in found)
