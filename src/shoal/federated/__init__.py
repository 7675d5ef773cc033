"""Learn from data that several sites hold and may not pool."""

from shoal.federated._agreement import make_kernel, make_key
from shoal.federated.kernels._compare import Study, compare_sites
from shoal.federated.kernels._cox import RandomKernelCox
from shoal.federated.kernels._flower import join_training, serve_training
from shoal.federated.kernels._random_kernel import RandomKernel
from shoal.federated.kernels._shares import make_share, read_shares, write_share
from shoal.federated.kernels._svc import RandomKernelSVC
from shoal.federated.transforms._aliases import AliasTable
from shoal.federated.transforms._decode_results import (
    decode_centroids,
    decode_contingency,
    decode_rules,
    decode_text,
    decode_tree,
)
from shoal.federated.transforms._files import decode_file, encode_file
from shoal.federated.transforms._grouping import GradedGrouping
from shoal.federated.transforms._key import TransformKey
from shoal.federated.transforms._mapping import MappingTable
from shoal.federated.transforms._ranges import GradedRanges
from shoal.federated.transforms._tables import decode, encode
from shoal.federated.transforms._transformer import KeyTransformer

__all__ = [
    "AliasTable",
    "GradedGrouping",
    "GradedRanges",
    "KeyTransformer",
    "MappingTable",
    "RandomKernel",
    "RandomKernelCox",
    "RandomKernelSVC",
    "Study",
    "TransformKey",
    "compare_sites",
    "decode",
    "decode_centroids",
    "decode_contingency",
    "decode_file",
    "decode_rules",
    "decode_text",
    "decode_tree",
    "encode",
    "encode_file",
    "join_training",
    "make_kernel",
    "make_key",
    "make_share",
    "read_shares",
    "serve_training",
    "write_share",
]
