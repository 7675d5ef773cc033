"""The studio as a browser meets it: start, every screen's answer after the first load, memory.

A hospital of a million rows, a table of two hundred columns, and ten million rows that are opened
(quick: smaller ones).  The peer is the aim: the first page in 1.5 s, 200 ms for the 95th percentile
of answers, 1.5 GB for server and workers.  The figures of the tutorial are those of
`python -m benchmarks --full --out docs/evidence/studio.json studio`.
"""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._row import Row
from shoal.datasets import write_hospital

SCREENS = (
    *("table", "columns", "hierarchies", "promise", "explore", "compare", "attack", "sign"),
    *("model", "together", "log"),
)
START, ANSWER, MEMORY = 1.5, 0.2, 1.5
TRIES = 20
PATIENCE = 900.0


def main(quick: bool = False) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        n_rows, n_columns = (50_000, 200) if quick else (1_000_000, 200)
        hospital = folder / "hospital.csv"
        write_hospital(hospital, n_rows)
        yield from _measure(f"hospital of {n_rows:,} rows", hospital)
        yield from _measure(f"table of {n_columns} columns", _wide(folder / "wide.csv", n_columns))
        n_rows = 200_000 if quick else 10_000_000
        for ending in ("parquet", "csv"):
            large = folder / f"large-{ending}.{ending}"
            write_hospital(large, n_rows)
            yield from _open(f"{n_rows:,} rows of {ending}", large)
            large.unlink()


def _open(what: str, table: Path) -> Iterator[Row]:
    """From the first page to what is told of a sample, of all rows, and who is exposed."""
    with _studio(table) as studio:
        began = time.perf_counter()
        studio.wait("table", lambda shown: shown["overview"]["value"])
        seen = time.perf_counter() - began
        yield Row(f"studio, {what}: rows, columns, types and missing of a sample", seen)
        studio.wait("table", lambda shown: (shown["overview"]["value"] or {}).get("exact"))
        yield Row(f"studio, {what}: the same of all rows", time.perf_counter() - began)
        studio.wait("columns", lambda shown: (shown["exposure"] or {}).get("state") == "ready")
        yield Row(f"studio, {what}: who is exposed, after the roles", time.perf_counter() - began)
        most = studio.most
        yield Row(f"studio, {what}: most memory, server and workers", most, MEMORY, "the aim", "GB")


def _wide(path: Path, n_columns: int, n_rows: int = 5_000) -> Path:
    draw = np.random.default_rng(0)
    cells = np.column_stack([draw.integers(0, 2 + n % 40, n_rows) for n in range(n_columns)])
    header = ",".join(f"column {n}" for n in range(n_columns))
    np.savetxt(path, cells, fmt="%d", delimiter=",", header=header, comments="")
    return path


def _measure(what: str, table: Path) -> Iterator[Row]:
    with _studio(table) as studio:
        yield Row(f"studio, {what}: start to first page", studio.first, START, "the aim")
        used = studio.processor()
        yield Row(f"studio, {what}: the same, processor time", used, START, "the aim")
        _prepare(studio)
        worst = 0.0
        for screen in SCREENS:
            studio.get(screen)
        for screen in SCREENS:
            taken = [studio.timed(screen) for _ in range(TRIES)]
            p95 = float(np.percentile(taken, 95))
            worst = max(worst, p95)
        yield Row(f"studio, {what}: slowest screen, 95th percentile", worst, ANSWER, "the aim")
        used = studio.memory()
        yield Row(f"studio, {what}: memory, server and workers", used, MEMORY, "the aim", "GB")


def _prepare(studio: "_Studio") -> None:
    """Roles for few columns, a promise, and every fact that the screens show."""
    studio.wait("columns", lambda shown: shown["columns"] and shown["columns"][0]["role"])
    names = [column["name"] for column in studio.json("columns")["columns"]]
    kept = [name for name in names if name in ("birth_date", "sex", "admission_date")] or names[:4]
    studio.post("columns/set", {"columns": names, "role": "insensitive"})
    studio.post("columns/set", {"columns": kept, "role": "quasi-identifier"})
    studio.post("columns/set", {"columns": names[-1:], "role": "sensitive"})
    studio.post("columns/accept", {})
    studio.post("promise/set", {"recipient": "contract"})
    studio.wait("promise", lambda shown: shown["now"])
    studio.wait("hierarchies", lambda shown: shown["fact"]["state"] != "working")
    studio.post("explore/choose", {"candidate": "top-down:5"})
    studio.wait("compare", lambda shown: shown["fact"]["state"] != "working")


class _Studio:
    """A browser, as far as answers go."""

    def __init__(self, process: "subprocess.Popen[str]", address: str, began: float) -> None:
        self.process = process
        self.port = int(re.findall(r":(\d+)/", address)[0])
        answer = self._ask("GET", address[address.index("/?") :])
        self.cookie = str(answer.getheader("set-cookie")).partition(";")[0]
        self.base = str(answer.getheader("location")).rsplit("/", 1)[0]
        self.most = 0.0
        self.get("table")
        self.first = time.perf_counter() - began

    def _ask(self, method: str, path: str, body: Any = None) -> http.client.HTTPResponse:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Cookie": getattr(self, "cookie", ""), "Content-Type": "application/json"}
        for _ in range(200):
            try:
                line.request(method, path, None if body is None else json.dumps(body), headers)
                break
            except ConnectionRefusedError:
                time.sleep(0.01)
        answer = line.getresponse()
        self.text = answer.read().decode()
        line.close()
        return answer

    def get(self, screen: str) -> None:
        answer = self._ask("GET", f"{self.base}/{screen}")
        assert answer.status == 200, (screen, answer.status, self.text[:500])

    def timed(self, screen: str) -> float:
        started = time.perf_counter()
        self.get(screen)
        return time.perf_counter() - started

    def json(self, screen: str) -> Any:
        self._ask("GET", f"/api{self.base}/{screen}")
        return json.loads(self.text)

    def post(self, path: str, body: Any) -> None:
        answer = self._ask("POST", f"/api{self.base}/{path}", body)
        assert answer.status == 200, self.text

    def wait(self, screen: str, done: Any) -> None:
        end = time.perf_counter() + PATIENCE
        while not done(self.json(screen)):
            self.most = max(self.most, self.memory())
            assert time.perf_counter() < end, f"{screen} took too long"
            time.sleep(0.2)

    def processor(self) -> float:
        """Seconds that the server has computed so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """Gigabytes of the server and of the processes that it started."""
        own = [self.process.pid, *_children(self.process.pid)]
        return sum(_resident(pid) for pid in own) / 1e9


def _children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in found]


def _resident(pid: int) -> int:
    """Bytes in memory; what several processes share is divided among them."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))


@contextmanager
def _studio(table: Path) -> Iterator[_Studio]:
    command = [sys.executable, "-m", "shoal", "studio", str(table), "--no-browser"]
    home = os.environ | {"XDG_CONFIG_HOME": str(table.parent / "config")}
    began = time.perf_counter()
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=home)
    try:
        assert process.stderr is not None
        yield _Studio(process, process.stderr.readline().strip(), began)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)
