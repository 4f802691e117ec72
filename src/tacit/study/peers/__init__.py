"""Other libraries as learners of a study: in environments of their own, on the same splits, scored by the same code."""

from tacit.study.peers.environment import ENVIRONMENTS, Environment, environment, peers_folder
from tacit.study.peers.installation import InstallationFailed, install, remove
from tacit.study.peers.peer import Peer
from tacit.study.peers.predictions import peer_predictions
from tacit.study.peers.process import PeerFailed
from tacit.study.peers.registry import PEERS, check_peer, find_peer
from tacit.study.peers.relation import Relation, peer_budget
from tacit.study.peers.trial import try_out

__all__ = [
    "ENVIRONMENTS",
    "PEERS",
    "Environment",
    "InstallationFailed",
    "Peer",
    "PeerFailed",
    "Relation",
    "check_peer",
    "environment",
    "find_peer",
    "install",
    "peer_budget",
    "peer_predictions",
    "peers_folder",
    "remove",
    "try_out",
]
