"""The studio as a process: on the loopback alone, for one browser, quickly."""

import http.client
import re
import socket
import time

import pytest

from shoal.errors import ParameterError, TableError
from shoal.studio._server import serve_studio
from tests.studio.desks import write_people
from tests.studio.servers import started


def ask(port, path, headers=None):
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    for _ in range(300):
        try:
            line.request("GET", path, headers=headers or {})
            break
        except ConnectionRefusedError:
            time.sleep(0.02)
    answer = line.getresponse()
    text = answer.read().decode()
    line.close()
    return answer, text


def test_the_first_page_is_there_soon_and_for_nobody_else(tmp_path):
    table = write_people(tmp_path / "people.csv")
    with started(tmp_path, table) as (address, told):
        port = int(re.search(r":(\d+)/", address)[1])
        stranger, text = ask(port, "/")  # another user of this machine
        assert stranger.status == 403
        assert "people" not in text
        began = time.perf_counter()
        first, _ = ask(port, address[address.index("/?") :])
        assert first.status == 303
        cookie = first.getheader("set-cookie").partition(";")[0]
        page, text = ask(port, first.getheader("location"), {"Cookie": cookie})
        taken = told + time.perf_counter() - began
        assert page.status == 200
        assert "people.csv" in text
        assert taken < 10  # 0.9 s where nothing else runs; the aim of 1.5 s is measured apart
        assert page.getheader("server") is None
        for other in {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None)}:
            if not other.startswith("127."):
                with socket.socket(socket.AF_INET6 if ":" in other else socket.AF_INET) as line:
                    line.settimeout(2)
                    assert line.connect_ex((other, port)) != 0


def test_ctrl_c_right_at_the_start_ends_it_without_a_traceback(tmp_path):
    for _ in range(3):
        with started(tmp_path):
            pass  # `started` sends the signal at once, and looks for tracebacks


def test_files_of_a_project_are_for_their_owner(tmp_path):
    table = write_people(tmp_path / "people.csv")
    with started(tmp_path, table) as (address, _):
        ask(int(re.search(r":(\d+)/", address)[1]), "/")  # it is up before it is ended
        project = tmp_path / "people.shoal"
        assert project.stat().st_mode & 0o077 == 0
        assert (project / "decisions.jsonl").stat().st_mode & 0o077 == 0
        assert (tmp_path / "config" / "shoal" / "studio.json").stat().st_mode & 0o077 == 0
        # a second studio does not open what the first one has
        with pytest.raises(ParameterError, match="another studio"):
            serve_studio(project, browser=False)


def test_what_cannot_be_opened_is_told_before_anything_listens(tmp_path):
    with pytest.raises(ParameterError, match="no 'gone"):
        serve_studio(tmp_path / "gone.csv", browser=False)
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(TableError, match="in use"):
        serve_studio(allow=[tmp_path], port=taken.getsockname()[1], browser=False)
