from typing import Any

import pytest

from playbook_talk import Fails, Script, perform

FIX = "Fix the broken add function."
CODE = "return a + b"


def patched(path: str) -> dict[str, Any]:
    return {"path": path, "replacement": CODE, "applied": True}


def test_a_file_is_read_and_patched() -> None:
    tools: Script = {
        "repo.read_file": [{"path": "src/sum.py", "content": "return a - b\n"}],
        "repo.apply_patch": [patched("src/sum.py")],
    }
    done = perform(FIX, tools, target_path="src/sum.py", replacement=CODE)
    assert done.calls == [
        ("repo.read_file", {"path": "src/sum.py"}),
        ("repo.apply_patch", {"path": "src/sum.py", "replacement": CODE}),
    ]
    assert done.final == "Patched src/sum.py: it now has `return a + b`."


def test_a_file_that_was_moved_is_found_by_its_name() -> None:
    tools: Script = {
        "repo.list_files": [[{"path": "README.md"}, {"path": "src/sum.py"}]],
        "repo.read_file": [Fails("no file lib/sum.py"), {"path": "src/sum.py", "content": "return a - b\n"}],
        "repo.apply_patch": [patched("src/sum.py")],
    }
    done = perform(f"{FIX} The smallest patch, please.", tools, target_path="lib/sum.py", replacement=CODE)
    assert [value.get("path") for _, value in done.calls] == ["lib/sum.py", None, "src/sum.py", "src/sum.py"]
    assert done.final == (
        "Patched src/sum.py: it now has `return a + b`. That is the smallest change: one patch of one file."
        " The task names lib/sum.py: no file lib/sum.py"
    )


BOTH = [{"path": "src/sum.py"}, {"path": "old/sum.py"}]


@pytest.mark.parametrize(
    ("tools", "given", "final"),
    [
        ({}, {"target_path": "a.py"}, "I cannot patch anything: the task gives no `replacement`."),
        (
            {},
            {"replacement": CODE},
            (
                "I do not know which file to patch: the task gives no `target_path`,"
                " and repo.list_files is not allowed."
            ),
        ),
        (
            {"repo.list_files": [BOTH]},
            {"replacement": CODE},
            (
                "I do not know which file to patch: the task gives no `target_path`;"
                " none in the repository has that name."
            ),
        ),
        (
            {"repo.list_files": [BOTH], "repo.read_file": [Fails("gone")]},
            {"replacement": CODE, "target_path": "lib/sum.py"},
            (
                "I do not know which file to patch: lib/sum.py is unavailable: gone;"
                " it could be src/sum.py or old/sum.py."
            ),
        ),
        (
            {"repo.read_file": [{"path": "a.py", "content": f"{CODE}\n"}]},
            {"replacement": CODE, "target_path": "a.py"},
            "a.py already has what it should have, so I patched nothing.",
        ),
        (
            {"repo.apply_patch": [Fails("read only")]},
            {"replacement": CODE, "target_path": "a.py"},
            "I did not patch a.py: read only",
        ),
        (
            {"repo.apply_patch": [{"path": "a.py", "applied": False}]},
            {"replacement": CODE, "target_path": "a.py"},
            "I asked to patch a.py, but the answer does not say that it was done.",
        ),
        (
            {"repo.apply_patch": ["MALFORMED_OUTPUT"]},
            {"replacement": CODE, "target_path": "a.py"},
            "I asked to patch a.py, but the answer does not say that it was done.",
        ),
    ],
)
def test_a_file_that_is_not_patched_is_not_claimed(tools: Script, given: dict[str, Any], final: str) -> None:
    assert perform(FIX, {"repo.apply_patch": []} | tools, **given).final == final


def test_the_instructions_may_name_the_file() -> None:
    tools: Script = {"repo.list_files": [[{"path": "src/sum.py"}, {"path": "src/mean.py"}]]}
    final = perform("Fix `sum.py`.", tools | {"repo.apply_patch": [patched("src/sum.py")]}, replacement=CODE).final
    assert final == "Patched src/sum.py: it now has `return a + b`."


NEW = {"id": "doc_leave", "title": "Parental leave"}
OLD = {"id": "doc_leave_old", "title": "Parental leave until 2019"}
TEXT = NEW | {"content": "Twelve weeks."}


def test_a_question_is_answered_from_the_document_that_fits_best() -> None:
    tools: Script = {"docs.search": [[OLD, NEW]], "docs.read": [TEXT]}
    done = perform("Answer from the docs.", tools, query="parental leave", answer_prefix="Policy")
    assert done.calls == [
        ("docs.search", {"query": "parental leave"}),
        ("docs.read", {"doc_id": "doc_leave"}),
    ]
    assert done.final == "Policy: Twelve weeks. (source: doc_leave)"


@pytest.mark.parametrize(
    ("hits", "more"),
    [
        ([OLD, NEW], "I have not read what else was found: doc_leave_old."),
        ([NEW], "No other document was found on it, so this one is all the evidence there is."),
    ],
)
def test_how_sure_it_is_is_said_when_it_is_asked_for(hits: list[Any], more: str) -> None:
    tools: Script = {"docs.search": [hits], "docs.read": [TEXT]}
    final = perform("If they are ambiguous, say so.", tools, query="leave").final
    assert final == f"Twelve weeks. (source: doc_leave) {more}"


