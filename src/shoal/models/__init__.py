"""Models fit to publish: trained so that what they say about people is safe to say."""

from shoal.models._attributes import Attribute
from shoal.models._cells import read_cells
from shoal.models._clustering import KAnonymousClustering
from shoal.models._mst import spanning_tree
from shoal.models._nodes import FittedTree, PublicTest, View
from shoal.models._publish import Exposure, Leaf
from shoal.models._rules import KAnonymousRules, RuleCost
from shoal.models._tree import KAnonymousTreeClassifier

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
