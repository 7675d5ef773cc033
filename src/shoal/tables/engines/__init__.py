"""The engines that hold tables: frames, DuckDB, Spark."""
