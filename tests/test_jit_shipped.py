"""Kernels that were compiled when the package was installed."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from shoal import _jit_cache, _jit_shipped
from shoal._jit_shipped import ANY_PROCESSOR, lend, ship, shipped_folder, tag

TRIPLE = "x86_64-unknown-linux-gnu"
SOURCES = ("hash of the code", "hash of what it closes over")
OWN = ("int64", (TRIPLE, "skylake", "+avx2"), SOURCES)
ANYWHERE = ("int64", (TRIPLE, *ANY_PROCESSOR), SOURCES)

PROGRAM = """
import sys
import numpy as np
from shoal._jit import on_compile
from shoal.tables._count_kernels import group_members
from shoal import _jit_shipped

_jit_shipped.FOLDER = sys.argv[1]
with on_compile(lambda: print("compiled")):
    print(group_members(np.array([1, 0, 1]), 2)[1].tolist())
"""


def dispatcher(kept=None):
    """What the two ask of numba: a cache of one kernel, here a dictionary."""
    kept = {} if kept is None else kept
    files = SimpleNamespace(load=kept.get, save=kept.__setitem__)
    cache = SimpleNamespace(_cache_file=files, _impl=SimpleNamespace(filename_base="module.one-1"))
    return SimpleNamespace(_cache=cache), files


@pytest.fixture
def shipped(tmp_path):
    """A folder with one kernel of the sources "now"."""
    one, files = dispatcher()
    ship(one, "now", str(tmp_path))
    files.save(ANYWHERE, "code for any processor")
    return tmp_path


def test_what_was_shipped_is_loaded_where_nothing_is_kept(shipped):
    one, files = dispatcher()
    lend(one, "now", str(shipped))
    assert files.load(OWN) == "code for any processor"
    assert files.load(("float64", *OWN[1:])) is None


def test_a_kernel_compiled_here_goes_before_one_that_was_shipped(shipped):
    one, files = dispatcher({OWN: "code for this processor"})
    lend(one, "now", str(shipped))
    assert files.load(OWN) == "code for this processor"


def test_code_of_other_sources_is_passed_over(shipped):
    one, files = dispatcher()
    lend(one, "changed", str(shipped))
    os.rename(shipped / "now", shipped / "changed")  # even where it lies in the right place
    assert files.load(OWN) is None


def test_code_for_one_kind_of_processor_is_never_shipped(tmp_path):
    one, files = dispatcher(kept := {})
    ship(one, "now", str(tmp_path))
    files.save(OWN, "code")
    assert kept == {OWN: "code"}
    assert not list(tmp_path.rglob("*.nb[ci]"))


def test_a_broken_file_is_compiled_anew_and_stops_nobody(shipped):
    (code,) = shipped.rglob("*.nbc")
    code.write_bytes(code.read_bytes()[:5])
    one, files = dispatcher()
    lend(one, "now", str(shipped))
    assert files.load(OWN) is None


def test_a_shipped_kernel_is_known_without_loading_numba(shipped, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "empty"))
    monkeypatch.setenv("SHOAL_JIT_CACHE", "1")
    assert _jit_cache.is_kept("now", "one", str(shipped))
    assert not _jit_cache.is_kept("now", "other", str(shipped))
    assert not _jit_cache.is_kept("changed", "one", str(shipped))


@pytest.mark.parametrize("made_for", ["here", "another numba"])
def test_kernels_of_another_python_or_numba_are_not_looked_at(made_for, tmp_path, monkeypatch):
    name = tag() if made_for == "here" else tag().replace("numba-", "numba-9")
    (tmp_path / name).mkdir()
    monkeypatch.setattr(_jit_shipped, "FOLDER", str(tmp_path))
    monkeypatch.setenv("SHOAL_JIT_SHIPPED", "1")
    shipped_folder.cache_clear()
    assert (shipped_folder() is not None) == (made_for == "here")
    monkeypatch.setenv("SHOAL_JIT_SHIPPED", "0")
    shipped_folder.cache_clear()
    assert shipped_folder() is None
    shipped_folder.cache_clear()


def test_an_installation_with_kernels_compiles_none_in_its_first_run(tmp_path):
    build = {"NUMBA_CPU_NAME": "generic", "SHOAL_JIT_SHIP": str(tmp_path / "ship" / tag())}
    assert _run(tmp_path, "cache-of-the-build", **build) == ["compiled", "[1, 0, 2]"]
    assert _run(tmp_path, "cache-of-a-user") == ["[1, 0, 2]"]
    assert _run(tmp_path, "cache-of-another", SHOAL_JIT_SHIPPED="0") == ["compiled", "[1, 0, 2]"]
    (tmp_path / "in-the-way").write_text("")  # a home that cannot be written to
    assert _run(tmp_path, "in-the-way", TMPDIR=str(tmp_path)) == ["[1, 0, 2]"]
    assert not list(tmp_path.glob("shoal-kernels-*"))


def _run(folder, cache, **changed):
    environment = {name: value for name, value in os.environ.items() if "NUMBA_" not in name}
    environment |= {"SHOAL_JIT_SHIPPED": "1", "SHOAL_JIT_CACHE": "1", "SHOAL_JIT_INTERPRET": "0"}
    environment |= {"XDG_CACHE_HOME": str(folder / cache)} | changed
    command = [sys.executable, "-c", PROGRAM, str(folder / "ship")]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()
