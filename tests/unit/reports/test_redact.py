"""No secret leaves the run, in whatever form it is written, and long text is cut after that."""

import base64
import json
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agentlab_ci.core.provider import Provider
from agentlab_ci.core.results import AgentIdentity, SampleResult, ScenarioFacts, VariantIdentity
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.core.scenario import Mode
from agentlab_ci.core.trace import Evaluation, Redraw, Role, SampleError, ToolCall, Turn
from agentlab_ci.reports.redact import BODY_LIMIT, DEEPEST, LEFT_OUT, MASK, TEXT_LIMIT, Redactor, cut
from factories import make_facts, make_samples

SECRET = "s3cr3t/tök+en="
fixed = settings(derandomize=True, deadline=None, max_examples=300)
secrets = st.text(min_size=6, max_size=20).filter(lambda text: len(text.strip()) >= 6)


@pytest.mark.parametrize(
    "written",
    [
        SECRET,
        quote(SECRET),
        quote(SECRET, safe=""),
        quote_plus(SECRET),
        quote(SECRET, safe="").replace("%2F", "%2f").replace("%3D", "%3d").replace("%2B", "%2b").lower(),
        base64.b64encode(SECRET.encode()).decode(),
        base64.urlsafe_b64encode(SECRET.encode()).decode().rstrip("="),
        json.dumps(SECRET)[1:-1],
        json.dumps(SECRET, ensure_ascii=False)[1:-1],
        SECRET.replace("/", r"\/"),
    ],
)
def test_every_written_form_is_masked(written: str) -> None:
    assert Redactor([SECRET]).text(f"before {written} after") == "before *** after"


@given(secret=secrets, before=st.binary(max_size=5), after=st.binary(max_size=5))
@fixed
def test_base64_is_masked_wherever_the_secret_stands_in_it(secret: str, before: bytes, after: bytes) -> None:
    assume(not any("\ud800" <= char <= "\udfff" for char in secret))
    raw = secret.strip().encode()
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        text = Redactor([secret]).text(encode(before + raw + after).decode())
        assert "***" in text
        # What is left around the mask is of the secret's neighbours, and at most two characters of its ends.
        assert len(text) - 3 <= 4 * (len(before) + len(after) + 4) / 3 + 4


@given(secret=secrets, text=st.text(max_size=40))
@fixed
def test_no_secret_survives(secret: str, text: str) -> None:
    value = secret.strip()
    redacted = Redactor([secret]).text(f"{text}{value}{text}{quote(value.encode('utf-8', 'replace'))}{text}")
    assert value not in redacted.replace("***", "\0") or "*" in value


def test_the_longest_secret_wins() -> None:
    assert Redactor(["abcdef", "abcdefgh"]).text("abcdefgh abcdef") == "*** ***"


def test_short_and_blank_values_are_left_alone() -> None:
    assert Redactor(["", "      ", "12345", "\n12345\n"]).text("12345 is a number") == "12345 is a number"


def test_white_space_around_a_secret_is_not_part_of_it() -> None:
    assert Redactor(["token-1\n"]).text("Bearer token-1!") == "Bearer ***!"


def test_text_can_be_written_anywhere_afterwards() -> None:
    assert Redactor([]).text("a\ud800b") == "a\ufffdb"


def _sample_with(text: str) -> SampleResult:
    (sample,) = make_samples("f")
    return sample.model_copy(
        update={
            "run_id": text,
            "final_output": text,
            "error": SampleError(message=text, status=500, body=text),
            "turns": (Turn(role=Role.AGENT, text=text, note=text, mood=text),),
            "tool_calls": (
                ToolCall(name=text, input={text: [text, {"deep": {text: 1}}]}, output={"a": (text,)}),
                ToolCall(name="orders.list", input={}, error=text),
            ),
            "redraws": (Redraw(reason=TerminationReason.HTTP_ERROR, message=text, seconds=1),),
            "evaluations": (Evaluation(id=text, type=text, mode=Mode.HARD_GATE, passed=False, message=text),),
        }
    )


