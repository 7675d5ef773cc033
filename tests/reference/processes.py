"""Parties as processes on loopback, each of which prints what it learnt as JSON."""

import json
import os
import socket
import subprocess
import sys

from tests.extras import ROOT


def free_addresses(count):
    """Ports of this machine that nobody uses, all different."""
    servers = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    addresses = [f"127.0.0.1:{server.getsockname()[1]}" for server in servers]
    for server in servers:
        server.close()
    return addresses


def run_equals(module, *arguments, count=3, timeout=300):
    """Start `python -m MODULE PLACE [ARGUMENTS] ADDRESSES` for each; what each one printed."""
    addresses = free_addresses(count)
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", module, str(place), *arguments, *addresses],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for place in range(count)
    ]
    ended = [process.communicate(timeout=timeout) for process in processes]
    assert [process.returncode for process in processes] == [0] * count, ended
    return [json.loads(out[out.index("{") :]) for out, _ in ended]
