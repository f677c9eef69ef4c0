# SPDX-License-Identifier: Apache-2.0
"""Random programs for the interpreter."""
import random

DTYPES = """int int8 i8 i32 int64 uint uint8 u1 u64 bool bool8 bool1 boolx4 float f16 float32 f64x2
float32x4 bfloat bf16 bf16x8 handle handle64 void float8_e4m3 float8_e4m3fn float8_e4m3fnuz
float8_e5m2 f8_e5m2x2 float8_e8m0fnu float8_e3m4 fp8_e4m3fn float8_e4m3b11fnuz float6_e2m3fn
fp6_e3m2fnx16 float4_e2m1fn float4_e2m1fn_x2 fp4_e2m1fnx2 float32xvscalex4 int8xvscalex16
custom[test]16 custom[test]8x4 int255 int4 uint1x8 float8 float8x2""".split()
DTYPE_PARTS = DTYPES + """int uint float bool bfloat handle custom [ ] x xvscale xvscalex _ 0 1 8 16
32 256 65535 65536 4294967296 18446744073709551648 32767 32768 - + e4m3 fn complex complex64 i u f
bf fp8_ 008""".split(
)
KINDS = ["ValueError", "TypeError", "RuntimeError", "KeyError", "", "My Error", "InternalError"]
NAMES = [
    "test.a", "test.b", "test.c", "test.ab", "test.", "test.a%00b", "test.long_name_of_a_function"
]
KERNELS = [
    "add", "main", "echo", "raise", "contexts", "context", "call_import", "silent", "code",
    "nosuch", "only_plain", "only_embedded", "", "add%00x", "__tvm_ffi_add", "_doc_add", "test.a",
    "sys"
]
TYPE_KEYS = ["test.A", "test.B", "test.C", "test.D", "test.E", "test.F"]
MEMBERS = ["test_a", "test_b", "test_ab", "test_"]
ATTRS = ["test_attr", "test_other", "__test__"]
SYMBOLS = [
    "__tvm_ffi_sys", "__tvm_ffi_p_sys", "__tvm_ffi_add", "__tvm_ffi__doc_sys",
    "__tvm_ffi__metadata_sys", "p___tvm_ffi__doc_sys", "__tvm_ffi_p_other", "__tvm_ffi_main"
]
PREFIXES = ["", "p_", "q_", "a_longer_prefix_"]
INTS = [0, 1, -1, 2, 3, 7, 255, 256, 2**31, -2**31, 2**63 - 1, -2**63, 12345678901234]


def encode(data):
    """Bytes, encoded as an operand."""
    plain = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:/<>[]-")
    return "".join(chr(byte) if byte in plain else f"%{byte:02x}" for byte in data)


