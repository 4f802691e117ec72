"""Lopuhaä-Zwakenberg and others: Comparing Classifiers' Performance under Differential Privacy (2021)."""
