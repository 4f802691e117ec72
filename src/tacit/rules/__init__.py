"""The table of rules: every tuned number of the product, what it decides, by which public signal, and what chose it."""

from tacit.rules.rule import Row, Rule, all_rules

__all__ = ["Row", "Rule", "all_rules"]
