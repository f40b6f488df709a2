"""Keys that stand twice in a JSON object."""

import json

import pytest

from agentlab_ci.loading.json_keys import find_double_key


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": 1, "a": 1}', "a"),
        ('{"run": {"jobs": [{}, {"status": 1, "x": {}, "status": 2}]}}', "run.jobs[1].status"),
        ('{"run": [[{"a": 1, "a": 2}]]}', "run[0][0].a"),
        ('[{"a": 1, "\\u0061": 2}]', "[0].a"),  # the same key, in other words
        ('{"b": {"a": 1, "a": 2}, "b": 3}', "b.a"),
        ('{"a": {"a": {"a": [1, 1]}}, "A": 1, "": 2}', None),
        ('[{"a": 1}, {"a": 1}]', None),
        ("{" * 100_000, None),
        ("[" * 100_000, None),
        ('{"a": 1, "a": 1', None),
        ('[{"a": 1, "a": 1}, no JSON', None),
        ("no JSON", None),
        ("3", None),
        ('{"n": ' + "9" * 10_000 + ', "n": NaN}', "n"),
    ],
)
def test_double_keys(text: str, place: str | None) -> None:
    assert find_double_key(text) == place


def test_documents_of_python_have_none() -> None:
    assert find_double_key(json.dumps({"a": [{"b": {}}, {"b": 2}], "b": {"a": {}}})) is None
