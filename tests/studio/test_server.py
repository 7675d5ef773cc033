"""The studio as a process: on the loopback alone, for one browser, quickly."""

import http.client
import os
import random
import re
import socket
import time

import pytest

from shoal.errors import ParameterError, TableError
from shoal.studio import _server
from shoal.studio._server import serve_studio
from tests.studio.desks import write_people
from tests.studio.servers import started


def ask(port, path, headers=None):
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    for _ in range(3_000):  # a minute
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
    before = os.times()
    with started(tmp_path, table) as (address, _):
        port = int(re.search(r":(\d+)/", address)[1])
        stranger, text = ask(port, "/")  # another user of this machine
        assert stranger.status == 403
        assert "people" not in text
        first, _ = ask(port, address[address.index("/?") :])
        assert first.status == 303
        cookie = first.getheader("set-cookie").partition(";")[0]
        page, text = ask(port, first.getheader("location"), {"Cookie": cookie})
        assert page.status == 200
        assert "people.csv" in text
        assert page.getheader("server") is None
        for other in {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None)}:
            if not other.startswith("127."):
                with socket.socket(socket.AF_INET6 if ":" in other else socket.AF_INET) as line:
                    line.settimeout(2)
                    assert line.connect_ex((other, port)) != 0
    # Processor time of the studio from start to end: the machine may be busy.  The first page takes
    # 0.9 s where nothing else runs; the aim of 1.5 s is measured apart.
    assert sum(os.times()[2:4]) - sum(before[2:4]) < 10


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


def test_the_file_that_leads_a_browser_in_is_removed_once_and_may_be_gone_before(tmp_path):
    page = tmp_path / "shoal-studio-x" / "page.html"
    page.parent.mkdir()
    page.write_text("in")
    _server._remove(page)
    assert list(tmp_path.iterdir()) == []
    _server._remove(page)  # a timer does it, whose failure would be told to nobody


ODD = (
    b"\0" * 500, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x02\x00\x01",
    b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"POST /api/open HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: -5\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 9\r\n"
    b"Transfer-Encoding: chunked\r\n\r\nGET / HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nCookie: " + b"a" * 70_000 + b"\r\n\r\n",
    b"GET /" + b"../" * 2_000 + b"etc/passwd HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eHh4eHh4eHh4eHh4eHh4eA==\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: x\r\n\r\n",
)  # fmt: skip


def say(port, raw):
    """Bytes to the studio, and the first of its answer; nothing where it hangs up."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as line:
        try:
            line.sendall(raw.replace(b"%d", str(port).encode()))
            line.shutdown(socket.SHUT_WR)
            return line.recv(65_536)
        except OSError:
            return b""


def test_what_is_no_request_of_a_browser_breaks_nothing(tmp_path):
    draw = random.Random(19)
    with started(tmp_path, write_people(tmp_path / "people.csv")) as (address, _):
        port = int(re.search(r":(\d+)/", address)[1])
        ask(port, "/")  # it is up
        for raw in (*ODD, *(draw.randbytes(draw.randint(1, 3_000)) for _ in range(60))):
            answer = say(port, raw)
            assert not answer or answer.split()[1][:1] == b"4", raw[:80]
            assert b"people" not in answer
            assert b"root:" not in answer
        first, _ = ask(port, address[address.index("/?") :])
        assert first.status == 303  # and the user still gets in
