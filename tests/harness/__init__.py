"""Reusable tests: noise scales, neighboring tables, searches. Tested themselves."""
