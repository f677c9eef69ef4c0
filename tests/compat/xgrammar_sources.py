# SPDX-License-Identifier: Apache-2.0
"""Build xgrammar's library for Python from its source distribution with our C++ headers, for
suite.py.

Only one file, the binding, includes tvm/ffi. It is compiled with the package's headers too, and
both versions must register the same. All other files are compiled once. xgrammar's C++ tests do not
call the binding, so they are not built.
"""
import concurrent.futures

import objects
import package
import registry

LIBRARY = "xgrammar/libxgrammar_bindings.so"
# Not optimized: this way compiling the files takes a minute on two cores.
FLAGS = [
    "-std=c++17", "-O0", "-g0", "-w", "-fPIC", "-DXGRAMMAR_ENABLE_CPPTRACE=0",
    "-DXGRAMMAR_ENABLE_INTERNAL_CHECK=0"
]
# The headers that most files include.
HEADERS = ["picojson.h", "xgrammar/xgrammar.h"]


def compile_core(folder, cxx, source):
    """Compile all files but the binding."""
    include = [
        source / "include", source / "3rdparty" / "picojson",
        source / "3rdparty" / "dlpack" / "include"
    ]
    files = {file: True for file in (source / "cpp").rglob("*.cc") if file.name != "tvm_ffi.cc"}
    objects.keep(folder, cxx, FLAGS, include, files, HEADERS)


def compile_binding(folder, cxx, include, source):
    include = [*include, source / "include", source / "3rdparty" / "picojson"]
    objects.keep(folder, cxx, FLAGS, include, {source / "cpp" / "tvm_ffi" / "tvm_ffi.cc": False})


def build(cxx, layer, runtime, source, work):
    """The library for that runtime, and the differences between what it registers and what the same
    library compiled with the package's headers registers."""
    reference = package.require()
    core = objects.beside_package("xgrammar_core", cxx)
    bindings = {
        objects.beside_package("xgrammar_binding", cxx): reference.include, work / "binding": layer
    }
    compile_core(core, cxx, source)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(
            pool.map(lambda folder: compile_binding(folder, cxx, bindings[folder], source),
                     bindings))
    dumps = []
    for name, binding, library in zip(("theirs", "ours"), bindings,
                                      (reference.library, runtime.resolve())):
        target = work / f"{name}.so"
        objects.run(*cxx, "-shared", "-Wl,-z,defs", *sorted(core.glob("*.o")), *binding.glob("*.o"),
                    library, "-o", target)
        dumps.append(registry.dump(library, [target]))
    problems = registry.compare(*dumps)
    num_things = sum("xgrammar" in thing for thing in dumps[1])
    if num_things == 0:
        problems.append("xgrammar's binding registers nothing")
    print(
        f"xgrammar's binding registers {num_things} things, {len(problems)} of them others with "
        "our headers"
    )
    return target, problems
