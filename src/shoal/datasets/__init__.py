"""Loaders of public data sets, and generators; only `shoal datasets fetch` fetches anything."""

from shoal.datasets._adult import adult
from shoal.datasets._census import census
from shoal.datasets._hospital import hospital, write_hospital
from shoal.datasets._public import groceries, lung, lung_sites

__all__ = [
    "adult",
    "census",
    "groceries",
    "hospital",
    "lung",
    "lung_sites",
    "write_hospital",
]
