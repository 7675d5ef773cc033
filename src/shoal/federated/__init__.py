"""Learn from data that several sites hold and may not pool."""

from shoal.federated._aliases import AliasTable
from shoal.federated._dose import eqd2
from shoal.federated._grouping import GradedGrouping
from shoal.federated._key import TransformKey
from shoal.federated._mapping import MappingTable
from shoal.federated._ranges import GradedRanges

__all__ = [
    "AliasTable",
    "GradedGrouping",
    "GradedRanges",
    "MappingTable",
    "TransformKey",
    "eqd2",
]
