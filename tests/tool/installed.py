# SPDX-License-Identifier: Apache-2.0
"""An installation for tests, at another place than the one it was made for."""
import json
import subprocess


def install(meson, build, folder):
    """Install a build into a folder and move the prefix within it; returns the prefix and the
    build's options."""
    info = json.loads(subprocess.run([meson, "introspect", build, "--buildoptions"], check=True,
                                     capture_output=True, text=True).stdout)
    options = {option["name"]: option["value"] for option in info}
    done = subprocess.run(
        [meson, "install", "-C", build, "--no-rebuild", "--destdir", folder / "first"],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    moved = folder / "moved"
    (folder / "first" / options["prefix"].lstrip("/")).rename(moved)
    return moved, options
