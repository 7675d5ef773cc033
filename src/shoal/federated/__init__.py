"""Learn from data that several sites hold and may not pool."""

from shoal.federated._agreement import make_kernel, make_key, read_agreement
from shoal.federated.kernels._compare import Comparison, Study, compare_sites
from shoal.federated.kernels._cox import RandomKernelCox, concordance
from shoal.federated.kernels._dose import eqd2
from shoal.federated.kernels._flower import Federated, join_training, serve_training
from shoal.federated.kernels._random_kernel import RandomKernel
from shoal.federated.kernels._shares import Share, make_share, read_share, read_shares, write_share
from shoal.federated.kernels._survival import auc_at, status_at, survival_target
from shoal.federated.kernels._svc import RandomKernelSVC
from shoal.federated.transforms._aliases import AliasTable
from shoal.federated.transforms._decode_results import (
    decode_centroids,
    decode_contingency,
    decode_items,
    decode_label,
    decode_rules,
    decode_text,
    decode_tree,
    decode_tree_dict,
)
from shoal.federated.transforms._files import (
    combine_files,
    decode_file,
    encode_file,
    read_provenance,
    read_rows,
    sample_file,
)
from shoal.federated.transforms._grouping import GradedGrouping
from shoal.federated.transforms._key import TransformKey
from shoal.federated.transforms._mapping import MappingTable
from shoal.federated.transforms._ranges import GradedRanges
from shoal.federated.transforms._tables import decode, encode
from shoal.federated.transforms._transformer import KeyTransformer

__all__ = [
    "AliasTable",
    "Comparison",
    "Federated",
    "GradedGrouping",
    "GradedRanges",
    "KeyTransformer",
    "MappingTable",
    "RandomKernel",
    "RandomKernelCox",
    "RandomKernelSVC",
    "Share",
    "Study",
    "TransformKey",
    "auc_at",
    "combine_files",
    "compare_sites",
    "concordance",
    "decode",
    "decode_centroids",
    "decode_contingency",
    "decode_file",
    "decode_items",
    "decode_label",
    "decode_rules",
    "decode_text",
    "decode_tree",
    "decode_tree_dict",
    "encode",
    "encode_file",
    "eqd2",
    "join_training",
    "make_kernel",
    "make_key",
    "make_share",
    "read_agreement",
    "read_provenance",
    "read_rows",
    "read_share",
    "read_shares",
    "sample_file",
    "serve_training",
    "status_at",
    "survival_target",
    "write_share",
]
