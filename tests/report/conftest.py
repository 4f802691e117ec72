"""A study of ten learners, seven epsilons and ten repetitions, and its page."""

from __future__ import annotations

import pytest

from report.frames import PEERS, PRIVATE, study_frame
from tacit.report.page.study_page import study_page

TITLE = "Ten learners on people.csv"
TEN = dict(list((PRIVATE | PEERS).items())[:10])


@pytest.fixture(scope="session")
def study():
    return study_frame(learners=TEN, failing={("BRC", 0.01, repeat) for repeat in range(3)})


@pytest.fixture(scope="session")
def page(study):
    return study_page(study, title=TITLE)
