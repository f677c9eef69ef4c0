# SPDX-License-Identifier: Apache-2.0
"""The build hook of Hatch for the wheel: gives the version, and adds the files that Meson
installs."""
import os
import pathlib
import subprocess
import sys
import sysconfig
import tempfile

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

ROOT = pathlib.Path(__file__).resolve().parents[2]

# The installed tree is relocatable: pkg-config, CMake and the tool find the other files relative to
# their own. Packed relocations would require glibc 2.36.
SETUP = [
    "--prefix=/tvm_ffi_c", "--libdir=lib", "--buildtype=release", "-Ddlpack=fallback",
    "-Dcuda=disabled", "-Dpacked_relocations=disabled", "-Dtests=disabled", "-Dsamples=disabled",
    "-Dtools=enabled"
]
WITH_CXX, WITHOUT_CXX = ["-Dcxx_exports=enabled"], ["-Dcpp=disabled"]
# The systems that tools/wheel names, by their names in tools/ci: the platform, and options of
# Meson. Programs in C++ on musl use libstdc++, which neither compiler for musl has. musl-gcc and
# Zig have musl 1.2, which has no versions of symbols. The files that Zig makes are stripped by its
# linker.
TARGETS = {"aarch64": ("linux_aarch64", WITH_CXX), "musl": ("musllinux_1_2_x86_64", WITHOUT_CXX),
           "musl_aarch64": ("musllinux_1_2_aarch64", [*WITHOUT_CXX, "-Dc_link_args=-s"])}


def options_for(target, folder):
    """The platform of a wheel, and Meson's options for it; the folder gets the cross file if one
    has to be written."""
    if not target:
        return sysconfig.get_platform(), WITH_CXX
    sys.path.insert(0, str(ROOT / "tools/ci"))
    import platforms
    platform, options = TARGETS[target]
    if target in platforms.TARGETS:
        return platform, [*options, *platforms.cross_options(platforms.TARGETS[target], folder)]
    return platform, [*options, "--cross-file", ROOT / f"tools/ci/zig-{target}.ini"]


class CustomMetadataHook(MetadataHookInterface):
    def update(self, metadata):
        metadata["version"] = subprocess.run([sys.executable, ROOT / "tools/ci/version.py"],
                                             check=True, text=True,
                                             stdout=subprocess.PIPE).stdout.strip()


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version, build_data):
        if version == "editable":
            raise RuntimeError("there is nothing to edit: the package is what Meson installs")
        self.scratch = tempfile.TemporaryDirectory(prefix="tvm-ffi-c-")
        build, image = pathlib.Path(self.scratch.name,
                                    "build"), pathlib.Path(self.scratch.name, "image")
        platform, options = options_for(os.environ.get("TVM_FFI_C_TARGET", ""),
                                        pathlib.Path(self.scratch.name))
        for command in (["meson", "setup", build, ROOT, *SETUP, *options], ["ninja", "-C", build], [
                "meson", "install", "-C", build, "--no-rebuild", "--strip", "--destdir", image
        ]):
            subprocess.run(command, check=True, stdout=sys.stderr)
        # A wheel has no links: the archive's second name is a second copy, 0.3 MB of the wheel. A
        # linker script would be smaller, but mold 1.10 does not look beside it for what it names,
        # and lld reads no thin archive of an archive.
        for part in ("bin/tvm-ffi", "include", "lib"):
            build_data["force_include"][str(image / "tvm_ffi_c" / part)] = f"tvm_ffi_c/{part}"
        build_data["force_include"][str(ROOT / "LICENSE")] = "tvm_ffi_c/LICENSE"
        # For any Python 3 on this system; auditwheel decides on which other systems it runs.
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + platform.replace("-", "_").replace(".", "_")

    def finalize(self, version, build_data, artifact_path):
        self.scratch.cleanup()
