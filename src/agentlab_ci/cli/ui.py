"""`agentlab ui`."""

import click

from agentlab_ci.cli.history import database_options, find_history
from agentlab_ci.cli.options import TextType
from agentlab_ci.cli.world import real_world
from agentlab_ci.errors import BadInputError, ExitCode

PORT = 4770
_EXTRA = ("starlette", "uvicorn")


@click.command("ui", short_help="Serve pages over the history, to look at in a browser.")
@click.option(
    "--host",
    type=TextType(),
    metavar="H",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; another than this machine's own lets others in who have the token.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="P",
    default=PORT,
    show_default=True,
    help="Port to listen on; 0 picks a free one.",
)
@database_options
def command(host: str, port: int, database: str | None, config_file: str | None) -> ExitCode:
    """Serve pages over the history: batches and runs, live while a run goes on, their traces, comparisons, how
    often each scenario passed over time, and approval.

    Open the address that is printed: it holds a token, made at each start, without which nothing can be approved.
    The pages can be read on this machine only, unless --host says otherwise; then reading needs the token too.

    Needs the extra `ui`: pip install 'agentlab-ci[ui]'. Ctrl-C ends it.
    """
    try:
        from agentlab_ci.ui.server import serve  # noqa: PLC0415 - `--help` needs none of it
    except ModuleNotFoundError as problem:
        if problem.name not in _EXTRA:
            raise
        raise BadInputError("`agentlab ui` needs the extra `ui`: pip install 'agentlab-ci[ui]'") from None
    world = real_world()
    path = find_history(world, database, config_file)
    return serve(world, database=path, host=host, port=port).exit_code
