"""Write the README's tables of inputs and outputs from action.yml: `make docs`."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"


def main() -> None:
    """Write the README anew."""
    README.write_text(fill_tables(README.read_text(encoding="utf-8")), encoding="utf-8")


def fill_tables(readme: str) -> str:
    """Return the README with current tables between `<!-- inputs -->` and `<!-- /inputs -->`, and so on."""
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    for name, table in (("inputs", _inputs(action["inputs"])), ("outputs", _outputs(action["outputs"]))):
        mark = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        readme, count = mark.subn(lambda found, table=table: found[1] + table + found[2], readme)  # type: ignore[misc]
        if count != 1:
            raise LookupError(f"README.md has {count} places for the {name}, not one")
    return readme


def _inputs(inputs: Mapping[str, Any]) -> str:
    rows = (
        f"| `{name}` | {_shown(field.get('default', ''))} | {field['description']} |"
        for name, field in inputs.items()
    )
    return "\n".join(["| input | default | |", "|---|---|---|", *rows, ""])


def _outputs(outputs: Mapping[str, Any]) -> str:
    rows = (f"| `{name}` | {field['description']} |" for name, field in outputs.items())
    return "\n".join(["| output | |", "|---|---|", *rows, ""])


def _shown(default: str) -> str:
    return f"`{default}`" if default else ""


if __name__ == "__main__":
    main()
