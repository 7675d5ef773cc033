"""What commands show of a mined model."""

from __future__ import annotations

from typing import Any

from shoal.secure import SecureBayesNet, SecureID3


def view(model: SecureID3 | SecureBayesNet) -> tuple[Any, str]:
    """Plain values, and text for people."""
    if isinstance(model, SecureBayesNet):
        return model.structure_.to_dict(), model.structure_.to_text()
    data: dict[str, Any] = {"tree": model.tree_.to_dict()}
    if model.counts_ is not None:
        data["leaf_counts"] = model.counts_.tolist()
    return data, model.tree_.to_text(model.counts_)
