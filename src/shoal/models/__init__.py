"""Models fit to publish: trained so that what they say about people is safe to say."""

from shoal.models.clusters._clustering import KAnonymousClustering
from shoal.models.clusters._mst import spanning_tree
from shoal.models.rules._rules import KAnonymousRules, RuleCost
from shoal.models.tree._attributes import Attribute
from shoal.models.tree._cells import read_cells
from shoal.models.tree._nodes import FittedTree, PublicTest, View
from shoal.models.tree._publish import Exposure, Leaf
from shoal.models.tree._tree import KAnonymousTreeClassifier

__all__ = [
    "Attribute",
    "Exposure",
    "FittedTree",
    "KAnonymousClustering",
    "KAnonymousRules",
    "KAnonymousTreeClassifier",
    "Leaf",
    "PublicTest",
    "RuleCost",
    "View",
    "read_cells",
    "spanning_tree",
]
