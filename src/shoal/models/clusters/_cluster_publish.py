"""What a fitted clustering publishes: JSON, and the sentence of its guarantee."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from shoal.errors import ParameterError
from shoal.models._json import CLUSTERS
from shoal.models._published import Published
from shoal.models.clusters._cluster_check import check_clusters
from shoal.models.clusters._cluster_space import Axis, ClusterSpace
from shoal.privacy import PrivacyModel
from shoal.typing import Counts, Floats

RULE = (
    "a row belongs to the nearest centroid; of those whose squared distances differ by at most tie "
    "to the first"
)


class PublishedClusters(Published):
    """Exports of a fitted clustering.  None holds a training row or its label."""

    _form, _fitted = CLUSTERS, "cluster_centers_"

    space_: ClusterSpace
    cluster_centers_: Floats
    center_rows_: Counts
    tie_: float

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: all but `labels_`, which tells the cluster of every training row.

        Refused like :meth:`to_dict`: a pickle is published as easily, and a centroid of one row is
        that row.
        """
        if "center_rows_" in vars(self):
            self._require_means()
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]
        return {name: value for name, value in state.items() if name != "labels_"}

    def to_dict(self) -> dict[str, Any]:
        """All that is published, as plain values; :meth:`from_dict` builds an equal rule.

        Ranges of private columns are those that were declared as their `domain`, or round numbers:
        those of the table are values of people.  Centroids that are means of fewer rows than the
        privacy model's smallest group are refused, since they are (nearly) values of people too.
        """
        check_is_fitted(self, "cluster_centers_")
        self._require_means()
        return super().to_dict()

    def _facts(self) -> dict[str, Any]:
        return {"rule": RULE, "tie": self.tie_}

    def _model(self) -> dict[str, Any]:
        return {
            "space": [axis.to_dict() for axis in self.space_.axes],
            "centers": self.cluster_centers_.tolist(),
            "center_rows": self.center_rows_.tolist(),
        }

    @classmethod
    def _from_dict(cls, data: Mapping[str, Any], privacy: PrivacyModel) -> Self:
        clustering = cls(privacy=privacy)  # type: ignore[call-arg]
        clustering.space_ = ClusterSpace(tuple(Axis.from_dict(axis) for axis in data["space"]))
        clustering.cluster_centers_ = np.array(data["centers"], np.float64)
        clustering.center_rows_ = np.array(data["center_rows"], np.int64)
        clustering.tie_ = data["tie"]
        return clustering

    def _check_read(self, data: Mapping[str, Any]) -> None:
        check_clusters(self, data)

    def guarantee(self) -> str:
        """What holds for every person behind the clusters, in a sentence."""
        check_is_fitted(self, "cluster_centers_")
        silent = int(self.spans_.population[self.spans_.is_single].sum())
        said = (
            f"Of {self.spans_.groups.n_rows} people, {silent} are in one cluster whatever their "
            "private values are"
        )
        if self.spans_.is_single.all():
            return f"{said}: the clusters tell nothing private."
        return (
            f"{said}; the others fall into {int((~self.spans_.is_single).sum())} groups, of each "
            f"of which this holds: {self.privacy_.describe()}. "
            f"The smallest has {self.spans_.largest_k} rows.{self._assumes()}"
        )

    def _assumes(self) -> str:
        """Ranges that the guarantee rests on and that nobody published."""
        axes = [a for a in self.space_.axes if not a.is_public and a.coding is None]
        open_ended = [axis.name for axis in axes if not axis.is_declared]
        if not open_ended:
            return ""
        return (
            f" This assumes an attacker who takes {', '.join(open_ended)} to lie within the range "
            "of the table, which is not published: declare a domain to publish it."
        )

    def _require_means(self) -> None:
        least = self.privacy_.minimum_size
        few = int((self.center_rows_ < least).sum())
        if few and self.space_.is_private.any():
            raise ParameterError(
                f"{few} of {len(self.center_rows_)} centroids are means of fewer than {least} "
                f"rows and would give private values away. Fit with min_rows={least}."
            )
