"""All cases by name, in the order in which they run."""

from tests.recorder import (
    _api_audits,
    _api_federated,
    _api_models,
    _api_releases,
    _api_tables,
    _command_audits,
    _command_looks,
    _command_releases,
    _command_sites,
)
from tests.recorder._record import Case

CASES: dict[str, Case] = {
    name: case
    for module in (
        _command_looks,
        _command_releases,
        _command_audits,
        _command_sites,
        _api_releases,
        _api_tables,
        _api_models,
        _api_audits,
        _api_federated,
    )
    for name, case in module.CASES.items()
}
"""Name of a case (a folder of the recording) and the function that runs it."""
