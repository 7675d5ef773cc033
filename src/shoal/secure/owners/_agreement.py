"""What owners and helpers agree on, in one file that all have: who takes part, and in what."""

import hashlib
import json
import ssl
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import ParameterError, SchemaError
from shoal.parties._certificates import grouped
from shoal.schema import Schema
from shoal.secure.miners._bayes_net import SecureBayesNet
from shoal.secure.miners._id3 import SecureID3
from shoal.secure.miners._read_part import public_values
from shoal.secure.miners._table_part import TablePart
from shoal.secure.owners._terms import Terms

VERSION = 1
HELPERS = ("first", "second")
MINERS: dict[str, type[SecureID3 | SecureBayesNet]] = {
    "id3": SecureID3,
    "bayes-net": SecureBayesNet,
}


@dataclass(frozen=True)
class Agreement:
    """All that is public before a run.

    Parameters
    ----------
    task : {"id3", "bayes-net"}
        What is mined.
    parameters : mapping
        Of the miner.
    terms : Terms
        Who takes part, and who may be missed.
    columns : mapping of str to list of str
        Columns of the joint table and their values.
    split : {"rows", "cells"}
        How the owners hold the table.
    addresses : mapping of str to str
        Where each helper waits.
    certificates : mapping of str to str
        PEM certificate of every helper and owner, by name.
    check_transfers : bool
        Whether the first helper checks the second one's transfers, see `Settings`.
    """

    task: str
    parameters: Mapping[str, Any]
    terms: Terms
    columns: Mapping[str, list[str]]
    split: str
    addresses: Mapping[str, str]
    certificates: Mapping[str, str]
    check_transfers: bool = False

    @property
    def digest(self) -> str:
        """What all compare by telephone: one number for everything that was agreed on."""
        text = json.dumps(self.to_dict(), sort_keys=True, ensure_ascii=False)
        return grouped(hashlib.sha256(text.encode()).hexdigest())

    def miner(self) -> SecureID3 | SecureBayesNet:
        """The agreed miner, not fitted."""
        if self.task not in MINERS:
            raise ParameterError(f"task is one of {', '.join(MINERS)}, got {self.task!r}.")
        try:
            return MINERS[self.task](**self.parameters)
        except TypeError:
            raise ParameterError(f"the agreement has parameters that {self.task} lacks.") from None

    def schema(self) -> Schema:
        """A schema with the agreed columns and values, for reading an owner's table."""
        return Schema(
            {
                name: {"role": "insensitive", "kind": "ordinal", "order": list(values)}
                for name, values in self.columns.items()
            }
        )

    def public_part(self) -> TablePart:
        """What a helper knows of the table: names and values."""
        split: Any = self.split
        empty = np.zeros((0, len(self.columns)), np.int32)
        return TablePart(list(self.columns), list(self.columns.values()), empty, split)

    def pins(self, *names: str) -> dict[str, bytes]:
        """Certificates of these participants, in binary form for comparison."""
        return {name: ssl.PEM_cert_to_DER_cert(self.certificates[name]) for name in names}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as they are in the file."""
        return {
            "version": VERSION,
            "task": {"name": self.task, **_present(self.parameters)},
            "terms": {
                "split": self.split,
                "check_transfers": self.check_transfers,
                **self.terms.to_dict(),
            },
            "columns": {name: list(values) for name, values in self.columns.items()},
            "helpers": dict(self.addresses),
            "certificates": dict(self.certificates),
        }

    def to_toml(self) -> str:
        """The file."""
        lines = ["# What owners and helpers agreed on.  All compare its digest by telephone:"]
        lines += [f"#   {self.digest}", ""]
        for title, content in self.to_dict().items():
            if not isinstance(content, dict):
                lines += [f"{title} = {_value(content)}", ""]
                continue
            lines += [f"[{title}]", *(f"{_value(k)} = {_value(v)}" for k, v in content.items()), ""]
        return "\n".join(lines)


def read_agreement(path: Path) -> Agreement:
    """Read an agreement and check that a run can be made of it."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ParameterError(f"cannot read '{path.name}': {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        raise ParameterError(f"'{path.name}' is not valid TOML.") from None
    try:
        return _checked(data)
    except (KeyError, TypeError, AttributeError):
        raise ParameterError(
            f"'{path.name}' is not a whole agreement. Make one with 'shoal together agree'."
        ) from None


def _checked(data: dict[str, Any]) -> Agreement:
    if data["version"] != VERSION:
        raise ParameterError("the agreement is of another version. Make it again.")
    task, terms = dict(data["task"]), dict(data["terms"])
    agreement = Agreement(
        task.pop("name"),
        task,
        split=terms.pop("split"),
        check_transfers=terms.pop("check_transfers"),
        terms=Terms(**terms),
        columns={str(name): [str(v) for v in values] for name, values in data["columns"].items()},
        addresses=dict(data["helpers"]),
        certificates=dict(data["certificates"]),
    )
    check_agreement(agreement)
    return agreement


def check_agreement(agreement: Agreement) -> None:
    """Raise unless every participant has a certificate of its own and the task can be run."""
    texts = [*agreement.addresses.values(), agreement.task, agreement.split]
    if not all(isinstance(text, str) for text in texts):
        raise ParameterError("the addresses, the task and the split of an agreement are texts.")
    if type(agreement.check_transfers) is not bool:
        raise ParameterError("check_transfers of an agreement is true or false.")
    if set(agreement.addresses) != set(HELPERS):
        raise ParameterError("an agreement has the helpers first and second.")
    names = {*HELPERS, *agreement.terms.owners}
    if len(names) != len(agreement.terms.owners) + 2 or set(agreement.certificates) != names:
        raise ParameterError("every helper and every owner needs a name and a certificate.")
    try:
        shown = set(agreement.pins(*names).values())
    except ValueError:
        raise ParameterError("a certificate of the agreement is not in PEM.") from None
    if len(shown) != len(names):
        raise ParameterError("two participants have the same certificate. Each needs its own.")
    agreement.miner()._check(agreement.public_part())


def columns_of(schema: Schema) -> dict[str, list[str]]:
    """Columns of the joint table and their public values, from a schema."""
    schema.require_rows_of_own("a joint table")
    columns = {name: public_values(schema[name], name) for name in schema.released}
    open_ = [name for name, values in columns.items() if not values]
    if open_:
        raise SchemaError(
            f"columns without public values: {', '.join(map(repr, open_))}. Give each an order "
            "or a hierarchy file in the schema."
        )
    return columns


def _present(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters that are set; TOML has no word for none."""
    return {name: value for name, value in parameters.items() if value is not None}


def _value(value: Any) -> str:
    """A value in TOML: JSON's texts, numbers and lists are TOML's, but for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
