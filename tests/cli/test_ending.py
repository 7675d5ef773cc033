import os
import signal
import subprocess
import sys

import pytest

from tests.extras import ROOT, hear_interrupts

STUCK = {
    # the main thread in compiled code: Python cannot hear anything for hours
    "compiled": "import hashlib; hashlib.pbkdf2_hmac('sha256', b'', b'', 2**31 - 1)",
    # the main thread waits for one that is busy, and would wait for it when interrupted
    "pool": (
        "import concurrent.futures, time\n"
        "        with concurrent.futures.ThreadPoolExecutor(1) as pool:\n"
        "            pool.submit(time.sleep, 3600).result()"
    ),
    # code of others that takes the request for a failure of its own
    "failing": (
        "import time\n"
        "        try:\n"
        "            time.sleep(3600)\n"
        "        except BaseException:\n"
        "            time.sleep(0.2); raise RuntimeError('Query interrupted') from None"
    ),
}
CODE = """
import sys, tempfile, types, typer
from pathlib import Path
from shoal._atomic import atomic_path
from shoal.cli import _commands, main
from shoal.tables.engines._duck_staging import _Folder

m = types.ModuleType('shoal.cli._busy'); m.app = typer.Typer()
@m.app.command()
def busy():
    staged = _Folder()
    (staged.path / 'rows').write_text('rows')
    with atomic_path('out.csv') as draft:
        draft.write_text('half')
        print('begun', flush=True)
        STUCK
sys.modules['shoal.cli._busy'] = m; _commands.COMMANDS['busy'] = ('_busy', 'x')
sys.argv = ['shoal', 'busy']; main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("stuck", STUCK)
def test_a_busy_command_ends_when_asked_and_leaves_nothing(tmp_path, stuck, number):
    work, temporary = tmp_path / "work", tmp_path / "temporary"
    work.mkdir()
    temporary.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", CODE.replace("STUCK", STUCK[stuck])],
        cwd=work,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "TMPDIR": str(temporary)},
        preexec_fn=hear_interrupts,
    )
    try:
        assert process.stdout.readline() == "begun\n", process.stderr.read()
        assert len(list(work.iterdir())) == 1
        process.send_signal(number)
        _, said = process.communicate(timeout=60)  # two seconds, where there is nothing else to do
    finally:
        process.kill()
    assert process.returncode == 128 + number
    assert "Traceback" not in said
    assert list(work.iterdir()) == []
    assert list(temporary.iterdir()) == []
