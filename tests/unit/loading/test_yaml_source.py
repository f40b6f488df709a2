import string
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.loading.yaml_source import MAX_BYTES, MAX_DEPTH, Loc, bound_depth, read_yaml
from yaml_projects import document_of


def problems_of(raw: bytes | str) -> list[str]:
    file = read_yaml(raw.encode() if isinstance(raw, str) else raw, "x.yaml")
    return [str(problem).removeprefix("x.yaml:") for problem in file.problems]


def test_keys_and_items_know_their_places() -> None:
    document = document_of("# a comment\nsteps:\n  - message: hi\n    role: user\nname: x\n")
    assert document.data == {"steps": [{"message": "hi", "role": "user"}], "name": "x"}
    assert document.marks == {
        (): (2, 1),
        ("steps",): (2, 1),
        ("steps", 0): (3, 5),
        ("steps", 0, "message"): (3, 5),
        ("steps", 0, "role"): (4, 5),
        ("name",): (5, 1),
    }


def test_what_has_no_place_is_placed_by_what_is_around_it() -> None:
    place = document_of("a:\n  b: 1\n").place(("a", "c", 0))
    assert (place.line, place.column) == (1, 1)


def test_columns_count_characters_and_a_byte_order_mark_is_none() -> None:
    document = document_of("\ufeff{é😀: 1, b: 2}")
    assert document.marks["b",] == (1, 9)


def test_an_alias_gives_its_data_a_second_place() -> None:
    document = document_of("a: &x\n  b: 1\nc: *x\n")
    assert document.data == {"a": {"b": 1}, "c": {"b": 1}}
    assert document.marks["c", "b"] == (2, 3)


def test_each_document_has_its_own_places_and_empty_ones_are_left_out() -> None:
    file = read_yaml(b"---\na: 1\n---\n---\na: 2\n", "x.yaml")
    assert [document.data for document in file.documents] == [{"a": 1}, {"a": 2}]
    assert [document.marks["a",] for document in file.documents] == [(2, 1), (5, 1)]
    assert file.problems == ()


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("12", 12),
        (f"1{'0' * 308}", 10**308),
        ("0.75", 0.75),
        ("no", False),
        ("~", None),
        ("", None),
        ("'12'", "12"),
        ("2024-01-01", "2024-01-01"),  # no date: JSON has none
        ("2024-13-01", "2024-13-01"),  # nor an error about a month
        ("12:30", "12:30"),  # not 750
        ("1:30.5", "1:30.5"),
        ("=", "="),  # a value that YAML 1.1 gives a meaning nobody wants
        ("<<", "<<"),
        ("1e3", "1e3"),
        ("!!str 12", "12"),
    ],
)
def test_values(written: str, value: object) -> None:
    assert document_of(f"a: {written}\n").data == {"a": value}


@pytest.mark.parametrize("key", ["500", "on", "no", "null", "2024-01-01", "1.5"])
def test_keys_are_text_as_written(key: str) -> None:
    assert document_of(f"{key}: 1").data == {key: 1}


@pytest.mark.parametrize(
    ("raw", "problems"),
    [
        ("", ["1:1: the file is empty"]),
        ("# only a comment\n", ["1:1: the file is empty"]),
        ("---\n---\n", ["1:1: the file is empty"]),
        ("a: 1\nb: 2\na: 3\n", ["3:1: the key `a` stands here twice, first in line 1"]),
        ("s:\n  <<: {x: 1}\n", ["2:3: s: merge keys (`<<`) are not supported: write the keys out"]),
        ("q: {{x}}\n", ["1:5: q: a key must be plain text; quote a value such as `{{message}}`"]),
        ("a: !x 1\n", ["1:1: a: the tag `!x` is not supported"]),
        ("a: !!binary aGk=\n", ["1:1: a: the tag `tag:yaml.org,2002:binary` is not supported"]),
        ("- !!set {x}\n", ["1:3: [0]: the tag `tag:yaml.org,2002:set` is not supported"]),
        (
            "a: !!python/object/apply:os.system [x]\n",
            ["1:1: a: the tag `tag:yaml.org,2002:python/object/apply:os.system` is not supported"],
        ),
        ("a:\n  b: .nan\n", ["2:3: a.b: `.nan` is not a finite number"]),
        ("a: 1.5e+999\n", ["1:1: a: `1.5e+999` is not a finite number"]),
        (f"a: 1{'0' * 309}\n", [f"1:1: a: `1{'0' * 78}…` is too large a number"]),
        (
            f"a: -0x{'f' * 6000}\n",
            [f"1:1: a: `-0x{'f' * 76}…` is too large a number"],
        ),  # too long for int() to show
        ("a: !!int x\n", ["1:1: a: `x` cannot be read as a whole number"]),
        ("a: x\x01y\n", ["1:5: the control character `\\x01` is not allowed in YAML"]),
        (b"a: 1\nb: \xff\n", ["2:4: the byte 0xff is not UTF-8: save the file as UTF-8"]),
        (b"\xef\xbb\xbfa: \xff\n", ["1:4: the byte 0xff is not UTF-8: save the file as UTF-8"]),
        ("a: &a [*a]\n", ["1:4: an alias contains itself"]),
        ("a: &a {b: *a}\n", ["1:4: an alias contains itself"]),
        ("a:\n\tb: 1\n", ["2:1: not valid YAML: a tab cannot indent: use spaces"]),
        ("[" * 41 + "]" * 41, ["1:41: nested deeper than 40 levels"]),
        ("a: &a 1\nb: [" + "*a, " * 101 + "]", ["2:405: more than 100 aliases"]),
        ("[" + "1," * 100_000 + "]", ["1:200000: more than 100,000 values"]),
    ],
)
def test_what_is_refused(raw: bytes | str, problems: list[str]) -> None:
    assert problems_of(raw) == problems


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: b: c\n", "1:5"),
        ("a: [1\n", "2:1"),
        ('a: "x\n', "2:1"),
        ("a: *nothing\n", "1:4"),
        ("a: 1\n- b\n", "2:1"),
        ("a: @x\n", "1:4"),
        ("[" * 5000, "1:1001"),  # the parser's own limit; nothing recurses into it
    ],
)
def test_syntax_errors_have_a_place(text: str, place: str) -> None:
    (problem,) = problems_of(text)
    assert problem.startswith(f"{place}: ")


