"""Models about the people of a population, of whom the table holds some."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from shoal.errors import SchemaError
from shoal.privacy._model import POPULATION, PrivacyModel

if TYPE_CHECKING:
    from shoal.tables import FrequencyTable
    from shoal.tables._frequency import Histogram
    from shoal.tables._recoded import Recoded


class PopulationModel(PrivacyModel):
    """A condition that counts the people of a population in every group.

    A subclass has a field `population`, which is data about people: neither manifests nor pickles
    hold it.
    """

    population: FrequencyTable | None

    @property
    def counts_population(self) -> bool:
        """Whether the model asks for a population that was counted."""
        return True

    @property
    def counts_all_of_it(self) -> bool:
        """Whether people with values that the table's codes lack are refused, not left out."""
        return False

    def prepare(self, cells: FrequencyTable, recoded: Recoded | None = None) -> FrequencyTable:
        """Count the population beside the cells, unless that was done."""
        if not self.counts_population or POPULATION in cells.histograms:
            return cells
        if recoded is not None:
            return self._find_written(cells, recoded)
        if self.population is None:
            name = type(self).__name__
            raise SchemaError(
                f"{name} needs a population. Give {name}(..., population=) the frequency table of "
                "everybody who might be in the table."
            )
        from shoal.privacy.models._population import with_population  # noqa: PLC0415  slow to load

        return with_population(cells, self.population, complete=self.counts_all_of_it)

    def _find_written(self, groups: FrequencyTable, recoded: Recoded) -> FrequencyTable:
        """Count the population in released groups, found by what is written in them."""
        people = self._people(recoded.groups).sums(np.ones(1)).astype(np.int64)
        keys = groups.keys[:, [groups.names.index(name) for name in recoded.cells.names]]
        texts = [groups.codings[groups.names.index(name)].texts for name in recoded.cells.names]
        # a file may have one way to write an empty text and nothing: people of both look alike
        alike: list[dict[str | None, str | None]] = [
            {"": None} if "" not in text else {} if None in text else {None: ""} for text in texts
        ]
        people_of = Counter[tuple[str | None, ...]]()
        for codes, number in zip(recoded.codes.tolist(), people.tolist(), strict=True):
            written = [labels.texts[at] for labels, at in zip(recoded.labels, codes, strict=True)]
            people_of[
                tuple(same.get(said, said) for said, same in zip(written, alike, strict=True))
            ] += number
        counts = [
            people_of[tuple(text[code] for text, code in zip(texts, row, strict=True))]
            for row in keys.tolist()
        ]
        from shoal.privacy.models._population import population_histogram  # noqa: PLC0415

        counted = population_histogram(np.array(counts, np.int64))
        return replace(groups, histograms={**groups.histograms, POPULATION: counted})

    def to_dict(self, *, private: bool = False) -> dict[str, Any]:
        """Name and parameters; the population is data and stays out, always."""
        known = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        del known["population"]
        named = {name: value for name, value in known.items() if value is not None}
        return {"model": type(self).__name__, **named}

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the parameters.  The population is given again."""
        return {**vars(self), "population": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # frozen; a copy in memory is no file that leaves the house

    def _people(self, groups: FrequencyTable) -> Histogram:
        if POPULATION not in groups.histograms:
            raise SchemaError(
                f"{type(self).__name__}: no population is counted in this table. "
                "Add one with with_population(cells, population)."
            )
        return groups.histograms[POPULATION]
