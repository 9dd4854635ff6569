"""All ways in which the hostile server does wrong, by name."""

from __future__ import annotations

import answers  # noqa: F401
import logins
from registry import MODES

decrypted = logins.decrypted

__all__ = ["MODES", "decrypted"]
