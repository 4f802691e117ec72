"""The version of this package, which models and rados name as what made them."""

__version__ = "0.2.0"
