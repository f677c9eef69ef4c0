#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the package's C++ headers declare, ours declare too: the names, and how they can be used.

    declarations.py --layer DIR... --list declarations.txt [--all]     77 without clang's bindings
    declarations.py --try FOLDER        the check itself, with small made-up headers

clang reads both sets of headers. A name is a class, a member that is public or protected, a
function, a template, an alias, a variable, an enumerator or a macro. Names of a namespace `detail`
count where a header or source of a client says them (CLIENTS). Each must be there once the header
that declares it is included alone.

For the signatures, a use is written for each name: a call with arguments of the declared types, a
conversion, the type of a member. Templates are used with the arguments of INSTANCES, and with those
of their specializations. Uses that the package's headers compile must compile with ours.

Classes have the same size, offsets and virtual functions: libraries with either set of headers pass
objects to each other, and derive from each other's classes.

What is missing must be in the list, and the other way round. --all prints the missing names of
`detail` that no client says, too.
"""
import argparse
import collections
import ctypes
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys

import package

try:
    from clang import cindex
    from clang.cindex import AccessSpecifier as Access, CursorKind as Kind
except ImportError:
    # Debian's bindings are for its own interpreter.
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    print("no bindings of libclang for this Python: install python3-clang")
    sys.exit(package.SKIP)

# Packages whose headers and sources are searched for names of `detail`: name, whether its source.
CLIENTS = [("tvm", False), ("tilelang", False), ("xgrammar", True)]
CLIENT_FILES = {".h", ".hpp", ".cc", ".cpp", ".cu", ".cuh"}
DETAIL = re.compile(r"(?<![\w:])(?:tvm::)?(?:ffi::)?((?:reflection::)?details?::\w+(?:::\w+)?)")
# What headers of TIRx say, whose package is not fetched for this.
SAID = {
    "detail::AnyUnsafe", "detail::ExpectedUnsafe", "detail::ObjectUnsafe",
    "detail::UnchangedOrUnsafe", "detail::UpdateVisitErrorContext"
}

# The usual arguments of class templates.
INSTANCES = {
    "Any": ["Any"],
    "Array": ["Any", "int64_t"],
    "List": ["Any"],
    "Map": ["Any, Any", "String, int64_t"],
    "Dict": ["Any, Any"],
    "Optional": ["int64_t", "String", "Array<Any>", "ObjectPtr<Object>"],
    "Variant": ["int64_t, String", "String, Array<Any>"],
    "Tuple": ["int64_t, String"],
    "Expected": ["int64_t", "void"],
    "TypedFunction": ["int64_t(int64_t, String)"],
    "ObjectPtr": ["Object"],
    "WeakObjectPtr": ["Object"],
    "Arc": ["Object"],
    "RValueRef": ["Array<Any>", "ObjectRef"],
    "TypeTraits": [
        "int", "double", "void *", "DLTensor *", "Any", "Function", "Tensor", "ObjectRef",
        "Object *", "ObjectPtr<Object>", "Array<Any>", "Map<Any, Any>", "Optional<int64_t>",
        "Tuple<int64_t, String>", "Variant<int64_t, String>", "RValueRef<Array<Any>>",
        "TypedFunction<int64_t(int64_t)>", "std::vector<int64_t>", "std::optional<int64_t>",
    ],
    "ObjectRefTypeTraitsBase": ["ObjectRef", "Array<Any>"],
    "TypeToFieldStaticTypeIndex": ["int64_t", "String", "ObjectRef"],
    "TypeToRuntimeTypeIndex": ["ObjectRef", "Array<Any>"],
    "reflection::ObjectDef": ["Object"],
    "reflection::TypeAttrDef": ["Object"],
}
# Tried for the parameters of function templates; the second for those that are named after
# iterators.
ARGUMENTS = ["int64_t", "Object", "Array<Any>"]
ITERATORS = ["const int64_t *", "const String *", "const Any *"]

SOURCE = "all.cc"               # the source that includes the headers, which is no file
PARSE_SHORT = cindex.TranslationUnit.PARSE_SKIP_FUNCTION_BODIES
PARSE_MACROS = PARSE_SHORT | cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
CLASSES = {
    Kind.CLASS_DECL, Kind.STRUCT_DECL, Kind.UNION_DECL, Kind.CLASS_TEMPLATE,
    Kind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION
}
TYPES = CLASSES | {Kind.TYPEDEF_DECL, Kind.TYPE_ALIAS_DECL, Kind.TYPE_ALIAS_TEMPLATE_DECL,
                   Kind.ENUM_DECL}
FUNCTIONS = {Kind.FUNCTION_DECL, Kind.CXX_METHOD, Kind.FUNCTION_TEMPLATE, Kind.CONSTRUCTOR,
             Kind.CONVERSION_FUNCTION}
NAMED = TYPES | FUNCTIONS | {Kind.VAR_DECL, Kind.FIELD_DECL, Kind.ENUM_CONSTANT_DECL,
                             Kind.USING_DECLARATION, Kind.NAMESPACE_ALIAS}
# A name without a scope or arguments of its own.
IDENTIFIER = re.compile(r"(?<![\w:.])([A-Za-z_]\w*)\b(?!\s*<)")


def foreign(name, argument, result):
    """A function of libclang that the bindings do not have."""
    function = getattr(cindex.conf.lib, name)
    function.argtypes, function.restype = [argument], result
    return function


is_inline_namespace = foreign("clang_Cursor_isInlineNamespace", cindex.Cursor, ctypes.c_uint)
ref_qualifier = foreign("clang_Type_getCXXRefQualifier", cindex.Type, ctypes.c_uint)


def overrides(method):
    """Whether a virtual function overrides one of a base."""
    found, number = ctypes.POINTER(cindex.Cursor)(), ctypes.c_uint()
    library = cindex.conf.lib
    library.clang_getOverriddenCursors.restype = None
    library.clang_getOverriddenCursors(method, ctypes.byref(found), ctypes.byref(number))
    library.clang_disposeOverriddenCursors(found)
    return number.value != 0


# Cursors have no hash of their own, which caches need.
cindex.Cursor.__hash__ = lambda cursor: cursor.hash

# ---- What headers declare ----


class Headers:
    """Folders for -I, and the headers that a source includes."""

    def __init__(self, folders, resources):
        self.folders = [os.path.realpath(folder) for folder in folders]
        self.flags = ["-std=c++17", "-ferror-limit=0", "-fno-spell-checking",
                      "-ftemplate-backtrace-limit=0", "-w", "-resource-dir", resources,
                      *(f"-I{folder}" for folder in self.folders)]

    def parse(self, includes, text="", options=0):
        source = "".join(f"#include <{name}>\n" for name in includes) + text
        return cindex.Index.create().parse(SOURCE, self.flags, [(SOURCE, source)], options)

    def owns(self, cursor):
        file = cursor.location.file
        return file and any(file.name.startswith(folder + "/tvm/") for folder in self.folders)


class Declarations:
    """The names of some headers: each with its cursors, `::`-separated without what is inline."""

    def __init__(self, headers, includes, asked=None):
        self.headers = headers
        # Cursors do not keep it. Reading macros takes longer, so a source asks for some instead.
        self.unit = headers.parse(includes, asked or "",
                                  PARSE_MACROS if asked is None else PARSE_SHORT)
        errors = [found for found in self.unit.diagnostics
                  if found.severity >= cindex.Diagnostic.Error]
        self.undefined = {found.spelling for found in errors
                          if found.location.file and found.location.file.name == SOURCE}
        errors = [str(found) for found in errors if found.spelling not in self.undefined]
        if errors:
            sys.exit("\n".join(["clang cannot read the headers:", *errors[:10]]))
        self.names = collections.defaultdict(list)
        self.aliases = {}
        self.bases = collections.defaultdict(list)
        self.instances = collections.defaultdict(list)
        self.macros = {}
        for cursor in self.unit.cursor.get_children():
            if cursor.kind == Kind.MACRO_DEFINITION:
                if headers.owns(cursor) and not re.search(r"_H_?$", cursor.spelling):
                    self.macros[cursor.spelling] = cursor
            elif cursor.kind == Kind.NAMESPACE and cursor.spelling == "tvm":
                for inner in cursor.get_children():
                    if inner.kind == Kind.NAMESPACE and inner.spelling == "ffi":
                        self.read(inner, "")
            elif cursor.kind != Kind.NAMESPACE and headers.owns(cursor):
                self.read_one(cursor, "::")         # the C functions

    def read(self, scope, prefix):
        for cursor in scope.get_children():
            self.read_one(cursor, prefix)

    def read_one(self, cursor, prefix):
        kind, name = cursor.kind, cursor.spelling
        if kind == Kind.NAMESPACE:
            if name:
                self.read(cursor, prefix if is_inline_namespace(cursor) else f"{prefix}{name}::")
            return
        if kind in (Kind.LINKAGE_SPEC, Kind.UNEXPOSED_DECL):
            self.read(cursor, prefix)
            return
        # A member that is defined outside of its class is known from there.
        parent = cursor.semantic_parent
        is_outside = parent and parent.kind in CLASSES and self.path(parent) + "::" != prefix
        is_deleted = cursor.availability == cindex.AvailabilityKind.NOT_AVAILABLE
        if cursor.access_specifier == Access.PRIVATE or is_outside or is_deleted:
            return
        if kind == Kind.CXX_BASE_SPECIFIER:
            base = self.path(class_of(cursor))
            if base != prefix[:-2]:         # of a specialization: the template
                self.bases[prefix[:-2]].append(base)
        if kind not in NAMED:
            return
        if not name.startswith("operator"):
            name = name.partition("<")[0]       # of constructors of a template
        if name:
            self.names[prefix + name].append(cursor)
        if kind in (Kind.TYPE_ALIAS_DECL, Kind.TYPEDEF_DECL):
            target = self.path(class_of(cursor))
            if target != prefix + name:
                self.aliases[prefix + name] = target
        if kind in CLASSES:
            # The members of specializations are among those of the template.
            found = re.fullmatch(r"\w+<(.*)>", cursor.displayname)
            if found and kind in (Kind.CLASS_DECL, Kind.STRUCT_DECL):
                self.instances[prefix + name].append(found[1])
            self.read(cursor, f"{prefix}{name}::" if name else prefix)
        elif kind == Kind.ENUM_DECL:
            self.read(cursor, f"{prefix}{name}::" if name and cursor.is_scoped_enum() else prefix)

    @staticmethod
    def path(cursor):
        """The name under which a class of namespace tvm::ffi is known here; empty for others."""
        parts = []
        while cursor and cursor.kind != Kind.TRANSLATION_UNIT:
            if not (cursor.kind == Kind.NAMESPACE and is_inline_namespace(cursor)):
                parts.insert(0, cursor.spelling)
            cursor = cursor.semantic_parent
        return "::".join(parts[2:]) if parts[:2] == ["tvm", "ffi"] else ""

    def find(self, name):
        """The cursors of a name, or of that member of a base class."""
        if name in self.names:
            return self.names[name]
        owner, _, member = name.rpartition("::")
        for base in [*self.bases.get(owner, []), self.aliases.get(owner)]:
            found = self.find(f"{base}::{member}") if base else None
            if found:
                return found
        return None

    @functools.lru_cache(None)
    def members(self, name):
        """The members of a class, with those of its bases: {member: cursors}."""
        found = {}
        for base in self.bases.get(name, []):
            found.update(self.members(base) if base else {})
        found.update(self.owned[name])
        return found

    @functools.cached_property
    def owned(self):
        """{class: {member: cursors}}, without the members of bases."""
        found = collections.defaultdict(dict)
        for path, cursors in self.names.items():
            owner, _, member = path.rpartition("::")
            found[owner][member] = cursors
        return found

    def ancestors(self, name):
        """The bases of a class, and theirs."""
        found = set(self.bases.get(name, []))
        return found.union(*map(self.ancestors, found)) - {""}

    def is_class(self, name, kinds=CLASSES):
        return any(cursor.kind in kinds for cursor in self.names.get(name, ()))

    def template_around(self, owner):
        """The outermost class template of a class, which may be itself; empty if there is none."""
        parts = owner.split("::")
        for count in range(1, len(parts) + 1):
            name = "::".join(parts[:count])
            if self.is_class(name, {Kind.CLASS_TEMPLATE}):
                return name
        return ""

    def contexts(self, owner):
        """A context for a class; one for each of its instances, if it or a class around it is a
        template."""
        template = self.template_around(owner)
        if not template:
            return [Context(self, owner)] if self.is_class(owner) else []
        given = [*INSTANCES.get(template, ()), *self.instances[template]]
        return [Context(self, owner, template, arguments)
                for arguments in dict.fromkeys(text.replace("tvm::ffi::", "") for text in given
                                               if "detail::" not in text)]

    def place(self, name):
        """The header that defines a name, or else declares it, as it is included."""
        cursors = self.names[name] if name in self.names else [self.macros[name]]
        cursor = next((one for one in cursors if one.is_definition()), cursors[0])
        file = cursor.location.file.name
        return next(os.path.relpath(file, folder) for folder in self.headers.folders
                    if file.startswith(folder))


def class_of(cursor):
    """The class that a base or an alias names; a template if it depends on arguments."""
    declaration = cursor.type.get_canonical().get_declaration()
    if declaration.kind in CLASSES:
        return declaration
    named = [child.referenced for child in cursor.get_children() if child.kind == Kind.TEMPLATE_REF]
    return named[0] if named else None


# ---- How they can be used ----

BINARY = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", ">", "<=", ">=",
          "&&", "||", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
UNARY = {"+", "-", "*", "&", "~", "!", "++", "--"}
# Unlike std::declval, an expression with this can be evaluated.
START = """#include <type_traits>
template <typename T> std::add_rvalue_reference_t<T> Value();
"""


def lines_with_errors(unit, first):
    """The numbers of the lines behind the first ones of a source that do not compile."""
    # An error inside a template has a note with the line that uses it; further ones in the same
    # place have none.
    return {note.location.line - first for found in unit.diagnostics
            if found.severity >= cindex.Diagnostic.Error for note in (found, *found.children)
            if note.location.file and note.location.file.name == SOURCE}


def declval(type_text):
    return f"::Value<{type_text}>()"


def called(name, values, owner=None):
    """An expression: a function or an operator with these operands; None if there is no such."""
    operator = name[len("operator"):].strip() if re.match(r"operator\W", name) else None
    if operator is None:
        return f"{owner + '.' if owner else ''}{name}({', '.join(values)})"
    operands = [*([owner] if owner else []), *values]
    if operator == "()":
        return f"{operands[0]}({', '.join(operands[1:])})"
    if operator == "[]" and len(operands) == 2:
        return f"{operands[0]}[{operands[1]}]"
    if operator == "->" and len(operands) == 1:
        return f"{operands[0]}.operator->()"
    if len(operands) == 1 and operator in UNARY:
        return f"{operator}{operands[0]}"
    if len(operands) == 2 and operator in ("++", "--"):
        return f"{operands[0]}{operator}"
    if len(operands) == 2 and operator in BINARY:
        return f"{operands[0]} {operator} {operands[1]}"
    return None


class Function:
    """What a declaration says of a function, or of a template of some."""

    def __init__(self, cursor):
        self.templates = (template_parameters(cursor) if cursor.kind == Kind.FUNCTION_TEMPLATE
                          else [])
        # The arguments of a template are not among get_arguments().
        parameters = [child for child in cursor.get_children() if child.kind == Kind.PARM_DECL]
        self.needed = sum(not any(token.spelling == "=" for token in parameter.get_tokens())
                          for parameter in parameters)
        types, result = [parameter.type for parameter in parameters], cursor.result_type
        written = " ".join(kind.spelling for kind in types)
        self.is_deduced = all(re.search(rf"\b{word}\b", written) for word in self.templates)
        self.choices = ([None] if not self.templates else
                        ITERATORS if "Iter" in self.templates[0] else ARGUMENTS)
        # As written, which may take names of its surroundings, and without aliases.
        self.spellings = [([kind.spelling for kind in types], result.spelling)]
        canonical = ([kind.get_canonical().spelling for kind in types],
                     result.get_canonical().spelling)
        if canonical != self.spellings[0] and "type-parameter" not in str(canonical):
            self.spellings.append(canonical)


class Context:
    """What words of a declaration mean outside of it: types of its class, parameters of templates.

    One with arguments is for an instance of a class template."""

    def __init__(self, declarations, owner, template="", arguments=""):
        self.path = owner
        self.owner = f"{template}<{arguments}>{owner[len(template):]}" if template else owner
        self.words, self.parameters = {}, []
        if not owner:
            return
        short = owner.rpartition("::")[2]
        for member, cursors in declarations.members(owner).items():
            if any(cursor.kind in TYPES for cursor in cursors) and member != short:
                self.words[member] = f"typename {self.owner}::{member}"
        self.words[short] = self.owner
        if template:
            self.words["Self"] = self.owner
            self.words[f"tvm::ffi::{template}::"] = f"{template}<{arguments}>::"
            self.parameters = split_arguments(arguments)
            if template != owner:
                self.words.update((word, text) for word, text in
                                  Context(declarations, template, template, arguments).words.items()
                                  if word not in self.words)

    def bind(self, cursor):
        """The parameters of a class template, by their names in the definition of a cursor."""
        words = dict(self.words)
        while cursor and cursor.kind not in (Kind.CLASS_TEMPLATE, Kind.TRANSLATION_UNIT,
                                             Kind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION):
            cursor = cursor.semantic_parent
        if cursor and cursor.kind == Kind.CLASS_TEMPLATE:
            words.update(zip(template_parameters(cursor), self.parameters))
        elif cursor and cursor.kind == Kind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION:
            # Those of a specialization are seldom in the places of the template's.
            words.update(zip(template_parameters(cursor), self.parameters))
        return words


def split_arguments(text):
    """The arguments of a template: they are separated by commas outside of brackets."""
    found, depth = [""], 0
    for letter in text:
        depth += (letter in "<([") - (letter in ">)]")
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [part.strip() for part in found if part.strip()]


@functools.lru_cache(None)
def template_parameters(cursor):
    return [child.spelling for child in cursor.get_children()
            if child.kind == Kind.TEMPLATE_TYPE_PARAMETER]


def replace(text, words):
    for scope in [word for word in words if word.endswith("::")]:
        text = text.replace(scope, words[scope])
    return IDENTIFIER.sub(lambda found: words.get(found[1], found[1]),
                          re.sub(r"\btypename ", "", text))


class Uses:
    """Pieces of C++, each on a line of its own, for names of the declarations."""

    def __init__(self, declarations, names):
        self.declarations = declarations
        self.known, self.count = {}, 0
        # (name, what of it, the class with its arguments): lines, of which one must compile
        self.lines = {}
        for name in names:
            owner, _, short = name.rpartition("::")
            cursors = declarations.names[name]
            if not declarations.is_class(owner):
                self.functions(owner, short, cursors, Context(declarations, ""))
            for context in declarations.contexts(owner):
                self.member(owner, short, cursors, context)

    def add(self, key, scope, text):
        """A line in a namespace of tvm::ffi; the last namespaces of a class are none."""
        spaces = [part for part in scope.split("::") if part] if scope else []
        while spaces and self.declarations.is_class("::".join(spaces)):
            spaces.pop()
        lines = self.lines.setdefault(key, {})
        if text not in lines:
            self.count += 1
            opening = "".join(f"namespace {space} {{ " for space in ["tvm", "ffi", *spaces])
            lines[text] = f"{opening}{text.replace('@', str(self.count))}{'}' * (2 + len(spaces))}"

    def call(self, key, scope, call, result, is_template=False):
        """A call, and the type of its result. Of a template the body must compile, too."""
        start, end = (("inline void U@() {", f"(void)({call}); }}") if is_template else
                      ("", f"using U@ = decltype({call});"))
        self.add(key, scope, f"{start} {end}")
        if result and "auto" not in result:
            same = f"static_assert(::std::is_same_v<decltype({call}), {result}>);"
            self.add((key[0], f"result of {key[1]}", key[2]), scope, f"{start} {same} {end}")

    def overloads(self, cursors, context):
        """For each call that can be made: the cursor, its arguments as one text, their types, that
        of the result, and the argument of a template."""
        for cursor in cursors:
            if cursor.kind not in FUNCTIONS:
                continue
            function = self.known.get(cursor.hash)
            if function is None:
                function = self.known[cursor.hash] = Function(cursor)
            words = context.bind(cursor)
            for choice in function.choices:
                chosen = {**words, **dict.fromkeys(function.templates, choice)}
                label = [replace(text, chosen).replace("tvm::ffi::", "")
                         for text in function.spellings[0][0]]
                for types, result in function.spellings:
                    texts = [replace(text, chosen) for text in types]
                    for count in dict.fromkeys((len(texts), function.needed)):
                        yield (cursor, f"({', '.join(label[:count])})", texts[:count],
                               replace(result, chosen), choice)

    def functions(self, scope, short, cursors, context):
        for cursor, said, types, result, choice in self.overloads(cursors, context):
            name, use = f"{scope}::{short}" if scope else short, short
            if choice and not self.known[cursor.hash].is_deduced:
                use, said = f"{short}<{choice}>", f"<{choice}>{said}"
            call = called(use, map_declval(types))
            if call:
                self.call((name, said, ""), scope, call, result, choice)
        for cursor in cursors:
            if cursor.kind == Kind.VAR_DECL and not template_parameters(cursor):
                self.add((f"{scope}::{short}" if scope else short, "type", ""), scope,
                         f"static_assert(::std::is_same_v<decltype({short}), "
                         f"{cursor.type.get_canonical().spelling}>);")

    def member(self, owner, short, cursors, context):
        """Uses of a member of a class, or of an instance of a class template."""
        scope, whole = owner.rpartition("::")[0], context.owner
        name = f"{owner}::{short}"
        is_protected = all(cursor.access_specifier == Access.PROTECTED for cursor in cursors)
        kinds = {cursor.kind for cursor in cursors}

        def add(what, text):
            if is_protected:        # seen from a derived class
                text = f"struct U@ : {whole} {{ void F() {{ {text.replace('U@', 'T@')} }} }};"
            self.add((name, what, whole), scope, text)

        if kinds & TYPES:
            if not any(cursor.kind in (Kind.TYPE_ALIAS_TEMPLATE_DECL, Kind.CLASS_TEMPLATE)
                       for cursor in cursors):
                add("type", f"using U@ = typename {whole}::{short};")
            for cursor in cursors:
                text = cursor.type.get_canonical().spelling
                if (cursor.kind == Kind.TYPE_ALIAS_DECL and "detail::" not in text
                        and not context.parameters):
                    add(f"is {text}",
                        f"static_assert(::std::is_same_v<{whole}::{short}, {text}>);")
        for cursor, said, types, result, choice in self.overloads(cursors, context):
            arguments = ", ".join([whole, *types])
            if cursor.kind == Kind.CONSTRUCTOR or short == owner.rpartition("::")[2]:
                if is_protected:
                    continue
                self.add((name, said, whole), scope,
                         f"inline void U@() {{ (void)({whole}({', '.join(map_declval(types))})); }}"
                         if choice else f"static_assert(::std::is_constructible_v<{arguments}>);")
                if len(types) == 1 and not choice:
                    self.add((name, f"implicit {said}", whole), scope,
                             f"static_assert(::std::is_convertible_v<{types[0]}, {whole}>);")
                continue
            if cursor.kind == Kind.CONVERSION_FUNCTION:
                add("conversion", f"using U@ = decltype(static_cast<{result}>("
                    f"{declval(f'const {whole} &')}));")
                continue
            derived, use = "U@" if is_protected else whole, short
            reference = ["&", "&", "&&"][ref_qualifier(cursor.type)]
            const = "const " if cursor.is_const_method() else ""
            this = declval(f"{const}{derived} {reference}")
            if choice and not self.known[cursor.hash].is_deduced:
                use, said = f"{short}<{choice}>", f"<{choice}>{said}"
            if cursor.is_static_method():
                call = f"{derived}::{called(use, map_declval(types))}"
            elif use != short:
                call = f"{this}.template {called(use, map_declval(types))}"
            else:
                call = called(use, map_declval(types), this)
            said = f"{said} {const}".strip()
            if call and is_protected:
                self.add((name, said, whole), scope, f"struct U@ : {whole} {{ void F() {{ "
                         f"using T = decltype({call}); }} }};")
            elif call:
                self.call((name, said, whole), scope, call, result, choice)
        if kinds & {Kind.FIELD_DECL, Kind.VAR_DECL, Kind.ENUM_CONSTANT_DECL}:
            field = cursors[0]
            add("is there", f"using U@ = decltype({whole}::{short});")
            text = field.type.get_canonical().spelling
            if not context.parameters and field.kind != Kind.ENUM_CONSTANT_DECL:
                add(f"is {text}",
                    f"static_assert(::std::is_same_v<decltype({whole}::{short}), {text}>);")

    def compile(self, headers, includes, keys):
        """The keys of which a line compiles."""
        lines, numbers = [], collections.defaultdict(list)
        for key in [key for key in self.lines if key in keys]:
            for line in self.lines[key].values():
                lines.append(line)
                numbers[key].append(len(lines))
        unit = headers.parse(includes, START + "\n".join(lines) + "\n")
        wrong = lines_with_errors(unit, len(includes) + START.count("\n"))
        return {key for key, own in numbers.items() if not wrong.issuperset(own)}

    def allowed(self, headers, includes):
        """The keys of all uses that these headers compile."""
        good = self.compile(headers, includes, self.lines)
        # What is wrong inside a template is said of its first use only: look for the next.
        again = {key for key in good if any("void U" in line for line in self.lines[key].values())}
        while again:
            rest = self.compile(headers, includes, again)
            if rest == again:
                break
            good, again = good - (again - rest), rest
        return good


def map_declval(types):
    return [declval(text) for text in types]


# ---- How classes lie in memory ----

DERIVED_DATA = "offset of a derived class's data"
# What libraries with either set of headers must agree on. Where the data of a derived class begin
# is not always the size; only what is copied and destroyed trivially is passed in registers.
LAYOUT = {
    "size": "sizeof({0})",
    "alignment": "alignof({0})",
    DERIVED_DATA: "__builtin_offsetof(D, data)",
    **{f"is {what}": f"::std::is_{what.replace(' ', '_')}_v<{{0}}>"
       for what in ("polymorphic", "empty", "trivially copyable", "trivially destructible")},
}


def layouts(headers, includes, wanted, names):
    """{class: {what: number}} of the classes with these names, as these headers have them. What
    does not compile is left out. `wanted` are the declarations whose fields are asked for."""
    keys, lines = [], []
    for context in [context for name in names for context in wanted.contexts(name)]:
        fields = {f"offset of {field}": f"__builtin_offsetof({{0}}, {field})"
                  for field, cursors in wanted.members(context.path).items()
                  if cursors[0].kind == Kind.FIELD_DECL
                  and cursors[0].access_specifier == Access.PUBLIC}
        for what, text in {**LAYOUT, **fields}.items():
            keys.append((context.owner, what))
            lines.append(f"struct N{len(lines)} {{ struct D : {context.owner} {{ char data; }}; "
                         if "(D," in text else f"struct N{len(lines)} {{ ")
            lines[-1] += f"enum : unsigned long {{ value = {text.format(context.owner)} }}; }};"
    text = "".join(f"namespace tvm {{ namespace ffi {{ namespace asked {{ {line} }} }} }}\n"
                   for line in lines)
    unit = headers.parse(includes, START + text)
    wrong = lines_with_errors(unit, len(includes) + START.count("\n"))
    found = collections.defaultdict(dict)
    for cursor in unit.cursor.walk_preorder():
        if (cursor.kind == Kind.ENUM_CONSTANT_DECL and cursor.location.file
                and cursor.location.file.name == SOURCE):
            number = cursor.location.line - len(includes) - START.count("\n") - 1
            owner, what = keys[number]
            if number + 1 not in wrong:
                found[owner][what] = cursor.enum_value
    return found


def new_virtual_functions(cursors):
    """The virtual functions that a class has and its bases do not, in their order."""
    definition = next((one for one in cursors if one.is_definition() and one.kind in CLASSES), None)
    return [member.spelling for member in (definition.get_children() if definition else ())
            if member.kind in (Kind.CXX_METHOD, Kind.DESTRUCTOR) and member.is_virtual_method()
            and not overrides(member)]


def compare_layouts(theirs, ours, includes, wanted, there, names):
    """{text: header} for what the classes with these names have otherwise; their number."""
    names = [name for name in names if wanted.is_class(name)]
    first = layouts(theirs, includes, wanted, names)
    second = layouts(ours, includes, wanted, names)
    told = {}
    for owner, numbers in first.items():
        own = second[owner]
        for what, number in numbers.items():
            # What follows from another size says nothing new.
            is_clear = (what in ("alignment", DERIVED_DATA, "is empty")
                        and own.get("size") != numbers.get("size"))
            if own.get(what, number) != number and not is_clear:
                told[f"{owner}: {what} {own[what]}, not {number}"] = "layout"
    for name in names:
        functions = new_virtual_functions(wanted.names[name])
        own = new_virtual_functions(there.find(name) or [])
        if functions != own:
            told[f"{name}: virtual functions {', '.join(own) or 'none'}, "
                 f"not {', '.join(functions) or 'none'}"] = wanted.place(name)
    return told, len(first)


# ---- The comparison ----


def list_headers(folders):
    """The C++ headers in these folders, but those that need CUDA's."""
    return sorted({
        str(path.relative_to(folder)) for folder in map(pathlib.Path, folders)
        for path in folder.glob("tvm/**/*.h") if "cuda" not in path.parts
    })


