"""Kernels as plain Python, where nothing is compiled yet: the same results, and when it ends."""

import gc
from typing import NamedTuple

import numpy as np
import pytest

from shoal import _jit
from shoal._jit import _Kernel, array_kernel, kernel
from shoal.anonymize._registry import METHODS, make_method
from shoal.datasets import census
from shoal.datasets._census import census_schema
from shoal.privacy import DistinctDiversity, KAnonymity
from shoal.schema import Schema


@pytest.fixture
def new_machine(monkeypatch):
    """Nothing is compiled, and nothing kept; kernels that do get compiled are forgotten again."""
    monkeypatch.setenv("SHOAL_JIT_INTERPRET", "1")
    kernels = [thing for thing in gc.get_objects() if type(thing) is _Kernel]
    for found in kernels:
        monkeypatch.setattr(found, "_compiled", None)
        monkeypatch.setitem(vars(found), "_was_compiled", False)
        monkeypatch.setattr(found, "_seconds", 0.0)
    monkeypatch.setattr(_jit, "is_kept", lambda *_: False)
    monkeypatch.setattr(_jit, "SECONDS", 1e9)
    return kernels


def release(name, table, schema, privacy):
    recoded = make_method(name, schema, privacy).fit(table).release_.recoded
    labels = [
        [part.texts[code] for code in recoded.codes[:, at]]
        for at, part in enumerate(recoded.labels)
    ]
    return labels, recoded.group_of.tolist(), recoded.groups.sizes.tolist()


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(
    ("n_rows", "privacy"), [(60, KAnonymity(4)), (180, KAnonymity(5) & DistinctDiversity(2))]
)
def test_every_method_gives_the_same_compiled_or_not(name, n_rows, privacy, new_machine):
    people = census(n_rows, random_state=n_rows)
    plain = release(name, people.columns, census_schema(), privacy)
    assert [found.__name__ for found in new_machine if found._compiled is not None] == []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SHOAL_JIT_INTERPRET", "0")
        assert release(name, people.columns, census_schema(), privacy) == plain


class _Arrays(NamedTuple):
    values: np.ndarray
    table: np.ndarray


def _made(function, module="shoal.tables._probe", make=kernel):
    function.__module__ = module
    return make(function)


def make_probes(monkeypatch):
    """Functions of tests have no sources of the package's, and are not kept: none finds them."""
    monkeypatch.setattr(_jit, "_digest", lambda module: "probe")
    monkeypatch.setenv("SHOAL_JIT_CACHE", "0")


def test_what_has_many_rows_is_compiled(new_machine, monkeypatch):
    make_probes(monkeypatch)

    def total(arrays):
        return arrays.values.sum(), arrays.values[0] > 0

    made = _made(total)
    small = made(_Arrays(np.arange(3_000), np.zeros(99_999)))
    assert small == (4_498_500, False)
    assert [type(part) for part in small] == [int, bool]
    assert made._compiled is None
    assert made(_Arrays(np.arange(3_001), np.zeros(1))) == (4_501_500, False)
    assert made._compiled is not None


def test_what_takes_long_is_compiled(new_machine, monkeypatch):
    make_probes(monkeypatch)
    made = _made(lambda n: n + 1)
    assert made(1) == 2
    assert made._compiled is None
    end_patience(monkeypatch)
    assert made(1) == 2
    assert made._compiled is not None


def test_a_kernel_that_plain_ones_call_is_asked_now_and_then(new_machine, monkeypatch):
    make_probes(monkeypatch)
    made = _made(lambda n: n + 1)
    end_patience(monkeypatch)
    assert [made._inside(1) for _ in range(_jit.ASKED_EVERY - 1)] == [2] * (_jit.ASKED_EVERY - 1)
    assert made._compiled is None
    assert made._inside(1) == made._inside(1) == 2
    assert made._compiled is not None


def test_a_kernel_of_whole_arrays_stays_plain_for_longer(new_machine, monkeypatch):
    make_probes(monkeypatch)
    monkeypatch.setattr(_jit, "SECONDS", 1.0)
    plain, slow = _made(lambda n: n + 1), _made(lambda n: n + 1, make=array_kernel)
    for made in (plain, slow):
        made._seconds = 3.0
        assert made(1) == 2
    assert plain._compiled is not None
    assert slow._compiled is None


def end_patience(monkeypatch):
    for name in ("SECONDS", "SECONDS_OF_A_CALL", "SECONDS_TO_LOAD"):
        monkeypatch.setattr(_jit, name, -1.0)


def test_kernels_of_models_are_always_compiled(new_machine, monkeypatch):
    make_probes(monkeypatch)
    made = _made(lambda n: n + 1, "shoal.models._probe")
    assert made(1) == 2
    assert made._compiled is not None


def test_whole_numbers_wrap_around_in_silence(new_machine, recwarn):
    table = {"age": list(range(40)) * 2}
    schema = Schema({"age": {"role": "quasi-identifier", "kind": "numeric"}})
    make_method("mondrian", schema, 3).fit(table)
    assert not recwarn.list
