"""Models fit to publish: trained so that what they say about people is safe to say."""

from shoal.models.bayes._naive_bayes import KAnonymousNaiveBayes
from shoal.models.clusters._clustering import KAnonymousClustering
from shoal.models.rules._rules import KAnonymousRules
from shoal.models.tree._tree import KAnonymousTreeClassifier

__all__ = [
    "KAnonymousClustering",
    "KAnonymousNaiveBayes",
    "KAnonymousRules",
    "KAnonymousTreeClassifier",
]
