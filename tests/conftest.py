"""Shared settings of all tests."""

from hypothesis import HealthCheck, settings

# CI machines are shared and numba compiles on first call: time limits per example would only
# measure that.
settings.register_profile(
    "shoal", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("shoal")
