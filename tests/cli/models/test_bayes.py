import json

import pytest
from typer.testing import CliRunner

from shoal import cli
from shoal.models import KAnonymousNaiveBayes
from tests.audit.trials import quick_audits as quick_audits
from tests.cli.models.test_tree import files  # noqa: F401  a fixture

pytestmark = pytest.mark.usefixtures("quick_audits")

CANARY_CASES = {
    "bayes": [
        (0, ["people.csv", "--schema", "people.toml", "-k", "5"]),
        (2, ["odd.csv", "--schema", "people.toml", "-k", "5"]),
    ],
}
FORMAT_CASES = {"bayes": "bayes {table} -s schema.toml -k 4"}


def run(files, *arguments):  # noqa: F811
    base = ["bayes", files / "people.csv", "--schema", files / "schema.toml", "--target", "income"]
    return CliRunner().invoke(cli.app, [*map(str, base), *map(str, arguments)])


def test_trains_tests_and_says_what_is_revealed(files):  # noqa: F811
    out = files / "bayes.json"
    done = run(files, "-k", 15, "--out", out)
    assert done.exit_code == 0, done.output
    for said in ("income: high, low:", "Accuracy on 180 rows held out", "Exposed:", "job\n"):
        assert said in done.stdout
    assert "every group has at least 15 rows" in done.stdout
    assert "person" not in done.output.replace("people", "")
    saved = KAnonymousNaiveBayes.from_json(out)
    assert saved.n_rows_ == 600
    assert saved.spans_.largest_k >= 15
    assert run(files, "--out", out).exit_code == 2
    (files / "roles.toml").write_text(
        (files / "schema.toml")
        .read_text()
        .replace("[columns.income]", "[columns.income]\ntarget = true")
    )
    audited = ["audit", out, files / "people.csv", "--schema", files / "roles.toml", "-k", 15]
    assert CliRunner().invoke(cli.app, [*map(str, audited)]).exit_code == 0


def test_json_and_text(files):  # noqa: F811
    found = json.loads(run(files, "--diversity", "distinct:2", "--ranges", 4, "--json").stdout)
    assert found["tested"]["accuracy"] > 0.7
    assert found["exposure"]["exposed"] == 0
    assert [own["name"] for own in found["columns"]] == ["age", "job", "debt"]
    assert sum(map(sum, (row for own in found["columns"] for row in own["counts"]))) <= 420
    out = files / "bayes.txt"
    assert run(files, "--test-share", 0, "--out", out, "--alpha", 0.5).exit_code == 0
    assert out.read_text().startswith("income: high, low: ")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--out", "bayes.pmml"], "cannot tell the format"),
        (["--alpha", "0"], "alpha must be above 0"),
        (["-k", "500"], "no label of any column is allowed"),
    ],
)
def test_refusals(files, options, said, monkeypatch):  # noqa: F811
    monkeypatch.chdir(files)
    done = run(files, *options)
    assert done.exit_code in (2, 3)
    assert said in " ".join(done.output.split())
