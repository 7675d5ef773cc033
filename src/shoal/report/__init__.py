"""Results as text, HTML, JSON and figures."""

from shoal.report._compare_plot import plot_comparison
from shoal.report._quasi_plot import plot_survey

__all__ = ["plot_comparison", "plot_survey"]
