"""Many owners who stay home, and two helpers who learn nothing."""
