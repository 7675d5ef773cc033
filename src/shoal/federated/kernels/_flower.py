"""The same training online: sites and a trainer as processes on Flower."""

import importlib
import ipaddress
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal._plain import from_json
from shoal.errors import MissingExtraError, ParameterError, ProtocolError, ShoalError
from shoal.federated.kernels._arrays import (
    Model,
    model_from_arrays,
    model_to_arrays,
    share_from_arrays,
    share_to_arrays,
    site_score,
)
from shoal.federated.kernels._shares import MAX_FEATURES, OUTCOMES, Share
from shoal.federated.kernels._stacked_shares import check_agreement

SECONDS_FOR_SITES = 300  # that the trainer waits until all sites are there
SECONDS_FOR_METADATA = 60


@dataclass(frozen=True)
class Federated:
    """What a training round on Flower gave.

    Parameters
    ----------
    model : RandomKernelSVC or RandomKernelCox
        Trained on the sites' shares; equal to the one trained from their files.
    evaluation : mapping of str to float
        Each site's own score of the model on its own rows: accuracy, or concordance.
    """

    model: Model
    evaluation: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"model": type(self.model).__name__, "evaluation": dict(self.evaluation)}


def serve_training(
    address: str,
    sites: Sequence[str],
    model: Model,
    *,
    site_weights: Mapping[str, float] | None = None,
    certificates: tuple[bytes, bytes, bytes] | None = None,
) -> Federated:
    """Act as the trainer: wait for all sites, compare fingerprints, gather shares, train, evaluate.

    Parameters
    ----------
    address : str
        ``host:port`` to listen on.
    sites : sequence of str
        Names of the sites to wait for.
    model : RandomKernelSVC or RandomKernelCox
        Unfitted; the kernel need not be known here.
    site_weights : mapping of str to float, optional
        Weight of each site's rows.
    certificates : (ca, certificate, key), optional
        For TLS.  Without them only a loopback address is served.

    Returns
    -------
    Federated
        The model, and each site's own score of it.

    Notes
    -----
    **Reveals.**  To the trainer: what the sites' files would hold.  To the sites: the model.
    Fingerprints are compared before any site sends its projection.

    **Assumes.**  An honest trainer, as the offline way does; see `RandomKernel` for what a curious
    one learns.

    **Costs.**  Three exchanges with each site.
    """
    _check_line(address, certificates is not None)
    flower = load_flower("flwr.server")
    training = _Training(model, sorted(sites), site_weights)
    flower.start_server(
        server_address=address,
        config=flower.ServerConfig(num_rounds=1),
        strategy=training,
        certificates=certificates,
    )
    if training.problem is not None:
        raise training.problem
    return Federated(training.model, dict(training.evaluation))


def join_training(
    address: str, share: Share, model: Model, *, root_certificates: bytes | None = None
) -> Model:
    """Take part as a site: send the share once all fingerprints agree, then score the joint model.

    Parameters
    ----------
    address : str
        The trainer's ``host:port``.
    share : Share
        What `make_share` gave; the same that would be written to a file.
    model : RandomKernelSVC or RandomKernelCox
        Unfitted; receives the joint model.
    root_certificates : bytes, optional
        For TLS.  Without them only a loopback address is used.

    Returns
    -------
    RandomKernelSVC or RandomKernelCox
        The joint model, as the trainer made it.
    """
    _check_line(address, root_certificates is not None)
    numpy_client = load_flower("flwr.client").NumPyClient
    client = type("Site", (_Site, numpy_client), {})(share, model)
    load_flower("flwr.compat.client.app").start_client(
        server_address=address,
        client=client.to_client(),
        insecure=root_certificates is None,
        root_certificates=root_certificates,
        max_retries=20,
    )
    if not client.received:
        raise ProtocolError(
            "the trainer ended without sending a model: a site was missing, or fingerprints "
            "differed."
        )
    return model


class _Site:
    """One site: answers with its metadata, then its share, then its score of the joint model."""

    def __init__(self, share: Share, model: Model) -> None:
        self.share, self.model, self.received = share, model, False

    def get_properties(self, config: Any) -> dict[str, str]:
        """What a file's metadata would say."""
        return {"share": json.dumps(self.share.to_dict())}

    def fit(self, parameters: Any, config: Any) -> tuple[Any, int, dict[str, str]]:
        """Send the share."""
        return share_to_arrays(self.share), len(self.share.projection), self.get_properties(config)

    def evaluate(self, parameters: Any, config: Any) -> tuple[float, int, dict[str, Any]]:
        """Take the joint model and score it on the site's own rows."""
        model_from_arrays(self.model, parameters)
        self.received = True
        score = site_score(self.model, self.share)
        return 1 - score, len(self.share.projection), {"site": self.share.site, "score": score}


