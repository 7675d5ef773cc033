"""A second user of the machine: reads what users can read, asks what users can ask, gets nothing.

Also the user's own studio, killed while it works: what was decided is there, nothing is half there.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from shoal.studio import _server
from tests.studio.desks import write_people
from tests.studio.servers import started
from tests.studio.test_server import ask

CANARY = "Xq7canary"
STRANGER = Path(__file__).with_name("stranger.py")


@pytest.fixture
def open_folder():
    """A folder that everybody may enter, so that only the studio's own care protects it."""
    folder = Path(tempfile.mkdtemp(prefix="everybody-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def call(address, cookie="", data=None):
    """JSON of a route; the cookie of the answer where it is the first."""
    headers = {"Cookie": cookie} | ({"Content-Type": "application/json"} if data else {})
    body = json.dumps(data).encode() if data else None
    with urllib.request.urlopen(
        urllib.request.Request(address, body, headers), timeout=60
    ) as answer:
        return json.loads(answer.read())


def let_in(address):
    """Use the token; the cookie and where it leads."""
    port = int(re.search(r":(\d+)/", address)[1])
    answer, _ = ask(port, address[address.index("/?") :])
    return answer.getheader("set-cookie").partition(";")[0], answer.getheader("location")


@pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0,
    reason="needs to be root to become another user: no stranger tried",
)
def test_a_second_user_of_the_machine_gets_nothing(open_folder, monkeypatch):
    table = open_folder / "people.csv"
    table.write_text("age,town\n" + "".join(f"{n % 9},{CANARY}{n % 3}\n" for n in range(40)))
    table.chmod(0o600)
    opened = []
    monkeypatch.setattr(_server.webbrowser, "open", opened.append)
    with started(open_folder, table) as (address, _):
        own, token = address.split("/?token=")
        _server._open(address)  # the file that leads a browser in
        page = Path(opened[0].removeprefix("file://"))
        assert token in page.read_text()
        cookie, home = let_in(address)
        number = home.split("/")[2]
        call(f"{own}/api/p/{number}/columns", cookie)
        code = [sys.executable, str(STRANGER), own.rpartition(":")[2]]
        places = [str(open_folder), str(page.parent)]
        done = subprocess.run(
            [*code, *places], input=cookie, capture_output=True, text=True, timeout=120
        )
    shutil.rmtree(page.parent)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("status 403") == 8  # with a stolen cookie, too
    assert "people.shoal" in done.stdout  # that there is a project can be seen in an open folder
    for secret in (token, cookie.partition("=")[2], CANARY, number, page.name):
        assert secret not in done.stdout


def workers_of(folder):
    """Processes whose files lie in a folder, and which are workers of a studio."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            line = (path / "cmdline").read_bytes()
            if b"shoal.studio.work" in line and Path(os.readlink(path / "cwd")) == folder:
                found.append(int(path.name))
        except OSError:
            continue
    return found


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc to find the workers")
def test_a_studio_that_was_killed_is_opened_again_where_it_was_left(tmp_path):
    write_people(tmp_path / "people.csv", 3_000)
    script = (
        "import sys; from shoal.studio import serve_studio; "
        "serve_studio('people.csv', browser=False, "
        "tell=lambda text: print(text, file=sys.stderr, flush=True))"
    )
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "config")}
    process = subprocess.Popen(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment, text=True,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        address = re.search(r"http://\S+", process.stderr.readline())[0]
        cookie, home = let_in(address)
        base = f"{address.split('/?')[0]}/api/p/{home.split('/')[2]}"
        for _ in range(600):
            if "error" not in _columns(base, cookie):
                break
            time.sleep(0.1)
        columns = {"columns": ["age", "city"], "role": "quasi-identifier", "why": "known to many"}
        call(f"{base}/columns/set", cookie, columns)
        call(f"{base}/promise/set", cookie, {"recipient": "contract", "k": 7})
        call(f"{base}/sign/write", cookie, {"name": "half.csv"})
        for _ in range(600):
            job = call(f"{base}/sign", cookie)["job"]
            if job and job["state"] == "running":
                break
            time.sleep(0.05)
        working = workers_of(tmp_path)
        assert working
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(20)
        process.stderr.close()
    for _ in range(600):
        if not workers_of(tmp_path):
            break
        time.sleep(0.1)
    assert workers_of(tmp_path) == []  # nobody is left to work for
    left = sorted(path.name for path in (tmp_path / "people.shoal").glob("releases/*"))
    assert left == [] or "half.manifest.json" in left  # whole, or not there
    with started(tmp_path, tmp_path / "people.shoal") as (address, _):
        cookie, home = let_in(address)
        base = f"{address.split('/?')[0]}/api/p/{home.split('/')[2]}"
        promise = call(f"{base}/promise", cookie)
        assert (promise["k"], promise["recipient"]) == (7, "contract")
        assert set(promise["quasi_identifiers"]) >= {"age", "city"}
        assert any(
            one["why"] == "known to many" for one in call(f"{base}/log", cookie)["decisions"]
        )


def _columns(base, cookie):
    """The screen of the promise, which has an error until roles are there."""
    call(f"{base}/columns", cookie)
    try:
        return call(f"{base}/promise", cookie)
    except urllib.error.HTTPError as error:
        return json.loads(error.read())
