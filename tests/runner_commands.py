"""How a GitHub Actions runner finds commands in a step's output, as far as tests need it."""

import re
import unicodedata

NAMES = (
    *("add-mask", "add-matcher", "add-path", "command", "debug", "echo", "endgroup", "error", "group", "notice"),
    *("remove-matcher", "save-state", "section", "set-env", "set-output", "stop-commands", "warning"),
)


def find_commands(output: str) -> list[str]:
    """Return the names of the commands that the runner would obey.

    Pessimistic: characters that a culture-aware comparison may ignore are taken out before the runner looks.
    """
    lines = re.split(r"\r\n|\r|\n", output)
    return [name for line in lines if (name := _current_form(_visible(line)) or _old_form(_visible(line)))]


def _visible(line: str) -> str:
    return "".join(char for char in line if unicodedata.category(char) not in ("Cc", "Cf") or char.isspace())


def _current_form(line: str) -> str | None:
    message = line.lstrip()
    end = message.find("::", 2)
    if not message.startswith("::") or end < 0:
        return None
    return _known(message[2:end])


def _old_form(line: str) -> str | None:
    begin = line.find("##[")
    end = line.find("]", begin)
    if begin < 0 or end < 0:
        return None
    return _known(line[begin + 3 : end])


def _known(info: str) -> str | None:
    name = info.partition(" ")[0].lower()
    return name if name in NAMES else None
