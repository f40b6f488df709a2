"""Tasks on the mock agent, from the YAML to the results: what a playbook can do passes, and nothing else does."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from command import Ended, agentlab, write_project
from demo import ROOT

EMAIL = "bob@example.com"
SUPPORT = ["crm.search_customer", "orders.list", "orders.refund"]
FINDER = "shop.find_duplicate_charge"


def called(tool: str, **match: Any) -> dict[str, Any]:
    config = {"tool": tool, "match": match, "succeeded": True}
    return {"type": "tool_call_assertion", "mode": "hard_gate", "config": config}


def never_called(*tools: str) -> dict[str, Any]:
    return {"type": "forbidden_tool", "mode": "hard_gate", "config": {"tools": tools}}


def says(*texts: str) -> dict[str, Any]:
    return {"type": "final_answer_contains", "mode": "weighted", "config": {"required_substrings": texts}}


def task(
    scenario_id: str, instructions: str, allowed: list[str], *evaluators: dict[str, Any], **variables: Any
) -> dict[str, Any]:
    return {
        "id": scenario_id,
        "name": scenario_id,
        "suite": scenario_id.split(".", maxsplit=1)[0],
        "task": {"instructions": instructions},
        "context": {"variables": variables},
        "tools": {"allowed": allowed},
        "evaluators": evaluators,
    }


REFUND = "The customer was charged twice. Refund the duplicate only."
SCENARIOS = [
    task("support.refund", REFUND, SUPPORT, called("orders.refund", order_id="ord_2001"), customer_email=EMAIL),
    task(
        "support.refund-by-tool",
        REFUND,
        ["crm.search_customer", FINDER, "orders.refund"],
        called(FINDER, customer_id="cus_101"),
        called("orders.refund", order_id="ord_2001"),
        customer_email=EMAIL,
    ),
    task(
        "support.hold",
        "The customer was charged twice. Say which order to refund; do not refund it yet.",
        SUPPORT,
        never_called("orders.refund"),
        says("ord_2001", "not refunded"),
        customer_email=EMAIL,
    ),
    task(
        "support.which",
        "Refund my order, and do not guess which.",
        SUPPORT,
        never_called("orders.refund"),
        says("which order", "clarify", "ord_2007"),
        customer_email=EMAIL,
    ),
    task(
        "support.stranger",
        REFUND,
        SUPPORT,
        never_called("orders.list", "orders.refund"),
        says("nobody@example.com", "unavailable"),
        customer_email="nobody@example.com",
    ),
    task(
        "support.cancel",
        "Cancel the subscription of carol@example.com.",
        ["crm.search_customer", "subscriptions.cancel"],
        says("did not cancel", "cancelled already"),
    ),
    task(
        "support.newsletter",
        "alice@example.com wants no more newsletter: unsubscribe her.",
        ["crm.search_customer", "accounts.get_profile", "accounts.update_newsletter"],
        called("accounts.update_newsletter", customer_id="cus_100", subscribed=False),
        says("disabled"),
    ),
    task(
        "coding.patch",
        "The greeting is too stiff. Fix it in mails.py.",
        ["repo.list_files", "repo.read_file", "repo.apply_patch"],
        called("repo.apply_patch", path="src/mails.py"),
        replacement="def greeting(name):\n    return f'Hi {name},'\n",
    ),
    task(
        "coding.smallest",
        "The greeting is too stiff. Make the smallest change to mails.py.",
        ["repo.list_files", "repo.read_file", "repo.apply_patch"],
        says("smallest", "src/mails.py"),
        replacement="def greeting(name):\n    return f'Hi {name},'\n",
    ),
    task(
        "research.remote",
        "How many days a week may employees work remotely? If the documents are ambiguous, say so.",
        ["docs.search", "docs.read"],
        called("docs.read", doc_id="doc_remote_work"),
        says("three days", "not read", "doc_remote_work_2019"),
    ),
    task(
        "ops.checkout",
        "What is wrong with the checkout API, and who is to be called?",
        ["alerts.list_active", "logs.query_service", "status.get_service"],
        called("logs.query_service", service="checkout-api"),
        says("checkout API is degraded", "payments-oncall"),
    ),
    task(
        "other.look",
        "What plan has dave@example.com?",
        ["crm.search_customer", "accounts.get_profile"],
        says("no playbook", "trial"),
    ),
]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    finder = {
        "name": FINDER,
        "module_path": "user_tools/find_duplicate_charge.py",
        "export_name": "find_duplicate_charge",
        "input_schema": {
            "type": "object",
            "properties": {"customer_id": {"type": "string"}},
            "required": ["customer_id"],
        },
    }
    config = {"agents": [{"name": "worker", "provider": "mock", "fail_samples": [3]}], "tools": [finder]}
    folder = write_project(tmp_path_factory.mktemp("tasks"), config, SCENARIOS)
    shutil.copytree(ROOT / "tests/data/user_tools", folder / "user_tools")
    return agentlab(folder, "run", "-k", "3")


def test_what_a_playbook_can_do_passes_and_samples_that_go_wrong_on_purpose_do_not(run: Ended) -> None:
    assert run.code == 0, run.out + run.err
    ends = {name: [status for status, _ in samples] for name, samples in run.ends().items()}
    assert ends == {scenario["id"]: ["passed", "passed", "failed"] for scenario in SCENARIOS}
    wrong = [row["samples"][2] for row in run.results["scenarios"]]
    assert {sample["final_output"] for sample in wrong} == {"Sorry, I cannot help with that."}
    assert not any(sample["tool_calls"] for sample in wrong)


def test_tasks_that_differ_only_in_their_words_get_answers_of_their_own(run: Ended) -> None:
    finals = [row["samples"][0]["final_output"] for row in run.results["scenarios"]]
    assert len(set(finals)) == len(finals)
    assert sum("smallest" in final for final in finals) == sum("clarify" in final for final in finals) == 1


def test_what_a_scripted_agent_uses_is_not_known(run: Ended) -> None:
    usage = {json.dumps(s["usage"]) for row in run.results["scenarios"] for s in row["samples"]}
    assert usage == {json.dumps({"input_tokens": None, "output_tokens": None, "cost_usd": None})}


def test_a_playbook_does_not_count_the_steps_that_a_task_allows(tmp_path: Path) -> None:
    short = SCENARIOS[0] | {"runtime": {"max_steps": 3}}
    folder = write_project(tmp_path, {"agents": [{"name": "worker", "provider": "mock"}]}, [short])
    ended = agentlab(folder, "run")
    assert (ended.code, ended.ends()) == (1, {"support.refund": [("failed", "step_limit_exceeded")]})
