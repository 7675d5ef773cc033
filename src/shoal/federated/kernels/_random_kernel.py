"""The random kernel that sites share: agreed scaling, a secret matrix B, projections."""

import hashlib
import json
import secrets
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from shoal._plain import from_json
from shoal.errors import KeyFileError, ParameterError, ProtocolError
from shoal.federated._secret import MEMORY_KIB, read_private, seal, unseal, write_private
from shoal.federated.kernels._features import check_ranges, feature_matrix, feature_names, scale
from shoal.federated.kernels._kernel_functions import KERNELS, gaussian, linear
from shoal.typing import Floats, PathText

LEAST_SECRET_SEED = 2**64
"""Seeds below are found by trying: each costs microseconds."""


class RandomKernel(TransformerMixin, BaseEstimator):
    r"""Publish K(A, B') for one random B that all sites share and no one else needs [MW08]_.

    Parameters
    ----------
    ranges : mapping of str to (low, high), or None
        Features and their agreed ranges, in order.  None takes both from the rows given to `fit`:
        right for one table, not for several sites, which must agree beforehand.
    n_components : int or None, default=None
        Rows m' of B; at least 2 and fewer than the features.  None is the number of features - 1.
    kernel : {"linear", "gaussian"}, default="linear"
        Kernel K.
    gamma : float or None, default=None
        Width of the Gaussian kernel; None is 1 / number of features.
    random_state : int or None, default=None
        Agreed seed of B.  A seed that can be guessed gives B away, so what is drawn from one below
        2**64 stays in the house: it has no fingerprint, and can be neither shared nor saved.  Agree
        on ``secrets.randbits(128)``, or leave None and send one site's `save`\\ d file to the
        others.

    Attributes
    ----------
    basis_ : ndarray of shape (n_components, n_features)
        The matrix B, standard normal.
    ranges_ : dict
        Agreed range of each feature.
    blind_ : bytes or None
        32 secret bytes that keep the fingerprint from confirming a guessed B; None where B comes
        from a seed that can be guessed.

    Notes
    -----
    **Guarantee.**  With m' < n infinitely many real rows have a given linear projection.  Nothing
    more: each projection pins its row to a segment of the box of agreed ranges, and when features
    take few values (sex, a score) that segment usually holds one possible person.  Run
    ``shoal attack`` before publishing; `shoal.attacks` measures it.

    **Reveals.**  m' numbers per row, the labels, the number of rows of each site.

    **Assumes.**  B is known to the sites only.

    **Departures from the paper.**  m' = 1 is refused (a threshold on one random direction), as is
    a feature that is constant at a site: with m' = n - 1 it would reveal all the others.

    References
    ----------
    .. [MW08] O. L. Mangasarian, E. W. Wild.  Privacy-preserving classification of horizontally
       partitioned data via random kernels.  DMIN 2008.

    Examples
    --------
    >>> ranges = {"age": (0, 100), "dose": (0, 80), "score": (0, 4)}
    >>> kernel = RandomKernel(ranges, random_state=1).fit()
    >>> kernel.transform([[50, 60, 1], [70, 20, 3]]).shape
    (2, 2)
    """

    def __init__(
        self,
        ranges: Mapping[str, tuple[float, float]] | None = None,
        n_components: int | None = None,
        kernel: str = "linear",
        *,
        gamma: float | None = None,
        random_state: int | None = None,
    ) -> None:
        self.ranges = ranges
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.random_state = random_state

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        # The agreed seed is as secret as B: logs and notebooks show neither.
        features = "no agreed" if self.ranges is None else len(self.ranges)
        return f"RandomKernel({features} features, kernel={self.kernel!r})"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": repr(self)}

    def fit(self, X: Any = None, y: object = None) -> Self:
        """Draw B; `X` is needed only when no ranges were agreed."""
        if self.kernel not in KERNELS:
            raise ParameterError(f"kernel must be one of {KERNELS}, got {self.kernel!r}.")
        ranges = _observed(X) if self.ranges is None else self.ranges
        self.ranges_ = {str(k): (float(a), float(b)) for k, (a, b) in ranges.items()}
        check_ranges(self.ranges_)
        self.n_features_in_ = len(self.ranges_)
        self.gamma_ = 1 / self.n_features_in_ if self.gamma is None else float(self.gamma)
        shape = (_components(self.n_components, self.n_features_in_), self.n_features_in_)
        self.basis_ = np.random.default_rng(self.random_state).standard_normal(shape)
        self.blind_ = _blind(self.random_state)
        return self

    def transform(self, X: Any) -> Floats:
        """Projection of the rows of `X`."""
        return self.project(self.scaled(X))

    def scaled(self, X: Any) -> Floats:
        """Rows of `X` with each agreed range mapped to [0, 1]."""
        check_is_fitted(self)
        return scale(feature_matrix(X, list(self.ranges_)), self.ranges_)

    def project(self, scaled: ArrayLike) -> Floats:
        """Projection of rows that are scaled already."""
        rows = np.asarray(scaled, np.float64)
        if self.kernel == "linear":
            return linear(rows, self.basis_)
        return gaussian(rows, self.basis_, self.gamma_)

    @property
    def fingerprint(self) -> str:
        """What sites compare before they publish; covers B, ranges, features and kernel.

        It is in every share.  Whoever guesses a seed, or a matrix, cannot confirm it with the
        fingerprint, which covers the 32 secret bytes of `blind_` too.
        """
        settings = json.dumps(self._settings(), sort_keys=True).encode()
        matrix = np.ascontiguousarray(self.basis_, "<f8").tobytes()
        text = b"shoal random kernel 2\0" + self._secret() + settings + matrix
        return hashlib.sha256(text).hexdigest()

    def check_peer(self, fingerprint: str, peer: str = "the other site") -> None:
        """Raise unless a peer's fingerprint is this kernel's."""
        if fingerprint != self.fingerprint:
            raise ProtocolError(
                f"{peer} has another random kernel ({fingerprint[:16]} there, "
                f"{self.fingerprint[:16]} here): B, ranges, features or kernel differ. Exchange "
                "the kernel again; nothing was written."
            )

    def save(self, path: PathText, passphrase: str, *, memory_kib: int = MEMORY_KIB) -> None:
        """Write B and the agreed settings, encrypted, for the other sites."""
        content = {
            **self._settings(),
            "blind": self._secret().hex(),
            "basis": [[x.hex() for x in row] for row in self.basis_],
        }
        write_private(path, seal(json.dumps(content).encode(), passphrase, memory_kib=memory_kib))

    @classmethod
    def load(cls, path: PathText, passphrase: str) -> Self:
        """Read what `save` wrote, fitted."""
        try:
            data = from_json(unseal(read_private(path), passphrase))
            ranges = {name: tuple(ends) for name, ends in data["ranges"]}
            basis = np.array([[float.fromhex(x) for x in row] for row in data["basis"]])
            blind = bytes.fromhex(data["blind"]) if "blind" in data else None
            loaded = cls(ranges, len(basis), data["kernel"], gamma=data["gamma"], random_state=0)
        except (ValueError, KeyError, TypeError) as error:
            if isinstance(error, KeyFileError):
                raise
            raise KeyFileError("this key file does not hold a random kernel.") from None
        loaded.fit().basis_ = basis  # fit drew another B from the placeholder seed
        loaded.blind_ = blind  # older files have none: they still predict, and share no more
        return loaded

    def _secret(self) -> bytes:
        check_is_fitted(self)
        if self.blind_ is None:
            raise ParameterError(
                "B comes from a seed that can be guessed, or from a file of an earlier version: "
                "with B, every row can be computed from its share. Draw B without random_state, or "
                "from secrets.randbits(128), at one site, and send its saved file to the others."
            )
        return self.blind_

    def _settings(self) -> dict[str, Any]:
        return {
            "ranges": [[name, list(ends)] for name, ends in self.ranges_.items()],
            "kernel": self.kernel,
            "gamma": self.gamma_,
        }


