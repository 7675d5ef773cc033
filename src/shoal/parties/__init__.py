"""Lines between parties: in memory, over TLS 1.3, with counted and recorded transcripts."""

from shoal.parties._channel import DEFAULT_LIMIT, DEFAULT_TIMEOUT, VERSION, Channel
from shoal.parties._keys import make_keys
from shoal.parties._memory import MemoryChannel, memory_pair, run_parties
from shoal.parties._tls import TLSChannel, connect, fingerprint, listen
from shoal.parties._transcript import Transcript
from shoal.parties._wire import Message, decode, encode

__all__ = [
    "DEFAULT_LIMIT",
    "DEFAULT_TIMEOUT",
    "VERSION",
    "Channel",
    "MemoryChannel",
    "Message",
    "TLSChannel",
    "Transcript",
    "connect",
    "decode",
    "encode",
    "fingerprint",
    "listen",
    "make_keys",
    "memory_pair",
    "run_parties",
]
