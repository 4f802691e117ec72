"""Salamatian: Private Boosted Decision Trees via Smooth Re-Weighting (2021)."""
