"""`agentlab ui`: the port, the address with its token, and the server until somebody interrupts it."""

import asyncio
import errno
import socket
from contextlib import closing
from pathlib import Path

import uvicorn

from agentlab_ci.app import Outcome, World
from agentlab_ci.errors import BadInputError, ExitCode
from agentlab_ci.reports.escape import for_log
from agentlab_ci.ui.app import make_app
from agentlab_ci.ui.security import Guard, is_loopback, make_token, show_host

_GRACE_SECONDS = 1


def serve(world: World, *, database: Path, host: str, port: int) -> Outcome:
    """Serve the pages until a signal comes; raises BadInputError for an address that cannot be listened on."""
    with closing(_listen(host, port)) as listener:
        guard = Guard(host=host, port=listener.getsockname()[1], token=make_token())
        _tell(world, guard, database)
        app = make_app(world, database=database, guard=guard)
        config = uvicorn.Config(
            app,
            http="h11",
            loop="asyncio",
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",  # a bug is printed by the application
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
        server = uvicorn.Server(config)  # hands on what signals it gets
        world.interrupts.subscribe(lambda: setattr(server, "should_exit", True))
        try:
            if world.interrupts.exit_code is None:
                asyncio.run(server.serve(sockets=[listener]))
        finally:
            world.interrupts.subscribe(None)
    return Outcome(exit_code=world.interrupts.exit_code or ExitCode.OK)


def _listen(host: str, port: int) -> socket.socket:
    try:
        [(family, _, _, _, address), *_] = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        return socket.create_server(address[:2], family=family)
    except OSError as problem:
        raise BadInputError(_explain(problem, host, port)) from None


def _explain(problem: OSError, host: str, port: int) -> str:
    if problem.errno == errno.EADDRINUSE:
        return (
            f"port {port} of {host} is taken, perhaps by another `agentlab ui`: "
            "name another with --port, or let --port 0 pick one"
        )
    why = problem.strerror or problem
    return f"{host} port {port} cannot be listened on ({why}): name another with --host or --port"


def _tell(world: World, guard: Guard, database: Path) -> None:
    """Print where the pages are. The token stands in the address: who has it may approve."""
    if not is_loopback(guard.host):
        world.warn(
            f"{guard.host} can be reached by others: whoever has the address below can read and approve, "
            "and it is sent in the clear"
        )
    address = f"http://{show_host(guard.host)}:{guard.port}/?token={guard.token}"
    world.console.out(
        for_log(f"agentlab ui over {database}" + ("" if database.exists() else ", which is not there yet"))
    )
    world.console.out(address)
    world.console.err("Ctrl-C ends it.")
