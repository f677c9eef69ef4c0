#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the wrappers that tests/faults/faults.h describes, and macros that put them in place of
the functions.

usage: wrappers.py OUT_C OUT_H ROOT HEADER...
"""
import pathlib
import re
import sys

# Functions that return a number but no error code, and those whose failure raises nothing or shows
# elsewhere.
NO_CODE = {
    "TVMFFIEnvCheckSignals",
    "TVMFFIObjectDecRef",
    "TVMFFIObjectIncRef",
    "TVMFFIRuntimeShutdown",
    "tvmffi_any_get_text",
    "tvmffi_any_key_ask_equal",
    "tvmffi_bigint_append_decimal",
    "tvmffi_bigint_compare",
    "tvmffi_child_next",
    "tvmffi_function_check_raised",
    "tvmffi_table_insert",
    "tvmffi_table_reserve",
    "tvmffi_type_end",
}
# Functions that report by their result alone that there is no memory.
SILENT = {"TVMFFIErrorCreate", "TVMFFIErrorCreateWithCauseAndExtraContext",
          "tvmffi_array_append", "tvmffi_list_append", "tvmffi_map_insert", "tvmffi_module_set_add"}
# Scalars that internal functions write as they go.
SCALAR = re.compile(r"(bool|int|uint64_t) \*")
PROTOTYPE = re.compile(r"^(?:TVM_FFI_DLL )?(int|int32_t) ((?:TVMFFI|tvmffi_)\w+)\(([^;{]*)\);",
                       re.M)


def parameters(text):
    """The parameters as (declaration, name)."""
    parts, depth = [""], 0
    for letter in " ".join(text.split()):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    for part in parts:
        pointer = re.search(r"\(\*(\w+)\)", part)
        yield part.strip(), (pointer or re.search(r"(\w+)$", part))[1]


def wrapper(result, name, text):
    pairs = list(parameters(text))
    declared = ", ".join(declaration for declaration, _ in pairs)
    is_public = name.startswith("TVMFFI")
    call = f"{name}({', '.join(argument for _, argument in pairs)})"
    watches = "".join(
        f"  faults_watch(&call, {argument}, sizeof *{argument});\n"
        for declaration, argument in pairs
        if re.match(r"(opt_)?out|result", argument) and not declaration.startswith("const") and (
            is_public or not SCALAR.match(declaration)))
    # Calling a function of the test again would show.
    can_fail = ("faults_is_built_in(func)" if name in ("TVMFFIFunctionCall",
                                                       "tvmffi_function_call_foreign") else "true")
    succeeded = ">=" if result == "int32_t" or name == "tvmffi_module_set_add" else "=="
    return f"""
{result} faults_{name}({declared});
{result} faults_{name}({declared}) {{
  static faults_site site = {{"{name}", {int(name in SILENT)}, 0, 0}};
  faults_call call;
  {result} code;
  if (!faults_begin(&call, &site, {can_fail})) return {call};
{watches}  do {{
    code = {call};
  }} while (faults_again(&call, code {succeeded} 0));
  return code;
}}
"""


def main():
    out_c, out_h, root, *headers = sys.argv[1:]
    names, includes, bodies = [], [], []
    for header in map(pathlib.Path, headers):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        found = [match for match in PROTOTYPE.findall(text)
                 if match[1] not in NO_CODE and match[2] != "void" and "..." not in match[2]]
        if found:
            includes.append(header.relative_to(root).as_posix().split("/", 1)[1])
            names += [name for _, name, _ in found]
            bodies += [wrapper(*match) for match in found]
    pathlib.Path(out_c).write_text("".join(f'#include "{name}"\n' for name in includes) +
                                   '#include "faults/faults.h"\n' + "".join(bodies))
    pathlib.Path(out_h).write_text("".join(f"#define {name} faults_{name}\n" for name in names))


main()
