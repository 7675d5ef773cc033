"""Shared settings of all tests."""

import fcntl
import gc
import os
import random
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, settings
from threadpoolctl import threadpool_limits

from shoal.federated import _secret
from shoal.tables import _engine
from tests.order import place_of, unit_of

# CI machines are shared and numba compiles on first call: time limits per example would only
# measure that.
# Examples are always the same, so that `make test` is; `make fuzz` draws new ones.
settings.register_profile(
    "shoal",
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="SHOAL_FUZZ" not in os.environ,
)
settings.load_profile("shoal")

# What is tested is compiled code, on new machines as well; tests of plain kernels ask for them.
os.environ.setdefault("SHOAL_JIT_INTERPRET", "0")
# And it is compiled from the sources, not what an installation compiled from them before.
os.environ.setdefault("SHOAL_JIT_SHIPPED", "0")
# Compiling takes longer than computing here: kernels are compiled as wholes, for a third less.
os.environ.setdefault("SHOAL_JIT_WHOLE", "1")
# A Java machine of a test lives for a minute: it neither compiles its code a second time nor
# collects with every core (the tests of Spark's engine: 68 s of processor before, 42 s then).
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

# Threads of OpenMP that wait for one another sleep: on cores that other tests need they would spin
# for longer than they compute (boosted trees and k-means in the tests of adapters: 12.8 s, 5.3 s).
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
# Linear algebra of two numbers starts threads that spin, too (50 fits in a page: 10.6 s, 1.8 s).
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
threadpool_limits(1, user_api="blas")  # NumPy may be loaded by now
# Reading or writing a key takes 0.15 s on purpose; here it may be guessed.  Whoever is loaded from
# here on takes this for the default; a test asks a new process for the real one.
_secret.MEMORY_KIB = 32
# Compiling makes millions of objects that stay: looking through them again and again is an eighth
# of its time (the kernels of local recoding: 43.2 s with it as it is set, 38.2 s so).
gc.set_threshold(50_000, 10, 10)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection():
    """Let workers collect one after the other: the first writes the bytecode that others read.

    Half of collecting in a new clone is rewriting assertions and compiling what is imported.
    """
    with open(__file__) as turn:
        if "PYTEST_XDIST_WORKER" in os.environ:
            fcntl.flock(turn, fcntl.LOCK_EX)
        return (yield)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Begin with the files that take longest, whatever order was drawn for the others."""
    items.sort(key=lambda item: place_of(item.nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give files to workers whole, as `--dist loadfile` does, and all that needs Spark to one."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    by_unit = {"_split_scope": lambda self, nodeid: unit_of(nodeid)}
    return type("LoadUnitScheduling", (LoadFileScheduling,), by_unit)(config, log)


def pytest_runtest_setup(item):
    """Give released rows an order that is secret to nobody, so that a test ends alike each time."""
    if "SHOAL_FUZZ" not in os.environ:
        drawn = random.Random(item.nodeid)
        _engine.secrets = SimpleNamespace(randbits=drawn.getrandbits)
