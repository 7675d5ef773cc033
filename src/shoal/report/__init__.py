"""Results as text, HTML, JSON and figures."""

from shoal.report._quasi_plot import plot_survey

__all__ = ["plot_survey"]
