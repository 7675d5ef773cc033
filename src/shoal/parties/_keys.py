"""A private key and a self-signed certificate for one party."""

import datetime
import os
from pathlib import Path

from shoal.errors import MissingExtraError, ParameterError
from shoal.parties._certificates import fingerprint

LONGEST_NAME = 64
"""Bytes of a name in a certificate."""


def make_keys(name: str, folder: Path | str, *, days: int = 365) -> tuple[Path, Path, str]:
    """Write ``NAME.key`` and ``NAME.crt`` to a folder.

    Parameters
    ----------
    name : str
        The party's name; it is in the certificate and known to the other party.
    folder : path
        Where to write.  Existing files are never overwritten.
    days : int, default=365
        How long the certificate is valid.

    Returns
    -------
    key, certificate : Path
        The private key (readable by its owner only) and the certificate to give away.
    fingerprint : str
        To be compared with the other party over another line.

    Notes
    -----
    The key is on the curve P-256.
    """
    if not name.isidentifier() or len(name.encode()) > LONGEST_NAME:
        raise ParameterError(
            f"a party's name has up to {LONGEST_NAME} letters, digits and underscores, and nothing "
            "else."
        )
    key_file, certificate_file = Path(folder, f"{name}.key"), Path(folder, f"{name}.crt")
    for path in (key_file, certificate_file):
        if path.exists():
            raise ParameterError(f"{path} exists; move it away first.")
    key, certificate = _self_signed(name, days)
    _write(key_file, key, 0o600)
    _write(certificate_file, certificate, 0o644)
    return key_file, certificate_file, fingerprint(certificate_file)


def _write(path: Path, data: bytes, mode: int) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(handle, "wb") as file:
        file.write(data)


def _self_signed(name: str, days: int) -> tuple[bytes, bytes]:
    try:  # an optional package: a line without new keys works without it
        from cryptography import x509  # noqa: PLC0415
        from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415
        from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415
        from cryptography.x509.oid import NameOID  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("cryptography", "twoparty", "making keys") from None
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    usage = {
        name: name in ("digital_signature", "key_cert_sign")
        for name in (
            "digital_signature", "content_commitment", "key_encipherment", "data_encipherment",
            "key_agreement", "key_cert_sign", "crl_sign", "encipher_only", "decipher_only",
        )
    }  # fmt: skip
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(minutes=5))  # clocks differ
        .not_valid_after(now + datetime.timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.KeyUsage(**usage), critical=True)
        .add_extension(identifier, critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return private, certificate.public_bytes(serialization.Encoding.PEM)
