"""Results as text, HTML, JSON and figures."""

from shoal.report.dossier._release_dossier import release_dossier
from shoal.report.figures._frontier import measure_frontier
from shoal.report.figures._plot import plot
from shoal.report.release.pages._html import release_report

__all__ = [
    "measure_frontier",
    "plot",
    "release_dossier",
    "release_report",
]
