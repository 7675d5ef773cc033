"""The pictures of the tutorial on the studio are there, and shown."""

import subprocess
import sys

from tests.extras import ROOT


def test_the_pictures_of_the_studio_are_there_and_shown():
    command = [sys.executable, "docs/studio_pictures.py", "--check"]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0
