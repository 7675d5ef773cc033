"""A PostgreSQL server of its own for tests, where Debian's packages are installed."""

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import mkdtemp

import pytest

from tests.extras import need

FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)


def _run(*command):
    # initdb refuses to run as root
    own = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    done = subprocess.run(
        [*own, *map(str, command)], capture_output=True, text=True, cwd="/", timeout=120
    )
    if done.returncode:
        pytest.skip(f"PostgreSQL does not start here: {done.stderr.strip()[-200:]}")


@pytest.fixture(scope="module")
def postgres():
    """Address of an empty database on a socket in a new folder, without the table."""
    need("adbc_driver_postgresql")
    need("pyarrow")
    found = next(iter(FOLDERS), None)
    if found is None:
        pytest.skip("needs Debian's postgresql, which is not installed: no server was tried")
    if os.geteuid() == 0 and shutil.which("runuser") is None:
        pytest.skip("needs runuser: a PostgreSQL server does not run as root")
    folder = Path(mkdtemp(prefix="shoal-pg-", dir="/tmp"))
    folder.chmod(0o777)
    data = folder / "data"
    try:
        _run(found / "initdb", "-D", data, "-A", "trust", "-U", "postgres", "--no-sync",
             "-E", "UTF8", "--locale=C.UTF-8")  # fmt: skip
        options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
        _run(found / "pg_ctl", "-D", data, "-w", "-t", "60", "-l", folder / "log", "-o", options,
             "start")  # fmt: skip
        yield f"postgresql:///postgres?host={folder}&user=postgres"
        _run(found / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
