"""Two parties, no third: mine a joint table and learn the model and nothing else.

All protocols are for semi-honest parties at 128-bit security; see ``docs/theory/twoparty.md``.
The code has not been independently reviewed.
"""

from shoal.errors import MissingExtraError

try:
    import cryptography  # noqa: F401  asked for here so that the error says what to install
    import gmpy2  # noqa: F401
except ImportError as error:
    raise MissingExtraError(
        "cryptography and gmpy2", "twoparty", "secure two-party mining"
    ) from error

from shoal.secure._party import FirstParty, SecondParty, Settings
from shoal.secure.miners._bayes_net import SecureBayesNet
from shoal.secure.miners._id3 import SecureID3
from shoal.secure.miners._mpyc import MPyCParty
from shoal.secure.miners._read_part import read_part
from shoal.secure.miners._table_part import TablePart
from shoal.secure.owners._helper import Helper
from shoal.secure.owners._memory import run_owners
from shoal.secure.owners._owner import Owner
from shoal.secure.owners._terms import Terms

__all__ = [
    "FirstParty",
    "Helper",
    "MPyCParty",
    "Owner",
    "SecondParty",
    "SecureBayesNet",
    "SecureID3",
    "Settings",
    "TablePart",
    "Terms",
    "read_part",
    "run_owners",
]
