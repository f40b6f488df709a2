"""The one place where templates are found and filled in."""

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import FileSystemLoader, StrictUndefined
from jinja2.sandbox import SandboxedEnvironment

from agentlab_ci.reports.escape import code_span, inline, table_cell
from agentlab_ci.reports.formatting import format_duration

_KNOWN_TEMPLATE = "report.md.j2"
_FILTERS = {
    "code": code_span,
    "cell": table_cell,
    "inline": inline,
    "duration": format_duration,
}


def find_templates() -> Path:
    """Return the folder of templates: the installed package's, else the checkout's.

    Raises FileNotFoundError, which names both, when neither holds them.
    """
    installed = Path(str(files("agentlab_ci"))) / "templates"
    checkout = Path(__file__).resolve().parents[3] / "templates"
    for folder in (installed, checkout):
        if (folder / _KNOWN_TEMPLATE).is_file():
            return folder
    raise FileNotFoundError(f"no {_KNOWN_TEMPLATE} in {installed} or {checkout}: the installation is incomplete")


def render(template: str, **context: Any) -> str:
    """Fill in a template by its name. In Markdown, every untrusted value has to pass one of the filters."""
    return _environment().get_template(template).render(**context)


@cache
def _environment() -> SandboxedEnvironment:
    environment = SandboxedEnvironment(
        loader=FileSystemLoader(find_templates()),
        undefined=StrictUndefined,
        autoescape=_is_html,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= _FILTERS
    return environment


def _is_html(template: str | None) -> bool:
    return template is not None and template.endswith(".html.j2")
