"""Shared settings of all tests."""

import os

from hypothesis import HealthCheck, settings

# CI machines are shared and numba compiles on first call: time limits per example would only
# measure that.
# Examples are drawn anew on a developer's machine and are always the same in CI.
settings.register_profile(
    "shoal",
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=os.environ.get("CI") == "true",
)
settings.load_profile("shoal")
