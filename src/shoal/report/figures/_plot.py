"""One word for every figure: what is drawn follows from what is given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from shoal.anonymize._compare import Comparison
from shoal.anonymize.lattice._lattice import Lattice
from shoal.audit._model_audit import ModelAudit
from shoal.discover._survey import Survey
from shoal.errors import ParameterError
from shoal.report.figures._audit_plot import plot_audit
from shoal.report.figures._compare_plot import plot_comparison
from shoal.report.figures._frontier import Frontier, plot_frontier
from shoal.report.figures._lattice_plot import plot_lattice
from shoal.report.figures._quasi_plot import plot_survey
from shoal.typing import PathText

_FIGURES: tuple[tuple[type, Callable[[Any, PathText], Path]], ...] = (
    (Frontier, plot_frontier),
    (Comparison, plot_comparison),
    (Lattice, plot_lattice),
    (ModelAudit, plot_audit),
    (Survey, plot_survey),
)


def plot(result: Any, path: PathText) -> Path:
    """Draw a result as a figure in a file; the same result gives the same bytes.

    Parameters
    ----------
    result : Frontier, Comparison, Lattice, ModelAudit or Survey
        What `measure_frontier`, `compare_methods`, `FullDomain.lattice_`, `audit` or `survey` gave.
    path : path
        Ends in `.svg`, `.pdf` or `.png`.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> from shoal.discover import survey
    >>> found = survey({"age": [31, 34, 34], "sex": ["f", "m", "m"]}, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     plot(found, Path(folder) / "survey.svg").name
    'survey.svg'
    """
    for kind, draw in _FIGURES:
        if isinstance(result, kind):
            return draw(result, path)
    raise ParameterError(
        f"plot: a {type(result).__name__} is no figure. Give what measure_frontier, "
        "compare_methods, audit or survey returned, or the lattice_ of a FullDomain."
    )
