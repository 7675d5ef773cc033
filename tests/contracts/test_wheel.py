"""What users install: the package whole, and nothing else of the source tree."""

import importlib.util
import json
import os
import subprocess
import sys
import zipfile
from email import message_from_string
from pathlib import Path, PurePosixPath
from types import SimpleNamespace

import pytest

from shoal._jit_shipped import FOLDER
from shoal.anonymize._registry import METHODS
from shoal.cli._commands import COMMANDS
from shoal.datasets import census
from tests.extras import ROOT, need


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of this tree, built without a network and without compiled kernels."""
    need("hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    environment = os.environ | {"SHOAL_BUILD_KERNELS": "0"}
    subprocess.run(build, cwd=ROOT, env=environment, check=True, capture_output=True)
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
        if path.is_file() and not {"__pycache__", "_kernels"} & set(path.parts)
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


@pytest.fixture
def hook():
    """The file that compiles kernels while the package is installed."""
    need("hatchling")
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def initialize(hook, tmp_path, version):
    """What a build with the hook would put into the wheel besides the package."""
    build = hook.KernelHook(
        str(tmp_path), {}, None, None, str(tmp_path / "dist"), "wheel",
        SimpleNamespace(display_info=print),
    )  # fmt: skip
    data = {"force_include": {}, "pure_python": True, "infer_tag": False}
    build.initialize(version, data)
    return data


def compile_one(root, folder):
    (folder / "here").mkdir(parents=True)
    (folder / "here" / "one.nbi").write_bytes(b"index")


def test_every_method_is_compiled_for_at_installation(hook):
    releases = (release for process in hook.RELEASES for release in process)
    compiled_for = {release[release.index("--method") + 1] for release in releases}
    assert compiled_for == {*METHODS, "auto"}


def test_compiled_kernels_go_to_where_they_are_looked_for(hook, tmp_path, monkeypatch):
    monkeypatch.setenv("SHOAL_BUILD_KERNELS", "1")
    monkeypatch.setattr(hook, "compile_kernels", compile_one)
    made = initialize(hook, tmp_path, "standard")
    ((folder, place),) = made["force_include"].items()
    assert (Path(folder) / "here" / "one.nbi").exists()
    assert FOLDER.endswith(place)
    assert (made["pure_python"], made["infer_tag"]) == (False, True)  # not for every machine
    assert initialize(hook, tmp_path, "editable")["force_include"] == {}
    assert (tmp_path / "src" / place / "here" / "one.nbi").exists()


def test_the_program_of_a_build_makes_its_releases(hook, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people = census(60)
    people.to_file("people.csv")
    people.schema.to_toml("people.toml")
    monkeypatch.setenv("SHOAL_JIT_INTERPRET", "1")
    releases = [["-k", "5", "--method", "mondrian"]]
    looks = [["check", "out1-0.csv", "--quiet"]]
    monkeypatch.setattr(sys, "argv", ["-c", json.dumps(releases), "out1", json.dumps(looks)])
    exec(hook._RELEASE, {})
    made = {path.name for path in tmp_path.glob("out1-?.csv")}
    assert made == {"out1-0.csv"}
    assert {line[0] for line in hook.LOOKS} <= set(COMMANDS)
    assert hook.LOOKS[1][1] in made


def test_processes_of_a_build_find_what_was_installed_for_it(hook, tmp_path, monkeypatch):
    # pip says by PYTHONPATH where that is; without it an empty environment gets no kernels
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "installed"))
    paths = []

    def run(command, *, env, **_):
        paths.append(env["PYTHONPATH"].split(os.pathsep))
        return SimpleNamespace(stdout="tag")

    monkeypatch.setattr(hook.subprocess, "run", run)
    hook.compile_kernels(ROOT, tmp_path / "kernels")
    assert paths == [[str(ROOT / "src"), str(tmp_path / "installed")]] * (1 + len(hook.RELEASES))


@pytest.mark.parametrize("compiles", [True, False])
def test_an_installation_does_without_kernels(hook, compiles, tmp_path, monkeypatch):
    monkeypatch.setenv("SHOAL_BUILD_KERNELS", str(int(compiles)))
    monkeypatch.setattr(hook.sys, "executable", str(tmp_path / "no such Python"))
    made = initialize(hook, tmp_path, "standard")
    assert made == {"force_include": {}, "pure_python": True, "infer_tag": False}
