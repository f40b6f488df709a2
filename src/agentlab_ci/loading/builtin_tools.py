"""The names of the built-in tools and the fixture that each of them reads."""

BUILTIN_TOOLS: dict[str, str] = {
    "crm.search_customer": "fixtures/support/customers.json",
    "orders.list": "fixtures/support/orders.json",
    "orders.refund": "fixtures/support/orders.json",
    "accounts.get_profile": "fixtures/support/accounts.json",
    "accounts.update_newsletter": "fixtures/support/accounts.json",
    "subscriptions.cancel": "fixtures/support/subscriptions.json",
    "repo.list_files": "fixtures/coding/repo-files.json",
    "repo.read_file": "fixtures/coding/repo-files.json",
    "repo.apply_patch": "fixtures/coding/repo-files.json",
    "docs.search": "fixtures/research/documents.json",
    "docs.read": "fixtures/research/documents.json",
    "alerts.list_active": "fixtures/ops/alerts.json",
    "logs.query_service": "fixtures/ops/logs.json",
    "status.get_service": "fixtures/ops/status.json",
}
"""Tool name to the fixture's path in a project; a file of that path replaces the shipped one."""

SHIPPED_FIXTURES = frozenset(BUILTIN_TOOLS.values())
