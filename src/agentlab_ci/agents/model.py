"""A model that plays the user of a simulation or judges it, behind an OpenAI-compatible endpoint."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from agentlab_ci.agents.http_exchange import HttpExchange
from agentlab_ci.agents.interface import AgentFailedError, AgentWorld, ModelReply, NoMessageError
from agentlab_ci.agents.openai_config import Owner, name_model
from agentlab_ci.agents.openai_endpoint import open_endpoint
from agentlab_ci.agents.openai_reply import Completion, read_completion
from agentlab_ci.agents.openai_request import RESPONSE_FORMAT, build_completion
from agentlab_ci.core.config import ModelEndpoint

_CANNOT_DO_SCHEMAS = {400, 404, 415, 422}
"""What servers answer to a `response_format` that they do not know, among other things."""


class ModelConnection:
    """A slot's connection. It remembers whether the server takes schemas, and nothing that was said."""

    def __init__(
        self, config: ModelEndpoint, exchange: HttpExchange, *, owner: Owner, key: str, max_reply_bytes: int
    ) -> None:
        self._config = config
        self._exchange = exchange
        self._owner = owner
        self._key = key
        self._max_reply_bytes = max_reply_bytes
        self._takes_schemas = RESPONSE_FORMAT not in config.extra_body

    async def complete(
        self, messages: Sequence[Mapping[str, str]], *, schema: Mapping[str, Any] | None = None
    ) -> ModelReply:
        """Return the model's next message, held to the schema where the server can do that.

        A server that refuses a schema is asked once more without; each of the two requests has the time limit.
        What `extra_body` has for `response_format` is sent instead of any schema. Raises AgentFailedError,
        NoMessageError and AgentBusyError.
        """
        if schema is None or not self._takes_schemas:
            return await self._ask(messages)
        try:
            return await self._ask(messages, schema)
        except AgentFailedError as failed:
            if failed.status not in _CANNOT_DO_SCHEMAS:
                raise
        reply = await self._ask(messages)
        self._takes_schemas = False  # now that the schema is known to have been the reason
        return reply

    async def aclose(self) -> None:
        """Close the connections without waiting for the server."""
        await self._exchange.aclose()

    async def _ask(
        self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any] | None = None
    ) -> ModelReply:
        self._exchange.forget_cookies()
        answer = await self._exchange.ask(
            build_completion(self._config, key=self._key, messages=messages, schema=schema)
        )
        said = read_completion(
            answer,
            functions={},
            turn=len(messages),
            price=self._config.price,
            cap=self._max_reply_bytes,
            now=datetime.now(UTC),
        )
        self._check(said)
        return ModelReply(text=said.text, usage=said.usage)

    def _check(self, said: Completion) -> None:
        """Raise NoMessageError for what is no whole message: half a reply reads as something else."""
        fault = said.cut and f"its reply was {said.cut}; check {self._owner.request}"
        refused = bool(said.refused or said.message.get("refusal"))  # also beside a text: which one counts?
        if refused:
            fault = "it refused (`refusal`)"
        if said.calls:
            fault = f"it calls `{said.calls[0].request.name}`, but has no tools"
        if fault:
            raise NoMessageError(fault, body=said.text, usage=said.usage, refused=refused)


def open_model(config: ModelEndpoint, world: AgentWorld, *, role: str) -> ModelConnection:
    """Open the model of a section of the config (`role`: `simulator` or `judge`) for one slot, not yet connected.

    Raises BadInputError as `open_endpoint` does.
    """
    owner = name_model(role)
    exchange, key = open_endpoint(config, owner, world)
    return ModelConnection(config, exchange, owner=owner, key=key, max_reply_bytes=world.max_reply_bytes)
