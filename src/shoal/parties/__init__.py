"""Lines between parties: in memory, over TLS 1.3, with counted and recorded transcripts."""

from shoal.parties._certificates import fingerprint
from shoal.parties._door import listen
from shoal.parties._keys import make_keys
from shoal.parties._memory import memory_pair, run_parties
from shoal.parties._tls import connect

__all__ = [
    "connect",
    "fingerprint",
    "listen",
    "make_keys",
    "memory_pair",
    "run_parties",
]
