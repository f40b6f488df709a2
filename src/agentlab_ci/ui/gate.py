"""What every request passes on its way in, and every response on its way out."""

from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agentlab_ci.reports.ui_frame import policy
from agentlab_ci.ui.security import Guard

METHODS = ("GET", "HEAD", "POST")
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # A form without a referrer would send `Origin: null`, by which its own page is told from no other.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}


class Gate:
    """Lets in what the guard knows, keeps the token in a cookie, and sets the headers of every answer."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self._app = app
        self._guard = guard
        self._headers = _HEADERS | {"Content-Security-Policy": f"{policy()}; frame-ancestors 'none'"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request here, or pass it on."""
        if scope["type"] != "http":
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        await (self._stop(scope) or self._app)(scope, receive, answer)

    def _stop(self, scope: Scope) -> Response | None:
        """Return what a request is answered with that gets no further."""
        headers = Headers(scope=scope)
        if not self._guard.knows_host(headers.getlist("host")):
            return _refuse(421, "This address is not that of `agentlab ui`: open the one that it printed.")
        if scope["method"] not in METHODS:
            return _refuse(405, "Only GET, HEAD and POST are answered here.")
        if len(cookie := cookie_of(headers, self._guard) or "") == 0 or not self._guard.knows_token(cookie):
            scope.setdefault("state", {})["token"] = None
        else:
            scope.setdefault("state", {})["token"] = cookie
        if scope["method"] != "POST" and (redirect := self._keep_token(scope)):
            return redirect
        if not self._guard.may_read(scope["state"]["token"]):
            return _refuse(403, "Open the address that `agentlab ui` printed: it holds the token.")
        return None

    def _keep_token(self, scope: Scope) -> Response | None:
        """Put the token of an address into a cookie, and go to the same address without it."""
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        tokens = [value for name, value in query if name == "token"]
        if not tokens:
            return None
        if not self._guard.knows_token(tokens[0]):
            return _refuse(403, "This token is of another start of `agentlab ui`: open the address of this one.")
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        path = "/" + scope["path"].lstrip("/")
        response = RedirectResponse(f"{path}?{rest}" if rest else path, status_code=303)
        response.set_cookie(self._guard.cookie, self._guard.token, httponly=True, samesite="strict", path="/")
        return response


def cookie_of(headers: Headers, guard: Guard) -> str | None:
    """Return the token that the cookie holds."""
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(guard.cookie)
    except CookieError:
        return None
    return None if morsel is None else morsel.value


def _refuse(status: int, said: str) -> Response:
    return PlainTextResponse(f"{said}\n", status_code=status)
