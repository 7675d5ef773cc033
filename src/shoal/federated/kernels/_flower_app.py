"""Training on Flower's SuperLink and SuperNodes: the trainer sees sums over sites and nothing else.

`make_trainer_app` and `make_site_app` are what a Flower App names as its `serverapp` and
`clientapp`.  Sites keep their rows, their labels and their masks; see `_masked_sums`.
"""

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from shoal._atomic import write_text
from shoal._plain import from_json
from shoal.errors import ParameterError, ProtocolError
from shoal.federated.kernels._flower import load_flower
from shoal.federated.kernels._masked_sums import SiteMasks
from shoal.federated.kernels._random_kernel import RandomKernel
from shoal.federated.kernels._share_files import read_share
from shoal.federated.kernels._shares import Share, share_from_facts
from shoal.federated.kernels._stacked_shares import check_agreement
from shoal.federated.kernels._summed_svc import SummedNewton, masked_numbers

SECONDS = 120.0
"""Longest wait for the sites, at the start and for every answer."""


def make_site_app() -> Any:
    """Return a Flower ``ClientApp`` that answers for one site.

    The node's configuration names the site's `share` file (from `write_share`), the `kernel` file
    that the sites agreed on, a `passphrase-file` for it, and the `sites` that train together, with
    commas between them: this one adds to sums over all of them and to no others.

    Notes
    -----
    **Reveals.**  To the trainer: the share's metadata without rows (names, ranges, fingerprint),
    the two class labels, sums over all sites, and this site's accuracy of the joint model.  Sums of
    two steps differ by the rows that changed sides of the margin between them: where that is one
    row, its projection and label.

    **Assumes.**  A trainer who asks what the method asks: one who chose planes himself would get
    sums of as few rows as he likes, though of no site alone, and in every run that sites answer one
    accuracy of each site on such a plane.  And that no site helps him to deviate: whoever has the
    kernel can answer in the place of other sites.
    """
    app = load_flower("flwr.clientapp").ClientApp()
    app.query()(_introduce)
    app.train()(_add_up)
    app.evaluate()(_score)
    return app


def _introduce(message: Any, context: Any) -> Any:
    """Tell who this site is, with a new key for its masks."""
    share = _share(context)
    masks = SiteMasks(share.site, _secret(context), _sites(context))
    context.state["masks"] = _record("Config", {"key": masks.private_key()})
    facts = {**share.to_dict(), "rows": 0}
    labels = sorted({str(label) for label in share.target["label"].tolist()})
    told = {"facts": json.dumps(facts), "labels": labels, "key": masks.public_key()}
    return _reply(message, told)


def _add_up(message: Any, context: Any) -> Any:
    """Add up this site's rows at a point, behind masks."""
    share, asked = _share(context), message.content["asked"]
    private = bytes(context.state["masks"]["key"])
    masks = SiteMasks(share.site, _secret(context), _sites(context), private)
    masks.meet({name: bytes.fromhex(key) for name, key in from_json(asked["keys"]).items()})
    point = np.array(asked["point"], np.float64)
    step = _next_step(context, int(asked["step"]))
    costs = from_json(asked["costs"])
    masked = masked_numbers(
        _as_text(share), masks, tuple(asked["classes"]), float(costs[share.site]), point, step
    )
    return _reply(message, {"masked": masked.astype("<u8").tobytes()})


def _score(message: Any, context: Any) -> Any:
    """Tell how well the joint model does on this site's rows."""
    if "scored" in context.state:  # scores of many planes would tell where single rows lie
        raise ProtocolError("the trainer asks for a second score in one run.")
    context.state["scored"] = _record("Config", {"done": 1})
    share, asked = _as_text(_share(context)), message.content["asked"]
    point, classes = np.array(asked["point"]), list(asked["classes"])
    positive = share.projection @ point[:-1] - point[-1] > 0
    right = np.array(classes)[positive.astype(int)] == share.target["label"]
    return _reply(message, {"site": share.site, "score": float(right.mean())})


def make_trainer_app() -> Any:
    """Return a Flower ``ServerApp`` that trains a `RandomKernelSVC` from masked sums.

    The run's configuration names the `sites` (commas between them), `nu`, and the file `out` that
    the model is written to: coefficients, intercept, classes, and each site's accuracy.
    """
    app = load_flower("flwr.serverapp").ServerApp()
    app.main()(_train)
    return app


def _train(grid: Any, context: Any) -> None:
    """Train with the sites that the run names, and write the model."""
    settings = context.run_config
    trainer = _Trainer(grid, _listed(settings["sites"]), float(settings["nu"]))
    write_text(Path(str(settings["out"])), json.dumps(trainer.train(), indent=2) + "\n")


