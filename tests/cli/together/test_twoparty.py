"""Two processes, one TLS line: the same model on both sides, and errors that say what is wrong."""

import json
import os
import signal
import socket
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from shoal.cli import app
from shoal.parties import make_keys
from tests.extras import ROOT

SCHEMA = """
[columns.name]
role = "identifier"
[columns.colour]
role = "insensitive"
kind = "ordinal"
order = ["red", "green", "blue"]
[columns.size]
role = "insensitive"
kind = "ordinal"
order = ["small", "large"]
[columns.class]
role = "insensitive"
kind = "ordinal"
order = ["no", "yes"]
target = true
"""
IMPATIENT = ("tests.reference.impatient",)
VALUES = {"colour": ["red", "green", "blue"], "size": ["small", "large"], "class": ["no", "yes"]}


@pytest.fixture
def folder(tmp_path):
    for name in ("alice", "bob", "mallory"):
        make_keys(name, tmp_path)
    (tmp_path / "schema.toml").write_text(SCHEMA)
    rng = np.random.default_rng(0)
    colour, size = rng.integers(0, 3, 60), rng.integers(0, 2, 60)
    label = np.where(rng.random(60) < 0.9, (colour == 2) ^ size, rng.integers(0, 2, 60))
    rows = [
        f"person-{i},{VALUES['colour'][a]},{VALUES['size'][b]},{VALUES['class'][int(c)]}"
        for i, (a, b, c) in enumerate(zip(colour, size, label, strict=True))
    ]
    header = "name,colour,size,class"
    (tmp_path / "alice.csv").write_text("\n".join([header, *rows[:25]]) + "\n")
    (tmp_path / "bob.csv").write_text("\n".join([header, *rows[25:]]) + "\n")
    columns = [row.split(",") for row in rows]
    (tmp_path / "left.csv").write_text("colour\n" + "".join(f"{row[1]}\n" for row in columns))
    (tmp_path / "right.csv").write_text(
        "size,class\n" + "".join(f"{row[2]},{row[3]}\n" for row in columns)
    )
    return tmp_path


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def start(folder, own, peer, table, port, *options, command="id3", program=("shoal",)):
    """Start a party, as users do or by another program."""
    arguments = [
        command,
        "--listen" if own == "alice" else "--connect", f"127.0.0.1:{port}",
        table, "--schema", "schema.toml",
        "--key", f"{own}.key", "--certificate", f"{own}.crt", "--peer", f"{peer}.crt",
        "--timeout", "60", *options,
    ]  # fmt: skip
    return subprocess.Popen(
        [sys.executable, "-m", *program, "twoparty", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(*processes):
    ended = []
    for process in processes:
        out, err = process.communicate(timeout=120)
        ended.append((process.returncode, out, err))
    return ended


def test_both_shells_print_the_same_tree(folder):
    port = free_port()
    one, two = finish(
        start(folder, "alice", "bob", "alice.csv", port, "--state", "a.json", "--output", "t.json"),
        start(folder, "bob", "alice", "bob.csv", port, "--state", "b.json"),
    )
    assert one[0] == two[0] == 0, one[2] + two[2]
    assert one[1] == two[1]
    assert "colour = blue" in one[1]
    assert "MB sent" in one[2]
    assert "person" not in one[1] + one[2] + two[1] + two[2]
    model = json.loads((folder / "t.json").read_text())
    assert set(model) == {"model", "traffic"}
    states = {name: json.loads((folder / name).read_text()) for name in ("a.json", "b.json")}
    assert states["a.json"]["rounds"] == states["b.json"]["rounds"]
    assert states["a.json"]["run"] == states["b.json"]["run"]

    # A run that was cut after its first round goes on from there.
    for name, state in states.items():
        (folder / name).write_text(json.dumps({**state, "rounds": state["rounds"][:1]}))
    port = free_port()
    again = finish(
        start(folder, "alice", "bob", "alice.csv", port, "--state", "a.json"),
        start(folder, "bob", "alice", "bob.csv", port, "--state", "b.json"),
    )
    assert [run[0] for run in again] == [0, 0]
    assert again[0][1] == one[1]
    assert "round 2 done" in again[0][2]
    assert "round 1 done" not in again[0][2]


@pytest.mark.parametrize("logarithm", ["chebyshev", "strict"])
def test_bayes_nets_across_columns(folder, logarithm):
    port, options = free_port(), ("--logarithm", logarithm)
    one, two = finish(
        start(folder, "alice", "bob", "left.csv", port, "--json", *options, command="bayes-net"),
        start(folder, "bob", "alice", "right.csv", port, *options, command="bayes-net"),
    )
    assert one[0] == two[0] == 0, one[2] + two[2]
    assert set(json.loads(one[1])["model"]["class"]) == {"colour", "size"}
    assert "class <- " in two[1]


@pytest.mark.parametrize(
    ("peer_of_bob", "options", "message"),
    [
        ("mallory", (), "certificate"),
        ("alice", ("--max-depth", "1"), "other parameters: max_depth"),
    ],
)
def test_a_wrong_peer_is_an_error_at_both_ends_and_nothing_is_written(
    folder, peer_of_bob, options, message
):
    port = free_port()
    one, two = finish(
        start(folder, "alice", "bob", "alice.csv", port, "--output", "t.json", program=IMPATIENT),
        start(folder, "bob", peer_of_bob, "bob.csv", port, *options),
    )
    assert one[0] == two[0] == 4
    assert message in one[2] + two[2]
    assert "Traceback" not in one[2] + two[2]
    assert not (folder / "t.json").exists()


@pytest.mark.parametrize("moment", ["connected", "round 1 done"])
def test_a_caller_that_dies_is_noticed_and_the_run_can_be_resumed(folder, moment):
    port, program = free_port(), ("tests.reference.killed", moment)
    (code, _, err), (killed, *_) = finish(
        start(folder, "alice", "bob", "alice.csv", port, "--state", "a.json"),
        start(folder, "bob", "alice", "bob.csv", port, "--state", "b.json", program=program),
    )
    assert killed == -signal.SIGKILL
    assert code == 4
    assert "run the same command again" in err or "hung up" in err
    port = free_port()
    one, two = finish(
        start(folder, "alice", "bob", "alice.csv", port, "--state", "a.json"),
        start(folder, "bob", "alice", "bob.csv", port, "--state", "b.json"),
    )
    assert one[0] == two[0] == 0
    assert one[1] == two[1]


@pytest.mark.parametrize("whose", ["alice.csv", "bob.csv", "schema.toml"])
def test_the_same_command_on_another_table_does_not_resume(folder, whose):
    """Next month's table with last month's state files: refused where the change is."""
    port = free_port()
    ended = finish(
        start(folder, "alice", "bob", "alice.csv", port, "--state", "a.json"),
        start(folder, "bob", "alice", "bob.csv", port, "--state", "b.json"),
    )
    assert [run[0] for run in ended] == [0, 0]
    changed = (folder / whose).read_text().replace("red", "blue", 1)
    if whose == "schema.toml":
        changed = (folder / whose).read_text().replace('["no", "yes"]', '["yes", "no"]')
    (folder / whose).write_text(changed)
    port = free_port()
    own, peer = ("bob", "alice") if whose == "bob.csv" else ("alice", "bob")
    state = "b.json" if whose == "bob.csv" else "a.json"
    ((code, out, err),) = finish(start(folder, own, peer, f"{own}.csv", port, "--state", state))
    assert code == 2
    assert not out
    assert "another table or schema" in err
    assert "start anew" in err


@pytest.fixture
def run_alone(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return lambda *arguments: CliRunner().invoke(app, ["twoparty", *arguments])


def test_keys_are_made_and_shown(run_alone):
    done = run_alone("keys", "carol", "--json")
    assert done.exit_code == 0
    assert len(json.loads(done.stdout)["fingerprint"].replace(" ", "")) == 64
    again = run_alone("keys", "carol")
    assert again.exit_code == 2
    assert "exists" in again.stderr


def test_bad_usage_is_told_at_once(folder, run_alone):
    common = [
        "id3", "--schema", "schema.toml", "--key", "alice.key",
        "--certificate", "alice.crt", "--peer", "bob.crt",
    ]  # fmt: skip
    (folder / "old.json").write_text('{"run": "other", "rounds": []}')
    (folder / "bad.json").write_text("nonsense")
    (folder / "wrong.csv").write_text("colour,size,class\npink,small,no\n")
    for options, message in (
        ([], "--listen and --connect"),
        (["--connect", "nowhere"], "HOST:PORT"),
        (["--connect", "127.0.0.1:1", "--state", "old.json"], "another version"),
        (["--connect", "127.0.0.1:1", "--state", "bad.json"], "not a state file"),
        (["--connect", "127.0.0.1:1", "--products", "semi2k"], "transfer or paillier"),
        (["--connect", "127.0.0.1:1", "--logarithm", "table"], "chebyshev, taylor"),
        (["--connect", "127.0.0.1:1", "--timeout", "inf"], "time limit"),
        (["--connect", "127.0.0.1:1", "--peer", "alice.crt"], "this party's own"),
        (["--connect", "127.0.0.1:1", "wrong.csv"], "column 'colour': 1 cells"),
    ):
        part = [] if "wrong.csv" in options else ["alice.csv"]
        done = run_alone(*common, *part, *options)
        assert done.exit_code == 2, done.stderr
        assert message in done.stderr
        assert "Traceback" not in done.stderr
