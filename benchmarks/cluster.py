"""`python -m benchmarks.cluster`: a standalone Spark cluster on this machine, and a release on it.

One master and two workers of one core each are started from PySpark's own package, the driver gets
2 GB.  A table of patients, all different, is released region by region: once in peace, and, if
asked, once more while a worker is killed in the middle.  Both have to be equal, row by row.

`--bare` also counts all combinations and writes them, without Shoal, in the same session: what any
work on this table costs in Spark.  Both are run once before, since the first run of anything in
Spark compiles it.  Seconds of processor are those of all processes, so they say something on a
machine with other work too.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

HOST = "127.0.0.1"
WORKER_CLASS = "org.apache.spark.deploy.worker.Worker"
MASTER_CLASS = "org.apache.spark.deploy.master.Master"


def spark_class() -> Path:
    """The script that starts Spark's daemons."""
    found = find_spec("pyspark")
    if found is None or found.origin is None:
        raise SystemExit("PySpark is not installed: pip install 'shoal[spark]'")
    return Path(found.origin).parent / "bin" / "spark-class"


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        return int(listener.getsockname()[1])


def wait_for(port: int, seconds: float = 120.0) -> None:
    """Wait until somebody listens on a port."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with contextlib.suppress(OSError), socket.create_connection((HOST, port), timeout=1):
            return
        time.sleep(0.2)
    raise SystemExit("Spark's master did not start within two minutes.")


@contextlib.contextmanager
def cluster(
    folder: Path, memory: str, n_workers: int = 2
) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A master and workers: its address and the workers.  All of them are ended in the end."""
    environment = os.environ | {
        "SPARK_HOME": str(spark_class().parents[1]),
        "SPARK_LOCAL_IP": HOST,
        "SPARK_DAEMON_MEMORY": "256m",
        "PYSPARK_PYTHON": sys.executable,
    }

    def start(*command: str) -> subprocess.Popen[bytes]:
        log = (folder / f"{len(started)}.log").open("wb")
        return subprocess.Popen(
            [str(spark_class()), *command],
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # executors are children: they end with their worker
        )

    started: list[subprocess.Popen[bytes]] = []
    try:
        port = free_port()
        started.append(start(MASTER_CLASS, "-h", HOST, "-p", str(port), "--webui-port", "0"))
        wait_for(port)
        for number in range(n_workers):
            work = folder / f"work{number}"
            started.append(
                start(
                    WORKER_CLASS,
                    "-c",
                    "1",
                    "-m",
                    memory,
                    "-h",
                    HOST,
                    "--webui-port",
                    "0",
                    "-d",
                    str(work),
                    f"spark://{HOST}:{port}",
                )
            )
        yield f"spark://{HOST}:{port}", started[1:]
    finally:
        for process in started:
            end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """End a daemon that was started here, with the executors that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, 9)
    process.wait()


def connect(address: str, memory: str) -> Any:
    """A session whose tasks run on the two workers."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = HOST
    from pyspark.sql import SparkSession

    return (
        SparkSession.builder.master(address)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", "2g")
        .config("spark.driver.host", HOST)
        .config("spark.executor.memory", memory)
        .config("spark.task.maxFailures", "8")
        .config("spark.network.timeout", "300s")
        .getOrCreate()
    )


def release(session: Any, path: Path, out: Path, method: str, regions: int) -> dict[str, Any]:
    """Release the patients; what was reached, how long it took and what the driver held."""
    from shoal.anonymize._registry import make_method
    from shoal.datasets._hospital import hospital_schema
    from shoal.tables import RowOptions

    clock = Clock()
    estimator = make_method(method, hospital_schema(), 5)
    made = estimator.fit(
        session.read.parquet(str(path)), regions=regions or "auto", output=RowOptions(shuffle=1)
    ).release_
    solved = clock.read()
    made.rows.write(made.output, out.with_suffix(".unjudged.parquet"))
    unjudged = clock.read()
    clock = Clock()
    made.write(out)
    whole = [a + b for a, b in zip(solved, clock.read(), strict=True)]
    return {
        "method": method,
        "rows": made.totals.n_rows,
        "regions": made.n_regions,
        "groups": made.metrics.n_groups,
        "loss": round(made.metrics.loss, 5),
        "smallest group": made.metrics.smallest_group,
        "seconds": round(whole[0], 1),
        "seconds of processor": round(whole[1], 1),
        "without the judge": [round(taken, 1) for taken in unjudged],
        "driver's Python, MB": _peak("self"),
        "driver's Java, MB": _peak(_gateway()),
    }


