"""What a release loses, and what it risks."""

from shoal.metrics._breaches import divergence_breaches, proximity_breaches
from shoal.metrics._design import design_matrix
from shoal.metrics._marginals import marginal_divergence
from shoal.metrics._measure import measure
from shoal.metrics._queries import query_errors
from shoal.metrics._risk import risk
from shoal.metrics._utility import classification_utility
from shoal.metrics._weighted import weighted_discernibility
from shoal.metrics.kept._compare_tables import compare_tables

__all__ = [
    "classification_utility",
    "compare_tables",
    "design_matrix",
    "divergence_breaches",
    "marginal_divergence",
    "measure",
    "proximity_breaches",
    "query_errors",
    "risk",
    "weighted_discernibility",
]
