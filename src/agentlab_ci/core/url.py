"""URLs as they may be shown."""

from urllib.parse import urlsplit


def safe_url(url: str) -> str:
    """Return the URL without user info, query and fragment, any of which may hold a secret."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}"
