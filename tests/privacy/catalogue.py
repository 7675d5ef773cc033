"""Every model with its twin in plain Python; the contract tests run over all of them.

Cases are found: ``CASES`` in the test file of a model lists models on one column, each with a
function that says whether a group of values is allowed, given all values.  A model that is for
columns of two values has them in ``TWO_VALUED_CASES``.
"""

from importlib import import_module
from pathlib import Path

from shoal.privacy._registry import MODELS as REGISTERED

HERE = Path(__file__).parent


def _found(name):
    files = sorted(HERE.glob("models/test_*.py"))
    modules = [import_module(f"tests.privacy.models.{path.stem}") for path in files]
    cases = [case for module in modules for case in getattr(module, name, ())]
    return sorted(cases, key=lambda case: REGISTERED.index(type(case[0])))


MODELS = _found("CASES")
TWO_VALUED = _found("TWO_VALUED_CASES")
