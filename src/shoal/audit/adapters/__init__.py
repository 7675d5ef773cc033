"""What a trained model tells, a file per library; the registry lists them."""
