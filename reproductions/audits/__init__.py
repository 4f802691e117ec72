"""Sampling audits of other libraries: their claims, on neighbors made for what their source does."""
