"""What the report of a release says: computed, not rendered."""
