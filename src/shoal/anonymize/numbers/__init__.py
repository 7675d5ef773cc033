"""Groups that lose little of numbers: microaggregation, by squared distance."""
