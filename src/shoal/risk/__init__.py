"""Risk in populations: what a sample tells of everybody, and which rows are special."""

from shoal.risk._individual import individual_risk
from shoal.risk._population import population_of, read_survey
from shoal.risk._special_uniques import special_uniques
from shoal.risk._survey_risk import survey_risk
from shoal.risk._uniques import estimate_uniques

__all__ = [
    "estimate_uniques",
    "individual_risk",
    "population_of",
    "read_survey",
    "special_uniques",
    "survey_risk",
]
