"""Holds requests against GitHub's own description of its API, of which `cut_openapi.py` cuts what we use."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from jsonschema import Draft202012Validator

from cut_openapi import CUT

_PLACEHOLDER = re.compile(r"\\\{(\w+)\\\}")


@dataclass(frozen=True)
class Operation:
    """One request that GitHub describes; `path` names the parameters in it as groups."""

    method: str
    path: re.Pattern[str]
    parameters: tuple[dict[str, Any], ...]
    body: dict[str, Any] | None


class GitHubDescription:
    """The requests of the cut, with their schemas."""

    def __init__(self) -> None:
        self._document = json.loads(CUT.read_text(encoding="utf-8"))
        self._operations = [
            self._operation(method, path, operation)
            for path, methods in self._document["paths"].items()
            for method, operation in methods.items()
        ]

    def find_problems(self, method: str, target: str, body: Any) -> list[str]:
        """Say what GitHub would not understand; `target` is the path with its query, `body` None without one."""
        url = urlsplit(target)
        for operation in self._operations:
            if operation.method == method and (found := operation.path.fullmatch(url.path)):
                query = dict(parse_qsl(url.query, keep_blank_values=True))
                parameters = self._check_parameters(operation, found.groupdict(), query)
                return [*parameters, *self._check_body(operation, body)]
        return [f"no such request: {method} {url.path}"]

    def _operation(self, method: str, path: str, described: dict[str, Any]) -> Operation:
        body = described.get("requestBody")
        return Operation(
            method=method.upper(),
            path=re.compile(_PLACEHOLDER.sub(r"(?P<\1>[^/]+)", re.escape(path))),
            parameters=tuple(self._follow(parameter) for parameter in described.get("parameters", ())),
            body=self._follow(body)["content"]["application/json"]["schema"] if body else None,
        )

    def _check_parameters(
        self, operation: Operation, in_path: dict[str, str], query: dict[str, str]
    ) -> Iterator[str]:
        given = {("path", name): value for name, value in in_path.items()}
        given |= {("query", name): value for name, value in query.items()}
        for parameter in operation.parameters:
            text = given.pop((parameter["in"], parameter["name"]), None)
            if text is not None:
                schema = self._follow(parameter["schema"])
                is_number = schema.get("type") == "integer" and re.fullmatch("-?[0-9]+", text)
                yield from self._check(schema, int(text) if is_number else text, parameter["name"])
            elif parameter.get("required"):
                yield f"missing: {parameter['name']}"
        yield from (f"unknown: {where} parameter {name}" for where, name in given)

    def _check_body(self, operation: Operation, body: Any) -> Iterator[str]:
        if operation.body is None:
            if body is not None:
                yield "a body where none is described"
            return
        yield from self._check(operation.body, body, "body")
        if isinstance(body, dict):
            yield from (f"unknown: {name} in the body" for name in body.keys() - operation.body["properties"])

    def _check(self, schema: dict[str, Any], value: Any, where: str) -> Iterator[str]:
        validator = Draft202012Validator({**schema, "components": self._document["components"]})
        yield from (f"{where}: {error.message}" for error in validator.iter_errors(value))

    def _follow(self, described: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in described:
            _, _, family, name = described["$ref"].split("/")
            described = self._document["components"][family][name]
        return described
