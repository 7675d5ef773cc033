"""Owners and helpers as processes on loopback: the tree of all rows, and owners who are killed."""

import csv
import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from shoal.cli import app
from shoal.cli.together._state_file import StateFile
from shoal.parties import make_keys
from shoal.secure.miners._progress import Progress
from tests.extras import DATA, ROOT
from tests.reference.id3 import id3
from tests.reference.k2 import k2, sample_asia
from tests.reference.processes import free_addresses
from tests.reference.two_parties import table

FOLDER_FILES = ["--key", "first.key", "--certificate", "first.crt"]
CANARY_CASES = {
    "together keys": [(0, ["carol"])],
    "together agree": [(2, ["--schema", "gone.toml"])],
    "together show": [(2, ["gone.toml"])],
    "together join": [(2, ["gone.toml", "people.csv", "--as", "north", *FOLDER_FILES])],
    "together help": [(2, ["gone.toml", "--as", "first", *FOLDER_FILES])],
}
OWNERS = ["north", "south", "east", "west", "centre"]


def prepare(folder, names, values, codes, owners, *options):
    """Keys, schema, a part for every owner, and the agreement."""
    lines = []
    for name, labels in zip(names, values, strict=True):
        lines += [f"[columns.{json.dumps(name)}]", 'role = "insensitive"', 'kind = "ordinal"']
        lines += [f"order = {json.dumps(labels)}"]
    (folder / "schema.toml").write_text("\n".join(lines) + "\n")
    for name in ("first", "second", *owners):
        if not (folder / f"{name}.key").exists():
            make_keys(name, folder)
    for i, owner in enumerate(owners):
        with (folder / f"{owner}.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["person", *names])
            for number, row in enumerate(codes[i :: len(owners)]):
                cells = [values[c][v] for c, v in enumerate(row)]
                writer.writerow([f"{owner}-{number}", *cells])
    one, two = free_addresses(2)
    arguments = [
        "together", "agree", "--schema", str(folder / "schema.toml"),
        "--first", one, "--second", two,
        "--first-certificate", str(folder / "first.crt"),
        "--second-certificate", str(folder / "second.crt"),
        *(part for owner in owners for part in ("--owner", str(folder / f"{owner}.crt"))),
        "--most-rows", str(len(codes) + 7), "--target", names[-1], *options,
        "--out", str(folder / "agreement.toml"), "--force",
    ]  # fmt: skip
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def start(folder, name, *options, killed_at=None):
    """Start a seat; with `killed_at` it kills itself when it says so."""
    seat = ["help"] if name in ("first", "second") else ["join"]
    part = [] if seat == ["help"] else [f"{name}.csv"]
    arguments = [
        *seat, "agreement.toml", *part, "--as", name, "--key", f"{name}.key",
        "--certificate", f"{name}.crt", "--timeout", "180", "--state", f"{name}.state.json",
        "--out", f"{name}.json", "--force", "--transcript", f"{name}.transcript", *options,
    ]  # fmt: skip
    program = ["shoal"] if killed_at is None else ["tests.reference.killed", killed_at]
    return subprocess.Popen(
        [sys.executable, "-m", *program, "together", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(processes, timeout=600):
    ended = {}
    for name, process in processes.items():
        out, err = process.communicate(timeout=timeout)
        ended[name] = (process.returncode, out, err)
    return ended


def tree_of(folder, name):
    return json.loads((folder / f"{name}.json").read_text())["model"]["tree"]


def as_dict(nested, names, values, target):
    if not isinstance(nested, tuple):
        return {"class": values[target][nested]}
    attribute, children = nested
    return {
        "attribute": names[attribute],
        "children": {
            value: as_dict(child, names, values, target)
            for value, child in zip(values[attribute], children, strict=True)
        },
    }


def adult(rows):
    path = DATA / "adult" / "adult.data"
    if not path.exists():
        pytest.skip("needs the Adult data in SHOAL_DATA")
    with path.open(newline="") as file:
        lines = [row for row in csv.reader(file, skipinitialspace=True) if len(row) == 15]
    raw = np.array(lines[:rows])[:, [1, 5, 7, 9, 14]]
    pairs = [np.unique(column, return_inverse=True) for column in raw.T]
    names = ["workclass", "marital-status", "relationship", "sex", "class"]
    return names, [v.tolist() for v, _ in pairs], np.stack([c for _, c in pairs], axis=1)


def test_five_owners_and_two_helpers_grow_the_tree_of_the_pooled_rows(tmp_path):
    names, values, codes = adult(1500)
    said = prepare(tmp_path, names, values, codes, OWNERS, "--max-depth", "3")
    seats = ["first", "second", *OWNERS]
    ended = finish({name: start(tmp_path, name) for name in seats})
    assert {name: end[0] for name, end in ended.items()} == dict.fromkeys(seats, 0), ended
    expected, _ = id3(codes, 4, [len(v) for v in values], max_depth=3)
    pooled = as_dict(expected, names, values, 4)
    assert all(tree_of(tmp_path, name) == pooled for name in seats)
    assert len({end[1] for end in ended.values()}) == 1
    transcript = (tmp_path / "north.transcript").read_text()
    assert said.splitlines()[-1] in transcript  # the agreement's digest
    assert "each helper: uniform shares of this owner's counts" in transcript
    assert "both helpers and all owners: the best attribute" in transcript
    everything = "".join(end[1] + end[2] for end in ended.values()) + transcript
    assert "north-1" not in everything


@pytest.fixture
def small(tmp_path):
    arities = [3, 2, 2, 2]
    names = ["colour", "size", "age", "class"]
    values = [[f"{name}{v}" for v in range(a)] for name, a in zip(names, arities, strict=True)]
    return tmp_path, names, values, table(9, 90, arities)


def test_an_owner_that_is_killed_stops_all_and_the_run_is_resumed(small):
    folder, names, values, codes = small
    owners = OWNERS[:2]
    prepare(folder, names, values, codes, owners, "--answer-seconds", "20")
    seats = ["first", "second", *owners]
    ends = {"south": "round 1 done"}
    ended = finish({name: start(folder, name, killed_at=ends.get(name)) for name in seats})
    assert ended["south"][0] == -signal.SIGKILL
    codes_ = {name: ended[name][0] for name in seats if name != "south"}
    assert codes_ == dict.fromkeys(codes_, 4), ended
    assert "lost on the way: south. The agreement says to stop" in ended["north"][2]
    assert "Traceback" not in "".join(end[2] for end in ended.values())
    assert "north is" not in ended["first"][2]
    ended = finish({name: start(folder, name) for name in seats})
    assert {end[0] for end in ended.values()} == {0}, ended
    assert "round 1 done" not in ended["first"][2]
    expected, _ = id3(codes, 3, [3, 2, 2, 2], max_depth=3)
    assert tree_of(folder, "south") == as_dict(expected, names, values, 3)


def test_a_helper_that_is_killed_stops_all_and_the_run_is_resumed(small):
    folder, names, values, codes = small
    owners = OWNERS[:2]
    prepare(folder, names, values, codes, owners, "--loss", "continue")
    seats = ["first", "second", *owners]
    ends = {"first": "round 1 done"}
    ended = finish({name: start(folder, name, killed_at=ends.get(name)) for name in seats})
    assert ended.pop("first")[0] == -signal.SIGKILL
    assert {end[0] for end in ended.values()} == {4}, ended
    assert "Traceback" not in "".join(end[2] for end in ended.values())
    assert not any((folder / f"{name}.json").exists() for name in seats)
    ended = finish({name: start(folder, name) for name in seats})
    assert {end[0] for end in ended.values()} == {0}, ended
    expected, _ = id3(codes, 3, [3, 2, 2, 2], max_depth=3)
    assert tree_of(folder, "south") == as_dict(expected, names, values, 3)


def test_a_run_goes_on_without_a_killed_owner_where_that_was_agreed(small):
    folder, names, values, codes = small
    owners = OWNERS[:3]
    agreed = ["--loss", "continue", "-k", "3", "--check-transfers"]
    prepare(folder, names, values, codes, owners, *agreed)
    seats = ["first", "second", *owners]
    ends = {"east": "round 1 done"}
    ended = finish({name: start(folder, name, killed_at=ends.get(name)) for name in seats})
    assert ended["east"][0] == -signal.SIGKILL
    left = [name for name in seats if name != "east"]
    assert {ended[name][0] for name in left} == {0}, ended
    assert all("east is lost; the run goes on" in ended[name][2] for name in left)
    assert all(tree_of(folder, name) == tree_of(folder, "first") for name in left)
    result = json.loads((folder / "north.json").read_text())
    assert result["lost"] == ["east"]
    assert any("these owners are lost: east" in e["what"] for e in _revealed(folder, "first"))


def test_columns_of_three_owners_give_the_net_of_the_whole_table(tmp_path):
    codes = sample_asia(600, seed=2)[:, :5]
    names, values = [f"c{i}" for i in range(5)], [["no", "yes"]] * 5
    owners, held = OWNERS[:3], ([0, 3], [1], [2, 4])
    task = ["--task", "bayes-net", "--split", "columns", "--max-parents", "2"]
    prepare(tmp_path, names, values, codes, owners, *task)
    for owner, columns in zip(owners, held, strict=True):
        lines = [",".join(names[c] for c in columns)]
        lines += [",".join(values[c][row[c]] for c in columns) for row in codes]
        (tmp_path / f"{owner}.csv").write_text("\n".join(lines) + "\n")
    seats = ["first", "second", *owners]
    ended = finish({name: start(tmp_path, name) for name in seats})
    assert {end[0] for end in ended.values()} == {0}, ended
    expected, margin = k2(codes, [2] * 5, list(range(5)), 2)
    assert margin > 0.5  # so that the equality is no luck
    assert any(expected)
    found = json.loads((tmp_path / "north.json").read_text())
    arcs = {names[c]: [names[p] for p in parents] for c, parents in enumerate(expected)}
    assert found["model"] == arcs
    assert len({end[1] for end in ended.values()}) == 1


def _revealed(folder, name):
    return json.loads((folder / f"{name}.json").read_text())["revealed"]


def test_what_cannot_work_is_told_at_once(small, monkeypatch):
    folder, names, values, codes = small
    prepare(folder, names, values, codes, OWNERS[:2])
    monkeypatch.chdir(folder)

    def run(*arguments):
        return CliRunner().invoke(app, ["together", *arguments])

    shown = run("show", "agreement.toml", "--json")
    assert json.loads(shown.stdout)["owners"] == OWNERS[:2]
    files = ["--key", "north.key", "--certificate", "north.crt"]
    (folder / "half.toml").write_text("version = 1\n")
    (folder / "odd.csv").write_text("colour,size,age,class\npink,size0,age0,class0\n")
    for what in ("agreement", "table"):  # rounds of an owner whose agreement or rows were others
        contents = {"agreement": b"", "table": b""}
        if what == "table":
            contents["agreement"] = json.loads(shown.stdout)["digest"].encode()
        state = StateFile(folder / f"{what}.json", folder / "north.key")
        state.store(Progress([[0]], "ab" * 16), contents)
    changed = (folder / "agreement.toml").read_text()
    (folder / "bad.toml").write_text(changed.replace('"id3"', '"id4"'))
    (folder / "more.toml").write_text(changed.replace("[task]", "[task]\nzeal = 3"))
    for arguments, message in (
        (["join", "half.toml", "north.csv", "--as", "north", *files], "not a whole agreement"),
        (["join", "bad.toml", "north.csv", "--as", "north", *files], "task is one of"),
        (["join", "more.toml", "north.csv", "--as", "north", *files], "parameters that id3 lacks"),
        (["join", "agreement.toml", "north.csv", "--as", "nobody", *files], "does not name"),
        (["join", "agreement.toml", "north.csv", "--as", "south", *files], "not the certificate"),
        (["help", "agreement.toml", "--as", "north", *files], "is an owner"),
        (["join", "agreement.toml", "odd.csv", "--as", "north", *files], "1 cells"),
        *(
            (
                [
                    "join",
                    "agreement.toml",
                    "north.csv",
                    "--as",
                    "north",
                    *files,
                    "--state",
                    f"{what}.json",
                ],
                f"a run with another {what}",
            )
            for what in ("agreement", "table")
        ),
    ):
        done = run(*arguments)
        assert done.exit_code == 2, (arguments, done.stderr)
        assert message in done.stderr
        assert "Traceback" not in done.stderr
