"""A studio as users have it: a process of its own, with workers of its own."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time

from tests.extras import ROOT


@contextlib.contextmanager
def started(folder, *arguments):
    """The address that it tells, and how long that took."""
    environment = {
        **os.environ, "PYTHONPATH": str(ROOT / "src"), "XDG_CONFIG_HOME": str(folder / "config"),
    }  # fmt: skip
    began = time.perf_counter()
    command = [sys.executable, "-m", "shoal", "studio", "--no-browser", *map(str, arguments)]
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True
    )
    try:
        line = process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", line)
        assert found, line + process.stderr.read()
        yield found[0], time.perf_counter() - began
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
        left = process.stderr.read()
        process.stderr.close()
        assert "Traceback" not in left, left
        assert process.returncode == 130, process.returncode  # ended as Ctrl-C ends programs
