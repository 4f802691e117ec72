"""What a peer makes of a split's test rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.errors import ParameterError
from tacit.study.learners import Predictions
from tacit.study.peers.registry import find_peer
from tacit.study.peers.session import session
from tacit.study.run.split import Split


def peer_predictions(
    name: str,
    split: Split,
    *,
    epsilon: float | None,
    delta: float | None,
    seed: int,
    parameters: Mapping[str, Any],
) -> Predictions:
    """Return what the peer, trained on the split's training rows in its own environment, says of its test rows.

    Parameters
    ----------
    name : str
        One of `tacit.study.peers.PEERS`.
    split : Split
    epsilon, delta : float or None
        The row's budget; what the peer is asked for follows from it by ``relation``.
    seed : int
        Noise is simulated from it, so that a row can be computed again.
    parameters : mapping
        Of the peer.

    Raises
    ------
    ParameterError
        If there is no such peer, or it cannot have such parameters, such a budget or so many classes.
    MissingExtra
        If its environment is not installed.
    PeerFailed
        If it fails.

    Notes
    -----
    Privacy: a peer's rows are not private, and no certificate is made of what it promises. It is trained on all
    columns as if all were private.
    """
    peer = find_peer(name)
    given = peer.complete(parameters)
    settings = peer.settings(given, epsilon, delta)
    if peer.two_classes and len(split.classes) != 2:
        raise ParameterError(f"Expected two classes for peer:{name}, got more. Leave it out.")
    answer, codes, scores = session().fit(peer, split, given, {**settings, "seed": seed % 2**31})
    return Predictions(codes, scores, float(answer["fit_seconds"]), float(answer["predict_seconds"]))
