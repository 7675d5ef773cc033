"""What a release loses, and what it risks."""

from shoal.metrics._breaches import Breaches, divergence_breaches, proximity_breaches
from shoal.metrics._design import DesignMatrix, design_examples, design_matrix
from shoal.metrics._entropy import non_uniform_entropy
from shoal.metrics._groups import average_group_size, classification_metric, discernibility
from shoal.metrics._labels import (
    gcp,
    information_loss,
    label_height,
    label_loss,
    label_ncp,
    loss,
    ncp,
    precision,
)
from shoal.metrics._limits import limit_violations
from shoal.metrics._marginals import marginal_divergence, marginal_divergences
from shoal.metrics._measure import (
    BeforeAfter,
    Metrics,
    measure,
    measure_change,
    measure_raw,
    released_raw,
)
from shoal.metrics._queries import (
    Among,
    Between,
    Condition,
    CountQuery,
    QueryErrors,
    query_errors,
)
from shoal.metrics._risk import Inference, Reidentification, Risk, risk, risk_change
from shoal.metrics._utility import CLASSIFIERS, Utility, classification_utility, examples
from shoal.metrics._weighted import column_discernibility, weighted_discernibility

__all__ = [
    "CLASSIFIERS",
    "Among",
    "BeforeAfter",
    "Between",
    "Breaches",
    "Condition",
    "CountQuery",
    "DesignMatrix",
    "Inference",
    "Metrics",
    "QueryErrors",
    "Reidentification",
    "Risk",
    "Utility",
    "average_group_size",
    "classification_metric",
    "classification_utility",
    "column_discernibility",
    "design_examples",
    "design_matrix",
    "discernibility",
    "divergence_breaches",
    "examples",
    "gcp",
    "information_loss",
    "label_height",
    "label_loss",
    "label_ncp",
    "limit_violations",
    "loss",
    "marginal_divergence",
    "marginal_divergences",
    "measure",
    "measure_change",
    "measure_raw",
    "ncp",
    "non_uniform_entropy",
    "precision",
    "proximity_breaches",
    "query_errors",
    "released_raw",
    "risk",
    "risk_change",
    "weighted_discernibility",
]
