"""What a release loses, and what it risks."""

from shoal.metrics._design import design_matrix
from shoal.metrics._groups import discernibility
from shoal.metrics._labels import gcp
from shoal.metrics._measure import Metrics, measure, measure_change
from shoal.metrics._queries import Among, Between, CountQuery, query_errors
from shoal.metrics._risk import Risk, risk, risk_change
from shoal.metrics._utility import classification_utility
from shoal.metrics._weighted import weighted_discernibility

__all__ = [
    "Among",
    "Between",
    "CountQuery",
    "Metrics",
    "Risk",
    "classification_utility",
    "design_matrix",
    "discernibility",
    "gcp",
    "measure",
    "measure_change",
    "query_errors",
    "risk",
    "risk_change",
    "weighted_discernibility",
]
