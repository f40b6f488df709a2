"""Cuts the requests that we make out of GitHub's own description of its API.

    python tests/cut_openapi.py DIR

writes `data/github-requests.json` again; DIR is a folder whose node_modules hold `@octokit/openapi` (MIT).
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CUT = Path(__file__).parent / "data" / "github-requests.json"
ORIGIN = "npm @octokit/openapi (MIT), generated/api.github.com.json, cut by tests/cut_openapi.py"

OPERATIONS = (
    ("get", "/user"),
    ("get", "/repos/{owner}/{repo}/issues/{issue_number}/comments"),
    ("post", "/repos/{owner}/{repo}/issues/{issue_number}/comments"),
    ("get", "/repos/{owner}/{repo}/issues/comments/{comment_id}"),
    ("patch", "/repos/{owner}/{repo}/issues/comments/{comment_id}"),
    ("delete", "/repos/{owner}/{repo}/issues/comments/{comment_id}"),
    ("get", "/repos/{owner}/{repo}/pulls"),
    ("get", "/repos/{owner}/{repo}/pulls/{pull_number}"),
    ("get", "/repos/{owner}/{repo}/commits/{commit_sha}/pulls"),
)
_KEPT = ("operationId", "parameters", "requestBody")
_PROSE = ("description", "summary", "example", "examples", "externalDocs")


def read_description(folder: Path) -> Any:
    """Read the whole description, 13 MB."""
    path = folder / "node_modules" / "@octokit" / "openapi" / "generated" / "api.github.com.json"
    return json.loads(path.read_text(encoding="utf-8"))


def cut(description: Any) -> dict[str, Any]:
    """Return the requests of our operations with the components that they refer to, without prose."""
    paths: dict[str, Any] = {}
    for method, path in OPERATIONS:
        operation = description["paths"][path][method]
        paths.setdefault(path, {})[method] = {name: operation[name] for name in _KEPT if name in operation}
    paths = _without_prose(paths)
    components: dict[str, Any] = {}
    wanted = list(_references(paths))
    while wanted:
        _, _, family, name = wanted.pop().split("/")
        if name not in components.setdefault(family, {}):
            components[family][name] = _without_prose(description["components"][family][name])
            wanted += _references(components[family][name])
    return {
        "x-origin": ORIGIN,
        "openapi": description["openapi"],
        "paths": paths,
        "components": components,
    }


def _references(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        if isinstance(data.get("$ref"), str):
            yield data["$ref"]
        for value in data.values():
            yield from _references(value)
    elif isinstance(data, list):
        for value in data:
            yield from _references(value)


def _without_prose(data: Any) -> Any:
    """Drop what is for readers; a property that happens to be called `description` is an object, and stays."""
    if isinstance(data, dict):
        return {
            key: _without_prose(value)
            for key, value in data.items()
            if key not in _PROSE or (isinstance(value, dict) and "type" in value)
        }
    return [_without_prose(value) for value in data] if isinstance(data, list) else data


if __name__ == "__main__":
    CUT.write_text(json.dumps(cut(read_description(Path(sys.argv[1]))), indent=1) + "\n", encoding="utf-8")