def test_a_colon_in_text_is_explained() -> None:
    assert "wants quotes around it" in problems_of("message: Note: call back\n")[0]


def test_numbers_of_thousands_of_digits_are_refused() -> None:
    (problem,) = problems_of("a: " + "9" * 5000)
    assert problem.endswith("cannot be read as a whole number")


def test_a_file_over_one_megabyte_is_not_parsed() -> None:
    assert problems_of(b"a" * (MAX_BYTES + 1)) == [" the file is larger than 1 MB"]


def test_aliases_of_aliases_are_counted_in_full() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    (problem,) = problems_of("\n".join(lines))
    assert problem.endswith("more than 100,000 values, aliases counted in full")


def test_the_problems_before_a_syntax_error_are_kept() -> None:
    first, second = problems_of("a: 1\na: 2\n---\nb: c: d\n")
    assert first.startswith("2:1: the key `a` stands here twice")
    assert second.startswith("4:5: not valid YAML")
    # Where the events have to be read first, they end at the error before anything is built.
    assert len(problems_of("a: 1\na: 2\nx: '*'\n---\nb: c: d\n")) == 1
    assert len(problems_of("a: 1\na: 2\nb: !x 1\n")) == 2


def test_a_document_with_problems_is_still_given() -> None:
    file = read_yaml(b"a: 1\na: 2\nb: 3\n", "x.yaml")
    assert file.documents[0].data == {"a": 1, "b": 3}


_TEXTS = st.text(string.ascii_letters + string.digits + " :#-'\"{}[]é😀\n", max_size=12)
_PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXTS, inner, max_size=4),
    max_leaves=20,
)


def _ways(value: Any, loc: Loc = ()) -> list[Loc]:
    children: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        children = list(value.items())
    elif isinstance(value, list):
        children = list(enumerate(value))
    return [loc, *(way for key, inner in children for way in _ways(inner, (*loc, key)))]


@settings(derandomize=True, deadline=None, max_examples=150)
@given(data=st.dictionaries(_TEXTS, _PLAIN, min_size=1, max_size=5), flow=st.booleans())
def test_plain_data_comes_back_and_everything_has_a_place(data: dict[str, Any], flow: bool) -> None:
    text = yaml.safe_dump(data, allow_unicode=True, default_flow_style=flow, sort_keys=False)
    document = document_of(text)
    assert document.data == data
    assert set(document.marks) == set(_ways(data))


@settings(derandomize=True, deadline=None, max_examples=300)
@given(raw=st.binary(max_size=60) | st.text("ab:-[]{}&*!|>'\"#%@ \n\t", max_size=40).map(str.encode))
def test_no_file_breaks_the_reader(raw: bytes) -> None:
    file = read_yaml(raw, "x.yaml")
    assert file.documents or file.problems


def depth_of(text: str) -> int:
    """Return how deep the YAML goes, as far as it can be read."""
    depth = deepest = 0
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            deepest = max(deepest, depth)
    except (yaml.YAMLError, RecursionError):
        pass
    return deepest


PIECES = [
    "- ",
    "? ",
    "a: ",
    "b:",
    "[",
    "]",
    "{",
    "}",
    ", ",
    "'x'",
    "|",
    "&a ",
    "!!map ",
    "--- ",
    "-",
    ":",
    "?",
    "#",
    "x",
]
BREAKS = ["\n", "\r", "\r\n", "\x85", "\u2028"]
LINES = st.tuples(st.integers(0, 6), st.lists(st.sampled_from(PIECES), max_size=5), st.sampled_from(BREAKS))


@settings(derandomize=True, deadline=None, max_examples=3000)
@given(st.lists(LINES, max_size=9))
def test_no_text_is_deeper_than_its_bound(lines: list[tuple[int, list[str], str]]) -> None:
    text = "".join(" " * indent + "".join(pieces) + end for indent, pieces, end in lines)
    assert depth_of(text) <= bound_depth(text)


@pytest.mark.parametrize("end", BREAKS)
def test_every_way_of_nesting_counts(end: str) -> None:
    blocks = [
        "".join(" " * level + "a:" + end for level in range(MAX_DEPTH)) + " " * MAX_DEPTH + "x",
        "".join(" " * 2 * level + "-" + end for level in range(MAX_DEPTH)) + " " * 2 * MAX_DEPTH + "x",
        "- " * MAX_DEPTH + "x",
        "- a:" + end + "".join("  " * level + "- a:" + end for level in range(1, MAX_DEPTH)),
        "[" * MAX_DEPTH + "]" * MAX_DEPTH,
        "[a: " * MAX_DEPTH + "x" + "]" * MAX_DEPTH,
        "? " * MAX_DEPTH + "x",
    ]
    for text in blocks:
        assert depth_of(text) >= MAX_DEPTH
        assert depth_of(text) <= bound_depth(text)


def test_an_everyday_file_is_seen_to_be_shallow_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the events were read")

    monkeypatch.setattr(yaml, "parse", refuse)
    text = "id: a.b\ntags: [x, y]\nsteps:\n  - message: hi-there\n    evaluators:\n      - config: {k: [v]}\n"
    assert not read_yaml(text.encode(), "x.yaml").problems
