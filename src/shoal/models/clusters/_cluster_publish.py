"""What a fitted clustering publishes: JSON, and the sentence of its guarantee."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

import shoal
from shoal.errors import ParameterError
from shoal.models._json import (
    CLUSTERS,
    VERSION,
    bins_from_dict,
    check_format,
    columns_to_dict,
    read_json,
    refuse_malformed,
    seal,
    set_columns,
    spans_from_dict,
    write_json,
)
from shoal.models.clusters._cluster_check import check_clusters
from shoal.models.clusters._cluster_space import Axis, ClusterSpace
from shoal.privacy import PrivacyModel
from shoal.privacy.spans._spans import Bins, Spans
from shoal.typing import Counts, Floats, PathText

RULE = (
    "a row belongs to the nearest centroid; of those whose squared distances differ by at most tie "
    "to the first"
)


class PublishedClusters:
    """Exports of a fitted clustering.  None holds a training row or its label."""

    space_: ClusterSpace
    cluster_centers_: Floats
    center_rows_: Counts
    spans_: Spans
    bins_: Bins
    privacy_: PrivacyModel
    tie_: float

    def to_dict(self) -> dict[str, Any]:
        """All that is published, as plain values; :meth:`from_dict` makes an equal rule of it.

        Ranges of private columns are those that were declared as their `domain`, or round numbers:
        those of the table are values of people.  Centroids that are means of fewer rows than the
        privacy model's smallest group are refused, since they are (nearly) values of people too.
        """
        check_is_fitted(self, "cluster_centers_")
        self._require_means()
        data = {
            "format": CLUSTERS,
            "version": VERSION,
            "shoal": shoal.__version__,
            "rule": RULE,
            "tie": self.tie_,
            "columns": columns_to_dict(self),
            "privacy": self.privacy_.to_dict(),
            "guarantee": self.guarantee(),
            "space": [axis.to_dict() for axis in self.space_.axes],
            "centers": self.cluster_centers_.tolist(),
            "center_rows": self.center_rows_.tolist(),
            "bins": self.bins_.to_dict(),
            "spans": {
                "bins": self.spans_.to_dict()["bins"],
                "population": self.spans_.population.tolist(),
            },
        }
        return seal(data)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """A clustering that predicts like the one that :meth:`to_dict` was called on."""
        check_format(data, CLUSTERS)
        with refuse_malformed(CLUSTERS):
            found = cls._from_dict(data)
            check_clusters(found, data)
            return found

    @classmethod
    def _from_dict(cls, data: Mapping[str, Any]) -> Self:
        model = PrivacyModel.from_dict(data["privacy"])
        found = cls(privacy=model)  # type: ignore[call-arg]
        found.space_ = ClusterSpace(tuple(Axis.from_dict(axis) for axis in data["space"]))
        found.cluster_centers_ = np.array(data["centers"], np.float64)
        found.center_rows_ = np.array(data["center_rows"], np.int64)
        found.bins_, found.spans_ = bins_from_dict(data["bins"]), spans_from_dict(data["spans"])
        found.privacy_, found.tie_ = model, data["tie"]
        set_columns(found, data["columns"])
        return found

    def to_json(self, path: PathText | None = None) -> str:
        """:meth:`to_dict` as JSON; written to `path` as well when given."""
        return write_json(self.to_dict(), path)

    @classmethod
    def from_json(cls, path: PathText) -> Self:
        """Load what :meth:`to_json` wrote."""
        return cls.from_dict(read_json(path, CLUSTERS))

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
