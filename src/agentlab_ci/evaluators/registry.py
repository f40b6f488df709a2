"""Every kind of evaluator by the name that YAML gives it."""

from agentlab_ci.evaluators import budgets, final_answer, response, tool_calls
from agentlab_ci.evaluators.interface import AnyKind

EVALUATORS: dict[str, AnyKind] = {
    kind.name: kind for family in (response, final_answer, budgets, tool_calls) for kind in family.KINDS
}
