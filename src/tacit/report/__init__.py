"""Pictures; they need the extra `report`."""

from tacit.report.accuracy import Curve, Reference, draw_accuracy

__all__ = ["Curve", "Reference", "draw_accuracy"]
