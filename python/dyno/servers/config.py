"""The option file that a server starts with: Dyno's own part, then the settings of the caller.

It is the only one that the server reads (--defaults-file).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dyno.servers.installation import Installation
from dyno.servers.options import Setting, written


def option_file(
    installation: Installation,
    *,
    data_dir: Path,
    tmpdir: Path,
    socket: Path,
    listen: str | None,
    port: int | None,
    certificate: Path | None,
    settings: Mapping[str, Setting],
) -> str:
    """Give the text of my.cnf. No log_error: what the server says on stderr is its error log."""
    lines = [*_places(installation, data_dir=data_dir, tmpdir=tmpdir)]
    lines += [f"socket = {socket}", f"pid_file = {socket.with_name('mysqld.pid')}"]
    lines += ["skip_name_resolve"]
    if port is None:
        lines.append("skip_networking")
    else:
        lines += [f"bind_address = {listen}", f"port = {port}"]
    lines += [*_defaults(installation), *_plugins(installation)]
    lines += _encryption(installation, certificate)
    lines += [f"{name} = {_quoted(written(value))}" for name, value in settings.items()]
    return "[mysqld]\n" + "\n".join(lines) + "\n"


def bootstrap_file(
    installation: Installation,
    *,
    data_dir: Path,
    tmpdir: Path,
    settings: Mapping[str, Setting],
) -> str:
    """Give the option file for filling an empty data folder."""
    lines = [*_places(installation, data_dir=data_dir, tmpdir=tmpdir), "max_allowed_packet = 16M"]
    lines += [f"{name} = {_quoted(written(value))}" for name, value in settings.items()]
    return "[mysqld]\n" + "\n".join(lines) + "\n"


def help_file(installation: Installation, *, folder: Path) -> str:
    """Give the option file of a server that only shows its options, with an empty folder.

    Old servers look for their messages before that, and refuse root. MariaDB 10.1 crashes where a
    data folder without tables should name its plugins.
    """
    lines = [*_places(installation, data_dir=folder, tmpdir=folder)]
    lines += ["user = root", "skip_grant_tables", *_plugins(installation)]
    return "[mysqld]\n" + "\n".join(lines) + "\n"


def _places(installation: Installation, *, data_dir: Path, tmpdir: Path) -> list[str]:
    lines = [
        f"basedir = {installation.basedir}",
        f"datadir = {data_dir}",
        f"tmpdir = {tmpdir}",
        f"lc_messages_dir = {installation.share}",
        f"character_sets_dir = {installation.share / 'charsets'}",
    ]
    if installation.plugin_dir is not None:
        lines.append(f"plugin_dir = {installation.plugin_dir}")
    return lines


def _defaults(installation: Installation) -> list[str]:
    """Switch off what would open a second door; settings override.

    MySQL's X plugin opens a socket of its own, and a packaged MySQL wants a folder for files that
    only its installer makes.
    """
    is_late = installation.product == "mysql" and installation.version_tuple >= (5, 7, 12)
    return ["loose_mysqlx = 0", 'secure_file_priv = ""'] if is_late else []


def _encryption(installation: Installation, certificate: Path | None) -> list[str]:
    """TLS by a certificate, or none. MariaDB from 11.3 on would make a new RSA key and certificate
    at each start (5 to 12 s in the wolfSSL builds); older ones have no TLS by default.
    """
    if certificate is not None:
        # `loose_`: a server built without TLS still starts, and tells clients that it has none.
        return [f"loose_ssl_cert = {certificate}", f"loose_ssl_key = {certificate}"]
    is_late = installation.product == "mariadb" and installation.version_tuple >= (11, 3, 0)
    return ["ssl = 0"] if is_late else []


def _plugins(installation: Installation) -> list[str]:
    """Load engines and providers that lie beside the server: an arm may ask for them at once."""
    return [f"plugin_load_add = {name}" for name in installation.plugins]


def _quoted(value: str) -> str:
    """Quote a value with a space or a comment sign in it; others stay as people write them."""
    if value and not any(sign in value for sign in " #;'\"\\"):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
