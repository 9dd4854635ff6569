"""One dynoload on this host, from its begin to its end.

An agent does nothing else, so what it needs is little: this knows no plan but its text.
"""

from __future__ import annotations

import json
import os
import signal
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from dyno.cpus import CpuSet
from dyno.errors import LoadError
from dyno.hosts.program import Program
from dyno.passwords import handed_down
from dyno.program import find_dynoload
from dyno.store.files import storing

if TYPE_CHECKING:
    from dyno.spec.load_plan import LoadPlan


@dataclass(frozen=True)
class WrittenPlan:
    """A load plan as dynoload reads it; whether it waits for `go`, and wants a password.
    `authorities`: what the file holds by which it checks its server, if that must come along.
    """

    text: str
    waits: bool
    wants_password: bool
    authorities: str | None = None

    @classmethod
    def of(cls, plan: LoadPlan) -> WrittenPlan:
        """As JSON."""
        wants_password = plan.target.password_env is not None
        return cls(plan.to_json(), waits=plan.start is not None, wants_password=wants_password)

    @classmethod
    def sent(cls, plan: LoadPlan) -> WrittenPlan:
        """For another host, which hasn't this one's files. Raises LoadError."""
        if plan.target.ca_file is None:
            return cls.of(plan)
        file = Path(plan.target.ca_file)
        try:
            return replace(cls.of(plan), authorities=file.read_text(encoding="ascii"))
        except (OSError, ValueError) as error:
            raise LoadError(
                f"{file} can't be read: {error}", hint="name a file with authorities (PEM)"
            ) from error

    def write(self, folder: Path) -> Path:
        """As load.json in a folder. Raises StoreError."""
        file, text = folder.absolute() / "load.json", self.text
        with storing(file):
            if self.authorities is not None:
                own = file.with_name("authorities.pem")
                own.write_text(self.authorities, encoding="ascii")
                document = json.loads(text)
                document["target"]["ca_file"] = str(own)
                text = json.dumps(document)
            file.write_text(text + "\n", encoding="utf-8")
        return file


class Generator(Program):
    """A dynoload that runs a plan."""

    def __init__(
        self,
        plan: WrittenPlan,
        folder: Path,
        *,
        password: str | None = None,
        cpus: CpuSet | None = None,
    ) -> None:
        """Start it; `folder` keeps load.json. The password is handed down if the plan needs one;
        when dynoload is run by hand it comes from the environment variable that the plan names.

        Raises LoadError if dynoload is missing.
        """
        plan_file = plan.write(folder)
        with handed_down((password or "").encode()) as secret:
            # The same user can read environments as well as arguments.
            by_hand = ["--password-fd", str(secret)] if plan.wants_password else []
            super().__init__(
                [str(find_dynoload()), "run", *by_hand, str(plan_file)],
                folder / "dynoload.err",
                env={"PATH": os.defpath, "LC_ALL": "C"},
                takes_lines=plan.waits,
                pass_fds=[secret],
                cpus=cpus,
            )

    def go(self, at_ns: int) -> float:
        """Begin the phase that it is ready for at this instant of CLOCK_MONOTONIC, which is known
        without error: 0 ns.
        """
        self.say(b"go %d" % at_ns)
        return 0.0

    def enough(self) -> None:
        """End the current phase as if its time were over: see `until` of the load plan."""
        self.signal(signal.SIGUSR1)

    def watched(self) -> None:
        """Whoever started it watches this host."""
