from pathlib import Path

import pytest

from command import start_python, wait_for

pytest.importorskip("resource", reason="only where there are limits")

RAISE = """
import resource, sys
from agentlab_ci.processes.file_limit import raise_file_limit
soft, hard = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
raise_file_limit(300)
print(*resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.mark.parametrize(
    ("soft", "hard", "now"),
    [
        (100, 200, 200),
        (200, 200, 200),
        (100, 400, 300),
        (350, 400, 350),  # never lowered
    ],
)
def test_the_limit_is_raised_as_far_as_it_may_be(soft: int, hard: int, now: int, tmp_path: Path) -> None:
    ended = wait_for(start_python(tmp_path, "-c", RAISE, str(soft), str(hard)), tmp_path)
    assert ended.out == f"{now} {hard}\n", ended.err
