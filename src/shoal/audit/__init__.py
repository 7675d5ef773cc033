"""The verdict on a model: what it tells about the people it was trained on."""

from shoal.audit._audit import audit
from shoal.audit._load import load_model
from shoal.audit.adapters._rule_adapter import item_schema

__all__ = [
    "audit",
    "item_schema",
    "load_model",
]