def said_by_clients():
    """The names of namespaces `detail` in the files of clients, `::`-separated."""
    found = set(SAID)
    for name, is_source in CLIENTS:
        for path in package.require_more(name, is_source).rglob("*"):
            if path.suffix not in CLIENT_FILES or "tvm_ffi" in path.parts:
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            if "ffi" in text:
                found.update(DETAIL.findall(text))
    return {name.replace("details::", "detail::") for name in found}


def compare(theirs, ours, said, with_detail=False):
    """What the first headers declare and the others do not, {text: (kind, header)}; the numbers of
    names, of uses, and of classes whose layouts were compared."""
    includes = list_headers(theirs.folders)
    wanted, there = Declarations(theirs, includes), Declarations(ours, includes)
    told = {}

    def is_asked(name):
        # A name of detail, or its class, must have been said.
        parts = name.split("::")
        return "detail" not in parts or with_detail or "::".join(parts[:2]) in said or name in said

    names = [name for name in wanted.names if is_asked(name)]
    missing = {name for name in names if not there.find(name)}
    names = [name for name in names if name.rpartition("::")[0] not in missing]
    uses = Uses(wanted, names)
    allowed = uses.allowed(theirs, includes)
    works = uses.compile(ours, includes, allowed)
    # Of a member that is not found, as in a base that depends on arguments, the uses decide.
    used, failed = set(), collections.defaultdict(set)
    for key in sorted(allowed):
        name, what, _ = key
        if key in works:
            used.add(name)
        else:
            failed[name].add(what)
    for name in names:
        if name in missing and name not in used:
            kind = wanted.names[name][0].kind.name.lower()
            told[name] = f"{kind}, {wanted.place(name)}"
            continue
        for what in failed[name]:
            # That it returns the same says nothing new of a use that fails.
            if not (what.startswith("result of ") and what[len("result of "):] in failed[name]):
                told[f"{name}: {what}"] = wanted.place(name)
    for name in wanted.macros:
        if name not in there.macros:
            told[name] = f"macro, {wanted.place(name)}"
    # What a class has from a base, too, unless the base lacks it already.
    for owner in {name.rpartition("::")[0] for name in names} - {""}:
        for member, cursors in wanted.members(owner).items():
            name = f"{owner}::{member}"
            if (name not in wanted.names and not there.find(name)
                    and cursors[0].kind not in (Kind.CONSTRUCTOR, Kind.DESTRUCTOR)
                    and not (missing | told.keys())
                    & {f"{base}::{member}" for base in wanted.ancestors(owner)}
                    and there.names.get(owner)):
                told[name] = f"from a base, {wanted.place(owner)}"
    names = [name for name in names if name not in missing]
    told.update(needing_more(wanted, there, names))
    different, num_classes = compare_layouts(theirs, ours, includes, wanted, there, names)
    return {**told, **different}, len(names) + len(wanted.macros), len(allowed), num_classes


