"""Methods that go through a sequence of cuts and release one of them."""

from __future__ import annotations

from typing import Any

from shoal._checks import require_fitted
from shoal.anonymize._release import Release
from shoal.anonymize.cuts._cut_problem import CutProblem, make_problem
from shoal.anonymize.cuts._grown_hierarchies import grow_hierarchies
from shoal.anonymize.cuts._suppression import make_recoding
from shoal.anonymize.greedy._cut_history import CutHistory
from shoal.anonymize.greedy._steps import Step
from shoal.errors import InfeasibleError, ParameterError
from shoal.privacy import PrivacyModel
from shoal.schema import Schema
from shoal.tables import FrequencyTable


class SequenceMixin:
    """`release_at` for methods that keep their steps."""

    schema: Schema
    metric: str | None
    max_suppression: float
    ranges: str
    steps_: list[Step]
    _cuts: CutHistory
    _problem: CutProblem

    _counts_projections = True

    def _prepare(self, cells: FrequencyTable, privacy: PrivacyModel) -> CutProblem:
        """The problem of both directions; columns without a hierarchy grow one."""
        metric = self.metric or default_metric(self.schema)
        steers = self.schema.target if metric == "information" else None
        cells = grow_hierarchies(
            cells, steers, max(privacy.minimum_size, 1), exact=self.ranges == "exact"
        )
        self._problem = make_problem(
            cells,
            privacy,
            target=self.schema.target,
            metric=metric,
            max_suppression=self.max_suppression,
            weights=[self.schema[name].weight for name in cells.names],
        )
        return self._problem

    @property
    def looks_at_target(self) -> bool:
        """Whether steps are chosen by the target."""
        return (self.metric or default_metric(self.schema)) == "information"

    def release_at(self, step: int) -> Release:
        """The release after a step; 0 is before the first.

        The privacy model is asked of it like of any release: a step at which it does not hold yet
        raises :class:`~shoal.errors.InfeasibleError`.
        """
        require_fitted(self, "steps_")
        made: Any = self
        if not hasattr(self, "_cuts"):
            raise ParameterError(
                "release_at needs the fitted rows, which a saved estimator does not keep. "
                "Fit it again."
            )
        if not 0 <= step < len(self._cuts):
            raise ParameterError(f"step must be between 0 and {len(self._cuts) - 1}, got {step}.")
        try:
            recoding = make_recoding(self._problem, self._cuts[step])
        except InfeasibleError as error:
            failing = self.steps_[step - 1].failing if step else error.achieved
            raise InfeasibleError(
                f"step {step}: {self._problem.privacy.describe()}",
                required=self._problem.budget,
                achieved=failing,
                hint=f"{failing:g} rows are in groups that are not allowed at this step; "
                "choose a step at which fewer are.",
            ) from None
        release = made.release_
        recoded = recoding.recode(release.recoded.cells)
        return Release(
            method=release.method,
            parameters={**release.parameters, "step": step},
            schema=release.schema,
            privacy=release.privacy,
            recoding=recoding,
            recoded=recoded,
            compressed=release.compressed,
            output=release.output,
            notes=release.notes,
        )


def default_metric(schema: Schema) -> str:
    """Class information for a target that is not sensitive, else the loss of detail.

    A search that looks at sensitive values tells about them: which step was taken says what the
    values were (the minimality attack).
    """
    if schema.target is None or schema[schema.target].role == "sensitive":
        return "ncp"
    return "information"
