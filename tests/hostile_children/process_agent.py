"""An agent that speaks JSON lines and misbehaves: `process_agent.py MODE MARKER`. Every mode is one habit."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

MODE, MARKER = sys.argv[1:3]
FOR_EVER = 10**6
SLEEP = [sys.executable, "-c", f"import time; time.sleep({FOR_EVER})", MARKER]


def write(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def say(**line: Any) -> None:
    write(json.dumps(line))


def final(text: str = "done", **more: Any) -> None:
    say(type="final", output=text, **more)


def hear() -> Any:
    return json.loads(sys.stdin.readline())


def call(name: str = "echo", **value: Any) -> None:
    say(type="tool_call", toolName=name, input=value)


def hang() -> NoReturn:
    while True:
        time.sleep(FOR_EVER)


def noise() -> None:
    write('starting up\n\n[1, 2]\n"text"\n{not json')
    hear()
    call(n=1)
    hear()
    write("between the lines")
    final()


def flood_of_noise_then_final() -> None:
    sys.stdout.write("noise " * 200 + "\n" + "noise\n" * 100_000)
    final()


def complains_then_answers() -> None:
    write("printed")
    sys.stderr.write("STDERR WORDS\n")
    sys.stderr.flush()
    final(metadata={"message": "at last"})


def noise_for_ever() -> None:
    while True:
        sys.stdout.write("noise\n" * 1000)


def no_newline() -> None:
    hear()
    sys.stdout.write(json.dumps({"type": "final", "output": "done"}))


def huge_line() -> None:
    sys.stdout.write("x" * (20 << 20))
    sys.stdout.flush()
    hang()


def closes_stdin() -> None:
    os.close(0)
    final()
    hang()


def closes_stdin_then_asks() -> None:
    os.close(0)
    call()
    final()


def closes_stdout() -> None:
    os.close(1)
    hang()


def ignores_sigterm() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    final()
    hang()


def leaves_a_grandchild() -> None:
    subprocess.Popen(SLEEP)


def leaves_an_escaped_grandchild() -> None:
    subprocess.Popen(SLEEP, start_new_session=True)
    final()


def leaves_a_grandchild_twice_removed() -> None:
    if os.fork() == 0:
        subprocess.Popen(SLEEP, start_new_session=True)
        os._exit(0)
    os.wait()
    final()


def lives_with_an_escaped_grandchild() -> None:
    subprocess.Popen(SLEEP, start_new_session=True)
    final()
    hang()


def lives_with_an_escaped_grandchild_silently() -> None:
    subprocess.Popen(SLEEP, start_new_session=True)
    hang()


def exits_in_mid_run() -> None:
    call()
    hear()
    sys.exit(0)


def crashes() -> None:
    raise RuntimeError("out of luck")


def segfaults() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)
    hang()


def crashes_every_second_start() -> None:
    starts = Path(MARKER)
    count = len(starts.read_text()) if starts.exists() else 0
    starts.write_text("x" * (count + 1))
    if count % 2 == 0:
        raise RuntimeError("out of luck")
    final()


def bad_utf8() -> None:
    sys.stdout.buffer.write(b'\xfe noise\n{"type": "final", "output": "caf\xe9"}\n')


def never_answers() -> None:
    hear()
    hang()


def never_reads() -> None:
    hang()


def trickles() -> None:
    while True:
        sys.stdout.write("x")
        sys.stdout.flush()
        time.sleep(0.01)


def floods_stderr_then_final() -> None:
    sys.stderr.write("e" * (4 << 20) + "the end of it")
    sys.stderr.flush()
    final()


def floods_stderr_for_ever() -> None:
    while True:
        sys.stderr.write("e" * 1000)


def floods_stderr_then_exits() -> None:
    sys.stderr.write("e" * (4 << 20))
    sys.stderr.flush()
    sys.exit(1)


def complains_at_length_and_crashes() -> None:
    write("printed")
    sys.stderr.write("".join(f"line {number}\n" for number in range(3000)))
    raise ValueError("the last line")


def prints_and_repeats_to_stderr() -> None:
    sys.stdout.write((sys.argv[3] + "\n") * 9)
    sys.stderr.write((sys.argv[3] + "\n") * 9)
    sys.exit(1)


def prints_and_exits() -> None:
    write("no such model")
    sys.exit(1)


def two_calls_at_once() -> None:
    hear()
    call("one")
    call("two")
    final(json.dumps([hear(), hear()]))


def shows_its_environment() -> None:
    final(json.dumps([dict(os.environ), Path("/proc/self/environ").read_text()]))


def echoes_its_start() -> None:
    final(json.dumps(hear()))


def asks_and_echoes() -> None:
    hear()
    call(n=1)
    final(json.dumps(hear()))


def notes_what_it_hears_last() -> None:
    hear()
    say(type="what")
    Path(MARKER).write_text(sys.stdin.readline() + sys.stdin.readline())


def ends_by_itself() -> None:
    hear()
    final(str(os.getpid()))
    sys.stdin.read()
    Path(MARKER).write_text("ended by itself")


def stays_after_final() -> None:
    final(str(os.getpid()))
    hang()


def says_what_it_is_given() -> None:
    hear()
    write(sys.argv[3])
    sys.stdin.read()


def nests_too_deeply() -> None:
    write('{"a": ' * 20_000 + "1" + "}" * 20_000)
    sys.stdin.read()


globals()[MODE]()
