"""Templates are found once, strictly filled in, and escaped where they are HTML."""

from pathlib import Path

import pytest
from jinja2 import DictLoader, UndefinedError
from jinja2.exceptions import SecurityError

from agentlab_ci.reports import templating


def test_the_folder_holds_the_templates() -> None:
    assert {path.name for path in templating.find_templates().iterdir()} >= {"report.md.j2", "_page.md.j2"}


def test_a_broken_installation_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(templating, "files", lambda _: tmp_path)
    monkeypatch.setattr(templating, "__file__", str(tmp_path / "a" / "b" / "c" / "d.py"))
    with pytest.raises(FileNotFoundError, match="installation is incomplete"):
        templating.find_templates()


@pytest.fixture
def templates(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    texts: dict[str, str] = {}
    templating._environment.cache_clear()
    monkeypatch.setattr(templating, "FileSystemLoader", lambda _: DictLoader(texts))
    return texts


@pytest.fixture(autouse=True)
def _fresh_environment() -> object:
    yield
    templating._environment.cache_clear()


def test_only_html_is_escaped_by_itself(templates: dict[str, str]) -> None:
    templates |= {"page.html.j2": "{{ text }}", "page.md.j2": "{{ text }} {{ text | inline }}\n"}
    assert templating.render("page.html.j2", text="<b>") == "&lt;b&gt;"
    assert templating.render("page.md.j2", text="<b>") == "<b> &#60;b&#62;\n"


def test_an_undefined_name_is_an_error(templates: dict[str, str]) -> None:
    templates["a.md.j2"] = "{{ missing }}"
    with pytest.raises(UndefinedError):
        templating.render("a.md.j2")


def test_templates_cannot_reach_the_interpreter(templates: dict[str, str]) -> None:
    templates["a.md.j2"] = "{{ text.__class__.__mro__ }}"
    with pytest.raises(SecurityError):
        templating.render("a.md.j2", text="")
