"""The judge where the rows are: written files are judged by the workers of a cluster."""
