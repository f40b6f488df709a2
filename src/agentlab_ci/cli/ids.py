"""`agentlab ids`."""

import click

from agentlab_ci.cli.options import TextType
from agentlab_ci.cli.world import real_world
from agentlab_ci.errors import ExitCode


@click.command("ids", short_help="Write ids into the rows of list files.")
@click.argument("paths", nargs=-1, required=True, metavar="FILE...", type=TextType())
def command(paths: tuple[str, ...]) -> ExitCode:
    """Write an id into each row of a list file (`scenarios:`) that has none, in place.

    The ids are those that agentlab makes of the labels as long as there are none, so the history of each row goes
    on; once they are written down, labels may change. One that another row has gets a number, as does one that any
    scenario of the project has, for files in its `scenarios/`. Comments, order and everything else stay as they
    are, and a file whose rows all have ids is not written.

    FILEs are list files, or globs of them, inside the working directory. When one is not valid, none is written.
    """
    from agentlab_ci.identifying import add_ids  # noqa: PLC0415 - `--help` needs none of it

    return add_ids(paths, real_world()).exit_code
