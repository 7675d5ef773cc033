"""Loaders of public data sets, and generators; only `shoal datasets fetch` fetches anything."""

from shoal.datasets._adult import adult, adult_schema
from shoal.datasets._census import census, census_schema
from shoal.datasets._hospital import hospital, hospital_schema, write_hospital
from shoal.datasets._public import LUNG_RANGES, groceries, lung, lung_sites

__all__ = [
    "LUNG_RANGES",
    "adult",
    "adult_schema",
    "census",
    "census_schema",
    "groceries",
    "hospital",
    "hospital_schema",
    "lung",
    "lung_sites",
    "write_hospital",
]
