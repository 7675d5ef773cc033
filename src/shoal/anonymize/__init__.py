"""Tables fit to publish: methods, recodings and releases.

Names load on first use, so that what only lists the methods loads no engine and no solver.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shoal.anonymize._registry import METHODS, make_method

if TYPE_CHECKING:
    from shoal.anonymize._anonymizer import apply_recoding
    from shoal.anonymize._compare import compare_methods
    from shoal.anonymize._label_features import LabelFeatures
    from shoal.anonymize._model_based import ModelBased
    from shoal.anonymize._read_release import read_release
    from shoal.anonymize._recoding import load_recoding
    from shoal.anonymize._release import Release
    from shoal.anonymize._verdict import check_table
    from shoal.anonymize.clusters._constrained import ConstrainedKMember
    from shoal.anonymize.clusters._local_recoding import LocalRecoding
    from shoal.anonymize.greedy._bottom_up import BottomUpGeneralization
    from shoal.anonymize.greedy._top_down import TopDownSpecialization
    from shoal.anonymize.grouping._group_values import group_values
    from shoal.anonymize.lattice._full_domain import FullDomain
    from shoal.anonymize.mondrian._mondrian import Mondrian
    from shoal.anonymize.numbers._microaggregation import Microaggregation
    from shoal.anonymize.perturbed._perturb import perturb_table
    from shoal.anonymize.sets._check_sets import check_sets
    from shoal.anonymize.sets._release_sets import release_sets

__all__ = [
    "BottomUpGeneralization",
    "ConstrainedKMember",
    "FullDomain",
    "LabelFeatures",
    "LocalRecoding",
    "Microaggregation",
    "ModelBased",
    "Mondrian",
    "Release",
    "TopDownSpecialization",
    "apply_recoding",
    "check_sets",
    "check_table",
    "compare_methods",
    "group_values",
    "load_recoding",
    "make_method",
    "perturb_table",
    "read_release",
    "release_sets",
]

_HOMES = {
    "LabelFeatures": "_label_features",
    "ModelBased": "_model_based",
    "Release": "_release",
    "apply_recoding": "_anonymizer",
    "check_sets": "sets._check_sets",
    "check_table": "_verdict",
    "compare_methods": "_compare",
    "group_values": "grouping._group_values",
    "load_recoding": "_recoding",
    "perturb_table": "perturbed._perturb",
    "read_release": "_read_release",
    "release_sets": "sets._release_sets",
} | {
    kind: module.removeprefix(f"{__name__}.")
    for module, _, kind in (path.rpartition(".") for path in METHODS.values())
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
