"""What users install: the package whole, and nothing else of the source tree."""

import subprocess
import sys
import zipfile
from email import message_from_string
from pathlib import PurePosixPath

import pytest

from tests.extras import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of this tree, built without a network."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("shoal-*.whl")
    with zipfile.ZipFile(path) as archive:
        yield archive


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    tops = {PurePosixPath(name).parts[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"shoal"}


def test_every_file_of_the_package_is_in_the_wheel(wheel):
    source = ROOT / "src"
    files = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    shipped = {name for name in wheel.namelist() if name.startswith("shoal/")}
    assert {name for name in files if name.endswith((".html", ".css"))} >= {
        "shoal/report/templates/page.html",
        "shoal/report/templates/style.css",
        "shoal/report/templates/sections/limits.html",
    }
    assert files - shipped == set()


def test_the_wheel_asks_for_what_a_release_and_its_report_need(wheel):
    (metadata,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    asked = message_from_string(wheel.read(metadata).decode()).get_all("Requires-Dist")
    core = {line.split(">")[0] for line in asked if "extra ==" not in line}
    assert {"numpy", "duckdb", "jinja2", "typer"} <= core
    assert not {"pandas", "polars", "pyarrow", "matplotlib"} & core