def test_a_query_that_finds_nothing_is_tried_word_by_word() -> None:
    tools: Script = {"docs.search": [[], [], [NEW]], "docs.read": [TEXT]}
    done = perform("Answer.", tools, query="duration of parental leave")
    assert [value for tool, value in done.calls if tool == "docs.search"] == [
        {"query": "duration of parental leave"},
        {"query": "duration"},
        {"query": "parental"},
    ]


def test_a_question_without_a_query_is_searched_by_its_longest_words() -> None:
    tools: Script = {"docs.search": [[], [], []], "docs.read": []}
    done = perform("How many weeks of parental leave do employees get? Cite the source document.", tools)
    assert [value["query"] for _, value in done.calls] == ["employees", "parental", "leave"]
    assert done.final == "I cannot answer: no document was found for employees, parental or leave."


def test_a_document_that_is_gone_is_searched_for() -> None:
    tools: Script = {"docs.search": [[NEW]], "docs.read": [Fails("no document doc_1"), TEXT]}
    final = perform("Answer.", tools, doc_id="doc_1", query="leave").final
    assert final == "Twelve weeks. (source: doc_leave) The task names doc_1: no document doc_1"


@pytest.mark.parametrize(
    ("tools", "given", "final"),
    [
        ({"docs.search": [Fails("index down")]}, {}, "I cannot answer. The documents are unavailable: index down"),
        ({"docs.search": [[NEW]]}, {}, "I cannot read doc_leave: docs.read is not allowed."),
        (
            {"docs.search": [[NEW]], "docs.read": [Fails("locked")]},
            {},
            "I cannot answer. doc_leave is unavailable: locked",
        ),
        (
            {"docs.search": [[NEW]], "docs.read": ["MALFORMED_OUTPUT"]},
            {},
            "I cannot answer: doc_leave came back incomplete, without its text.",
        ),
        ({"docs.read": [Fails("gone")]}, {"doc_id": "doc_1"}, "I cannot answer. doc_1 is unavailable: gone"),
        ({"docs.read": [TEXT]}, {"doc_id": "doc_leave"}, "Twelve weeks. (source: doc_leave)"),
    ],
)
def test_without_a_text_there_is_no_answer(tools: Script, given: dict[str, Any], final: str) -> None:
    assert perform("Answer.", tools, **({"query": "leave"} | given)).final == final


SLOW = {"id": "alt_1", "service": "search-api", "severity": "low", "summary": "Slow"}
DOWN = {"id": "alt_2", "service": "card-api", "severity": "high", "summary": "Cards fail"}
LOGS = {"service": "card-api", "lines": ["ERROR timeout", "ERROR again"]}
STATUS = {"service": "card-api", "status": "degraded", "owner": "card-oncall"}
OPS: Script = {"alerts.list_active": [[SLOW, DOWN]], "logs.query_service": [LOGS], "status.get_service": [STATUS]}


def test_the_service_that_the_task_names_is_triaged_in_its_words() -> None:
    done = perform("Triage the alert of the Card API.", OPS)
    assert done.calls == [
        ("alerts.list_active", {}),
        ("logs.query_service", {"service": "card-api"}),
        ("status.get_service", {"service": "card-api"}),
    ]
    assert done.final == (
        "The Card API is degraded: ERROR timeout; ERROR again. Alert alt_2 (high): Cards fail."
        " Escalate to card-oncall."
    )


@pytest.mark.parametrize("given", [{}, {"service": "card-api"}])
def test_the_most_severe_alert_is_triaged_and_the_others_are_named(given: dict[str, Any]) -> None:
    assert perform("Which service has the real issue?", OPS, **given).final == (
        "The card-api is degraded: ERROR timeout; ERROR again. Alert alt_2 (high): Cards fail."
        " Other active alerts: alt_1 on search-api (low). Escalate to card-oncall."
    )


@pytest.mark.parametrize(
    ("change", "final"),
    [
        (
            {"alerts.list_active": [Fails("timed out")]},
            (
                "The card-api is degraded: ERROR timeout; ERROR again. Escalate to card-oncall."
                " I could not see the alerts: timed out"
            ),
        ),
        (
            {"alerts.list_active": ["MALFORMED_OUTPUT"], "logs.query_service": ["MALFORMED_OUTPUT"]},
            (
                "The card-api is degraded. Escalate to card-oncall. I could not read the alerts."
                " I could not read the logs of card-api."
            ),
        ),
        (
            {"alerts.list_active": [[]], "status.get_service": [Fails("no such service")]},
            (
                "How the card-api is, I do not know; its logs say: ERROR timeout; ERROR again."
                " Whom to call, I do not know. I could not see the status of card-api: no such service"
            ),
        ),
        (
            {"alerts.list_active": [[]], "status.get_service": [STATUS | {"status": "operational"}]},
            (
                "The card-api is operational: ERROR timeout; ERROR again."
                " There is nothing to escalate; the owner is card-oncall."
            ),
        ),
    ],
)
def test_what_is_not_known_of_a_service_is_said(change: Script, final: str) -> None:
    assert perform("Triage.", OPS | change, service="card-api").final == final


@pytest.mark.parametrize(
    ("alerts", "final"),
    [
        (
            [DOWN, SLOW | {"severity": "high"}],
            "The alerts of card-api and search-api are equally severe. Which service is meant?",
        ),
        (
            [],
            "I do not know which service is meant. The task gives no `service`. No alert names one.",
        ),
        (
            Fails("down"),
            "I do not know which service is meant. The task gives no `service`. I could not see the alerts: down",
        ),
    ],
)
def test_a_service_is_not_guessed(alerts: Any, final: str) -> None:
    assert perform("Triage.", OPS | {"alerts.list_active": [alerts]}).final == final