def draw_patients(path: Path, n_rows: int) -> Path:
    """Write the table in a process of its own: what that holds is not the driver's memory."""
    code = "import sys; from shoal.datasets import write_hospital; write_hospital(sys.argv[1], "
    subprocess.run([sys.executable, "-c", f"{code}{n_rows})", str(path)], check=True)
    return path


def bare(session: Any, path: Path, out: Path) -> list[float]:
    """Count all combinations and write them: seconds, and seconds of processor."""
    from shoal.datasets._hospital import hospital_schema

    clock, schema = Clock(), hospital_schema()
    names = [*schema.quasi_identifiers, *schema.sensitive]
    session.read.parquet(str(path)).groupBy(*names).count().write.parquet(str(out))
    return [round(taken, 1) for taken in clock.read()]


class Clock:
    """Seconds since it was made, on the wall and of all processes below this one."""

    def __init__(self) -> None:
        self.seen: dict[int, int] = {}
        self.start = time.perf_counter()
        self.spent = self._spend()

    def read(self) -> tuple[float, float]:
        """Both."""
        return time.perf_counter() - self.start, self._spend() - self.spent

    def _spend(self) -> float:
        todo = [os.getpid()]
        children: dict[int, list[int]] = {}
        ticks: dict[int, int] = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                own = (folder / "stat").read_text("utf-8").rpartition(")")[2].split()
                children.setdefault(int(own[1]), []).append(int(folder.name))
                ticks[int(folder.name)] = int(own[11]) + int(own[12])
        while todo:
            process = todo.pop()
            self.seen[process] = ticks.get(process, 0)  # what has ended keeps its last reading
            todo += children.get(process, [])
        return sum(self.seen.values()) / os.sysconf("SC_CLK_TCK")


def _gateway() -> str:
    """The driver's Java: a child of this process that is no daemon of the cluster."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = (folder / "stat").read_text("utf-8").rpartition(")")[2].split()[1]
            if int(parent) == os.getpid() and b"SparkSubmit" in (folder / "cmdline").read_bytes():
                return folder.name
    return "self"


def _peak(process: str) -> int:
    status = Path(f"/proc/{process}/status").read_text("utf-8")
    return int(status.split("VmHWM:")[1].split()[0]) // 1024


def digest(session: Any, out: Path) -> str:
    """One text for the rows of a release, whatever files they are in."""
    names = session.read.parquet(str(out)).columns
    listed = ", ".join(f"`{name}`" for name in names)
    frame = session.read.parquet(str(out)).selectExpr(f"xxhash64({listed}) AS h")
    rows = frame.selectExpr("count(*)", "sum(CAST(h AS DECIMAL(38, 0)))", "bit_xor(h)").collect()
    return hashlib.sha256(str(rows[0]).encode()).hexdigest()[:16]


def main() -> int:
    """Run it; exit code 1 where the releases differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--regions", type=int, default=8, help="0 lets Shoal decide")
    parser.add_argument("--method", default="mondrian")
    parser.add_argument("--memory", default="1g", help="of a worker and its executor")
    parser.add_argument("--kill-after", type=float, default=0.0, help="seconds; 0 kills nobody")
    parser.add_argument("--workers", type=int, default=2, help="of one core each")
    parser.add_argument("--bare", action="store_true", help="and what Spark takes for a groupBy")
    asked = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        path = draw_patients(folder / "patients.parquet", asked.rows)
        with cluster(folder, asked.memory, asked.workers) as (address, workers):
            session = connect(address, asked.memory)
            session.sparkContext.setLogLevel("OFF")
            if asked.bare:
                cold = bare(session, path, folder / "cold.parquet")
                first = release(session, path, folder / "c.parquet", asked.method, asked.regions)
                print({"first run": first, "bare groupBy and write": cold}, flush=True)
                print(
                    {"bare groupBy and write": bare(session, path, folder / "bare.parquet")},
                    flush=True,
                )
            made = release(session, path, folder / "a.parquet", asked.method, asked.regions)
            print(made, flush=True)
            if not asked.kill_after:
                session.stop()
                return 0
            threading.Timer(asked.kill_after, end, [workers[0]]).start()
            again = release(session, path, folder / "b.parquet", asked.method, asked.regions)
            was_killed = workers[0].poll() is not None
            print({"a worker was killed meanwhile": was_killed} | again, flush=True)
            same = digest(session, folder / "a.parquet") == digest(session, folder / "b.parquet")
            print({"same rows": same}, flush=True)
            session.stop()
    return 0 if same and was_killed else 1


if __name__ == "__main__":
    sys.exit(main())
