"""Tables fit to publish: methods, recodings and releases."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shoal.anonymize._anonymizer import Anonymizer, apply_recoding
from shoal.anonymize._compare import Compared, compare_methods
from shoal.anonymize._recheck import count_released, recheck
from shoal.anonymize._recoding import CutRecoding, Recoding, Unseen, load_recoding
from shoal.anonymize._registry import METHODS, Choice, choose_method, known_methods, make_method
from shoal.anonymize._release import Release
from shoal.anonymize._verdict import FailingGroup, Verdict, check_table
from shoal.anonymize.clusters._constrained import ConstrainedKMember
from shoal.anonymize.clusters._group_recoding import GroupRecoding
from shoal.anonymize.clusters._local_recoding import LocalRecoding
from shoal.anonymize.greedy._bottom_up import BottomUpGeneralization
from shoal.anonymize.greedy._steps import Step
from shoal.anonymize.greedy._top_down import TopDownSpecialization
from shoal.anonymize.lattice._full_domain import FullDomain
from shoal.anonymize.lattice._lattice import Lattice
from shoal.anonymize.mondrian._mondrian import Mondrian
from shoal.anonymize.mondrian._region_recoding import RegionRecoding

if TYPE_CHECKING:
    from shoal.anonymize._model_based import ModelBased, TreeRecoding

__all__ = [
    "METHODS",
    "Anonymizer",
    "BottomUpGeneralization",
    "Choice",
    "Compared",
    "ConstrainedKMember",
    "CutRecoding",
    "FailingGroup",
    "FullDomain",
    "GroupRecoding",
    "Lattice",
    "LocalRecoding",
    "ModelBased",
    "Mondrian",
    "Recoding",
    "RegionRecoding",
    "Release",
    "Step",
    "TopDownSpecialization",
    "TreeRecoding",
    "Unseen",
    "Verdict",
    "apply_recoding",
    "check_table",
    "choose_method",
    "compare_methods",
    "count_released",
    "known_methods",
    "load_recoding",
    "make_method",
    "recheck",
]


def __getattr__(name: str) -> Any:
    """Load trees, and scikit-learn with them, only when they are asked for."""
    if name in ("ModelBased", "TreeRecoding"):
        return getattr(import_module("shoal.anonymize._model_based"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
