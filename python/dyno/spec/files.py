"""Files that an experiment names: found relative to its folder, identified by their content."""

from __future__ import annotations

import hashlib
from pathlib import Path

from dyno.errors import SpecError
from dyno.spec.bounded import open_regular


def find_file(
    folder: Path, name: str, *, key: str, sha256: str | None, hint: str
) -> dict[str, str]:
    """The file that workload.`key` names: its absolute path as `key`, and `key`_sha256, which must
    be `sha256` unless that is None.

    Raises SpecError, with `hint`, if it can't be read.
    """
    path = (folder / name).absolute()
    try:
        with open_regular(path) as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SpecError(
            f"workload.{key}: {path} can't be read: {error.strerror}", hint=hint
        ) from None
    if sha256 not in (None, found):
        raise SpecError(
            f"workload.{key}: {path} is another file: its SHA-256 is {found}",
            hint=f"it was written for another one; leave {key}_sha256 out for this one",
        )
    return {key: str(path), f"{key}_sha256": found}
