"""Results as text, HTML, JSON and figures."""

from shoal.report.dossier._release_dossier import release_dossier
from shoal.report.figures._audit_plot import plot_audit
from shoal.report.figures._compare_plot import plot_comparison
from shoal.report.figures._frontier import measure_frontier, plot_frontier
from shoal.report.figures._lattice_plot import plot_lattice
from shoal.report.figures._quasi_plot import plot_survey
from shoal.report.release.pages._html import release_report

__all__ = [
    "measure_frontier",
    "plot_audit",
    "plot_comparison",
    "plot_frontier",
    "plot_lattice",
    "plot_survey",
    "release_dossier",
    "release_report",
]
