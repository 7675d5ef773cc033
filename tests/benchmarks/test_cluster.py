"""A release on a real standalone cluster: one master, two workers, processes of their own."""

import ast
import subprocess
import sys

import pytest

from tests.extras import ROOT, has_spark, need


@pytest.mark.skipif(not has_spark(), reason="needs PySpark and Java")
def test_two_workers_release_a_table():
    need("pyarrow")
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.cluster", "--rows", "1500", "--regions", "2"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said = ast.literal_eval(done.stdout.strip().splitlines()[-1])
    assert said["rows"] == 1500
    assert said["regions"] >= 2
    assert said["smallest group"] >= 5
