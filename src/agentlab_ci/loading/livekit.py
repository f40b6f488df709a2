"""List files: simulations as rows of one document, the form of the scenarios of LiveKit's simulations."""

import json
import re
from pathlib import PurePosixPath
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field

from agentlab_ci.core.model import Json, Model, Name, Text
from agentlab_ci.core.scenario import Place, Scenario, ScenarioType, Simulation
from agentlab_ci.loading.scenario_file import USERDATA, SimulationFile

ROW_ID_PATTERN = r"^[\w-]+(\.[\w-]+)*$"
_ROW_ID = re.compile(ROW_ID_PATTERN.rstrip("$"))
_OF_DOCUMENTS = SimulationFile.model_fields.keys() - {
    "type",
    "id",
    "name",
    "suite",
    "tags",
    "instructions",
    "agent_expectations",
    "userdata",
}
"""What a simulation may say and a row may not."""
_OWN_DOCUMENT = (
    f"a row has none; write this scenario as a document of its own, with `type: {ScenarioType.SIMULATION}`"
)


def _check_row_id(value: str) -> str:
    if _ROW_ID.fullmatch(value) is None:
        raise ValueError("must be letters, digits, `-`, `_` and `.`, such as `support.refund-twice`")
    return value


def _check_label(value: str) -> str:
    if not slug(value):
        raise ValueError("must hold a letter or a digit, from which the id is made")
    return value


class Row(Model):
    """One simulation of a list file."""

    KEY_HINTS: ClassVar[dict[str, str]] = dict.fromkeys(_OF_DOCUMENTS, _OWN_DOCUMENT)
    label: Annotated[Name, AfterValidator(_check_label)] = Field(description="What reports call it.")
    instructions: Name = Field(description="How the model plays the user.")
    agent_expectations: Name = Field(description="What the judge holds the agent to.")
    tags: Json = Field({}, description="Each becomes the tag `key:value`, or `key` where the value is empty.")
    userdata: Json = Field({}, description=USERDATA)
    id: (
        Annotated[Name, AfterValidator(_check_row_id), Field(json_schema_extra={"pattern": ROW_ID_PATTERN})] | None
    ) = Field(None, description="`<file stem>.<slug of the label>` when absent.")


class ListFile(Model):
    """A document with simulations as rows."""

    id: Text | None = Field(None, description="What LiveKit knows the file by; nothing is made of it.")
    name: Name
    scenarios: Annotated[tuple[Row, ...], Field(min_length=1)]


def slug(text: str) -> str:
    """Return the text in small letters, digits and single hyphens; empty when it has none of the first two."""
    return re.sub(r"[\W_]+", "-", text.casefold()).strip("-")


def row_to_scenario(row: Row, place: Place) -> Scenario:
    """Return the row as a simulation; its suite is the stem of the file that it stands in."""
    suite = slug(PurePosixPath(place.path).stem) or "scenarios"
    return Scenario(
        id=row.id or f"{suite}.{slug(row.label)}",
        name=row.label,
        suite=suite,
        tags=tuple(name_tag(key, value) for key, value in row.tags.items()),
        body=Simulation(
            instructions=row.instructions, agent_expectations=row.agent_expectations, userdata=row.userdata
        ),
        place=place,
    )


def name_tag(key: str, value: object) -> str:
    """Return the tag that one of LiveKit's becomes: `key:value`, or `key` where the value is empty."""
    if value is None or value == "":
        return key
    return f"{key}:{value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
