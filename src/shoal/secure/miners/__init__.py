"""ID3 and Bayes nets between two parties."""
