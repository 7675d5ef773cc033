"""Trial loads that do not load their libraries anew: a process that has them forks for each.

Each file still meets a process of its own with the limits of a trial; only starting Python and
importing scikit-learn and skops, two seconds each time, is saved.
"""

import io
import json
import subprocess
import sys
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from shoal.audit import _trial_load
from shoal.audit.files import _trial_audit
from shoal.audit.files._audit_process import answer
from tests.extras import need

SERVER = """
import json, os, sys, tempfile
from pathlib import Path
import skops.io, sklearn.ensemble, sklearn.tree
from shoal.audit._trial_load import main

for line in sys.stdin:
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if not child:
            code = 1  # of a program that ends with an exception
            try:
                os.dup2(said.fileno(), 2)
                code = main(Path(json.loads(line)))
            finally:
                sys.stderr.flush()
                os._exit(code)
        status = os.waitpid(child, 0)[1]
        said.seek(0)
        print(json.dumps([os.waitstatus_to_exitcode(status), said.read().decode()]), flush=True)
"""


@pytest.fixture(scope="session")
def trial_server():
    """A process that has loaded what trials need."""
    need("skops.io")
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=pipe, stdout=pipe, text=True
    ) as server:
        yield server
        server.stdin.close()


@pytest.fixture
def quick_audits(monkeypatch):
    """Audit files in this process; the list that comes back holds what was asked."""
    asked = []

    @contextmanager
    def begun(request):
        asked.append(request)
        out = io.BytesIO()
        answer(request, out, limited=False)
        out.seek(0)
        yield SimpleNamespace(stdout=out)

    monkeypatch.setattr(_trial_audit, "_begun", begun)
    return asked


@pytest.fixture
def quick_trials(trial_server, monkeypatch):
    """Try files in children of that process; the list that comes back names those tried."""
    tried = []

    def run(call, **options):
        assert call[:-1] == [sys.executable, "-P", "-m", _trial_load.__name__]
        tried.append(call[-1])
        trial_server.stdin.write(json.dumps(call[-1]) + "\n")
        trial_server.stdin.flush()
        code, said = json.loads(trial_server.stdout.readline())
        return SimpleNamespace(returncode=code, stderr=said)

    double = SimpleNamespace(run=run, TimeoutExpired=subprocess.TimeoutExpired)
    monkeypatch.setattr(_trial_load, "subprocess", double)
    return tried
