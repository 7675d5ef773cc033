"""Growing a tree: candidate splits, scores, spans, pruning."""