class Generator:
    """Generates one program. `kinds` is the kind that each value register probably holds."""

    def __init__(self, rng):
        self.rng = rng
        self.lines = []
        self.kinds = {}
        self.exports = {}
        self.types = []
        self.has_custom = False
        self.threads = rng.random() < 0.15

    # ---- operands ----

    def new(self, kind):
        """A register for a new value of that kind; unused ones are preferred."""
        rng = self.rng
        free = [number for number in range(16) if number not in self.kinds]
        number = rng.choice(free) if free and rng.random() < 0.8 else rng.randrange(16)
        self.kinds[number] = kind
        return f"v{number}"

    def old(self, *kinds):
        """A register that holds one of these kinds; if there is none, one is made."""
        rng = self.rng
        if rng.random() < 0.02:
            return f"v{rng.randrange(16)}"
        have = [number for number, kind in self.kinds.items() if kind in kinds]
        if not have or rng.random() < 0.1:
            MAKERS[rng.choice(kinds)](self)
            have = [number for number, kind in self.kinds.items() if kind in kinds]
        return f"v{rng.choice(have)}" if have else "v0"

    def any(self):
        if self.kinds and self.rng.random() < 0.8:
            return f"v{self.rng.choice(list(self.kinds))}"
        return self.old(*self.rng.sample(sorted(MAKERS), 2))

    def object(self):
        return self.old("heap_str", "heap_bytes", "error", "func", "shape", "array", "tensor",
                        "opaque", "big", "module")

    def text(self, nuls=True):
        rng = self.rng
        size = rng.choice([0, 1, 3, 6, 7, 8, 9, 20, 200])
        if rng.random() < 0.3:
            low = 0 if nuls else 1
            return "=" + encode(bytes(rng.randrange(low, 256) for _ in range(size)))
        return "=" + encode("".join(rng.choice("abcxyz 019") for _ in range(size)).encode())

    def bit(self):
        return str(self.rng.randrange(2))

    def number(self):
        return str(
            self.rng.choice(INTS) if self.rng.random() < 0.6 else self.rng.randrange(-100, 100))

    def mark(self):
        return "-" if self.rng.random() < 0.2 else str(self.rng.randrange(15))

    def argument(self):
        rng = self.rng
        pick = rng.random()
        if pick < 0.1:
            return "-"
        if pick < 0.25:
            return "i" + self.number()
        if pick < 0.37:
            return self.text(nuls=False)
        if pick < 0.45:
            return "b" + self.text()
        if pick < 0.55:
            return "r" + self.object()[1:]
        if pick < 0.6:
            return "d" + self.old("tensor")[1:]
        return self.any()

    def arguments(self, low, high):
        return [self.argument() for _ in range(self.rng.randint(low, high))]

    def emit(self, *words):
        """Add a line; sometimes in another thread, which has its own error slot, streams and
        allocator."""
        line = " ".join(str(word) for word in words)
        self.lines.append("in_thread " + line if self.threads and self.rng.random() < 0.3 else line)

    # ---- values ----

    def small(self):
        rng = self.rng
        kind = rng.choice(["none", "int", "bool", "float", "ptr", "dtype", "device"])
        target = self.new(kind)
        self.emit(
            kind, target, *{
                "none": [], "int": [self.number()], "bool": [self.bit()],
                "float": ["=" + rng.choice(["0", "1.5", "-0.0", "nan", "inf", "1e300"])],
                "ptr": [self.mark()],
                "dtype": [rng.randrange(18),
                          rng.choice([8, 16, 32, 64]),
                          rng.choice([1, 1,
                                      4])], "device": [rng.randint(-2, 20),
                                                       rng.randint(-1, 3)]
            }[kind])

    def make_int(self):
        self.emit("int", self.new("int"), self.number())

    def make_str(self):
        text = self.text()
        self.emit("str", self.new("str"), text)

    def make_heap_str(self):
        self.emit("str", self.new("heap_str"), "=heap_text" + self.text()[1:])

    def make_bytes(self):
        self.emit("bytes", self.new("bytes"), self.text())

    def make_heap_bytes(self):
        self.emit("bytes", self.new("heap_bytes"), "=heap_bytes" + self.text()[1:])

    def make_big(self):
        rng = self.rng
        size = rng.choice([0, 8, 16, 16, 24, 7, 12, 32])
        data = bytearray(rng.choice([0, 0, 255, 1, 128, rng.randrange(256)]) for _ in range(size))
        if size >= 16 and rng.random() < 0.5:
            data[-8:] = rng.choice([b"\0" * 8, b"\xff" * 8])
        self.emit("big", self.new("big"), "=" + encode(bytes(data)))

    def words(self):
        self.emit("words", self.old("int", "big"))

    def dtype_text(self):
        rng = self.rng
        if rng.random() < 0.3:
            return "".join(rng.choice(DTYPE_PARTS) for _ in range(rng.randint(1, 4)))
        text = rng.choice(DTYPES)
        for _ in range(rng.choice([0, 0, 1, 1, 2])):
            position = rng.randrange(len(text) + 1)
            change = rng.randrange(3)
            if change == 0:
                text = text[:position] + text[position + 1:]
            elif change == 1:
                text = text[:position] + rng.choice("0123456789xifubevst_[]- \0") + text[position:]
            else:
                text = text[:position] + rng.choice(DTYPE_PARTS)
        return text

    def dtype_try(self):
        self.emit("dtype_try", "=" + encode(self.dtype_text().encode()))

    def dtype_parse(self):
        self.emit("dtype_parse", self.new("dtype"), "=" + encode(self.rng.choice(DTYPES).encode()))

    def dtype_print(self):
        rng = self.rng
        self.emit("dtype_print", self.new("heap_str"),
                  rng.choice([*range(18), 18, 100, 128, 129, 200, 255]),
                  rng.choice([0, 1, 4, 6, 8, 16, 32, 64, 255]),
                  rng.choice([0, 1, 2, 4, 100, 32767, 32768, 65535, 65534]))

    def custom_dtypes(self):
        """Set the global functions that name custom types, once: the reference keeps those it
        found."""
        if self.has_custom:
            return
        self.has_custom = True
        target = self.new("func")
        name = self.rng.choice(["dtype.get_custom_type_code", "dtype.get_custom_type_name"])
        held = self.old("int") if name.endswith("code") else self.old("heap_str", "str", "int")
        self.emit("func", target, self.rng.choice([3, 3, 3, 6, 8]), held)
        self.emit("set_global", "=" + name, target, self.bit())
        self.emit("dtype_try", self.rng.choice(["=custom[test]16", "=custom[]8x2", "=custom[a]"]))
        self.emit("dtype_print", self.new("heap_str"), self.rng.choice([129, 150, 255]), 16,
                  self.rng.choice([1, 4]))

    def own(self):
        self.emit("own", self.new("str"), self.argument())

    def own_moved(self):
        self.emit("own_moved", self.new("none"))

    def copy(self):
        source = self.any()
        self.emit("copy", self.new(self.kinds.get(int(source[1:]), "none")), source)

    def drop(self):
        register = self.any()
        self.emit("drop", register)
        self.kinds.pop(int(register[1:]), None)

    def count(self):
        self.emit("count", self.object())

    def compare(self):
        self.emit("compare", self.any(), self.any())

    def make_opaque(self):
        self.emit("opaque", self.new("opaque"), self.mark(), self.bit(),
                  74 if self.rng.random() < 0.93 else self.rng.choice([0, 64, 73, 128]))

    def weak(self):
        rng = self.rng
        register = f"w{rng.randrange(4)}"
        pick = rng.random()
        if pick < 0.5:
            self.emit("weak", register, self.object())
        elif pick < 0.85:
            self.emit("lock", self.new("heap_str"), register)
        else:
            self.emit("unweak", register)

    # ---- errors ----

    def raise_text(self):
        rng = self.rng
        kind = "=" + encode(rng.choice(KINDS).encode())
        pick = rng.random()
        if pick < 0.4:
            self.emit("raise", kind, self.text(nuls=False))
        elif pick < 0.7:
            parts = [rng.choice(["-", self.text(nuls=False)]) for _ in range(rng.randrange(5))]
            self.emit("raise_parts", kind, rng.choice([len(parts), len(parts), 0, -1]), *parts)
        else:
            self.emit("raise_object", rng.choice(["-", self.old("error"), self.old("error")]))

    def take(self):
        self.emit("take", self.new("error"))

    def make_error(self):
        rng = self.rng
        texts = ["=" + encode(rng.choice(KINDS).encode()), self.text(), self.text()]
        if rng.random() < 0.5:
            self.emit("error", self.new("error"), *texts)
        else:
            cause = (self.old("error")
                     if "error" in self.kinds.values() and rng.random() < 0.7 else "-")
            extra = self.object() if rng.random() < 0.7 else "-"
            self.emit("error_with", self.new("error"), *texts, cause, extra)

    def update_backtrace(self):
        self.emit("update_backtrace", self.old("error"), self.text(),
                  self.rng.choice([0, 1, 1, 2, -1]))

    def backtrace(self):
        self.emit("backtrace", self.text(nuls=False), self.rng.randrange(100),
                  self.rng.choice(["=f", "=TVMFFIBacktrace", self.text(nuls=False)]), self.bit())

    # ---- functions ----

    def make_func(self):
        rng = self.rng
        behaviour = rng.choice([0, 1, 1, 2, 3, 3, 4, 5, 6, 7, 8, 9])
        held = self.old("error") if behaviour == 7 else self.any()
        pick = rng.random()
        if pick < 0.85:
            self.emit("func", self.new("func"), behaviour, held)
        elif pick < 0.95:
            self.emit("func_bare", self.new("func"), self.bit())
        else:
            self.emit("extern_c", self.new("func"), behaviour)

    def call(self):
        function = self.old("func")
        arguments = self.arguments(0, 4)
        if self.rng.random() < 0.2:
            arguments.insert(0, self.old("func"))
        self.emit("call", self.new("str"), function, *arguments)

    def globals(self):
        rng = self.rng
        name = "=" + rng.choice(NAMES)
        pick = rng.random()
        if pick < 0.35:
            self.emit("set_global", name, self.old("func"), self.bit())
        elif pick < 0.5:
            method = self.old("func") if rng.random() < 0.9 else self.old("int", "str")
            self.emit("set_global_info", name, method, self.bit(), self.text(), self.text(),
                      rng.choice([0, 4]))
        elif pick < 0.65:
            self.emit("get_global", self.new("func"), name)
        elif pick < 0.75:
            self.emit("call_global", self.new("bool"), "=ffi.FunctionRemoveGlobal",
                      "=" + rng.choice(NAMES).replace("%00", ""))
        elif pick < 0.85:
            self.emit("call_global", self.new("str"), "=ffi.GetGlobalFuncMetadata",
                      rng.choice([name.replace("%00", ""), "=ffi.ArraySize", "=ffi.SystemLib",
                                  "=ffi.GetRegisteredTypeKeys", "=ffi.ModuleGetFunction"]))
        elif pick < 0.93:
            self.emit("call_global", self.new("str"), name.replace("%00", ""),
                      *self.arguments(0, 3))
        else:
            self.emit("names", "=test.")

    def make_shape(self):
        rng = self.rng
        dims = [
            f"i{rng.choice(INTS)}" if rng.random() < 0.9 else self.argument()
            for _ in range(rng.randrange(5))
        ]
        self.emit("call_global", self.new("shape"), "=ffi.Shape", *dims)

    def make_array(self):
        self.emit("call_global", self.new("array"), "=ffi.Array", *self.arguments(0, 6))

    def array_functions(self):
        rng = self.rng
        array = self.old("array") if rng.random() < 0.9 else self.any()
        pick = rng.random()
        if pick < 0.4:
            self.emit("call_global", self.new("str"), "=ffi.ArrayGetItem", array,
                      f"i{rng.choice([0, 0, 1, 2, 5, -1, 100, -2**63])}")
        elif pick < 0.6:
            self.emit("call_global", self.new("int"), "=ffi.ArraySize", array)
        else:
            self.emit("call_global", self.new("bool"), "=ffi.ArrayContains", array, self.argument())

    def builtin(self):
        """Call a global function, with arguments that may not fit."""
        rng = self.rng
        name = rng.choice([
            "ffi.String", "ffi.Bytes", "ffi.GetInvalidObject", "ffi.GetKwargsObject",
            "ffi.ArraySize", "ffi.ArrayGetItem", "ffi.ArrayContains", "ffi.GetGlobalFuncMetadata",
            "ffi.FunctionRemoveGlobal", "ffi.SystemLib", "ffi.ModuleGetKind",
            "ffi.ModuleImplementsFunction", "ffi.Shape", "ffi.ModuleInspectSource",
            "ffi.ModuleGetWriteFormats", "ffi.ModuleLoadFromFile", "ffi.ModuleGetFunction",
            "ffi.ModuleWriteToFile", "ffi.ModuleImportModule"
        ])
        arguments = self.arguments(0, 3)
        self.emit("call_global", self.new("str"), "=" + name, *arguments)

    # ---- tensors ----

    def tensor(self, strides=True, small=False):
        rng = self.rng
        ndim = rng.choice([0, 1, 1, 2, 2, 3, 4])
        shape = [
            rng.choice([0, 1, 1, 2, 3, 5] if small else [0, 1, 1, 2, 3, 5, 2**33])
            for _ in range(ndim)
        ]
        compact, step = [], 1
        for dim in reversed(shape):
            compact.insert(0, step)
            step = min(step * dim, 2**62)
        pick = rng.random()
        if pick < 0.3 and strides:
            row = "-"
        elif pick < 0.7:
            row = compact
        else:
            row = [
                rng.choice([0, 1, 2, 7, -1, 100]) if rng.random() < 0.5 else step
                for step in compact
            ]
        def text(items):
            return items if items == "-" else ",".join(map(str, items)) or "_"

        return [
            text(shape),
            text(row),
            rng.choice([0, 1, 2, 2, 2, 4, 6, 17]),
            rng.choice([8, 16, 32, 32, 64, 4, 1]),
            rng.choice([1, 1, 1, 4]),
            rng.choice([1, 1, 1, 2, 3, 4, 7, 8, 10, 11, 12, 13, 14, 15, 17]),
            rng.choice([0, 0, 1, -1]),
            rng.choice([0, 0, 0, 1, 4, 8, 64]),
            rng.choice(["-", 0, 0, 0, 1, 4, 8, 16])
        ]

    def source(self):
        rng = self.rng
        register = f"x{rng.randrange(8)}"
        self.emit("source", register, *self.tensor(), self.bit(),
                  rng.choice([0, 0, 0, 0, 1, 2, 3, 4]), 1, 1 if rng.random() < 0.9 else 0)
        self.exports[register] = True
        return register

    def export_register(self):
        have = [register for register, full in self.exports.items() if full]
        return self.rng.choice(have) if have and self.rng.random() < 0.9 else self.source()

    def make_tensor(self):
        rng = self.rng
        register = self.export_register()
        self.emit("from_dlpack", self.new("tensor"), register,
                  rng.choice([0, 0, 0, 1, 2, 4, 8, 16, 64]), rng.choice([0, 0, 1, 5]))
        self.exports[register] = rng.random() < 0.2

    def export(self):
        register = f"x{self.rng.randrange(8)}"
        self.emit("to_dlpack", register, self.old("tensor"), self.bit())
        self.exports[register] = True

    def dlpack(self):
        self.emit(self.rng.choice(["show_dlpack", "show_dlpack", "drop_dlpack"]),
                  self.export_register())

    def view(self):
        source = self.old("tensor") if self.rng.random() < 0.7 else self.object()
        self.emit("view", self.new("tensor"), source, *self.tensor(strides=False))

    def allocator(self):
        rng = self.rng
        pick = rng.random()
        if pick < 0.4:
            self.emit("set_allocator", rng.choice([0, 1, 1, 2, 3, 4, 5, 6]), self.bit())
        elif pick < 0.5:
            self.emit("get_allocator")
        else:
            if rng.random() < 0.4:
                self.emit("set_allocator", rng.choice([1, 2, 2, 3, 4, 5]), self.bit())
            self.emit("alloc", self.new("tensor"), *self.tensor())

    # ---- environment ----

    def stream(self):
        rng = self.rng
        device = [rng.choice([0, 1, 2, 2, 3, 18, 100]), rng.choice([0, 0, 1, 7, 50])]
        if rng.random() < 0.6:
            self.emit("set_stream", *device, self.mark(), self.bit())
        else:
            self.emit("get_stream", *device)

    def hook(self):
        rng = self.rng
        if rng.random() < 0.2:
            self.emit("hook", "=" + rng.choice(["PyErr_Nothing", "PyGILState_Ensure", ""]),
                      rng.randrange(3))
            return
        first = rng.choice([0, 1])
        self.emit("hook", "=PyGILState_Ensure", rng.randint(1, 2))
        self.emit("hook", "=PyGILState_Release", 1)
        self.emit("hook", "=PyErr_CheckSignals", first)
        self.emit("signals", rng.choice([0, 0, -1, 5]))
        self.emit("hook", "=PyErr_CheckSignals", 0)

    def object_allocator(self):
        if self.rng.random() < 0.5:
            self.emit("set_object_allocator", self.rng.randrange(3))
        self.emit("get_object_allocator")

    def once(self):
        if self.rng.random() < 0.7:
            self.emit("init_once", self.rng.randrange(4), self.rng.choice([0, 0, 1, 2, 3]))
        else:
            self.emit("deinit_once", self.rng.randrange(4), self.rng.choice([0, 0, 0, 3]))

    # ---- types ----

    def type(self):
        """Register a new type, or a known one again with the same arguments."""
        rng = self.rng
        key = rng.choice(TYPE_KEYS)
        known = [entry for entry in self.types if entry[1] == key]
        if known:
            words = known[0]
            if rng.random() < 0.3:
                self.emit("type", words[0], "=" + key, -1, 0, 0, 0, -2)
            else:
                self.emit("type", words[0], "=" + key, *words[2:])
            return
        parents = [("64", 0, 1)] + [(entry[0], entry[3], entry[5])
                                    for entry in self.types if entry[5]]
        parent, depth, _ = rng.choice(parents)
        taken = {entry[2] for entry in self.types}
        free = [index for index in range(79, 128) if index not in taken]
        static = -1 if rng.random() < 0.8 or parent != "64" else rng.choice(free)
        words = [f"t{len(self.types)}", key, static, depth + 1, rng.choice([0, 0, 1, 3]),
                 1 if rng.random() < 0.9 else 0, parent]
        self.types.append(words)
        self.emit("type", words[0], "=" + key, *words[2:])

    def type_register(self):
        if not self.types or self.rng.random() < 0.2:
            self.type()
        return self.rng.choice(self.types)[0]

    def bad_type(self):
        """Register a type wrongly; for most of these the reference ends the process."""
        rng = self.rng
        parent = (self.type_register()
                  if rng.random() < 0.6 else rng.choice([-3, -1, 0, 1, 64, 65, 70, 126, 5000]))
        self.emit("type", "t7", "=" + rng.choice(TYPE_KEYS + ["ffi.Tensor", "int", ""]),
                  rng.choice([-1, -1, 70, 100, 5000]),
                  rng.randrange(-1, 4), rng.choice([0, 1, 64]), self.bit(), parent)

    def find_type(self):
        self.emit(
            "type_find",
            "=" + self.rng.choice(TYPE_KEYS +
                                  ["ffi.Tensor", "ffi.Object", "int", "nosuch", "", "test.A%00"]))

    def show_type(self):
        rng = self.rng
        self.emit(
            "type_show",
            self.type_register()
            if rng.random() < 0.7 else rng.choice([*range(14), *range(64, 79)]))

    def member(self):
        rng = self.rng
        owner = (self.type_register()
                 if rng.random() < 0.85 else rng.choice([1, 64, 65, 68, 70, 73, 77]))
        name = "=" + rng.choice(MEMBERS)
        pick = rng.random()
        if pick < 0.4:
            setter = self.old("func") if rng.random() < 0.3 else "-"
            self.emit("field", owner, name, self.text(), self.text(), rng.randrange(8192),
                      rng.choice([1, 4, 8, 16]), 24 + 8 * rng.randrange(10), self.any(), setter)
        elif pick < 0.65:
            self.emit("method", owner, name, self.text(), self.text(), rng.choice([0, 4]),
                      self.old("func") if rng.random() < 0.8 else self.any())
        elif pick < 0.75:
            self.emit("metadata", self.type_register(), self.text(), rng.choice([24, 32, 100]),
                      rng.randrange(6))
        else:
            owner = owner if rng.random() < 0.9 else rng.choice([0, 1, 77, 100])
            self.emit("attr", owner, "=" + rng.choice(ATTRS), self.any())
        if rng.random() < 0.5:
            self.emit(*rng.choice([("type_show", owner), ("column", "=" + rng.choice(ATTRS))]))

    # ---- modules ----

    def make_module(self):
        rng = self.rng
        if rng.random() < 0.2:
            self.emit("call_global", self.new("module"), "=ffi.SystemLib",
                      *rng.choice([[], ["=" + rng.choice(PREFIXES)]]))
            return
        number = rng.choice([0, 0, 1])
        if number == 1 and rng.random() < 0.9:
            inner = self.new("module")
            self.emit("call_global", inner, "=ffi.SystemLib")
            loader = self.new("func")
            self.emit("func", loader, rng.choice([3, 3, 3, 3, 6, 0]), inner)
            self.emit("set_global", "=ffi.Module.load_from_bytes.compat", loader, 1)
        self.emit("load", self.new("module"), number)

    def module_function(self):
        rng = self.rng
        function = self.new("func")
        self.emit("get", function, self.old("module"), "=" + rng.choice(KERNELS), self.bit())
        if rng.random() < 0.7:
            self.emit(
                "call", self.new("str"), function,
                *([f"i{rng.randrange(9)}", "i4"] if rng.random() < 0.5 else self.arguments(0, 3)))

    def call_import(self):
        rng = self.rng
        function = self.new("func")
        self.emit("get", function, self.old("module"), "=call_import", self.bit())
        self.emit("call", self.new("str"), function,
                  "=" + rng.choice(KERNELS + NAMES).replace("%00", ""), *self.arguments(0, 2))

    def module(self):
        rng = self.rng
        pick = rng.random()
        name = "=" + rng.choice(KERNELS).replace("%00", "")
        if pick < 0.3:
            function = rng.choice(["ffi.ModuleGetFunctionMetadata", "ffi.ModuleGetFunctionDoc",
                               "ffi.ModuleImplementsFunction"])
            self.emit("about", self.old("module"), "=" + function, name, self.bit())
        elif pick < 0.5:
            if rng.random() < 0.6:
                self.make_module()  # importing a new one cannot make a cycle
            self.emit("call_global", self.new("none"), "=ffi.ModuleImportModule",
                      self.old("module"), self.old("module"))
        elif pick < 0.57:
            self.emit("call_global", self.new("none"), "=ffi.ModuleClearImports",
                      self.old("module"))
        elif pick < 0.7:
            function = rng.choice(
                ["ffi.ModuleGetKind", "ffi.ModuleGetPropertyMask", "ffi.ModuleGetWriteFormats"])
            self.emit("call_global", self.new("str"), "=" + function, self.old("module"))
        elif pick < 0.78:
            self.emit("call_global", self.new("str"), "=ffi.ModuleInspectSource",
                      self.old("module"), rng.choice(["=", "=c"]))
        elif pick < 0.83:
            self.emit("call_global", self.new("str"), "=ffi.ModuleWriteToFile", self.old("module"),
                      "=/nowhere", rng.choice(["=", "=so"]))
        elif pick < 0.9:
            if rng.random() < 0.3:
                path = rng.choice([
                    "nosuch", "./nosuch.so", "nosuch.xyz", "a.b/nosuch", "x.dll", "lib.so.1", "",
                    ".", ".so", "test.txt"
                ])
                self.emit("call_global", self.new("module"), "=ffi.ModuleLoadFromFile", "=" + path)
            self.emit("call_global",
                      self.new("none"), "=ffi.Module" + rng.choice(["GlobalsAdd", "GlobalsRemove"]),
                      self.old("module"))
        else:
            self.emit("imports", self.old("module"))

    def symbol(self):
        rng = self.rng
        if rng.random() < 0.3:
            self.emit("context_symbol", "=" + rng.choice(["__compat_context", "__compat_other"]),
                      rng.randrange(15))
            return
        name = rng.choice(SYMBOLS)
        symbol = 0 if rng.random() < 0.6 else rng.randrange(4)
        self.emit("system_symbol", "=" + name,
                  2 if "_doc_" in name or "_metadata_" in name else symbol)


