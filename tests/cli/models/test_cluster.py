import json

import pytest
from typer.testing import CliRunner

from shoal import cli
from shoal.models import KAnonymousClustering
from tests.audit.trials import quick_audits as quick_audits
from tests.models.clusters.test_clustering import FIGURE_5

pytestmark = pytest.mark.usefixtures("quick_audits")

CANARY_CASES = {
    "cluster": [
        (0, ["people.csv", "--schema", "people.toml", "-k", "5", "--max-tries", "5"]),
        (2, ["odd.csv", "--schema", "people.toml", "-k", "5"]),
    ],
}
FORMAT_CASES = {"cluster": "cluster {table} -s schema.toml -k 4 --clusters 2"}
SCHEMA = """
columns.age = {role = "quasi-identifier", kind = "numeric"}
columns.result = {role = "sensitive", kind = "numeric"}
"""


@pytest.fixture
def files(tmp_path):
    FIGURE_5.to_csv(tmp_path / "points.csv", index=False)
    (tmp_path / "schema.toml").write_text(SCHEMA)
    return tmp_path


def run(files, *arguments):
    base = ["cluster", files / "points.csv", "--schema", files / "schema.toml", "-k", 3]
    return CliRunner().invoke(cli.app, [*map(str, base), *map(str, arguments)])


KNOWN = ["--domain", "result=3:10"]
"""What the attacker of the paper takes for possible."""


def test_worked_example_5(files):
    """Figure 5: {A, B, C}, {D}, {E, F, G}; D cannot be told from E, F and G by age."""
    done = run(files, "--clusters", 3, "--no-scale", "--min-rows", 1, *KNOWN, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    centers = {
        tuple(round(v, 2) if v is not None else None for v in one["center"].values()): one["rows"]
        for one in found["clusters"]
    }
    # the result of D alone is one person's value, and is not shown; sums of three ages are told
    # in sixes, where the figure has 2.5, 8 and 8.67
    assert centers == {(2.0, 6.0): 3, (6.0, None): 1, (8.0, 8.0): 3}
    assert found["largest_k"] == 4
    two = json.loads(run(files, "--clusters", 2, "--no-scale", *KNOWN, "--json").stdout)
    assert sorted(one["rows"] for one in two["clusters"]) == [3, 4]


def test_what_is_written_is_what_the_class_writes_and_an_audit_passes(files):
    out = files / "clusters.json"
    options = ["--clusters", 2, "--no-scale", "--domain", "result=0:20", "--out", out]
    done = run(files, *options)
    assert done.exit_code == 0, done.output
    assert "Clusters and their centroids" in done.stdout
    saved = KAnonymousClustering.from_json(out)
    assert sorted(saved.bins_.population.tolist()) == [3, 4]
    assert saved.space_.axes[1].high == 20
    audited = ["audit", out, files / "points.csv", "--schema", files / "schema.toml", "-k", 3]
    assert CliRunner().invoke(cli.app, [*map(str, audited)]).exit_code == 0
    assert run(files, *options).exit_code == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--domain", "result=0"], "write COLUMN=LOW:HIGH"),
        (["--out", "clusters.xml"], "cannot tell the format"),
        (
            ["--clusters", 3, "--no-scale", "--min-rows", 1, "--out", "c.json", *KNOWN],
            "centroids are means",
        ),
    ],
)
def test_refusals(files, options, said, monkeypatch):
    monkeypatch.chdir(files)
    done = run(files, *options)
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())
