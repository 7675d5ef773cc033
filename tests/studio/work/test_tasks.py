"""Every task, on a small table: what screens will show of it, and nothing of a person."""

import json
import threading

import pytest

from shoal.parties import make_keys
from shoal.schema import Schema
from shoal.studio.work._bench import Bench
from shoal.studio.work._loop import answer
from shoal.studio.work._tasks import TASKS
from tests.extras import need
from tests.studio.desks import write_people

SCHEMA = Schema(
    {
        "name": {"role": "identifier"},
        "age": {"role": "quasi-identifier", "kind": "numeric", "hierarchy": {"intervals": [5, 20]}},
        "city": {"role": "quasi-identifier", "hierarchy": {"tree": {
            "North": ["Kiel", "Bremen"], "South": ["Ulm", "Passau", "Bonn"]}}},
        "illness": {"role": "sensitive", "target": True},
    }
)  # fmt: skip


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """Ask for a task; the last word, and all that was said before."""
    folder = tmp_path_factory.mktemp("tasks")
    table, bench = write_people(folder / "people.csv"), Bench()
    schema = SCHEMA.to_toml(folder / "schema.toml")

    def ask(task, **more):
        said = []
        common = {"table": str(table), "encoding": "", "stamp": [1], "schema": schema, "k": 5,
                  "folder": str(folder), "conditions": [], "suppress": 0.0, "method": "top-down",
                  "schema_path": str(folder / "schema.toml")}  # fmt: skip
        answer(bench, {"task": task, "args": common | more}, said.append)
        assert "done" in said[-1], said[-1]
        assert "Person" not in json.dumps(said[-1], default=str)
        return said[-1]["done"], said[:-1]

    ask.folder = folder
    return ask


def test_a_candidate_is_compared_without_a_value_of_anybody(asked):
    found, _ = asked("compare")
    assert found["smallest"] >= 5
    assert [column["name"] for column in found["columns"]] == ["age", "city"]
    for column in found["columns"]:
        assert sum(part["before"] for part in column["bins"]) == pytest.approx(1)
        assert sum(part["after"] for part in column["bins"]) == pytest.approx(1)
    city = found["columns"][1]
    assert {part["label"] for part in city["bins"]} == {None}
    assert found["queries"]["queries"] == 200
    assert sum(rows for _, _, rows in found["sizes"]) == 200
    assert all(set(group) == {"rows", "lost", "hidden"} for group in found["worst"])
    shown, _ = asked("compare", revealed=["city"])
    assert {part["label"] for part in shown["columns"][1]["bins"]} > {"Kiel", "Ulm"}


def test_points_come_one_by_one(asked):
    found, said = asked("explore", methods=["top-down"], ks=[2, 5])
    parts = [message["part"]["point"] for message in said if "part" in message]
    assert parts == found["points"]
    assert [(point["method"], point["k"]) for point in parts] == [("top-down", 2), ("top-down", 5)]
    assert parts[0]["gcp"] <= parts[1]["gcp"]


def test_a_method_that_cannot_do_it_does_not_end_the_others(asked):
    found, _ = asked("explore", methods=["no-such", "top-down"], ks=[5])
    first, second = found["points"]
    assert set(first) == set(second)
    assert "unknown method" in first["failure"]
    assert second["failure"] is None


def test_the_lattice_is_listed_with_its_best_node(asked):
    found, _ = asked("lattice")
    assert found["columns"] == ["age", "city"]
    best = found["best"]
    assert [best["height"], pytest.approx(best["loss"]), True] in found["nodes"]
    assert best["loss"] == min(loss for _, loss, safe in found["nodes"] if safe)


def test_a_model_learns_from_the_release(asked):
    found, _ = asked("train")
    assert set(found) == {"raw", "top-down"}
    assert 0 < found["top-down"]["accuracy"] <= 1


