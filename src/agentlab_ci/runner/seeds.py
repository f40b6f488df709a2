"""What a runtime profile has said before a conversation or a simulation begins."""

from functools import partial

from agentlab_ci.agents.interface import Session
from agentlab_ci.core.trace import Role, Turn
from agentlab_ci.runner.interface import Draw


async def say_seeds(draw: Draw, session: Session) -> tuple[Turn, ...]:
    """Note what was said, say what the user is to say first, and return all that user and agent said so.

    None of it is a turn of the sample, and nobody judges it.
    """
    said = []
    for seed in draw.opening.seeds:
        draw.recording.add_seed(seed.role, seed.message)
        if seed.role != "system":
            said.append(Turn(role=Role.USER if seed.role == "user" else Role.AGENT, text=seed.message))
    for message in draw.opening.to_say:
        draw.recording.add_seed(Role.USER, message)
        reply = await draw.patiently(partial(session.send, message))
        draw.recording.add_seed_reply(reply)
        said += [Turn(role=Role.USER, text=message), Turn(role=Role.AGENT, text=reply.text)]
    draw.state.note_said()
    return tuple(said)
