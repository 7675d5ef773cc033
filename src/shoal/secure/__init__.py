"""Two parties, no third: mine a joint table and learn the model and nothing else.

All protocols are for semi-honest parties at 128-bit security; see ``docs/theory/twoparty.md``.
"""

from shoal.errors import MissingExtraError

try:
    import cryptography  # noqa: F401  asked for here so that the error says what to install
    import gmpy2  # noqa: F401
except ImportError as error:
    raise MissingExtraError(
        "cryptography and gmpy2", "twoparty", "secure two-party mining"
    ) from error

from shoal.secure._party import FirstParty, Party, SecondParty, Settings
from shoal.secure._ring import Ring
from shoal.secure.circuits._circuit import Builder, Circuit
from shoal.secure.circuits._yao import Program, Results, evaluate_program, garble_program
from shoal.secure.logarithm._chebyshev import ChebyshevLogarithm
from shoal.secure.logarithm._fast_logarithm import FastLogarithm
from shoal.secure.logarithm._logarithm import Logarithm, LogShares, TaylorLogarithm
from shoal.secure.logarithm._polynomial import evaluate_polynomials, serve_polynomials
from shoal.secure.logarithm._scaling import excessive_mask, scale_autonomously, scale_exactly
from shoal.secure.logarithm._strict import StrictLogarithm
from shoal.secure.miners._argmin import index_of_least
from shoal.secure.miners._bayes_net import NetworkStructure, SecureBayesNet
from shoal.secure.miners._id3 import SecureID3
from shoal.secure.miners._part import JointTable, TablePart
from shoal.secure.miners._progress import Progress
from shoal.secure.miners._reading import read_part
from shoal.secure.miners._spu import FirstSPUParty, SecondSPUParty, SPUParty
from shoal.secure.miners._tree import SecureTree
from shoal.secure.transfer._paillier import PublicKey, SecretKey

__all__ = [
    "Builder",
    "ChebyshevLogarithm",
    "Circuit",
    "FastLogarithm",
    "FirstParty",
    "FirstSPUParty",
    "JointTable",
    "LogShares",
    "Logarithm",
    "NetworkStructure",
    "Party",
    "Program",
    "Progress",
    "PublicKey",
    "Results",
    "Ring",
    "SPUParty",
    "SecondParty",
    "SecondSPUParty",
    "SecretKey",
    "SecureBayesNet",
    "SecureID3",
    "SecureTree",
    "Settings",
    "StrictLogarithm",
    "TablePart",
    "TaylorLogarithm",
    "evaluate_polynomials",
    "evaluate_program",
    "excessive_mask",
    "garble_program",
    "index_of_least",
    "read_part",
    "scale_autonomously",
    "scale_exactly",
    "serve_polynomials",
]