def test_attacks_are_run_by_what_they_ask_for(asked):
    draft = {"draft": True, "release": str(asked.folder / "draft.csv"), "on": "draft"}
    everything, _ = asked("attack", attack="linking", **draft)
    less, _ = asked("attack", attack="linking", known=["city"], **draft)
    assert 0 <= less["risk"] <= 1
    assert everything["trials"] == 200
    names = [attack["name"] for attack in asked("catalog")[0]["attacks"]]
    assert {"linking", "refine", "closest"} <= set(names)
    others = write_people(asked.folder / "others.csv", 80)
    for name in names:  # whatever attacks there are
        found, _ = asked("attack", attack=name, control=str(others), **draft)
        assert found["asked"] == name
        low, high = found["interval"]
        assert low <= high


def test_an_attack_that_needs_control_rows_asks_for_them(tmp_path):
    table, said = write_people(tmp_path / "people.csv"), []
    args = {"table": str(table), "stamp": [1], "schema": SCHEMA.to_toml(tmp_path / "schema.toml"),
            "k": 5, "folder": str(tmp_path), "method": "top-down", "attack": "closest",
            "draft": True, "release": str(tmp_path / "draft.csv")}  # fmt: skip
    answer(Bench(), {"task": "attack", "args": args}, said.append)
    assert "control rows: name a file" in said[-1]["failed"]


def test_every_task_has_its_file():
    for name in TASKS:
        said = []
        answer(Bench(), {"task": name, "args": {}}, said.append)  # nothing to work on
        if name != "catalog":
            assert "failed" in said[-1]
            assert "no task" not in said[-1]["failed"]


def test_two_parties_grow_one_tree(tmp_path):
    need("cryptography"), need("gmpy2")
    schema = Schema(
        {
            "wind": {"role": "insensitive", "kind": "ordinal", "order": ["calm", "storm"]},
            "play": {"role": "insensitive", "kind": "ordinal", "order": ["no", "yes"],
                     "target": True},
        }
    )  # fmt: skip
    text = schema.to_toml(tmp_path / "schema.toml")
    rows = {"ann": "calm,yes\nstorm,no\ncalm,yes\n", "bob": "storm,no\ncalm,yes\nstorm,no\n"}
    for name, part in rows.items():
        (tmp_path / f"{name}.csv").write_text(f"wind,play\n{part}")
        make_keys(name, tmp_path)
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
    said = {"ann": [], "bob": []}

    def take_part(name, other, way):
        args = {"table": str(tmp_path / f"{name}.csv"), "schema": text, "folder": str(tmp_path),
                "way": way, "address": address, "key": str(tmp_path / f"{name}.key"),
                "certificate": str(tmp_path / f"{name}.crt"), "target": "play", "max_depth": 1,
                "peer": str(tmp_path / f"{other}.crt")}  # fmt: skip
        answer(Bench(), {"task": "together", "args": args}, said[name].append)

    listening = threading.Thread(target=take_part, args=("ann", "bob", "listen"))
    listening.start()
    take_part("bob", "ann", "connect")
    listening.join(60)
    ends = [said[name][-1] for name in said]
    assert all("done" in end for end in ends), ends
    assert ends[0]["done"]["tree"] == ends[1]["done"]["tree"]
    assert "wind" in ends[0]["done"]["tree"]
    spoken = [m["part"]["said"] for m in said["ann"] if "part" in m]
    assert spoken[0] == "connected"
    assert "round" in spoken
    rounds = [m["part"] for m in said["ann"] if m.get("part", {}).get("said") == "round"]
    assert [(one["asks"], one["leaves"]) for one in rounds] == [(["wind"], 0), ([], 2)]


def test_the_rest_of_the_values_is_called_so_and_the_others_stay_hidden(asked):
    table = asked.folder / "many.csv"
    rows = [f"P{n},{20 + n % 41},City{n % 20},flu" for n in range(400)]
    table.write_text("\n".join(["name,age,city,illness", *rows]) + "\n")
    flat = Schema(dict(SCHEMA) | {"city": {"role": "quasi-identifier", "hierarchy": "flat"}})
    flat.to_toml(asked.folder / "flat.toml")
    schema = (asked.folder / "flat.toml").read_text("utf-8")
    found, _ = asked("compare", table=str(table), stamp=[2], schema=schema)
    *hidden, rest = [part["label"] for part in found["columns"][1]["bins"]]
    assert set(hidden) == {None}
    assert rest.endswith("other values")
