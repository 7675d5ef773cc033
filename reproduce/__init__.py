"""Rerun the papers' experiments: published value beside ours, a figure, a sentence on the gap."""

from reproduce._charts import plot_chart
from reproduce._evidence import Chart, Evidence, Finding, Line
from reproduce._experiment import EXPERIMENTS, Experiment, Outcome, Setup, load, run, select
from reproduce._pages import describe, tally, write_pages

__all__ = [
    "EXPERIMENTS",
    "Chart",
    "Evidence",
    "Experiment",
    "Finding",
    "Line",
    "Outcome",
    "Setup",
    "describe",
    "load",
    "plot_chart",
    "run",
    "select",
    "tally",
    "write_pages",
]
