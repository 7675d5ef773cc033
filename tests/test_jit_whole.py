import os
import subprocess
import sys

import numpy as np
import pytest

from shoal import _jit_whole
from shoal._jit import kernel
from tests.extras import ROOT, need

numba = need("numba")


is_tried = pytest.mark.skipif(
    not numba.__version__.startswith(_jit_whole.TRIED_WITH),
    reason="wholes are compiled with the versions of numba that this was tried with",
)


@kernel
def add_to_all(values, number):
    for i in range(len(values)):
        values[i] += number
    return np.sort(values)


@kernel
def add_three_times(values, number):
    add_to_all(values, 1)
    add_to_all(values, -1)
    return add_to_all(values, number)


@pytest.fixture(scope="module")
def compiled():
    found = add_three_times.compiled()
    assert found(np.array([3, 1]), 4).tolist() == [5, 7]
    return found


def generator():
    return numba.core.registry.cpu_target.target_context.codegen()


@is_tried
def test_a_kernel_that_others_call_is_compiled_once_whatever_constants_they_write(compiled):
    assert compiled.stats.cache_hits or len(add_to_all._called.signatures) == 1


@is_tried
def test_only_the_kernel_that_python_calls_becomes_machine_code(monkeypatch):
    monkeypatch.setenv("SHOAL_JIT_CACHE", "0")
    outer = kernel(add_three_times.__wrapped__)
    inner = kernel(add_to_all.__wrapped__)
    monkeypatch.setitem(outer.__wrapped__.__globals__, "add_to_all", inner)
    assert outer.compiled()(np.array([3, 1]), 4).tolist() == [5, 7]
    assert len(inner._called.signatures) == 1
    for dispatcher, is_code in ((outer._compiled, True), (inner._called, False)):
        (result,) = dispatcher.overloads.values()
        assert bool(result.library.get_pointer_to_function(result.fndesc.llvm_func_name)) is is_code


@is_tried
def test_what_a_call_gives_is_asked_once_in_each_kernel(monkeypatch):
    monkeypatch.setenv("SHOAL_JIT_CACHE", "0")
    functions, asked = numba.core.types.functions.BaseFunction, []
    plain = functions.get_call_type

    def ask(function, context, arguments, keywords):
        asked.append((function, tuple(arguments), id(settings())))
        return plain(function, context, arguments, keywords)

    settings = numba.core.targetconfig.ConfigStack.top_or_none
    monkeypatch.setattr(functions, "get_call_type", ask)

    @kernel
    def add_five(values):
        return values + 1 + 1 + 1 + 1 + 1

    assert add_five.compiled()(np.array([3])).tolist() == [8]
    assert len(asked) == len(set(asked)) > 0
    assert functions.get_call_type is ask  # numba is as it was


def test_with_another_version_of_numba_kernels_are_compiled_as_it_does_that(monkeypatch):
    monkeypatch.setenv("SHOAL_JIT_CACHE", "0")
    monkeypatch.setattr(_jit_whole, "TRIED_WITH", ("0.1.",))
    outer, inner = kernel(add_three_times.__wrapped__), kernel(add_to_all.__wrapped__)
    monkeypatch.setitem(outer.__wrapped__.__globals__, "add_to_all", inner)
    assert outer.compiled()(np.array([3, 1]), 4).tolist() == [5, 7]
    for result in inner._called.overloads.values():
        assert result.library.get_pointer_to_function(result.fndesc.llvm_func_name)


def test_functions_of_others_are_compiled_by_numba_as_ever(compiled):
    assert set(vars(generator())).isdisjoint({"_library_class", "set_env"})

    @numba.njit
    def sort(values):  # which a kernel needed, too
        return np.sort(values)

    assert sort(np.array([2, 1])).tolist() == [1, 2]


def test_a_kernel_that_cannot_be_compiled_leaves_numba_as_it_was():
    @kernel
    def wrong(values):
        return values.nothing

    with pytest.raises(numba.TypingError):
        wrong.compiled()(np.array([1]))
    assert set(vars(generator())).isdisjoint({"_library_class", "set_env"})


def test_where_nothing_is_to_be_compiled_kernels_are_the_functions_themselves():
    program = """
import numpy as np
from tests.test_jit_whole import add_three_times
print(add_three_times(np.array([3, 1]), 4).tolist())
"""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True
    )
    assert done.stdout == "[5, 7]\n", done.stderr