def test_every_free_text_of_a_sample_is_masked_but_no_id() -> None:
    sample = Redactor(["token-1"]).sample(_sample_with("my token-1"))
    assert sample == _sample_with("my ***").model_copy(
        update={
            "run_id": "my token-1",
            "evaluations": (
                Evaluation(
                    id="my token-1", type="my token-1", mode=Mode.HARD_GATE, passed=False, message="my ***"
                ),
            ),
        }
    )


def test_ids_and_statuses_that_hold_a_secret_stay() -> None:
    (sample,) = make_samples("e", scenario_id="billing.refund")
    assert Redactor(["billing.refund", "http_error"]).sample(sample) == sample


def _facts_with(text: str, *, kept: str) -> ScenarioFacts:
    return make_facts(
        kept,
        name=text,
        suite=kept,
        tags=(kept,),
        file=kept,
        hash=kept,
        skipped=text,
        agent=AgentIdentity(name=kept, provider=Provider.HTTP, label=text, url=text),
        variant=VariantIdentity(
            variant_set_name=kept, variant_label=kept, prompt_version=text, config_label=text, config_hash=kept
        ),
    )


def test_what_a_scenario_is_found_by_stays_and_its_texts_are_masked() -> None:
    redactor = Redactor(["scenarios", "failed", "billing", "http://localhost"])
    kept = "scenarios/failed/billing"
    assert redactor.facts(_facts_with("failed scenarios", kept=kept)) == _facts_with("*** ***", kept=kept)


def test_the_data_of_a_tool_is_masked_under_every_key() -> None:
    words = {"name": "scenarios", "file": "scenarios", "id": "scenarios", "tags": ["scenarios"]}
    call = ToolCall(name="scenarios", input=words, output=words)
    (sample,) = make_samples("p")
    (masked,) = Redactor(["scenarios"]).sample(sample.model_copy(update={"tool_calls": (call,)})).tool_calls
    assert "scenarios" not in masked.model_dump_json()


def test_unknown_fields_are_masked_too() -> None:
    sample = SampleResult.model_validate(dict(make_samples("p")[0]) | {"newer": {"nested": ["token-1"]}})
    assert Redactor(["token-1"]).sample(sample).model_extra == {"newer": {"nested": ["***"]}}


def test_long_text_is_masked_before_it_is_cut() -> None:
    # Cut first, the end of the secret would be missing, and its beginning would stay.
    text = "x" * (BODY_LIMIT - 45) + "a-very-long-token" + "y" * BODY_LIMIT
    error = Redactor(["a-very-long-token"]).sample(_sample_with(text)).error
    assert error is not None
    assert error.body is not None
    assert "a-very" not in error.body
    assert len(error.body) <= BODY_LIMIT
    assert len(error.message) == len(text) - len("a-very-long-token") + 3


def _cut_in(written: str, *, kept: int, body: bool) -> str | None:
    """Return what is kept of a text that was cut at the limit of the transport, in the middle of `written`."""
    head = "-" * (TEXT_LIMIT - kept)
    text = (head + written).encode()[:TEXT_LIMIT].decode(errors="replace")
    (sample,) = make_samples("e")
    # Long secrets become short masks: so the end of the text is still there when it is cut to its own limit.
    update = {"error": SampleError(message="no", body=text)} if body else {"final_output": text}
    redacted = Redactor([SECRET, "-" * 1000]).sample(sample.model_copy(update=update))
    return redacted.error.body if body and redacted.error else redacted.final_output


@pytest.mark.parametrize("body", [True, False])
@pytest.mark.parametrize("kept", range(1, 10))
@pytest.mark.parametrize(
    "written",
    [SECRET, quote(SECRET, safe=""), base64.b64encode(SECRET.encode()).decode(), json.dumps(SECRET)[1:-1]],
)
def test_a_text_that_was_cut_before_does_not_end_in_half_a_secret(written: str, kept: int, body: bool) -> None:
    shown = _cut_in(written, kept=kept, body=body)
    assert shown is not None
    assert set(shown) == {"*", "-"}


def test_the_end_of_a_text_that_was_not_cut_stays() -> None:
    sample = Redactor([SECRET]).sample(_sample_with("ends in s3cr3t"))
    assert sample.final_output == "ends in s3cr3t"


