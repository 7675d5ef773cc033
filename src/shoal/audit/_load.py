"""Models from files: skops by default, pickles only from people you trust."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from shoal._resources import scratch
from shoal.audit._compiled_parts import check_compiled_parts
from shoal.audit._trial_load import (
    LARGEST,
    check_size,
    list_unknown_types,
    load_known,
    load_skops,
    try_load,
)
from shoal.audit.adapters._registry import is_recognized
from shoal.audit.opened._file_rest import check_skops_file, load_pickle, parse_json
from shoal.errors import MissingExtraError, ParameterError, ShoalError, TableError
from shoal.models import KAnonymousClustering, KAnonymousNaiveBayes, KAnonymousTreeClassifier
from shoal.typing import PathText

PICKLES = (".joblib", ".pickle", ".pkl")


def load_model(path: PathText, *, trust: bool = False) -> Any:
    """Load a model for an audit.

    Parameters
    ----------
    path : path
        A `.skops` file; the `.json` of a Shoal tree, clustering or naive Bayes, rules as a `.json`
        list of objects with `antecedents` and `consequents`, what XGBoost's `save_model` or
        `dump_model` or LightGBM's `dump_model` writes as `.json`; a `.joblib`, `.pkl` or `.pickle`
        file with `trust`.
    trust : bool, default=False
        Load pickles, and skops files with any types, without trying them first.  Loading a pickle
        runs whatever program its author put into it.

    Notes
    -----
    A skops file is first opened in a process of its own, with limits on time and memory.  Unless it
    is trusted it may name only types that skops trusts and those of scikit-learn that are known to
    do no harm; its trees are checked to be trees before anything follows their indices.

    Examples
    --------
    >>> import json, tempfile
    >>> rules = [{"antecedents": ["bread"], "consequents": ["pills"]}]
    >>> with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    ...     _ = file.write(json.dumps(rules))
    ...     _ = file.flush()
    ...     load_model(file.name) == rules
    True
    """
    path = Path(path)
    suffix = check_name(path, trust=trust)
    if suffix in PICKLES:
        model = load_pickle(path)
        check_compiled_parts(model)  # a damaged tree may crash whoever follows its indices
        return _keep_labels(model)
    with _own_copy(path) as own:
        if suffix == ".json":
            return _read_json(own)
        check_size(own)
        if not trust:
            try_load(own)
        return _read_skops(own, load_skops(own, list_unknown_types(own)))


def load_untried(path: Path) -> Any:
    """Load a file that is not trusted in a process that has limits already."""
    suffix = check_name(path)
    with _own_copy(path) as own:
        if suffix == ".json":
            return _read_json(own)
        check_size(own)
        return _read_skops(own, load_known(own))


@contextmanager
def _own_copy(path: Path) -> Iterator[Path]:
    """A copy that nobody else writes: what is read again must be what was checked."""
    with TemporaryDirectory(dir=scratch()) as folder:
        own = Path(folder) / path.name
        try:
            with path.open("rb") as source, own.open("wb") as target:
                while (size := target.tell()) <= LARGEST and (block := source.read(1 << 20)):
                    target.write(block)
        except OSError:
            raise TableError(f"cannot read model {path.name}: it cannot be opened.") from None
        if size > LARGEST:
            raise ParameterError(
                f"{path.name} is larger than {LARGEST:,} bytes, of which a model has less."
            )
        yield own


def check_name(path: Path, *, trust: bool = False) -> str:
    """The suffix of a file that can be read; raise for another."""
    if not path.exists():
        raise TableError(f"cannot read model {path.name}: there is no such file.")
    if not path.is_file():
        raise TableError(f"cannot read model {path.name}: it is a folder or a device, no file.")
    suffix = path.suffix.lower()
    if suffix in PICKLES and not trust:
        raise ParameterError(
            f"{path.name} is a pickle: loading it runs whatever program its author put into "
            "it. Save the model with skops, or use --trust if you made the file yourself."
        )
    if suffix not in (".json", ".skops", *PICKLES):
        raise ParameterError(
            f"cannot read model {path.name!r}: use .skops or .json, or {', '.join(PICKLES)} with "
            "trust."
        )
    if suffix == ".skops" and find_spec("skops") is None:
        raise MissingExtraError("skops", "audit", "reading a .skops model")
    return suffix


def _read_json(path: Path) -> Any:
    try:
        data = parse_json(path.name, path.read_text("utf-8"))
    except ShoalError:
        raise
    except (ValueError, RecursionError):
        raise TableError(f"{path.name} is not JSON.") from None
    if isinstance(data, list) or is_recognized(data):
        return data
    if isinstance(data, dict) and data.get("format") == "shoal-clusters":
        return KAnonymousClustering.from_dict(data)
    if isinstance(data, dict) and data.get("format") == "shoal-bayes":
        return KAnonymousNaiveBayes.from_dict(data)
    return KAnonymousTreeClassifier.from_json(path)


def _read_skops(path: Path, model: Any) -> Any:
    check_skops_file(path)
    return _keep_labels(model)


def _keep_labels(model: Any) -> Any:
    """Give labels of rows that a file has of a clustering another name, so that they are read.

    Shoal pickles none, so those of a model in memory are nothing that is published.
    """
    if isinstance(model, KAnonymousClustering) and "labels_" in vars(model):
        model.__dict__["the file's.labels_"] = model.__dict__.pop("labels_")
    return model