class _Training:
    """Flower's strategy: compare fingerprints, gather shares, train, let the sites evaluate."""

    def __init__(
        self, model: Model, sites: Sequence[str], weights: Mapping[str, float] | None
    ) -> None:
        self.model, self.sites, self.weights = model, list(sites), weights
        self.problem: ShoalError | None = None
        self.evaluation: dict[str, float] = {}
        self.trained: Any = None
        self.common = load_flower("flwr.common")

    def initialize_parameters(self, client_manager: Any) -> Any:
        """Nothing is trained yet; this is where fingerprints are compared."""
        client_manager.wait_for(len(self.sites), timeout=SECONDS_FOR_SITES)
        self._guard(lambda: self._compare(client_manager))
        return self.common.ndarrays_to_parameters([np.zeros(1)])

    def configure_fit(self, server_round: int, parameters: Any, client_manager: Any) -> Any:
        """Ask every site for its share."""
        if self.problem is not None:
            return []
        order = self.common.FitIns(parameters, {})
        return [(client, order) for client in client_manager.all().values()]

    def aggregate_fit(self, server_round: int, results: Any, failures: Any) -> Any:
        """Train on all shares."""
        self._guard(lambda: self._train(results, failures))
        return self.trained, {}

    def configure_evaluate(self, server_round: int, parameters: Any, client_manager: Any) -> Any:
        """Send the model to every site."""
        if self.trained is None:
            return []
        order = self.common.EvaluateIns(self.trained, {})
        return [(client, order) for client in client_manager.all().values()]

    def aggregate_evaluate(self, server_round: int, results: Any, failures: Any) -> Any:
        """Note each site's score."""
        self._guard(lambda: self._note(results))
        return None, {}

    def evaluate(self, server_round: int, parameters: Any) -> None:
        """The trainer has no rows of its own to evaluate on."""

    def _guard(self, work: Callable[[], None]) -> None:
        # Flower goes on when a strategy raises: keep the error, and raise it when Flower is done.
        try:
            work()
        except ShoalError as error:
            self.problem = error
        except (KeyError, IndexError, TypeError, ValueError, AttributeError):
            self.problem = ProtocolError("a site sent something else than a share or a score.")

    def _note(self, results: Any) -> None:
        for _, answer in results:
            site, score = answer.metrics["site"], float(answer.metrics["score"])
            if site not in self.sites or score < 0 or score > 1:
                raise ProtocolError("a site sent a score that is none, or for another site.")
            self.evaluation[site] = score

    def _compare(self, client_manager: Any) -> None:
        asked = self.common.GetPropertiesIns({})
        told = []
        for client in client_manager.all().values():
            answer = client.get_properties(asked, timeout=SECONDS_FOR_METADATA, group_id=0)
            meta = from_json(str(answer.properties["share"]))
            # A share without rows: enough to compare fingerprints before any row is sent.
            outcomes = [np.zeros(0) for _ in OUTCOMES[meta["outcome"]]]
            width = min(int(meta["components"]), MAX_FEATURES)
            told.append(share_from_arrays([np.zeros((0, width)), *outcomes], meta))
        present = sorted(share.site for share in told)
        if present != self.sites:
            raise ProtocolError(f"expected the sites {self.sites}, but these came: {present}.")
        check_agreement(told)

    def _train(self, results: Any, failures: Any) -> None:
        if failures or len(results) != len(self.sites):
            missing = len(self.sites) - len(results)
            raise ProtocolError(f"{missing} of {len(self.sites)} sites sent no share.")
        shares = [
            share_from_arrays(
                self.common.parameters_to_ndarrays(answer.parameters),
                from_json(str(answer.metrics["share"])),
            )
            for _, answer in results
        ]
        shares.sort(key=lambda share: share.site)
        self.model.fit_shares(shares, self.weights)
        self.trained = self.common.ndarrays_to_parameters(model_to_arrays(self.model))


def _check_line(address: str, is_secure: bool) -> None:
    host = address.rpartition(":")[0].strip("[]")
    try:
        local = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        local = False
    if not (is_secure or local):
        raise ParameterError(
            "without certificates the line is in plain text: only a loopback address is allowed. "
            "Give certificates."
        )


def load_flower(module: str) -> Any:
    """A module of Flower's, or an error that says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtraError("flwr", "flower", "training online") from None
