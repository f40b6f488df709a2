"""What the pages share: what a request asks for, and the answer with the page."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from agentlab_ci.errors import BadInputError
from agentlab_ci.reports.ui_frame import Frame
from agentlab_ci.store.state import fingerprint
from agentlab_ci.ui.security import Guard

_MOST_BODY = 64 * 1024
"""Bytes of a form; ours have a few hundred."""
_MOST_FIELDS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What every page is made from. `started` tells this start of the server from others."""

    database: Path
    guard: Guard
    now: Callable[[], datetime]
    started: str

    def frame(self, request: Request, here: str = "", *, live: bool = False) -> Frame:
        """Return what stands around a page for who asks for it."""
        return Frame(here=here, live=live, form_token=request.state.token)


def asked(request: Request, name: str) -> str:
    """Return what a query says, without white space around it; empty when it says nothing."""
    return request.query_params.get(name, "").strip()


def required(request: Request, name: str) -> str:
    """Return what a query has to say; raises BadInputError when it does not."""
    value = request.query_params.get(name, "")
    if not value:
        raise BadInputError(f"this address lacks `{name}=`")
    return value


def answer_if_changed(request: Request, desk: Desk, make: Callable[[], bytes]) -> Response:
    """Answer with the page that `make` makes, or that nothing was written since it was fetched last."""
    state = (desk.started, fingerprint(desk.database), str(request.url), request.state.token is None)
    tag = f'"{hashlib.sha256(repr(state).encode()).hexdigest()[:32]}"'
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers={"ETag": tag})
    return HTMLResponse(make(), headers={"ETag": tag})


async def read_form(request: Request) -> dict[str, str]:
    """Return the fields of a form, of each the last; raises BadInputError for one that is too big or none."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_BODY:
            raise BadInputError("this form is too big")
    try:
        fields = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError as problem:
        raise BadInputError("this form has too many fields") from problem
    return {name: values[-1] for name, values in fields.items()}
