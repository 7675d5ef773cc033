"""What a release loses, and what it risks."""

from shoal.metrics._breaches import Breaches, divergence_breaches, proximity_breaches
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
from shoal.metrics._measure import (
    BeforeAfter,
    Metrics,
    measure,
    measure_change,
    measure_raw,
    released_raw,
)
from shoal.metrics._risk import Inference, Reidentification, Risk, risk, risk_change
from shoal.metrics._utility import CLASSIFIERS, Utility, classification_utility, examples

__all__ = [
    "CLASSIFIERS",
    "BeforeAfter",
    "Breaches",
    "Inference",
    "Metrics",
    "Reidentification",
    "Risk",
    "Utility",
    "average_group_size",
    "classification_metric",
    "classification_utility",
    "discernibility",
    "divergence_breaches",
    "examples",
    "gcp",
    "information_loss",
    "label_height",
    "label_loss",
    "label_ncp",
    "loss",
    "measure",
    "measure_change",
    "measure_raw",
    "ncp",
    "non_uniform_entropy",
    "precision",
    "proximity_breaches",
    "released_raw",
    "risk",
    "risk_change",
]
