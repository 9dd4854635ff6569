"""What a full disk below a server's data is called."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from dyno.power import Disk
from dyno.runner.sites import Folder, Powered

MB = 1024 * 1024


def has_free(monkeypatch: pytest.MonkeyPatch, free_mb: dict[Path, int]) -> None:
    def usage(path: Path) -> SimpleNamespace:
        return SimpleNamespace(total=512 * MB, free=free_mb[path] * MB)

    monkeypatch.setattr(shutil, "disk_usage", usage)


@pytest.mark.parametrize(("free_mb", "is_full"), [(0, True), (15, True), (16, False)])
def test_less_than_16_mb_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free_mb: int, is_full: bool
) -> None:
    has_free(monkeypatch, {tmp_path: free_mb})
    error = Folder(tmp_path).full()
    assert (error is not None) is is_full
    if error is not None:
        assert error.message.startswith(f"the disk of {tmp_path} was full: ")
        assert error.hint == "free some space there"


@pytest.mark.parametrize(
    ("image_mb", "host_mb", "begins"),
    [
        (3, 900, "the image was full: 3.0 MiB of 512.0 MiB were free"),
        # An image is sparse: the host's disk may have no room for what the image still has.
        (300, 3, "the disk of "),
        (300, 900, None),
    ],
)
def test_an_image_and_the_disk_around_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    image_mb: int,
    host_mb: int,
    begins: str | None,
) -> None:
    disk = Disk(tmp_path)
    has_free(monkeypatch, {disk.data: image_mb, tmp_path: host_mb})
    error = Powered(disk).full()
    assert (error is None) is (begins is None)
    if error is not None and begins is not None:
        assert error.message.startswith(begins)