class _Trainer:
    """Asks the sites step by step; all it ever holds of them are sums."""

    def __init__(self, grid: Any, sites: Sequence[str], nu: float) -> None:
        self._grid, self._sites, self._nu = grid, sorted(sites), nu

    def train(self) -> dict[str, Any]:
        """The model, as plain values."""
        told = self._ask("query", {}, self._nodes())
        facts = {node: _facts(content) for node, content in told.items()}
        present = sorted(fact.site for fact in facts.values())
        if present != self._sites:
            raise ProtocolError(f"expected the sites {self._sites}, but these came: {present}.")
        check_agreement(list(facts.values()))
        classes = sorted({str(label) for content in told.values() for label in content["labels"]})
        if len(classes) != 2:
            raise ProtocolError(f"the sites have {len(classes)} classes together, not two.")
        keys = {facts[node].site: bytes(content["key"]).hex() for node, content in told.items()}
        newton = SummedNewton(next(iter(facts.values())).projection.shape[1] + 1)
        step = 0
        while not newton.done:
            asked = {
                "keys": json.dumps(keys),
                "costs": json.dumps(dict.fromkeys(keys, self._nu)),
                "classes": classes,
                "point": newton.z.tolist(),
                "step": step,
            }
            answers = self._ask("train", asked, list(told))
            newton.take([_masked_words(content) for content in answers.values()])
            step += 1
        final = {"classes": classes, "point": newton.z.tolist()}
        scores = self._ask("evaluate", final, list(told)).values()
        return _model(newton, classes, {str(s["site"]): float(s["score"]) for s in scores})

    def _nodes(self) -> list[int]:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            nodes = list(self._grid.get_node_ids())
            if len(nodes) >= len(self._sites):
                return nodes
            time.sleep(0.3)
        raise ProtocolError(f"{len(self._sites)} sites were expected, and not all came.")

    def _ask(self, kind: str, asked: Mapping[str, Any], nodes: Sequence[int]) -> dict[int, Any]:
        flower = load_flower("flwr.app")
        record = flower.RecordDict({"asked": flower.ConfigRecord(dict(asked))})
        messages = [flower.Message(record, node, kind) for node in nodes]
        answers = list(self._grid.send_and_receive(messages, timeout=SECONDS))
        failed = [answer for answer in answers if answer.has_error()]
        if failed or len(answers) != len(nodes):
            missing = len(nodes) - len(answers) + len(failed)
            raise ProtocolError(f"{missing} of {len(nodes)} sites gave no answer.")
        return {answer.metadata.src_node_id: answer.content["told"] for answer in answers}


def _model(newton: SummedNewton, classes: list[str], scores: dict[str, float]) -> dict[str, Any]:
    return {
        "coef": newton.z[:-1].tolist(),
        "intercept": -float(newton.z[-1]),
        "classes": classes,
        "objective": newton.objective,
        "gradient_norm": newton.gradient_norm,
        "n_iter": newton.n_iter,
        "evaluation": scores,
    }


def _facts(content: Any) -> Share:
    """A site's metadata as a share without rows."""
    try:
        facts = from_json(str(content["facts"]))
        empty = np.zeros((0, int(facts["components"])))
    except (KeyError, TypeError, ValueError):
        raise ProtocolError("a site sent something else than its metadata.") from None
    return share_from_facts(facts, empty, {"label": np.zeros(0)})


def _masked_words(content: Any) -> Any:
    try:
        return np.frombuffer(bytes(content["masked"]), "<u8").reshape(-1, 2).astype(np.uint64)
    except (KeyError, TypeError, ValueError):
        raise ProtocolError("a site sent something else than masked numbers.") from None


def _next_step(context: Any, step: int) -> int:
    """The step, which must be a new one: the same masks twice would tell a difference."""
    done = int(context.state["steps"]["done"]) if "steps" in context.state else -1
    if step <= done:
        raise ProtocolError("the trainer asks for a step that was answered already.")
    context.state["steps"] = _record("Config", {"done": step})
    return step


def _as_text(share: Share) -> Share:
    """Labels as texts, as they travel."""
    labels = np.array([str(label) for label in share.target["label"].tolist()])
    return Share(
        share.site, share.projection, {"label": labels}, share.fingerprint, share.features,
        share.ranges, share.kernel,
    )  # fmt: skip


def _share(context: Any) -> Share:
    return read_share(Path(str(context.node_config["share"])))


def _sites(context: Any) -> list[str]:
    """Who trains together, as this site was told by the others and not by the trainer."""
    if "sites" not in context.node_config:
        raise ParameterError(
            "the node's configuration does not name the sites that train together. Add "
            'sites="NAME,NAME": a trainer who asked other groups of them in turn could compute '
            "each one's own sums."
        )
    return _listed(context.node_config["sites"])


def _listed(names: object) -> list[str]:
    return [name.strip() for name in str(names).split(",")]


def _secret(context: Any) -> bytes:
    file = Path(str(context.node_config["passphrase-file"]))
    passphrase = file.read_text("utf-8").rstrip("\r\n")
    kernel = RandomKernel.load(Path(str(context.node_config["kernel"])), passphrase)
    return kernel._secret()


def _record(kind: str, content: dict[str, Any]) -> Any:
    return getattr(load_flower("flwr.app"), f"{kind}Record")(content)


def _reply(message: Any, content: dict[str, Any]) -> Any:
    flower = load_flower("flwr.app")
    told = flower.RecordDict({"told": flower.ConfigRecord(content)})
    return flower.Message(told, reply_to=message)
