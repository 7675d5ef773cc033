"""Tables fit to publish: methods, recodings and releases."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shoal.anonymize._anonymizer import Anonymizer, apply_recoding
from shoal.anonymize._compare import compare_methods
from shoal.anonymize._recoding import load_recoding
from shoal.anonymize._registry import METHODS, choose_method, make_method
from shoal.anonymize._release import Release
from shoal.anonymize._verdict import Verdict, check_table
from shoal.anonymize.clusters._constrained import ConstrainedKMember
from shoal.anonymize.clusters._local_recoding import LocalRecoding
from shoal.anonymize.greedy._bottom_up import BottomUpGeneralization
from shoal.anonymize.greedy._top_down import TopDownSpecialization
from shoal.anonymize.lattice._full_domain import FullDomain
from shoal.anonymize.mondrian._mondrian import Mondrian

if TYPE_CHECKING:
    from shoal.anonymize._model_based import ModelBased

__all__ = [
    "METHODS",
    "Anonymizer",
    "BottomUpGeneralization",
    "ConstrainedKMember",
    "FullDomain",
    "LocalRecoding",
    "ModelBased",
    "Mondrian",
    "Release",
    "TopDownSpecialization",
    "Verdict",
    "apply_recoding",
    "check_table",
    "choose_method",
    "compare_methods",
    "load_recoding",
    "make_method",
]


def __getattr__(name: str) -> Any:
    """Load trees, and scikit-learn with them, only when they are asked for."""
    if name == "ModelBased":
        return import_module("shoal.anonymize._model_based").ModelBased
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
