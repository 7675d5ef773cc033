"""The pictures of the README are drawn from what the code does today."""

import subprocess
import sys

from tests.extras import ROOT


def test_the_pictures_show_what_the_code_does():
    done = subprocess.run(
        [sys.executable, "docs/pictures.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr or "run python docs/pictures.py"
