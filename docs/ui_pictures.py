"""The pictures of `agentlab ui`: a history of two weeks, and four of its pages in Chromium."""

import tempfile
from pathlib import Path
from urllib.parse import urljoin

from agentlab_ci.core.results import ScenarioResult
from agentlab_ci.core.stored import BatchRef
from agentlab_ci.store.approvals import approve
from browser import visit
from canned import scenario, simulation_scenario, task_scenario
from stored import store_batch
from ui_site import serving

_DAYS = ("ppp", "ppp", "ppf", "pfp", "ppp", "ppp", "fpf", "pff", "pfp", "ppp", "ppp", "pff")
"""How the samples of one scenario ended, day by day."""
_BEGAN = "2026-04-{:02}T08:00:00.000+00:00"
_PICTURES = (
    ("ui-batches", (1280, 860), "/"),
    ("ui-scenario", (1280, 900), "/scenario?id=support.order-status"),
    ("ui-compare", (1280, 960), f"/compare?old={{{len(_DAYS) - 2}}}&new={{{len(_DAYS) - 1}}}"),
    ("ui-run-phone", (390, 844), "/run?id=run_20260402_080000_b7x2kf.support.refund.2"),
)


def draw_ui(packages: Path, images: Path, theme: str, ending: str) -> None:
    """Draw the pages in one theme."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "agentlab.db"
        ids = [_store(database, day, outcomes) for day, outcomes in enumerate(_DAYS, start=1)]
        approve(database, BatchRef(batch_id=ids[4]), at=_BEGAN.format(6))
        with serving(database) as address:
            for name, (width, height), path in _PICTURES:
                visit(
                    packages,
                    urljoin(address, path.format(*ids)),
                    ("wait", 'document.readyState === "complete"'),
                    ("picture", str(images / f"{name}{ending}.png")),
                    colorScheme=theme,
                    viewport={"width": width, "height": height},
                    deviceScaleFactor=1.5,
                )


def _store(database: Path, day: int, outcomes: str) -> str:
    name = f"batch_202604{day:02}_080000_{'abcdefghijkl'[day - 1]}7x2kf"
    store_batch(database, name, _BEGAN.format(day), *_rows(day, outcomes))
    return name


def _rows(day: int, outcomes: str) -> tuple[ScenarioResult, ...]:
    terms = {"hash": "a1" if day < 10 else "a2"}
    return (
        scenario(outcomes, "support.order-status", **terms),
        scenario("ppp" if day % 4 else "pfp", "support.cancel", hash="b1"),
        task_scenario(
            "support.refund", "refunded", "forbidden" if day % 5 == 2 else "refunded", "refunded", hash="c1"
        ),
        simulation_scenario("support.double-charge", "met", "met" if day % 3 else "missed", "met", hash="d1"),
    )