def needing_more(wanted, there, names):
    """The names that our header of the same path lacks unless another is included, too. Operators
    are not among them: they may be friends, or in another namespace."""
    homes = collections.defaultdict(list)
    for name in names:
        if not re.search(r"\boperator\W", name):
            homes[wanted.place(name)].append(name)
    for name in wanted.macros:
        if name in there.macros:
            homes[wanted.place(name)].append(name)
    told = {}
    for header, own in homes.items():
        asked = "".join(f"#ifndef {name}\n#error {name}\n#endif\n" for name in own
                        if name in there.macros)
        alone = Declarations(there.headers, [header], asked)
        for name in own:
            if (name in alone.undefined if name in there.macros else
                    there.find(name) and not alone.find(name)):
                told[f"{name}: with its header alone"] = header
    return told


def read_list(path):
    """{text: reason} of a list: a reason is a comment above texts, one a line."""
    reasons, reason, is_new = {}, "", True
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            reason, is_new = (line[1:] if is_new else reason + line[1:]), False
        elif line:
            is_new = True
            reasons[line] = reason.strip()
    return reasons


def judge(told, listed):
    """The problems: what is not in the list, and what is and should not be."""
    problems = [f"not in the list: {text} ({what})" for text, what in sorted(told.items())
                if text not in listed]
    problems += [f"in the list, but there: {text}" for text in listed if text not in told]
    return problems + [f"no reason: {text}" for text, reason in listed.items() if not reason]