MAKERS = {
    "int": Generator.make_int, "str": Generator.make_str, "heap_str": Generator.make_heap_str,
    "bytes": Generator.make_bytes, "heap_bytes": Generator.make_heap_bytes,
    "big": Generator.make_big, "opaque": Generator.make_opaque, "error": Generator.make_error,
    "func": Generator.make_func, "shape": Generator.make_shape, "array": Generator.make_array,
    "tensor": Generator.make_tensor, "module": Generator.make_module
}

G = Generator
# Operations with weights, by area: a program is about a few areas.
AREAS = {
    "values": [(G.small, 2), (G.make_str, 2), (G.make_bytes, 1), (G.make_big, 2), (G.words, 2),
               (G.own, 5), (G.own_moved, 0.3), (G.copy, 2), (G.drop, 2), (G.count, 2),
               (G.compare, 1), (G.make_opaque, 1), (G.weak, 3)],
    "dtypes": [(G.dtype_try, 8), (G.dtype_parse, 2), (G.dtype_print, 3), (G.custom_dtypes, 0.5)],
    "errors": [(G.raise_text, 5), (G.take, 3), (G.make_error, 3), (G.update_backtrace, 2),
               (G.backtrace, 0.5), (G.drop, 1), (G.count, 1)],
    "functions": [(G.make_func, 3), (G.call, 6), (G.globals, 4), (G.drop, 1), (G.take, 1),
                  (G.count, 1)],
    "containers": [(G.make_shape, 2), (G.make_array, 3), (G.array_functions, 4), (G.builtin, 3),
                   (G.count, 1), (G.drop, 1)],
    "tensors": [(G.source, 2), (G.make_tensor, 4), (G.export, 3), (G.dlpack, 2), (G.view, 3),
                (G.allocator, 4), (G.count, 1), (G.drop, 1)],
    "environment": [(G.stream, 4), (G.hook, 1), (G.object_allocator, 1), (G.once, 4),
                    (G.allocator, 2)],
    "types": [(G.type, 4), (G.bad_type, 0.2), (G.find_type, 2), (G.show_type, 3), (G.member, 6)],
    "modules": [(G.make_module, 2), (G.module_function, 5), (G.call_import, 3), (G.module, 5),
                (G.symbol, 2), (G.globals, 1), (G.drop, 1)],
}


def make_program(seed, number):
    rng = random.Random(f"{seed} {number}")
    made = Generator(rng)
    areas = rng.sample(sorted(AREAS), rng.choice([1, 2, 3]))
    choices = [action for area in areas for action in AREAS[area]]
    length = rng.randint(3, 40)
    while len(made.lines) < length:
        rng.choices([action[0] for action in choices], [action[1] for action in choices])[0](made)
    return made.lines
