"""The command `dyno`: here alone the process exits.

Passwords are hidden before anything else is even loaded, which takes a while. The other programs'
command lines are passed on before anything is read that they don't need.
"""

from __future__ import annotations

from dyno import passwords

passwords.hide_own()
passwords.keep_from_children("DYNO_PASSWORD")

import os  # noqa: E402
import signal  # noqa: E402
import sys  # noqa: E402
from types import FrameType  # noqa: E402

from dyno.cli import doors, streams  # noqa: E402
from dyno.errors import DynoError, InterruptedRunError  # noqa: E402


def _terminate(number: int, frame: FrameType | None) -> None:
    """SIGTERM and SIGHUP end a run as Ctrl-C does."""
    raise KeyboardInterrupt


def main() -> None:
    """Run the command line; a user's mistake is one line and a hint, never a traceback."""
    streams.prepare()
    signal.signal(signal.SIGTERM, _terminate)
    signal.signal(signal.SIGHUP, _terminate)
    try:
        code = _run()
        sys.stdout.flush()
    except DynoError as error:
        code = _report(error)
    except KeyboardInterrupt:
        code = _report(None)
    except BrokenPipeError:
        # The reader of our output went away (| head): not an error of ours.
        code = 0
    except OSError as error:
        code = _report(streams.failure(error))
    streams.finish()
    sys.exit(code)


def _run() -> int:
    code = doors.pass_on(sys.argv)
    if code is not None:
        return code
    # numpy would start a thread for each CPU, for products that are too small to share.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Those other programs need none of it.
    from dyno.cli.app import run

    return run(sys.argv[1:])


def _report(error: DynoError | None) -> int:
    """Print an error, or that the user broke off, as far as anybody can read it; the exit code."""
    from dyno.cli.screen import err, print_error

    try:
        if error is None:
            err.print("interrupted")
            return InterruptedRunError.exit_code
        print_error(error)
    except OSError:
        streams.give_up(sys.stderr)
    return InterruptedRunError.exit_code if error is None else error.exit_code


if __name__ == "__main__":
    main()
