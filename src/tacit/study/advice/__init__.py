"""What to expect of private learning before a private row is read, from past studies on public tables."""

from tacit.study.advice.advice import Advice, Forecast, Precedent, advise
from tacit.study.advice.past_studies import PastStudies
from tacit.study.advice.shape import Shape
from tacit.study.advice.situation import Situation

__all__ = ["Advice", "Forecast", "PastStudies", "Precedent", "Shape", "Situation", "advise"]
