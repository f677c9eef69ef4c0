# SPDX-License-Identifier: Apache-2.0
"""Intended differences between this library and the reference, each with the row that justifies it.

Rows: `F-*` and `L-*` of docs/robustness.md, `D-*` of docs/differences.md. Every entry has an
example, a program that needs it: the test fails if one no longer does.
"""
import re


class Difference:
    """An operation whose traces may differ: how they may, and an example program."""

    def __init__(self, row, line, example, *, ours="", theirs="", only=None, after=None,
                 goes_on=True, check=None):
        if not re.match(r"[LFD]-[0-9]", row):
            raise ValueError(f"{row}: no row that says so")
        self.row = row
        self.line = re.compile(line)            # matches the line of the program
        self.ours = re.compile(ours)            # found in our trace
        self.theirs = re.compile(theirs)        # found in their trace
        self.only = only and re.compile(only)   # the traces are equal when this is removed
        self.after = after and re.compile(after)  # matches an earlier line of the program
        self.check = check                      # a function of both traces
        self.goes_on = goes_on                  # the libraries are in the same state afterwards
        self.example = example

    def fits(self, line, ours, theirs, before):
        if not (self.line.match(line) and self.ours.search(ours) and self.theirs.search(theirs)):
            return False
        if self.only is not None and self.only.sub("", ours) != self.only.sub("", theirs):
            return False
        if self.after is not None and not any(map(self.after.match, before)):
            return False
        return self.check is None or self.check(ours, theirs)


def names_later_argument(ours, theirs):
    """If several arguments are wrong, the reference names a later one."""
    mismatch = re.compile(r"Mismatched type on argument #(\d+) when calling: (`.*?`)\.")
    our_text, their_text = mismatch.search(ours), mismatch.search(theirs)
    return bool(our_text and their_text and our_text[2] == their_text[2]
                and int(our_text[1]) < int(their_text[1]))


def took_before(ours, theirs):
    """The reference moves an rvalue out before it finds the wrong argument."""
    bare = re.sub(r"took v[0-9]+, |  deleted .*\n", "", theirs)
    return "took" in theirs and (bare == ours or names_later_argument(ours, theirs))


def same_lines(ours, theirs):
    """The same callbacks run, in another order."""
    return sorted(ours.split("\n")) == sorted(theirs.split("\n")) and ours.count("  deleted") > 1


CONDITION = (r"Check failed: \(.*?\) is false: |Check failed: [^\"]*? \(\S+ vs\. \S+\) : |Check "
             r"not "
             r"null: \S+ ?")


def cut_at_nul(ours, theirs):
    """In the reference's message a text ends at its first NUL."""
    theirs = re.sub(CONDITION, "", theirs)
    same = next((index for index, pair in enumerate(zip(ours, theirs)) if pair[0] != pair[1]), 0)
    return theirs.startswith("%00", same)


def escapes_bytes(ours, theirs):
    """Our message has an escape for each byte that is not UTF-8, which theirs has as it is."""
    return re.sub(r"\\x([0-9a-f]{2})", r"%\1", ours) == re.sub(CONDITION, "", theirs)


DIED = r"(?m)^ended (by signal|with [^0])"

