"""Queries of a growing tree: which node each row is in, scores of splits, counts at nodes."""
