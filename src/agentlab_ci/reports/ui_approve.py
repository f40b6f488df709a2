"""The question before something is approved in `agentlab ui`, and what is said where something cannot be shown."""

from agentlab_ci.core.stored import Reference
from agentlab_ci.reports.ui_frame import Frame, render_page
from agentlab_ci.reports.ui_links import reference_fields, shown_at
from agentlab_ci.reports.ui_parts import short


def approve_page(reference: Reference, name: str, frame: Frame, *, how_ended: str | None, printed: str) -> bytes:
    """Ask whether this is to be approved. `how_ended` is why it should not be, None when it passed.

    `printed` is where the address with the token was printed, for those who came without.
    """
    return render_page(
        "ui_approve.html.j2",
        frame,
        f"Approve {short(name)}?",
        name=short(name),
        fields=reference_fields(reference),
        back=shown_at(reference),
        how_ended=how_ended,
        printed=printed,
    )


def message_page(title: str, said: str, frame: Frame) -> bytes:
    """Say why there is nothing to show."""
    lines = [short(line) for line in said.splitlines()]
    return render_page("ui_message.html.j2", frame, title, lines=lines)
