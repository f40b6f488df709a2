"""The shape of the package: who may import whom, and how big a piece may be."""

import ast
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

import agentlab_ci

ROOT = Path(agentlab_ci.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))

LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"errors"}),
    frozenset({"core", "interrupts", "processes"}),
    frozenset({"settings"}),
    frozenset({"loading", "agents", "tools", "evaluators", "simulation", "store", "reports", "publish"}),
    frozenset({"runner", "baselines", "results_file"}),
    frozenset({"app", "scaffolding"}),
    frozenset({"history", "comparing", "commenting", "exporting", "identifying", "rejudging"}),
    frozenset({"action", "demo", "tui", "ui"}),
    frozenset({"watching"}),
    frozenset({"cli"}),
    frozenset({"__main__"}),
)
"""From the bottom up. A room imports from the layers below, and from its neighbours `OPEN` modules at most."""
OPEN = {"interface", "registry"}

OWNERS = {
    "httpx": "agents",
    "click": "cli",
    "jinja2": "reports",
    "junit_xml": "reports",
    "github": "publish",
    "sqlite3": "store",
    "textual": "tui",
    "rich": "tui",
    "starlette": "ui",
    "uvicorn": "ui",
}
WORLDLY = {
    "asyncio",
    "datetime",
    "io",
    "os",
    "pathlib",
    "random",
    "secrets",
    "socket",
    "subprocess",
    "sys",
    "time",
}
"""What a pure core has no business with."""

MODULE_CAP, MODULE_MEDIAN, FUNCTION_CAP = 400, 120, 50


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _room(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (level, dotted module) of every import of a module, those inside functions included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.level, node.module or ""
            # `from agentlab_ci import app` imports a room by its name.
            if node.module == "agentlab_ci":
                yield from ((0, f"agentlab_ci.{alias.name}") for alias in node.names)


def _layer(room: str) -> int:
    return next(number for number, rooms in enumerate(LAYERS) if room in rooms)


def _may_import(importer: str, target: list[str]) -> bool:
    room = target[0]
    if room in (importer, "__version__"):
        return True
    if _layer(room) == _layer(importer):
        return target[-1] in OPEN
    return _layer(room) < _layer(importer)


def test_every_room_has_its_layer() -> None:
    assert {_room(path) for path in MODULES} - {"__init__"} <= frozenset().union(*LAYERS)


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_imports_go_one_way(path: Path) -> None:
    ours = [dotted.split(".")[1:] for _, dotted in _imports(path) if dotted.startswith("agentlab_ci.")]
    wrong = [".".join(target) for target in ours if not _may_import(_room(path), target)]
    assert not wrong, f"{_name(path)} may not import {wrong}"


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_imports_are_absolute(path: Path) -> None:
    assert [dotted for level, dotted in _imports(path) if level] == []


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_each_library_has_one_room(path: Path) -> None:
    used = {dotted.split(".")[0] for _, dotted in _imports(path)}
    foreign = {library for library in used & OWNERS.keys() if OWNERS[library] != _room(path)}
    assert not foreign, f"{_name(path)} imports {foreign}, which belong elsewhere"


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_the_live_view_is_imported_only_where_it_is_shown(path: Path) -> None:
    at_once = [node for node in ast.parse(path.read_text(encoding="utf-8")).body if not _is_for_types(node)]
    names = [dotted for node in at_once for dotted in _names_imported(node)]
    assert _room(path) == "tui" or not [name for name in names if name.startswith("agentlab_ci.tui")]


def _is_for_types(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def _names_imported(node: ast.stmt) -> list[str]:
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=str(module), names=names):
            return [f"{module}.{alias.name}" for alias in names]
        case _:
            return []


def test_the_core_is_pure() -> None:
    used = {(_name(path), dotted.split(".")[0]) for path in MODULES for _, dotted in _imports(path)}
    assert not {(name, module) for name, module in used if name.startswith("core/") and module in WORLDLY}


def test_modules_are_small() -> None:
    lines = {_name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert not {name: count for name, count in lines.items() if count > MODULE_CAP}
    assert median(count for name, count in lines.items() if not name.endswith("__init__.py")) <= MODULE_MEDIAN


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_functions_are_short_and_public_things_explained(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    assert not {f.name for f in functions if (f.end_lineno or 0) - f.lineno + 1 > FUNCTION_CAP}
    definitions = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    public = [n for n in tree.body if isinstance(n, definitions) and not n.name.startswith("_")]
    assert ast.get_docstring(tree)
    assert not {thing.name for thing in public if not ast.get_docstring(thing)}
