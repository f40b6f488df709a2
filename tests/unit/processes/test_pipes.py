import asyncio
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.processes.errors import LineTooLongError
from agentlab_ci.processes.pipes import LineBuffer, PipeReader, Tail


@settings(derandomize=True, deadline=None)
@given(st.lists(st.binary(max_size=8).filter(lambda line: b"\n" not in line), max_size=8), st.data())
def test_lines_come_out_as_they_went_in_however_they_were_cut(lines: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(line + b"\n" for line in lines) + b"rest"
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=5)))
    buffer = LineBuffer(8)
    taken = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        buffer.add(stream[start:end])
        while (line := buffer.take_line()) is not None:
            taken.append(line)
    assert taken == lines
    assert buffer.take_all() == b"rest"


@pytest.mark.parametrize("data", [b"12345", b"12345\n", b"1234567\nab\n"])
def test_a_line_over_the_limit_is_refused_whether_it_has_ended_or_not(data: bytes) -> None:
    buffer = LineBuffer(4)
    buffer.add(data)
    with pytest.raises(LineTooLongError, match="a line is longer than 4 bytes"):
        buffer.take_line()


def test_a_line_as_long_as_the_limit_is_none_too_many() -> None:
    buffer = LineBuffer(4)
    buffer.add(b"1234")
    assert not buffer.full
    buffer.add(b"\n")
    assert buffer.full
    assert buffer.take_line() == b"1234"
    assert not buffer.full


def test_a_tail_keeps_the_end_and_says_that_it_was_cut() -> None:
    tail = Tail(4)
    tail.add(b"123")
    assert (tail.read(), tail.cut) == (b"123", False)
    tail.add(b"456")
    assert (tail.read(), tail.cut) == (b"3456", True)
    tail.clear()
    assert (tail.read(), tail.cut) == (b"", False)


def test_a_pipe_is_not_read_while_there_is_no_room() -> None:
    async def run() -> None:
        fd, writing = os.pipe()
        buffer = LineBuffer(10)
        reader = PipeReader(os.fdopen(fd, "rb", buffering=0), buffer, lambda: None)
        for _ in range(2):
            os.write(writing, b"x" * 20)
            for _ in range(5):  # rounds of the loop, each of which may read
                await asyncio.sleep(0)
        assert buffer.take_all() == b"x" * 20
        reader.resume()
        for _ in range(5):
            await asyncio.sleep(0)
        assert buffer.take_all() == b"x" * 20
        os.close(writing)
        reader.close()
        reader.close()

    asyncio.run(run())
