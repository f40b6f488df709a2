import json
import sys

import pytest

from agentlab_ci.processes.strict_json import NotStrictError, read_json

LARGEST = int(sys.float_info.max)


@pytest.mark.parametrize(
    "text",
    [
        "NaN",
        "Infinity",
        "-Infinity",
        "1e999",
        "-1e999",
        str(2**1024),
        str(-(2**1024)),
        "9" * 310,
        "1" * 5000,  # more digits than Python turns into a number
    ],
)
def test_numbers_that_others_cannot_read_are_refused(text: str) -> None:
    with pytest.raises(NotStrictError) as caught:
        read_json(f'{{"a": [{text}]}}')
    assert len(str(caught.value)) < 60


@pytest.mark.parametrize("value", [0, -1, 1.5, 2**64, LARGEST, -LARGEST, 1e308, True, None, "NaN", [], {"a": 1}])
def test_everything_else_is_what_it_was(value: object) -> None:
    assert read_json(json.dumps(value)) == value
