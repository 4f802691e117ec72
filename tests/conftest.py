"""What all tests share: no test is timed, as whichever draws secure noise first also loads the sampler."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
