"""Learn from data that several sites hold and may not pool."""

from shoal.federated._aliases import AliasTable
from shoal.federated._cox import RandomKernelCox, concordance
from shoal.federated._dose import eqd2
from shoal.federated._grouping import GradedGrouping
from shoal.federated._key import TransformKey
from shoal.federated._mapping import MappingTable
from shoal.federated._random_kernel import RandomKernel
from shoal.federated._ranges import GradedRanges
from shoal.federated._shares import Share, make_share, read_share, read_shares, write_share
from shoal.federated._survival import auc_at, status_at, survival_target
from shoal.federated._svc import RandomKernelSVC

__all__ = [
    "AliasTable",
    "GradedGrouping",
    "GradedRanges",
    "MappingTable",
    "RandomKernel",
    "RandomKernelCox",
    "RandomKernelSVC",
    "Share",
    "TransformKey",
    "auc_at",
    "concordance",
    "eqd2",
    "make_share",
    "read_share",
    "read_shares",
    "status_at",
    "survival_target",
    "write_share",
]
