"""What analysts still find in a release, whoever made it: each measure beside the raw table."""
