"""The command `dyno`: here alone the process exits.

The other programs' command lines are passed on before anything is read that they don't need.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

from dyno.cli import doors
from dyno.cli.screen import err, print_error
from dyno.errors import DynoError, InterruptedRunError


def _terminate(number: int, frame: FrameType | None) -> None:
    """SIGTERM and SIGHUP end a run as Ctrl-C does."""
    raise KeyboardInterrupt


def main() -> None:
    """Run the command line; a user's mistake is one line and a hint, never a traceback."""
    signal.signal(signal.SIGTERM, _terminate)
    signal.signal(signal.SIGHUP, _terminate)
    try:
        doors.pass_on(sys.argv)
        # Reading all subcommands takes a second, which those other programs shan't wait for.
        from dyno.cli.app import app

        app()
    except DynoError as error:
        print_error(error)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        err.print("interrupted")
        sys.exit(InterruptedRunError.exit_code)
    except BrokenPipeError:
        # The reader of our output went away (| head): not an error of ours.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


if __name__ == "__main__":
    main()
