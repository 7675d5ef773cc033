"""The whole round trip, with every site a process and a folder of its own."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from shoal.cli import app
from shoal.federated import RandomKernelSVC, read_shares
from tests.extras import ROOT, need

pl = need("polars")
need("pyarrow")
need("cryptography")

AGREEMENT = """
[columns.age]
low = 15
high = 90

[columns.disease]
categories = ["flu", "cold", "gout"]
prefix = "Illness"

[features.age]
low = 15
high = 90
[features.dose]
low = 0
high = 60
[features.score]
low = 0
high = 4
"""


OTHERS = ("--clear", "dose", "--clear", "score", "--clear", "died")


def shoal(*arguments, secret="open sesame"):
    environment = {**os.environ, "SHOAL_PASSPHRASE": secret}
    return CliRunner(env=environment).invoke(app, ["site", *map(str, arguments)])


def start(*arguments):
    environment = {
        **os.environ,
        "SHOAL_PASSPHRASE": "open sesame",
        "PYTHONPATH": str(ROOT / "src"),
    }
    return subprocess.Popen(
        [sys.executable, "-m", "shoal", "site", *map(str, arguments)],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )


def patients(seed, n=80):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(15, 91, n),
            "disease": rng.choice(["flu", "cold", "gout"], n, p=[0.5, 0.3, 0.2]),
            "dose": rng.integers(0, 61, n),
            "score": rng.integers(0, 5, n),
            "died": rng.choice(["yes", "no"], n),
        }
    )


@pytest.fixture
def home(tmp_path):
    (tmp_path / "agreement.toml").write_text(AGREEMENT)
    (tmp_path / "shared").mkdir()
    for name, seed in (("gent", 1), ("leuven", 2)):
        (tmp_path / name).mkdir()
        patients(seed).write_csv(tmp_path / name / "rows.csv")
    return tmp_path


@pytest.fixture
def key(home):
    assert shoal("key", "new", home / "agreement.toml", "--out", home / "key").exit_code == 0
    return home / "key"


@pytest.fixture
def kernel(home):
    assert shoal("kernel", "new", home / "agreement.toml", "--out", home / "B").exit_code == 0
    return home / "B"


def test_sites_as_processes_encode_combine_and_read_back(home, key):
    running = [
        start(
            "encode", home / name / "rows.csv", "--key", key, "--site", name, "--to",
            home / "shared", *OTHERS, "--keep-order", "--json",
        )
        for name in ("gent", "leuven")
    ]  # fmt: skip
    for process in running:
        shown, _ = process.communicate(timeout=300)
        assert process.returncode == 0
        assert {a["attack"] for a in json.loads(shown)["attacks"]} >= {
            "frequency analysis of 'disease'",
            "2 known values of 'age'",
        }
    files = sorted((home / "shared").iterdir())
    assert [f.name for f in files] == ["gent.encoded.parquet", "leuven.encoded.parquet"]
    union = home / "union.parquet"
    result = shoal(
        "combine", *files, "--out", union, "--site", "gent", "--site", "leuven", "--json",
        "--keep-order",
    )  # fmt: skip
    assert json.loads(result.stdout) == {"file": "union.parquet", "files": 2}
    assert not set(pl.read_parquet(union)["disease"]) & {"flu", "cold", "gout"}
    assert shoal("decode", union, "--key", key, "--out", home / "back.csv").exit_code == 0
    assert pl.read_csv(home / "back.csv").equals(pl.concat([patients(1), patients(2)]))


def test_a_report_is_read_back(home, key):
    (home / "report.txt").write_text("age <= 2.000 and Illness_1")
    result = shoal("decode", home / "report.txt", "--key", key, "--out", home / "real.txt")
    assert result.exit_code == 0
    text = (home / "real.txt").read_text()
    assert text.startswith("age <= 30 and ")
    assert text.split()[-1] in ("flu", "cold", "gout")


def test_a_key_is_shown_and_extended_without_its_secrets(home, key):
    first = json.loads(shoal("key", "show", key, "--json").stdout)
    assert set(first) == {"version", "fingerprint", "columns"}
    result = shoal("key", "extend", key, "--column", "disease", "--category", "CANARY", "--json")
    assert json.loads(result.stdout)["version"] == 2
    assert "CANARY" not in result.output
    assert json.loads(shoal("key", "show", key, "--json").stdout)["version"] == 2
    assert shoal("key", "show", key).exit_code == 0


def test_a_key_is_not_overwritten_by_accident(home, key):
    before = key.read_bytes()
    result = shoal("key", "new", home / "agreement.toml", "--out", key)
    assert result.exit_code == 2
    assert key.read_bytes() == before
    assert shoal("key", "new", home / "agreement.toml", "--out", key, "--force").exit_code == 0


def test_a_wrong_passphrase_prints_no_secret(home, key):
    result = shoal("key", "show", key, secret="CANARY")
    assert result.exit_code == 2
    assert "wrong passphrase" in result.stderr
    assert "CANARY" not in result.output


def test_the_passphrase_may_come_from_a_file_or_a_prompt(home, key):
    (home / "secret").write_text("open sesame\n")
    arguments = ["site", "key", "show", str(key)]
    from_file = CliRunner().invoke(app, [*arguments, "--passphrase-file", str(home / "secret")])
    assert from_file.exit_code == 0
    asked = CliRunner().invoke(app, arguments, input="open sesame\n")
    assert asked.exit_code == 0
    assert "open sesame" not in asked.output
    gone = CliRunner().invoke(app, [*arguments, "--passphrase-file", str(home / "none")])
    assert gone.exit_code == 2


def test_another_key_or_fingerprint_is_refused_before_anything_is_written(home, key):
    def encode(site, its_key, *more):
        return shoal(
            "encode", home / "gent" / "rows.csv", "--key", its_key, "--site", site, "--to",
            home / "shared", "--no-attacks", *OTHERS, *more,
        )  # fmt: skip

    assert encode("gent", key).exit_code == 0
    other = home / "other"
    shoal("key", "new", home / "agreement.toml", "--out", other)
    refused = encode("leuven", other)
    assert refused.exit_code == 4
    assert "another fingerprint" in refused.stderr
    fingerprint = json.loads(shoal("key", "show", other, "--json").stdout)["fingerprint"]
    assert encode("leuven", key, "--peer", fingerprint).exit_code == 4
    assert [p.name for p in (home / "shared").iterdir()] == ["gent.encoded.parquet"]


def test_columns_outside_the_agreement_do_not_leave_in_the_clear(home, key):
    rows = home / "gent" / "rows.csv"
    patients(1).with_columns(name=pl.lit("CANARY")).write_csv(rows)
    encode = ("encode", rows, "--key", key, "--site", "gent", "--to", home / "shared")
    refused = shoal(*encode, *OTHERS)
    assert refused.exit_code == 2
    assert "does not name: 'name'" in refused.stderr
    assert "CANARY" not in refused.output
    assert list((home / "shared").iterdir()) == []
    assert shoal(*encode, "--drop-others", "--no-attacks").exit_code == 0
    (written,) = (home / "shared").iterdir()
    assert pl.read_parquet(written).columns == ["age", "disease"]


def test_what_is_there_is_not_replaced_by_accident(home, key, kernel):
    rows, shared = home / "gent" / "rows.csv", home / "shared"
    common = ("--site", "gent", "--to", shared, "--no-attacks")
    union = ("--out", home / "union.parquet")
    for command in (
        ("encode", rows, "--key", key, *common, "--drop-others"),
        ("share", rows, "--kernel", kernel, *common, "--label", "died"),
        ("combine", shared / "gent.encoded.parquet", *union),
        ("decode", home / "union.parquet", "--key", key, "--out", home / "back.csv"),
        ("key", "extend", key, "--column", "disease", "--category", "x", "--out", home / "longer"),
    ):
        assert shoal(*command).exit_code == 0
        # before any work: the passphrase would be wrong
        again = shoal(*command, secret="not this one")
        assert again.exit_code == 2, again.output
        assert "exists" in again.stderr or "is there already" in again.stderr
        assert shoal(*command, "--force").exit_code == 0


def test_bad_rows_are_refused_and_nothing_is_written(home, key):
    table = patients(3).with_columns(age=pl.lit(14))
    table.write_csv(home / "gent" / "rows.csv")
    result = shoal(
        "encode", home / "gent" / "rows.csv", "--key", key, "--site", "gent", "--to",
        home / "shared", "--drop-others",
    )  # fmt: skip
    assert result.exit_code == 2
    assert "'age': 80 of 80 values lie outside" in result.stderr
    assert list((home / "shared").iterdir()) == []
    wrong = shoal("combine", home / "gent" / "rows.csv", "--out", home / "union.csv")
    assert wrong.exit_code == 2


def test_sites_share_projections_and_anyone_trains(home, kernel):
    for name in ("gent", "leuven"):
        result = shoal(
            "share", home / name / "rows.csv", "--kernel", kernel, "--site", name, "--to",
            home / "shared", "--label", "died", "--json",
        )  # fmt: skip
        assert result.exit_code == 0, result.stderr
        assert any("whole numbers" in a["attack"] for a in json.loads(result.stdout)["attacks"])
    model = RandomKernelSVC().fit_shares(read_shares(home / "shared", ["gent", "leuven"]))
    assert model.classes_.tolist() == ["no", "yes"]
    shown = json.loads(shoal("kernel", "show", kernel, "--json").stdout)
    assert shown["features"] == ["age", "dose", "score"]
    assert shown["components"] == 2


def test_attacks_run_on_their_own(home, key, kernel):
    def attack(*arguments):
        environment = {**os.environ, "SHOAL_PASSPHRASE": "open sesame"}
        return CliRunner(env=environment).invoke(app, ["attack", *map(str, arguments)])

    rows = home / "gent" / "rows.csv"
    public = home / "leuven" / "rows.csv"
    result = attack("table", rows, "--key", key, "--public", public, "--known", 3, "--json")
    attacks = json.loads(result.stdout)["attacks"]
    assert [a["attack"] for a in attacks] == [
        "3 known values of 'age'",
        "fractions of 'age', 1 known",
        "frequency analysis of 'disease'",
        "membership, 3 known people",
    ]
    assert all(a["interval"][0] <= a["risk"] <= a["interval"][1] for a in attacks)
    shown = attack("kernel", rows, "--kernel", kernel, "--known", 0)
    assert shown.exit_code == 0
    assert "What this gives away" in shown.stdout