# Small headers: of the second, what the first have is missing as TRIED says.
TRY_THEIRS = """
#define TVM_FFI_KEPT 1
#define TVM_FFI_LOST(x) x
namespace tvm {
namespace ffi {
enum class Color { kRed, kBlue };
class Base {
 public:
  int Inherited() const;
};
class Visitor {
 public:
  virtual int First();
  virtual int Second();
};
class Padded {
  long first;
  int second;
  short tail;
};
class Walker : public Visitor {
 public:
  int Ready();
};
class Shape : public Base {
 public:
  explicit Shape(int size);
  Shape(const char *text);
  int Size() const;
  int Grow(int by, int limit = 0);
  template <typename T>
  T Read() const;
  long value;
  using Word = int;

 protected:
  void Keep(int count);
  static void Drop();

 private:
  void Hidden();
};
template <typename T>
class Array {
 public:
  class iterator {
   public:
    T operator*() const;
  };
  iterator begin() const;
  void Push(const T &value);

 private:
  T last;
};
using Any = int;
class String {};
class Object {};
namespace detail {
void Said();
void Unsaid();
}  // namespace detail
int Twice(int value);
int Twice(const char *text);
}  // namespace ffi
}  // namespace tvm
"""
# Each text of the first is replaced by the second, and these are missing then.
TRIED = [
    ("", "", []),
    ("#define TVM_FFI_LOST(x) x", "", ["TVM_FFI_LOST"]),
    (", kBlue", "", ["Color::kBlue"]),
    ("class Shape : public Base", "class Shape", ["Shape::Inherited"]),
    ("int Inherited() const;", "", ["Base::Inherited"]),
    ("int Inherited() const;", "int Inherited();", ["Base::Inherited: () const"]),
    ("Shape(const char *text);", "explicit Shape(const char *text);",
     ["Shape::Shape: implicit (const char *)"]),
    ("Shape(const char *text);", "", ["Shape::Shape: (const char *)",
                                      "Shape::Shape: implicit (const char *)"]),
    ("int Size() const;", "long Size() const;", ["Shape::Size: result of () const"]),
    ("int limit = 0", "int limit", ["Shape::Grow: (int)"]),
    ("T Read() const;", "int Read() const;",
     ["Shape::Read: result of <Array<Any>>() const", "Shape::Read: result of <Object>() const",
      "Shape::Read: result of <int64_t>() const"]),
    ("long value;", "int value;",
     ["Shape: size 4, not 8", "Shape::value: is long"]),
    ("long value;", "", ["Shape: size 1, not 8", "Shape::value"]),
    ("long value;", "long value;\n\n private:\n  int hidden;\n\n public:",
     ["Shape: size 16, not 8"]),
    ("long value;", "short first;\n  long value;",
     ["Shape: offset of value 8, not 0", "Shape: size 16, not 8"]),
    ("long value;", "alignas(16) long value;", ["Shape: size 16, not 8"]),
    ("  short tail;", "  int tail;", ["Padded: offset of a derived class's data 16, not 14"]),
    ("Base {", "Base {\n  Base(const Base &other);",
     ["Base: is trivially copyable 0, not 1", "Shape: is trivially copyable 0, not 1"]),
    ("virtual int First();\n  virtual int Second();",
     "virtual int Second();\n  virtual int First();",
     ["Visitor: virtual functions Second, First, not First, Second"]),
    ("int Ready();", "int Ready();\n  int First() override;", []),
    ("T last;", "T last[2];",
     ["Array<Any>: size 8, not 4", "Array<int64_t>: size 16, not 8"]),
    ("using Word = int;", "using Word = long;", ["Shape::Word: is int"]),
    ("void Keep(int count);", "", ["Shape::Keep"]),
    ("void Keep(int count);", "void Keep(int *count);", ["Shape::Keep: (int)"]),
    (" protected:", " private:", ["Shape::Drop", "Shape::Keep"]),
    ("void Hidden();", "", []),
    ("T operator*() const;", "", ["Array::iterator::operator*"]),
    ("void Push(const T &value);", "void Push(T *value);",
     ["Array::Push: (const Any &)", "Array::Push: (const int64_t &)"]),
    ("void Said();", "", ["detail::Said"]),
    ("void Unsaid();", "", []),
    ("int Twice(const char *text);", "", ["Twice: (const char *)"]),
    ("namespace ffi {", "inline namespace v1 {}\nnamespace ffi {\ninline namespace v2 {}", []),
]


