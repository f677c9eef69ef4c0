# SPDX-License-Identifier: Apache-2.0
"""A recipe of Conan 2 for this tree: conan create packaging/conan

Meson, Ninja and a C compiler are those of the system. CMake projects find the package as they find
one that was installed without Conan: by its own tvm_ffi-config.cmake, with the targets
tvm_ffi::header, ::shared and ::static.
"""
import os
import pathlib
import subprocess
import sys

from conan import ConanFile
from conan.tools.files import copy
from conan.tools.layout import basic_layout
from conan.tools.meson import Meson, MesonToolchain


class TvmFfi(ConanFile):
    name = "tvm_ffi"
    description = "Runtime of the TVM FFI ABI in C, with headers for C and C++"
    license = "Apache-2.0"
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "cxx_exports": [True, False]}
    default_options = {"shared": True, "cxx_exports": False}

    def _root(self):
        return pathlib.Path(self.recipe_folder).resolve().parents[1]

    def set_version(self):
        command = [sys.executable, self._root() / "tools/ci/version.py"]
        self.version = subprocess.run(command, check=True, text=True,
                                      stdout=subprocess.PIPE).stdout.strip()

    def export_sources(self):
        for name in "LICENSE", "meson.build", "meson_options.txt":
            copy(self, name, self._root(), self.export_sources_folder)
        for folder in "c", "cmake", "cpp", "include", "isolated", "subprojects", "tools":
            copy(self, f"{folder}/*", self._root(), self.export_sources_folder,
                 excludes="*/__pycache__/*")

    def layout(self):
        basic_layout(self)

    def generate(self):
        toolchain = MesonToolchain(self)
        toolchain.project_options.update({
            "tests": "disabled", "samples": "disabled", "cuda": "disabled", "dlpack": "fallback",
            "libdir": "lib", "cxx_exports": "enabled" if self.options.cxx_exports else "disabled"
        })
        toolchain.generate()

    def build(self):
        meson = Meson(self)
        meson.configure()
        meson.build()

    def package(self):
        Meson(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/tvm_ffi"]
        self.cpp_info.libs = ["tvm_ffi"]
        if self.settings.os == "Linux" and not self.options.shared:
            self.cpp_info.system_libs = ["pthread", "dl"]
            self.cpp_info.exelinkflags = [
                f"-Wl,--dynamic-list={self.package_folder}/lib/tvm_ffi/exports.dynlist"
            ]
