"""The lines of *Together* run as they stand: two processes, one line between them, one tree."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.schema import Schema
from tests.extras import ROOT, need
from tests.studio.desks import Bureau
from tests.studio.test_snippets import lines_of

need("cryptography"), need("gmpy2")
SCHEMA = {
    "wind": {"role": "insensitive", "kind": "ordinal", "order": ["calm", "storm"]},
    "play": {"role": "insensitive", "kind": "ordinal", "order": ["no", "yes"]},
}
ROWS = {"ann": "calm;yes\nstorm;no\ncalm;yes\n", "bob": "storm;no\ncalm;yes\nstorm;no\n"}
LONG = 120


def free_address():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"127.0.0.1:{server.getsockname()[1]}"


@pytest.fixture(scope="module")
def parties(tmp_path_factory):
    """Two projects that took each other's certificates, in folders that have to be quoted."""
    made = {}
    for name, rows in ROWS.items():
        folder = tmp_path_factory.mktemp(f"{name}'s $HOME")
        (folder / "part.csv").write_text(f"wind;play\n{rows}")
        made[name] = Bureau(folder, folder / "part.csv")
        made[name].act("table", "reading", delimiter=";")
        made[name].desk.project.save_schema(Schema(SCHEMA), {})
        made[name].act("together", "keys", name=name)
    for name, other in (("ann", "bob"), ("bob", "ann")):
        theirs = Path(made[other].show("together")["own"]["certificate"])
        made[name].room.folders.allow(str(theirs.parent))
        made[name].act("together", "peer", path=str(theirs))
        made[name].act("together", "compared", why="read aloud")
    return made


def ask(bureau, way, address):
    """Fill in the form; the work itself is left to the lines."""
    bureau.act("together", "start", way=way, address=address, target="play", max_depth=1)
    bureau.desk.cancel(bureau.desk.running("together").number)
    return lines_of(bureau, "together")


def begin(kind, lines):
    """The lines in a process of their own, as somebody would run them."""
    own = Path(sys.executable).parent
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "NUMBA_NUM_THREADS": "1",
                   "PATH": f"{own}{os.pathsep}{os.environ['PATH']}"}  # fmt: skip
    command = ["sh", "-e", "-c"] if kind == "command" else [sys.executable, "-c"]
    return subprocess.Popen(
        [*command, lines[kind]], cwd="/", env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


@pytest.mark.parametrize(("first", "second"), [("command", "python"), ("python", "command")])
def test_the_lines_of_both_parties_grow_one_tree(parties, first, second):
    address = free_address()
    waiting = begin(first, ask(parties["ann"], "listen", address))
    calling = begin(second, ask(parties["bob"], "connect", address))
    try:
        said = [process.communicate(timeout=LONG) for process in (calling, waiting)]
    finally:
        for process in (calling, waiting):
            process.kill()
    for process, (out, errors) in zip((calling, waiting), said, strict=True):
        assert process.returncode == 0, errors
        assert "Traceback" not in errors
        assert {"wind", "storm", "calm"} <= set(out.replace("=", " ").replace(":", " ").split())


def test_lines_that_lack_something_say_what(tmp_path):
    bureau = Bureau(tmp_path).with_roles()
    lines = lines_of(bureau, "together")
    assert "OTHER.crt" in lines["command"]
    assert "OTHER.crt" in lines["python"]
    compile(lines["python"], "together", "exec")
