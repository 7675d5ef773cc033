"""Secrets at rest: authenticated encryption under a passphrase."""

import importlib
import secrets
import struct
from pathlib import Path
from typing import Any

from shoal._atomic import atomic_path
from shoal.errors import KeyFileError, MissingExtraError
from shoal.typing import PathText

MAGIC = b"SHOALKEY"
FORMAT = 1
HEADER = struct.Struct(">8sBIBB16s12s")  # magic, format, memory in KiB, passes, lanes, salt, nonce
TAG = 16  # bytes of AES-GCM's tag
MEMORY_KIB, PASSES, LANES = 65536, 3, 4  # RFC 9106, second recommended setting
MOST_MEMORY_KIB, MOST_PASSES = 1 << 21, 64  # a forged header must not exhaust the machine


def seal(plain: bytes, passphrase: str, *, memory_kib: int = MEMORY_KIB) -> bytes:
    """Encrypt `plain` with AES-256-GCM under an Argon2id key."""
    if not passphrase:
        raise KeyFileError("the passphrase is empty. Give one that is hard to guess.")
    header = HEADER.pack(
        MAGIC, FORMAT, memory_kib, PASSES, LANES, secrets.token_bytes(16), secrets.token_bytes(12)
    )
    cipher, nonce = _cipher(header, passphrase)
    return header + cipher.encrypt(nonce, plain, header)


def unseal(sealed: bytes, passphrase: str) -> bytes:
    """Decrypt what `seal` made; any change to it, or another passphrase, is an error."""
    if len(sealed) < HEADER.size + TAG or not sealed.startswith(MAGIC):
        raise KeyFileError(
            "not a Shoal key file, or cut short. Get a fresh copy from the site that made it."
        )
    header, body = sealed[: HEADER.size], sealed[HEADER.size :]
    invalid_tag = _module("cryptography.exceptions").InvalidTag
    cipher, nonce = _cipher(header, passphrase)
    try:
        return bytes(cipher.decrypt(nonce, body, header))
    except invalid_tag:
        # The library cannot tell the two apart, and an attacker should not be told either.
        raise KeyFileError(
            "wrong passphrase, or the key file is damaged or cut short. Check the passphrase, "
            "then get a fresh copy."
        ) from None


def write_private(path: PathText, content: bytes) -> None:
    """Write a file that only its owner can read; a killed run leaves the old one or the new."""
    with atomic_path(path, private=True) as part:
        part.write_bytes(content)


def read_private(path: PathText) -> bytes:
    """Read a sealed file."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise KeyFileError(
            f"key file '{Path(path).name}' cannot be read: {error.strerror}."
        ) from None


def _cipher(header: bytes, passphrase: str) -> tuple[Any, bytes]:
    _, version, memory_kib, passes, lanes, salt, nonce = HEADER.unpack(header)
    if version != FORMAT or memory_kib > MOST_MEMORY_KIB or not 0 < passes <= MOST_PASSES:
        raise KeyFileError(f"key file format {version} is not known. Update Shoal.")
    argon2 = _module("cryptography.hazmat.primitives.kdf.argon2")
    aead = _module("cryptography.hazmat.primitives.ciphers.aead")
    try:
        kdf = argon2.Argon2id(
            salt=salt, length=32, iterations=passes, lanes=lanes, memory_cost=memory_kib
        )
    except ValueError:
        raise KeyFileError("the key file's header is damaged. Get a fresh copy.") from None
    return aead.AESGCM(kdf.derive(passphrase.encode())), nonce


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingExtraError("cryptography", "sites", "reading and writing keys") from None