def try_it(folder):
    """The comparison finds what is wrong with made-up headers, and nothing else; the list, too."""
    problems, headers = [], []
    shutil.rmtree(folder, ignore_errors=True)  # what an earlier run left
    for place in ("theirs", "ours"):
        (folder / place / "tvm/ffi").mkdir(parents=True, exist_ok=True)
        headers.append(Headers([folder / place], resources()))
    start = "#pragma once\n#include <cstdint>\n"
    (folder / "theirs/tvm/ffi/all.h").write_text(start + TRY_THEIRS, encoding="utf-8")
    for old, new, expected in TRIED:
        text = TRY_THEIRS.replace(old, new, 1) if old else TRY_THEIRS
        (folder / "ours/tvm/ffi/all.h").write_text(start + text, encoding="utf-8")
        told = sorted(compare(*headers, {"detail::Said"})[0])
        if told != expected:
            problems.append(f"without `{old}`: {told}, and not {expected}")
    # The same names from a header that the user did not include.
    (folder / "ours/tvm/ffi/other.h").write_text(start + TRY_THEIRS, encoding="utf-8")
    (folder / "ours/tvm/ffi/all.h").write_text(start, encoding="utf-8")
    (folder / "theirs/tvm/ffi/other.h").write_text("", encoding="utf-8")
    told = compare(*headers, {"detail::Said"})[0]
    if "Shape: with its header alone" not in told or "Shape" in told:
        problems.append(f"names of another header: {sorted(told)}")
    for told, listed, number in (({"a": ""}, {}, 1), ({}, {"a": "why"}, 1),
                                 ({"a": ""}, {"a": ""}, 1), ({"a": ""}, {"a": "why"}, 0)):
        if len(judge(told, listed)) != number:
            problems.append(f"the list {listed} for {told}: {judge(told, listed)}")
    print(*problems, f"{len(TRIED)} changes of made-up headers", sep="\n")
    return 1 if problems else 0


def resources():
    try:
        return subprocess.run(["clang", "-print-resource-dir"], stdout=subprocess.PIPE, text=True,
                              check=True).stdout.strip()
    except OSError:
        print("clang is not installed")
        sys.exit(package.SKIP)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--layer", nargs="+")
    parser.add_argument("--list", type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--try", dest="folder", type=pathlib.Path)
    args = parser.parse_args()
    if args.folder:
        return try_it(args.folder)
    theirs = Headers(package.require().include, resources())
    told, names, uses, classes = compare(theirs, Headers(args.layer, resources()),
                                         said_by_clients(), args.all)
    problems = judge(told, read_list(args.list))
    print(*problems, f"{names} names, {uses} uses of them, {classes} classes' layouts; "
          f"{len(told)} differ", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
