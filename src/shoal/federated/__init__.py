"""Learn from data that several sites hold and may not pool.

Names load on first use: a site that only encodes a table does not wait for scikit-learn.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.federated._pseudonym_key import PseudonymKey
    from shoal.federated.kernels._compare import compare_sites
    from shoal.federated.kernels._cox import RandomKernelCox
    from shoal.federated.kernels._flower import join_training, serve_training
    from shoal.federated.kernels._flower_app import make_site_app, make_trainer_app
    from shoal.federated.kernels._random_kernel import RandomKernel
    from shoal.federated.kernels._share_files import read_shares, write_share
    from shoal.federated.kernels._shares import make_share
    from shoal.federated.kernels._svc import RandomKernelSVC
    from shoal.federated.transforms._aliases import AliasTable
    from shoal.federated.transforms._decode_results import decode_results, decode_tree
    from shoal.federated.transforms._files import combine_files, decode_file, encode_file
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
    "PseudonymKey",
    "RandomKernel",
    "RandomKernelCox",
    "RandomKernelSVC",
    "TransformKey",
    "combine_files",
    "compare_sites",
    "decode",
    "decode_file",
    "decode_results",
    "decode_tree",
    "encode",
    "encode_file",
    "join_training",
    "make_share",
    "make_site_app",
    "make_trainer_app",
    "read_shares",
    "serve_training",
    "write_share",
]

_HOMES = {
    "AliasTable": "transforms._aliases",
    "GradedGrouping": "transforms._grouping",
    "GradedRanges": "transforms._ranges",
    "KeyTransformer": "transforms._transformer",
    "MappingTable": "transforms._mapping",
    "PseudonymKey": "_pseudonym_key",
    "RandomKernel": "kernels._random_kernel",
    "RandomKernelCox": "kernels._cox",
    "RandomKernelSVC": "kernels._svc",
    "TransformKey": "transforms._key",
    "combine_files": "transforms._files",
    "compare_sites": "kernels._compare",
    "decode": "transforms._tables",
    "decode_file": "transforms._files",
    "decode_results": "transforms._decode_results",
    "decode_tree": "transforms._decode_results",
    "encode": "transforms._tables",
    "encode_file": "transforms._files",
    "join_training": "kernels._flower",
    "make_share": "kernels._shares",
    "make_site_app": "kernels._flower_app",
    "make_trainer_app": "kernels._flower_app",
    "read_shares": "kernels._share_files",
    "serve_training": "kernels._flower",
    "write_share": "kernels._share_files",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value  # so that the next look-up is a plain one
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
