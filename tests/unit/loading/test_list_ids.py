"""Ids in list files: those that loading makes, inserted and nothing else changed."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.scenario import Scenario
from agentlab_ci.loading.ids import NewId, choose_ids, find_written_ids, write_ids
from agentlab_ci.loading.scenarios import read_scenarios
from agentlab_ci.loading.yaml_source import read_yaml

PATH = "scenarios/shop.yaml"
REST = "instructions: a, agent_expectations: b"
LIST = "name: n\nscenarios:\n"


def scenarios_in(text: str | bytes, path: str = PATH) -> list[Scenario]:
    file = read_yaml(text if isinstance(text, bytes) else text.encode(), path)
    assert file.problems == ()
    read = [read_scenarios(document) for document in file.documents]
    assert not any(problems for _, problems in read)
    return [scenario for scenarios, _ in read for scenario in scenarios]


def with_ids(text: str, path: str = PATH, taken: Iterable[str] = ()) -> str:
    done = write_ids(text.encode(), path, taken=frozenset(taken))
    assert done.problems == ()
    return done.content.decode()


def block(first: str) -> str:
    return f"{first}\n    instructions: a\n    agent_expectations: b\n"


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        (f"  - {{label: x, {REST}}}\n", f"  - {{id: shop.x, label: x, {REST}}}\n"),
        (f'  - {{"label": "x", {REST}}}\n', f'  - {{"id": "shop.x", "label": "x", {REST}}}\n'),  # JSON stays JSON
        (f"  - {{label: x, id: , {REST}}}\n", f"  - {{label: x, id: shop.x, {REST}}}\n"),
        (f"  - {{label: x, id: ~, {REST}}}\n", f"  - {{label: x, id: shop.x, {REST}}}\n"),
        (block("  - label: x # why"), block("  - id: shop.x\n    label: x # why")),
        (block("  - id:\n    label: x"), block("  - id: shop.x\n    label: x")),
        (block("  -\n    # note\n    label: x"), block("  -\n    # note\n    id: shop.x\n    label: x")),
        (block("  -   label: x").replace("    i", "      i").replace("    a", "      a"), None),
        (block("  - ? label\n    : x"), block("  - id: shop.x\n    ? label\n    : x")),
        (block("  - &one\n    label: x"), block("  - &one\n    id: shop.x\n    label: x")),
        (block("  - !!map\n    label: x"), block("  - !!map\n    id: shop.x\n    label: x")),
        (block("  - label: 'é \u2028 日'"), block("  - id: shop.é-日\n    label: 'é \u2028 日'")),
        (block("  - 'label': x"), block("  - id: shop.x\n    'label': x")),
    ],
)
def test_where_an_id_is_put(row: str, shown: str | None) -> None:
    text = with_ids(LIST + row)
    assert shown is None or text == LIST + shown
    assert scenarios_in(text)[0].id == scenarios_in(LIST + row)[0].id


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_line_ends_and_a_byte_order_mark_stay(end: str, mark: bytes) -> None:
    text = (LIST + block("  - label: x")).replace("\n", end)
    done = write_ids(mark + text.encode(), PATH)
    assert done.content == mark + text.replace("label: x", f"id: shop.x{end}    label: x").encode()


def test_a_file_whose_last_line_has_no_end() -> None:
    text = LIST + block("  - label: x").rstrip("\n")
    assert with_ids(text) == text.replace("label: x", "id: shop.x\n    label: x")


def test_an_id_that_yaml_reads_as_a_number_is_quoted() -> None:
    text = with_ids(f"{LIST}  - {{label: '5', {REST}}}\n", "scenarios/2024.yaml")
    assert 'id: "2024.5"' in text
    assert scenarios_in(text, "scenarios/2024.yaml")[0].id == "2024.5"


def test_labels_that_are_alike_get_numbers_and_ids_that_stand_there_come_first() -> None:
    rows = "".join(
        f"  - {{{part}, {REST}}}\n"
        for part in ("label: a b", "label: A-B!", "id: shop.a-b-2, label: c", "label: a_b")
    )
    assert [s.id for s in scenarios_in(with_ids(LIST + rows))] == [
        "shop.a-b",
        "shop.a-b-3",
        "shop.a-b-2",
        "shop.a-b-4",
    ]
    done = write_ids((LIST + rows).encode(), PATH, taken={"shop.a-b"})
    assert done.new[0] == NewId(line=3, id="shop.a-b-3")
    assert done.ids == {"shop.a-b-2", "shop.a-b-3", "shop.a-b-4", "shop.a-b-5"}


def test_lists_among_other_documents() -> None:
    one = f"{LIST}  - {{label: x, {REST}}}\n"
    other = "type: simulation\nid: a.b\nname: n\nsuite: a\ninstructions: i\nagent_expectations: e\n"
    text = f"{other}---\n{one}--- # again\n{one}...\n"
    shown = with_ids(text)
    assert [s.id for s in scenarios_in(shown)] == ["a.b", "shop.x", "shop.x-2"]
    assert shown.startswith(f"{other}---\n{LIST}  - {{id: shop.x, label: x")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("agents: [{nam: b}]\n", "1:1: has no list of simulations (`scenarios:`)"),
        ("{", "2:1: not valid YAML"),
        (LIST, "2:1: scenarios: "),
        (f"{LIST}  - {{label: x}}\n", "3:5: scenarios[0]: `instructions` is required"),
        (f"{LIST}  - &a {{label: x, {REST}}}\n  - *a\n", "3: ids cannot be inserted as this is written"),
        (f"{LIST}  - {{label: x, id, {REST}}}\n", "3: ids cannot be inserted as this is written"),
        (
            "type: simulation\nid: a.b\nname: n\nsuite: a\ninstructions: i\nagent_expectations: e\n",
            "1:1: has no list of simulations (`scenarios:`)",
        ),
    ],
)
def test_what_has_problems_stays_as_it_is(text: str, problem: str) -> None:
    done = write_ids(text.encode(), PATH)
    assert done.content == text.encode()
    assert done.new == ()
    assert any(str(found).startswith(f"{PATH}:{problem}") for found in done.problems), done.problems


@dataclass(frozen=True)
class Style:
    """How a row is written."""

    flow: bool
    id: str | None
    quote: str
    comment: str
    blank: int


words = st.text("aé日 _-.!", min_size=1, max_size=6).filter(lambda text: any(c.isalnum() for c in text))
styles = st.builds(
    Style,
    flow=st.booleans(),
    id=st.sampled_from([None, None, None, "id: q.{n}", "id:", "id: ~"]),
    quote=st.sampled_from(["'", '"']),
    comment=st.sampled_from(["", "  # why, {not} this", " # - label: x", " # ?"]),
    blank=st.integers(0, 2),
)


def write_row(label: str, style: Style, number: int, indent: str) -> str:
    own = style.id.format(n=number) if style.id else None
    keys = [f"label: {style.quote}{label}{style.quote}", "instructions: go", "agent_expectations: 'it: goes'"]
    keys[1:1] = [own] if own else []
    if style.flow:
        return f"{indent}- {{{', '.join(key + (' ' if key == 'id:' else '') for key in keys)}}}{style.comment}\n"
    lines = [f"{indent}- {keys[0]}{style.comment}", *(f"{indent}  {key}" for key in keys[1:])]
    return "\n".join(lines) + "\n" + "\n" * style.blank


def is_inserted(old: bytes, new: bytes) -> bool:
    """Tell whether the new text is the old one with nothing but insertions; `~` for null is replaced."""
    rest = iter(new)
    return all(byte in rest for byte in old if byte != ord("~"))


@given(
    rows=st.lists(st.tuples(words, styles), min_size=1, max_size=6),
    indent=st.sampled_from(["", "  "]),
    end=st.sampled_from(["\n", "\r\n"]),
    mark=st.sampled_from([b"", b"\xef\xbb\xbf"]),
)
@settings(derandomize=True, deadline=None, max_examples=300)
def test_the_same_scenarios_with_ids_written_down(
    rows: list[tuple[str, Style]], indent: str, end: str, mark: bytes
) -> None:
    listed = "".join(write_row(label, style, number, indent) for number, (label, style) in enumerate(rows))
    raw = mark + f"# head\nname: n\nscenarios:\n{listed}# foot\n".replace("\n", end).encode()
    before = scenarios_in(raw)
    done = write_ids(raw, PATH)
    assert done.problems == ()
    after = scenarios_in(done.content)
    assert [replace(new, id="", place=old.place) for old, new in zip(before, after, strict=True)] == [
        replace(old, id="") for old in before
    ]
    ids = [scenario.id for scenario in after]
    assert len(set(ids)) == len(ids)
    assert done.ids == set(ids)
    assert is_inserted(raw, done.content)
    taken: set[str] = {old.id for old, (_, style) in zip(before, rows, strict=True) if style.id == "id: q.{n}"}
    for old, new in zip(before, after, strict=True):
        assert new.id == old.id or old.id in taken
        taken.add(new.id)
    assert len(done.new) == sum(style.id != "id: q.{n}" for _, style in rows)
    again = write_ids(done.content, PATH)
    assert (again.content, again.new, again.problems) == (done.content, (), ())


def test_ids_that_stand_in_a_file_are_found_in_all_its_documents() -> None:
    text = (
        f"{LIST}  - {{label: Two, {REST}}}\n  - {{id: a.b, {REST}}}\n---\nid: shop.one\ntype: oops\n---\n- id: x\n"
    )
    assert find_written_ids(text.encode(), PATH) == {"a.b", "shop.one"}


@pytest.mark.parametrize("written", ['"id": null, ', '"id": ~, ', ""])
def test_json_stays_json(written: str) -> None:
    row = f'{{{written}"label": "One", "instructions": "i", "agent_expectations": "e"}}'
    done = write_ids(f'{{"name": "n", "scenarios": [{row}]}}'.encode(), PATH)
    assert json.loads(done.content)["scenarios"][0]["id"] == "shop.one"


def test_many_rows_of_one_label_are_numbered_in_one_go() -> None:
    """Where each number is sought from 1 on, this many take minutes."""
    rows: list[dict[str, object]] = [{"id": None}] * 50_000
    scenarios = scenarios_in(f"{LIST}  - {{label: One, {REST}}}\n") * len(rows)
    ids = choose_ids(rows, scenarios, {"shop.one-3"})
    assert ids[:4] == ["shop.one", "shop.one-2", "shop.one-4", "shop.one-5"]
    assert len(set(ids)) == len(rows)
