"""A tool as a project has it: finds the order that repeats an earlier charge of a customer."""

import json
from pathlib import Path
from typing import Any


def find_duplicate_charge(value: dict[str, Any], context: dict[str, Any]) -> dict[str, str]:
    orders = json.loads(Path(context["fixtures_folder"], "support/orders.json").read_text(encoding="utf-8"))
    seen = set()
    for order in orders:
        if order["customer_id"] == value["customer_id"] and order["duplicate_group"]:
            if order["duplicate_group"] in seen:
                return {"order_id": order["id"]}
            seen.add(order["duplicate_group"])
    raise LookupError(f"{value['customer_id']} was charged for nothing twice")
