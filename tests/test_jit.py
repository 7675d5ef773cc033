import importlib
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import shoal
from shoal import _jit
from shoal._jit import kernel, load_kernels, on_compile

CALLEE = "from shoal._jit import kernel\n\n@kernel\ndef step(x):\n    return x + {step}\n"
MIDDLE = "{imports}\nfrom shoal._jit import kernel\n\n@kernel\ndef twice(x):\n    return {body}\n"
CALLER = """
from shoal._jit import kernel
from shoal.probe_middle import twice

@kernel
def outer(x):
    return twice(x)
"""


@pytest.fixture
def probe(tmp_path, monkeypatch):
    """Write kernel modules, load them afresh and run the outermost one."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    # Python takes a file changed within a second, and as long as before, for the one it compiled
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(shoal, "__path__", [*shoal.__path__, str(tmp_path)])
    (tmp_path / "probe_caller.py").write_text(CALLER)

    def run(**sources):
        for name, source in sources.items():
            (tmp_path / f"probe_{name}.py").write_text(source)
        for name in ("callee", "middle", "caller"):
            sys.modules.pop(f"shoal.probe_{name}", None)
        importlib.invalidate_caches()
        _jit._digest.cache_clear()
        return importlib.import_module("shoal.probe_caller").outer(1)

    yield run
    for name in ("callee", "middle", "caller"):
        sys.modules.pop(f"shoal.probe_{name}", None)
        vars(shoal).pop(f"probe_{name}", None)


def test_a_kernel_is_compiled_again_when_one_far_below_it_changes(probe):
    body = "inner(x)\n\n@kernel\ndef inner(x):\n    return step(step(x))"
    middle = MIDDLE.format(imports="from shoal.probe_callee import step", body=body)
    assert probe(callee=CALLEE.format(step=10), middle=middle) == 21
    assert probe(callee=CALLEE.format(step=500), middle=middle) == 1001


@pytest.mark.parametrize(("kind", "counts"), [("(NamedTuple)", True), ("", False)])
def test_of_classes_only_named_tuples_count_since_kernels_take_no_others(probe, kind, counts):
    middle = MIDDLE.format(imports="from shoal.probe_callee import Taken", body="x + 1")
    digests = set()
    for field in ("low", "high"):
        taken = f"from typing import NamedTuple\n\nclass Taken{kind}:\n    {field}: int\n"
        assert probe(callee=taken, middle=middle) == 2
        digests.add(_jit._digest("shoal.probe_middle"))
    assert len(digests) == (2 if counts else 1)


def test_a_kernel_is_compiled_again_when_a_constant_of_another_module_changes(probe):
    middle = MIDDLE.format(imports="from shoal.probe_callee import STEP", body="x + STEP")
    assert probe(callee="STEP = 7\n", middle=middle) == 8
    assert probe(callee="STEP = 9\n", middle=middle) == 10


def test_an_attribute_is_no_callee_of_the_same_name():
    scope = {"__name__": __name__, "kernel": kernel}
    exec(
        "def size(x):\n    return x\n"
        "def reads(x):\n    return x.size\n"
        "def calls(x):\n    return [size(y) for y in x]\n"
        "size, reads, calls = kernel(size), kernel(reads), kernel(calls)\n",
        scope,
    )
    assert not scope["reads"]._callees
    assert set(scope["calls"]._callees) == {"size"}


def test_what_is_kept_is_not_compiled_again(probe):
    sources = {"callee": "", "middle": MIDDLE.format(imports="", body="x * 3")}
    heard = []
    for _ in range(2):
        with on_compile(lambda: heard.append("compiled")):
            assert probe(**sources) == 3
    assert heard == ["compiled"]


@pytest.mark.parametrize("in_a_command", [False, True])
def test_who_calls_from_python_hears_once_that_kernels_are_compiled(
    probe, in_a_command, monkeypatch, caplog
):
    for name in ("_tell", "_said"):
        monkeypatch.setattr(_jit, name, [])
    for name in ("_hearing", "_tells_itself"):
        monkeypatch.setattr(_jit, name, threading.Event())
    if in_a_command:
        _jit._tells_itself.set()
    for body in ("x * 3", "x * 4"):
        probe(callee="", middle=MIDDLE.format(imports="", body=body))
    said = [record.getMessage() for record in caplog.records if record.name == "shoal"]
    assert said == ([] if in_a_command else [_jit.COMPILING])


@pytest.mark.parametrize("hindrance", ["a file in the way", "switched off"])
def test_without_a_folder_to_write_to_kernels_still_run(hindrance, tmp_path, monkeypatch):
    blocked = tmp_path / "cache"
    if hindrance == "switched off":
        monkeypatch.setenv("SHOAL_JIT_CACHE", "0")
    else:
        blocked.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))

    @kernel
    def double(x):
        return 2 * x

    assert double(21) == 42
    assert not blocked.is_dir()


def test_the_first_call_compiles_once_whichever_threads_make_it():
    @kernel
    def total(values):
        return values.sum()

    load_kernels(total).join()
    with ThreadPoolExecutor(4) as pool:
        sums = list(pool.map(lambda n: total(np.arange(n)), range(8)))
    assert sums == [sum(range(n)) for n in range(8)]
    assert len(total.compiled().signatures) == 1