def test_limits_of_a_sample() -> None:
    sample = Redactor([]).sample(_sample_with("é" * TEXT_LIMIT))
    assert sample.final_output is not None
    assert TEXT_LIMIT - 2 <= len(sample.final_output.encode()) <= TEXT_LIMIT
    assert sample.final_output.endswith("more bytes left out]")
    assert sample.turns[0].text == sample.final_output


def test_what_is_nested_without_end_is_cut_short() -> None:
    value: dict[str, object] = {}
    for _ in range(1000):
        value = {"a": value}
    (sample,) = make_samples("p")
    call = ToolCall(name="t", input=value)
    kept = Redactor([]).sample(sample.model_copy(update={"tool_calls": (call,)}))
    assert kept.model_dump_json().count('{"a":') == DEEPEST


def test_cut_says_how_much_is_missing() -> None:
    assert cut("a" * 100, 100) == "a" * 100
    assert cut("a" * 101, 100) == "a" * 70 + " … [31 more bytes left out]"


@given(text=st.text(max_size=200), limit=st.integers(40, 100))
@fixed
def test_cut_keeps_the_limit_and_may_be_repeated(text: str, limit: int) -> None:
    short = cut(text, limit)
    assert len(short.encode("utf-8", "surrogatepass")) <= limit
    assert cut(short, limit) == short
    if short != text:
        kept, _, mark = short.rpartition(" … [")
        assert text.startswith(kept)
        assert int(mark.split()[0]) == len(text.encode("utf-8", "surrogatepass")) - len(kept.encode())


PEM = "-----BEGIN PRIVATE KEY-----\r\nMIIfirstlineofthekey\r\nMIIsecondlineofthekey\r\n-----END PRIVATE KEY-----"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n> ", "\x00"])
def test_a_secret_of_several_lines_is_masked_line_by_line(end: str) -> None:
    shown = Redactor([PEM]).text(end.join(["it says:", *PEM.splitlines(), "and no more"]))
    assert shown.startswith(f"it says:{end}{MASK}")
    assert shown.endswith(f"{MASK}{end}and no more")
    assert not any(line in shown for line in PEM.splitlines())


def _call(value: dict[str, Any], output: Any = None) -> ToolCall:
    sample = make_samples("p")[0].model_copy(
        update={"tool_calls": (ToolCall(name="t", input=value, output=output),)}
    )
    return Redactor([SECRET]).sample(sample).tool_calls[0]


def test_data_of_a_tool_that_is_too_large_is_kept_as_the_beginning_of_its_json() -> None:
    large = {f"key {n}": {"n": n} for n in range(20_000)}
    kept = _call(large, output=[large])
    assert list(kept.input) == [LEFT_OUT]
    assert kept.input[LEFT_OUT].startswith('{"key 0": {"n": 0}, "key 1": {"n": 1}')
    assert len(kept.input[LEFT_OUT].encode()) <= TEXT_LIMIT
    assert kept.output.startswith('[{"key 0": {"n": 0}')
    assert len(kept.output.encode()) <= TEXT_LIMIT


def test_no_secret_is_left_at_the_end_of_what_is_kept_of_large_data() -> None:
    for offset in range(len(SECRET) + 2):
        text = "x" * (TEXT_LIMIT - offset)
        kept = _call({"a": text, "b": SECRET, "c": "y" * TEXT_LIMIT}).input[LEFT_OUT]
        assert SECRET[:6] not in kept[-200:], offset


@pytest.mark.parametrize("value", [{"a": "x" * 60_000}, {"a": [1] * 10_000}, {str(n): n for n in range(5_000)}])
def test_data_that_is_not_too_large_is_kept_whole(value: dict[str, Any]) -> None:
    assert _call(value, output=value).input == value


@pytest.mark.parametrize("value", [{"a" * 70_000: 1}, {"a": [[]] * 20_000}])
def test_data_may_be_large_in_any_way(value: dict[str, Any]) -> None:
    assert list(_call(value).input) == [LEFT_OUT]


def test_a_secret_with_a_colour_in_its_middle_is_not_put_together_again() -> None:
    split = f"{SECRET[:5]}\x1b[1;31m{SECRET[5:]}"
    assert Redactor([SECRET]).text(f"key: {split}!") == f"key: {MASK}!"
    assert Redactor([SECRET]).text("\x1b[1mbold\x1b[0m") == "\x1b[1mbold\x1b[0m", "colours alone stay"
