"""Shared settings of all tests."""

import os

from hypothesis import HealthCheck, settings

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
