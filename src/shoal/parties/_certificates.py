"""Certificates of parties: read from files, compared aloud, and in date."""

import hashlib
import ssl
import time
from pathlib import Path

from shoal.errors import ParameterError

LARGEST_CERTIFICATE = 1_000_000
"""Bytes of a file that a certificate is read from; it has one or two thousand."""
RENEW = (
    "Make new keys ('shoal twoparty keys'), exchange certificates and compare fingerprints again."
)
"""What to do about a certificate that has expired."""


def fingerprint(certificate: Path | str) -> str:
    """SHA-256 of a PEM certificate in groups of four, to be compared by telephone."""
    return grouped(hashlib.sha256(read_certificate(certificate)).hexdigest())


def require_in_date(whose: str, certificate: bytes) -> None:
    """Raise where a certificate is out of date, before anybody takes it for somebody else's."""
    shelf = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    shelf.load_verify_locations(cadata=certificate)
    for facts in shelf.get_ca_certs():
        ends, begins = str(facts["notAfter"]), str(facts["notBefore"])
        if ssl.cert_time_to_seconds(ends) < time.time():
            raise ParameterError(f"{whose} certificate has expired, on {ends}. {RENEW}")
        if ssl.cert_time_to_seconds(begins) > time.time():
            raise ParameterError(
                f"{whose} certificate is not valid before {begins}. Is this computer's clock right?"
            )


def read_certificate(path: Path | str) -> bytes:
    """Return a PEM certificate in its binary form, in which it is compared."""
    if not Path(path).is_file():
        raise ParameterError(f"no such key or certificate file: {path}.")
    try:
        if Path(path).stat().st_size > LARGEST_CERTIFICATE:
            raise ValueError("size")
        return ssl.PEM_cert_to_DER_cert(Path(path).read_text())
    except (OSError, ValueError):
        raise ParameterError(
            f"not a PEM certificate, cannot be used: {path}. "
            "Make a pair with 'shoal twoparty keys'."
        ) from None


def grouped(digest: str) -> str:
    """A digest in groups of four, to be read aloud."""
    return " ".join(digest[i : i + 4] for i in range(0, len(digest), 4))