DIFFERENCES = [
    # ---- messages ----
    Difference("D-1: C++ conditions are not told", "", ["type_find =nosuch"], only=CONDITION),
    Difference("L-13", "", ["init_once 1 3"],
               ours="callee returned -?[0-9]+ without setting an error",
               only="error \"[^\"]*\" \"[^\"]*\".*|None.*"),
    Difference("L-13: the slot is emptied before foreign code runs", "take|end|call",
               ["raise =ValueError =old", "init_once 0 0", "take v0"], ours="None|nothing raised",
               theirs="error", only=r"error \"[^\"]*\" \"[^\"]*\".*|None|nothing raised|raised",
               after="init_once|dtype_|alloc|load|get |about|call", goes_on=False),
    Difference("L-13: the slot is emptied before foreign code runs", "count",
               ["error v0 = = =", "raise_object v0", "init_once 0 0", "count v0"],
               only="strong [0-9]+ ", after="raise_object", goes_on=False),
    Difference(
        "L-13: a callback's code is passed through", "dtype_",
        ["func v0 8 v1", "set_global =dtype.get_custom_type_code v0 0", "dtype_try =custom[a]"],
        ours="fails with 7, error \"InternalError\" \"callee returned 7", theirs="fails with -1"),
    Difference("D-3: so is whether other arguments were taken before", "call",
               ["func v0 0 v1", "call_global v2 =ffi.ArrayContains v1 r0"],
               ours="Mismatched type on argument", theirs="Mismatched type on argument",
               check=took_before, goes_on=False),
    Difference("D-3: which of several wrong arguments is named is the C++ compiler's choice", "",
               ["call_global v0 =ffi.ModuleImportModule - -"], check=names_later_argument),
    Difference("D-4: of these messages the beginning is kept", "metadata|set_global_info|attr",
               ["type t0 =test.A -1 1 0 1 64", "metadata t0 = 24 0", "metadata t0 = 24 0"],
               only="possible causes:.*|for type index [0-9]+. To update .*"),
    Difference("D-2: messages are formatted by the C library, a text in one ends at a NUL", "",
               ["type_find =a%00b"], ours="error", theirs="error", check=cut_at_nul),
    Difference("D-5: metadata is made when it is asked for, nobody shares it", "count",
               ["call_global v0 =ffi.GetGlobalFuncMetadata =ffi.ArraySize", "count v0"],
               only="strong [0-9]+ ", after="call_global v[0-9]+ =ffi.GetGlobalFuncMetadata"),
    Difference("D-6: the cache of system libraries keeps prefixes in its own way", "count",
               ["str v0 =a_long_prefix_", "call_global v1 =ffi.SystemLib v0", "count v0"],
               only="strong [0-9]+ ", after="call_global v[0-9]+ =ffi.SystemLib v"),
    # ---- data types ----
    Difference("D-7: the functions for custom types are not kept once found", "count|.*", [
        "func v0 3 v1", "set_global =dtype.get_custom_type_code v0 0", "dtype_try =custom[a]",
        "count v0"
    ], only="strong [0-9]+ |  deleted cell .*\n", after="set_global =dtype.get_custom"),
    Difference("L-1a", "dtype_try", ["dtype_try =int18446744073709551648"],
               ours="out of range for uint32_t"),
    Difference("L-1b", "dtype_try", ["dtype_try =int32xvscale"],
               ours="Invalid lanes specification"),
    Difference("L-1c", "dtype_try", ["dtype_try =int32x40000"],
               ours="Lanes value [0-9]+ is out of range"),
    Difference("L-1d", "dtype_try", ["dtype_try =int0"], ours="Invalid bits specification"),
    Difference("L-1f", "dtype_try", ["dtype_try =complex64"], ours="[0-9] heap str .complex",
               theirs="unknown (dtype|type_code=5)"),
    Difference("L-1f", "dtype_try", ["dtype_try =complex256"], ours="'complex",
               theirs="unknown dtype `complex"),
    Difference("L-1f", "dtype_print", ["dtype_print v0 5 32 1"], ours="heap str .complex",
               theirs="unknown type_code=5", goes_on=False),
    Difference("D-23: a scalable vector times one is no scalar", "dtype_",
               ["dtype_print v0 0 32 65535"], only="xvscalex1", goes_on=False),
    Difference("D-8: input from outside is checked", "dtype_try", ["dtype_try =custom[a%00b]8"],
               ours="unknown dtype", theirs="get_custom_type_code not found|called with"),
    # ---- the process survives ----
    Difference("L-2", "type_show", ["type_show 5000"], ours="Cannot find type info", theirs=DIED,
               goes_on=False),
    Difference("L-2", "type ", ["type t0 =test.A -1 1 0 1 5000"], ours="fails with -1", theirs=DIED,
               goes_on=False),
    Difference("L-3", "set_stream", ["set_stream -1 0 1 1"], ours="ValueError", theirs=DIED,
               goes_on=False),
    Difference("L-4", "init_once", ["init_once 0 4"], ours="ok, mark", theirs=DIED, goes_on=False),
    Difference("L-9", "raise", ["raise - -", "take v0"], ours="raised", theirs=DIED, goes_on=False),
    # ---- tensors ----
    Difference("L-5", "view", ["str v0 =heap_string", "view v1 v0 _ - 2 32 1 1 0 0 -"],
               ours="tensor", theirs="prototype.strides", goes_on=False),
    Difference("L-6", "from_dlpack",
               ["source x0 2 - 2 32 1 1 0 0 0 1 0 99 1", "from_dlpack v0 x0 0 0"],
               ours="DLPack version", theirs="tensor|not yet supported", goes_on=False),
    Difference(
        "L-7",
        "to_dlpack|show_dlpack",
        ["source x0 2 - 2 32 1 1 0 0 0 1 1 1 1", "from_dlpack v0 x0 0 0", "to_dlpack x1 v0 1"],
        ours="flags 1", only="flags [01] "),
    Difference(
        "F-5",
        "alloc|from_dlpack",
        ["source x0 5,8589934592,8589934592,3 - 2 32 1 1 0 0 0 0 0 1 1", "from_dlpack v0 x0 0 0"],
        ours="the strides overflow int64_t", theirs="tensor", goes_on=False),
    Difference("L-16c", "", ["call_global v0 =ffi.GetGlobalFuncMetadata =%e9"],
               ours=r"\\x[89a-f][0-9a-f]", check=escapes_bytes),
    Difference("L-16c", "backtrace ", ["backtrace =%b5g 0 = 0"], ours="without the line",
               theirs="%[89a-f][0-9a-f]"),
    # ---- the environment ----
    Difference("D-28", "signals ", [
        "hook =PyGILState_Ensure 2", "hook =PyGILState_Release 1", "hook =PyErr_CheckSignals 1",
        "signals 0"
    ], only=r"\n?[^\n]*the lock is released, [^\n]*"),
    # ---- functions ----
    Difference("L-8", "set_global ", ["set_global =test.a - 0"], ours="TypeError", theirs="ok",
               goes_on=False),
    Difference("L-8", "set_global_info", ["none v0", "set_global_info =test.a v0 0 = = 0"],
               ours="TypeError", theirs="ok|already registered", goes_on=False),
    # ---- types ----
    Difference("L-10", "type ", [
        "type t0 =test.A -1 1 0 1 64", "type t1 =test.B -1 1 0 1 64", "type t1 =test.A -1 2 0 1 t1"
    ], ours="is registered with (parent|depth)", theirs="type (first|[0-9])", goes_on=False),
    Difference("L-10", "attr", ["int v0 1", "attr 500 =test_attr v0", "attr 500 =test_attr v0"],
               ours="ok", theirs="is already registered", goes_on=False),
    Difference("D-8: input from outside is checked", "type ", ["type t0 =test.A 127 1 3 1 64"],
               ours="leaves no room", theirs="type [0-9]", goes_on=False),
    Difference("D-8: input from outside is checked", "type ", [
        "type t0 =test.A 110 1 3 1 64", "type t1 =test.B 111 1 0 1 64",
        "type t2 =test.C -1 2 0 1 t0"
    ], ours="Conflicting static index", theirs="type [0-9]", goes_on=False),
    Difference("D-8: input from outside is checked", "(in_thread )?field ", [
        "type t0 =test.A -1 1 0 1 64", "metadata t0 = 32 0", "none v0",
        "field t0 =test_field = = 0 8 32 v0 -"
    ], ours="is not within the", theirs="ok|Duplicate field", goes_on=False),
    Difference("D-8: input from outside is checked", "(in_thread )?field ",
               ["type t0 =test.A -1 1 0 1 64", "none v0", "field t0 =test_field = = 34 8 24 v0 -"],
               ours="expects a Function as default factory", theirs="ok|Duplicate field",
               goes_on=False),
    Difference("D-8: input from outside is checked", "(in_thread )?metadata ", [
        "type t0 =test.A -1 1 0 1 64", "type t1 =test.B -1 2 0 1 t0", "metadata t0 = 32 0",
        "metadata t1 = 24 0"
    ], ours="cannot have objects|is not within the", theirs="ok|Overriding", goes_on=False),
    Difference("D-8: input from outside is checked", "(in_thread )?method ",
               ["type t0 =test.A -1 1 0 1 64", "int v0 1", "method t0 =test_method = = 0 v0"],
               ours="expects a Function", theirs="ok", goes_on=False),
    Difference("L-21: values are released without recursion, in another order", "", [
        "source x0 2 - 2 32 1 1 0 0 0 0 0 1 1", "from_dlpack v0 x0 0 0",
        "source x1 2 - 2 32 1 1 0 0 0 0 0 1 1", "from_dlpack v1 x1 0 0",
        "view v2 v0 2 1 2 32 1 1 0 0 0", "call_global v3 =ffi.Array r2 r1"
    ], check=same_lines),
    # ---- modules ----
    Difference("D-9: a module function's code is passed through", "call",
               ["load v0 0", "get v1 v0 =code 0", "call v2 v1"], theirs="fails with -1",
               only="fails with -?[0-9]+", after="load|call_global v[0-9]+ =ffi.SystemLib"),
    Difference("D-8: input from outside is checked", "type ", ["type t0 =test.A 25 0 0 1 15"],
               ours="Unknown parent", theirs="type ", goes_on=False),
    Difference(
        "L-15", "call",
        ["load v0 0", "load v1 0", "drop v1", "get v2 v0 =call_import 0", "call v3 v2 =nosuch"],
        theirs=DIED, after="load", goes_on=False),
    Difference("L-16a", r"call_global v[0-9]+ =ffi.ModuleLoadFromFile (?!=.*\.so$)",
               ["call_global v0 =ffi.ModuleLoadFromFile =nosuch"], ours="fails with -1",
               theirs="fails with -1"),
    Difference("D-10: an array may have more room than it needs",
               "call_global v[0-9]+ =ffi.ModuleGetWriteFormats",
               ["call_global v0 =ffi.SystemLib", "call_global v1 =ffi.ModuleGetWriteFormats v0"],
               only="of [04]$", goes_on=False),
    Difference("L-14", "get ", ["load v0 0", "get v1 v0 =add%00x 0"], ours="None",
               theirs="function", goes_on=False),
]


def find(line, ours, theirs, before):
    """The exception that applies, or None."""
    line = line.removeprefix("in_thread ")
    before = [command.removeprefix("in_thread ") for command in before]
    for exception in DIFFERENCES:
        if exception.fits(line, ours, theirs, before):
            return exception
    return None
