"""Placeholders in request templates and headers."""

from typing import Any

import pytest

from agentlab_ci.core.placeholder import fill_placeholders, find_placeholders

VALUES: dict[str, Any] = {
    "message": 'say "hi" to {{env.TOKEN}}',
    "conversation_id": "c-1",
    "messages": [{"role": "user", "text": "Grüße"}],
    "env.TOKEN": "s3cret",
}


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("plain", "plain"),
        ("{{conversation_id}}", "c-1"),
        ("{{ conversation_id }}", "c-1"),
        ("Bearer {{env.TOKEN}}", "Bearer s3cret"),
        ("{{messages}}", [{"role": "user", "text": "Grüße"}]),  # alone: the JSON value
        ("so far: {{messages}}", 'so far: [{"role": "user", "text": "Grüße"}]'),  # in text: its JSON
        ("{{conversation_id}}{{conversation_id}}", "c-1c-1"),
        ("{{message}}", 'say "hi" to {{env.TOKEN}}'),  # what is filled in is not searched again
        ("<{{message}}>", '<say "hi" to {{env.TOKEN}}>'),
        ({"a": {"b": ["{{conversation_id}}", 1, None, True]}}, {"a": {"b": ["c-1", 1, None, True]}}),
        ({"{{message}}": "x"}, {"{{message}}": "x"}),  # keys are names, not templates
        ("{message} {{}", "{message} {{}"),
    ],
)
def test_fill_placeholders(template: object, filled: object) -> None:
    assert fill_placeholders(template, VALUES) == filled


def test_find_placeholders_names_each_in_order() -> None:
    template = {"a": "{{message}} and {{ env.TOKEN }}", "{{key}}": [{"b": "{{messages}}"}, 3, "{{no such}}"]}
    assert list(find_placeholders(template)) == ["message", "env.TOKEN", "messages", "no such"]


def test_everything_found_is_everything_filled() -> None:
    template = {"a": ["{{message}}", "{{messages}}"], "b": "{{conversation_id}} {{env.TOKEN}}"}
    assert set(find_placeholders(template)) == set(VALUES)
    used: set[str] = set()

    class Watching(dict[str, Any]):
        def __getitem__(self, key: str) -> Any:
            used.add(key)
            return super().__getitem__(key)

    fill_placeholders(template, Watching(VALUES))
    assert used == set(VALUES)


def test_the_template_itself_stays_as_it_was() -> None:
    template = {"a": ["{{message}}"]}
    fill_placeholders(template, VALUES)
    assert template == {"a": ["{{message}}"]}
