"""Draws that hang on their key alone: the same in any order of execution and in any process."""

import hashlib
import json

_DRAWS = 1 << 64


def happens(probability: float, *key: str | int) -> bool:
    """Tell whether something of this probability happens; 0 never does, 1 always."""
    digest = hashlib.blake2b(json.dumps(key).encode(), digest_size=8).digest()
    return int.from_bytes(digest) < probability * _DRAWS