def _blind(seed: int | None) -> bytes | None:
    """Secret bytes of the fingerprint, the same at all sites that agreed on a seed."""
    if seed is None:
        return secrets.token_bytes(32)
    if abs(seed) < LEAST_SECRET_SEED:
        return None
    return hashlib.sha256(f"shoal random kernel, blind of seed {seed:x}".encode()).digest()


def _components(asked: int | None, n_features: int) -> int:
    components = n_features - 1 if asked is None else asked
    if components >= n_features:
        raise ParameterError(
            f"n_components={components} with n_features={n_features}: B would be invertible on "
            f"the rows, so anyone with B could compute every row from its projection. Use at most "
            f"{n_features - 1}."
        )
    if components < 2:
        raise ParameterError(
            f"n_components={components} with n_features={n_features}: one number per row leaves a "
            "threshold on one random direction. Use at least 2 components and 3 features."
        )
    return components


def _observed(X: Any) -> dict[str, tuple[float, float]]:
    if X is None:
        raise ParameterError("fit needs either agreed ranges or rows.")
    matrix = feature_matrix(X, None)
    names = feature_names(X) or [f"x{j}" for j in range(matrix.shape[1])]
    return {name: (v.min(), v.max()) for name, v in zip(names, matrix.T, strict=True)}
