"""Plugins that an arm asks for: modules that lie beside its server, or in packages of their own."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from dyno.errors import ServerError
from dyno.home import Home, find_home, locked
from dyno.servers import debian
from dyno.servers.catalog import catalog, plugin_packages
from dyno.servers.fetch import Progress, sha256_of
from dyno.servers.installation import Installation, load
from dyno.servers.layout import find_layout
from dyno.spec.words import near

# A plugin with more of them than that isn't one.
_LIBRARIES_MOST = 100


def with_plugins(
    installation: Installation,
    names: Sequence[str],
    *,
    home: Home | None = None,
    progress: Progress = lambda _: None,
) -> Installation:
    """The installation with these plugins loaded at every start. One that its maker packs apart is
    fetched first, in the server's own version. Raises ServerError for one that there isn't.
    """
    lacking = [name for name in names if not _has(installation, name)]
    if lacking:
        home = home or find_home()
        with locked(home, f"install-{installation.name}"):
            installation = load(installation.home) or installation
            for name in lacking:
                installation = _added(installation, name, home, progress)
    return replace(installation, plugins=tuple(dict.fromkeys((*installation.plugins, *names))))


def _has(installation: Installation, name: str) -> bool:
    folder = installation.plugin_dir
    return folder is not None and (folder / f"{name}.so").is_file()


def _packages(installation: Installation) -> Mapping[str, str]:
    """The packages that plugins can be fetched from, by plugin: none unless the server is one of
    Debian's.
    """
    entry = catalog().get(installation.name)
    is_debian = entry is not None and entry.source == "debian"
    return plugin_packages(installation.product) if is_debian else {}


def _added(installation: Installation, name: str, home: Home, progress: Progress) -> Installation:
    """The installation with the module of a package in its folder of plugins."""
    entry = catalog().get(installation.name)
    package = _packages(installation).get(name)
    folder = installation.plugin_dir
    if entry is None or package is None or folder is None:
        raise ServerError(
            f"{installation.name} has no plugin {name!r}", hint=_hint(name, installation)
        )
    there = [file.partition("_")[0] for file, _ in installation.packages]
    debs, libraries = debian.fetch_plugin(
        entry, package, _version(installation, entry.package.split()[0]), there, home, progress
    )
    progress(f"unpacking {package}")
    with tempfile.TemporaryDirectory(prefix=".plugin.", dir=home.servers) as temporary:
        unpacked = Path(temporary)
        debian.unpack_all([*debs, *libraries], unpacked)
        modules = [path for path in unpacked.rglob("*.so") if path.parent.name == "plugin"]
        if not any(module.stem == name for module in modules):
            raise ServerError(f"{package} has no plugin {name!r}", hint="use another server")
        # A module comes last: where it is, all that it needs is there and on record.
        _add_libraries(installation, modules, unpacked)
        sums = tuple((deb.name, sha256_of(deb)) for deb in (*debs, *libraries))
        layout = find_layout(installation.home, what=installation.name)
        packages = tuple(dict.fromkeys((*installation.packages, *sums)))
        found = replace(installation, packages=packages, library_paths=layout.library_paths)
        found.save()
        for module in modules:
            module.chmod(0o755)
            shutil.move(module, folder / module.name)
    return found


def _add_libraries(installation: Installation, modules: Sequence[Path], unpacked: Path) -> None:
    """Bring what the modules don't find, and what that needs in turn, beside the server's own."""
    target = installation.home / debian.LIBRARIES
    target.mkdir(exist_ok=True)
    for _ in range(_LIBRARIES_MOST):
        layout = find_layout(installation.home, what=installation.name)
        missing = sorted({soname for module in modules for soname in layout.missing(module)})
        for soname in missing:
            if not debian.copy_library(soname, unpacked, target):
                raise ServerError(
                    f"{installation.name}: a plugin needs the shared library {soname}, which "
                    "neither its packages nor this machine have",
                    hint="install the package that holds it",
                )
        if not missing:
            return


def _version(installation: Installation, package: str) -> str:
    """The version of the server's package, as apt writes it, from the file's name."""
    for file, _ in installation.packages:
        name, _, rest = file.partition("_")
        if name == package:
            return rest.rpartition("_")[0].replace("%3a", ":")
    raise ServerError(
        f"{installation.name} doesn't say which version of {package} it is",
        hint=f"remove it, then install it again: dyno servers remove {installation.name}",
    )


def _hint(name: str, installation: Installation) -> str:
    """What was meant, of the plugins that it has or could get; else its engines."""
    folder = installation.plugin_dir
    there = {path.stem for path in folder.glob("*.so")} if folder is not None else set()
    known = sorted(there | set(_packages(installation)))
    meant = near(name, known)
    if meant.startswith("did you mean"):
        return meant
    engines = [known_name for known_name in known if known_name.startswith("ha_")]
    return f"its engines: {', '.join(engines) or 'none is a plugin'}"
