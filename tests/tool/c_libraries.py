# SPDX-License-Identifier: Apache-2.0
"""C libraries of Debian's packages as kernels: `tvm-ffi wrap --header` reads their headers, and
kernels that it writes are compiled and called.

c_libraries.py TVM-FFI PAGE INCLUDE...

Prints a row of the table in PAGE for each library, and fails if the page has another one for the
same version. Each function that needs a line is also wrapped with one that says no more than it
must, and compiled. Calls are compared with Python's own modules, NumPy, or known values; those of
handles are made from Python, with apache-tvm-ffi. A library that is not installed is left out.
"""
import atexit
import fnmatch
import json
import math
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import weakref
import zlib
from dataclasses import dataclass

TOOL, PAGE, *INCLUDES = sys.argv[1:]
FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
WORK = pathlib.Path(tempfile.mkdtemp(prefix="c_libraries-"))
atexit.register(shutil.rmtree, WORK, True)
SKIPPED = 77
WRONG_ROWS = []  # that the page lacks
OPENBLAS = "/usr/include/x86_64-linux-gnu/openblas-pthread"


@dataclass
class Library:
    name: str
    package: str  # of Debian
    headers: list
    links: str
    calls: list  # of the tool: (what is called, what it prints)
    flags: str = ""
    match: tuple = ()


def tensor(numbers, dtype):
    return f"{len(numbers)}x{dtype}=" + " ".join(map(str, numbers))


TEXT = b"The quick brown fox jumps over the lazy dog. " * 4
BYTES = tensor(list(TEXT), "u8")

LIBRARIES = [
    Library("CBLAS", "libopenblas-dev", ["cblas.h"], "-lopenblas", [
        ("cblas_ddot(3xf64=1 2 3, 3xf64=4 5 6)", "result[0]: 32.0"),
        ("cblas_dnrm2(2xf64=3 4)", "result[0]: 5.0"),
        ("cblas_daxpy(2.0, 2xf64=1 2, &2xf64[::-1]=10 20)", "arg[2]: 2xf64=12 24"),
        ("cblas_sgemm(1.0, 2x2xf32=1 2 3 4, 2x1xf32=5 6, 0.0, &2x1xf32=0)",
         "arg[4]: 2x1xf32=[17][39]"),
        ("cblas_drotg(3.0, 4.0)", "result[0]: [5.0, 1.6666666666666667, 0.6, 0.8]"),
    ], f"-I{OPENBLAS}"),
    Library("LAPACKE", "liblapacke-dev", ["lapacke.h"], "-llapacke -lopenblas", [
        ("LAPACKE_dgesv(&2x2xf64=2 0 0 4, &2xi32=0, &2x1xf64=6 8)",
         "arg[0]: 2x2xf64=[2 0][0 4]\narg[1]: 2xi32=1 2\narg[2]: 2x1xf64=[3][2]"),
        ('LAPACKE_dpotrf("L", &2x2xf64=4 2 2 5)', "arg[1]: 2x2xf64=[2 2][1 2]"),
        ('LAPACKE_dsyev("N", "U", &2x2xf64=2 1 1 2, &2xf64=0)', "arg[3]: 2xf64=1 3"),
    ]),
    Library("zlib", "zlib1g-dev", ["zlib.h"], "-lz", [
        (f"adler32(1, {BYTES})", f"result[0]: {zlib.adler32(TEXT)}"),
        (f"crc32(0, {BYTES})", f"result[0]: {zlib.crc32(TEXT)}"),
        (f"compress(&100xu8=0, {BYTES})", f"result[0]: {len(zlib.compress(TEXT))}"),
        (f"crc32_combine({zlib.crc32(b'ab')}, {zlib.crc32(b'cd')}, 2)",
         f"result[0]: {zlib.crc32(b'abcd')}"),
        ("compress(&1xu8=0, 4xu8=1 2 3 4)", "RuntimeError: `compress` failed: buffer error"),
    ]),
    Library("zstd", "libzstd-dev", ["zstd.h"], "-lzstd", [
        ("ZSTD_compressBound(1000)", "result[0]: 1066"),
        ("ZSTD_decompress(&4xu8=0, 17xu8=40 181 47 253 36 4 33 0 0 1 2 3 4 25 0 0 0)",
         "arg[0]: 4xui8=1 2 3 4"),
        ("ZSTD_maxCLevel()", "result[0]: 22"),
        ('ZSTD_cParam_getBounds("ZSTD_c_checksumFlag")', '"upperBound": 1'),
        ("ZSTD_getFrameContentSize(9xu8=40 181 47 253 36 4 33 0 0)", "result[0]: 4"),
    ]),
    Library("SQLite", "libsqlite3-dev", ["sqlite3.h"], "-lsqlite3", [
        ('sqlite3_complete("SELECT 1;")', "result[0]: 1"),
        ('sqlite3_strglob("*.[ch]", "wrap.c")', "result[0]: 0"),
        ('sqlite3_errstr(14)', 'result[0]: "unable to open database file"'),
        ('sqlite3_open("/nowhere/at all")',
         "RuntimeError: `sqlite3_open` failed: unable to open database file"),
    ]),
    Library("libsndfile", "libsndfile1-dev", ["sndfile.h"], "-lsndfile", [
        ("sf_error_number(1)", 'result[0]: "Format not recognised."'),
        ('sf_open("/nowhere", 16, {"frames": 0, "samplerate": 0, "channels": 0, "format": 0, '
         '"sections": 0, "seekable": 0})', "RuntimeError: `sf_open` failed"),
        ("sf_strerror(None)", 'result[0]: "No Error."'),
    ]),
    Library("FFTW", "libfftw3-dev", ["complex.h", "fftw3.h"], "-lfftw3 -lm", [
        ("fftw_alignment_of(2xf64=1 2)", "result[0]: 0"),
        ("fftw_cleanup()", "result: none"),
        ("fftw_import_wisdom_from_string(\"no wisdom\")", "result[0]: 0"),
    ], match=("fftw_*",)),
    Library("KISS FFT", "libkissfft-dev",
            ["kissfft/kiss_fft.h", "kissfft/kiss_fftr.h", "kissfft/kiss_fftnd.h"],
            "-lkissfft-float", [
                ("kiss_fft_next_fast_size(7)", "result[0]: 8"),
                ("kiss_fft_next_fast_size(1021)", "result[0]: 1024"),
                ("kiss_fft_cleanup()", "result: none"),
            ]),
    Library("GSL", "libgsl-dev", [
        f"gsl/gsl_{name}.h" for name in
        ("sf_bessel", "sf_gamma", "sf_erf", "cdf", "statistics_double", "fit", "interp", "poly",
         "rng", "randist")
    ], "-lgsl -lgslcblas -lm", [
        ("gsl_sf_bessel_J0(5.0)", "result[0]: -0.1775967713143382"),
        ("gsl_stats_mean(4xf64=1 2 3 6)", "result[0]: 3.0"),
        ("gsl_stats_variance(5xf64[::2]=1 3 5)", "result[0]: 4.0"),
        ("gsl_fit_linear(3xf64=1 2 3, 3xf64=5 7 9)", "result[0]: [0, 3.0, 2.0, "),
    ]),
    Library("libpng", "libpng-dev", ["png.h"], "-lpng", [
        ("png_sig_cmp(8xu8=137 80 78 71 13 10 26 10)", "result[0]: 0"),
        ("png_sig_cmp(8xu8=137 80 78 71 13 10 26 9)", "result[0]: -1"),
        ("png_access_version_number()", "result[0]: 1"),
        ("png_get_header_ver(None)", 'result[0]: "1.'),
    ]),
    Library("cJSON", "libcjson-dev", ["cjson/cJSON.h"], "-lcjson", [
        ("cJSON_GetArraySize(None)", "result[0]: 0"),
        ('cJSON_Parse("[1, 2")', "RuntimeError: `cJSON_Parse` failed"),
        ('cJSON_Version()', 'result[0]: "1.'),
    ]),
]


# `probe` finds nothing in these. In crc32 it finds that zlib reads 32 bits of a `long`.
PROBED = {
    "CBLAS": ["cblas_ddot(5xf64=rand, 5xf64=rand)", "cblas_daxpy(2.0, 5xf64=rand, &5xf64=rand)",
              "cblas_dasum(5xf64=rand)",
              "cblas_dgemm(1.0, 3x4xf64=rand, 4x5xf64=rand, 0.0, &3x5xf64=0)"],
    "LAPACKE": ["LAPACKE_dgesv(&2x2xf64=2 0 0 4, &2xi32=0, &2x1xf64=6 8)"],
    "zstd": ["ZSTD_compressBound(1000)"],
    "SQLite": ['sqlite3_strglob("*.c", "wrap.c")'],
    "KISS FFT": ["kiss_fft_next_fast_size(7)"],
    "GSL": ["gsl_stats_mean(5xf64=rand)", "gsl_fit_linear(5xf64=rand, 5xf64=rand)",
            "gsl_sf_bessel_J0(1.5)"],
}


# Why functions are not covered by a line: each must be named here, and nothing else.
LEFT_OUT = {
    "CBLAS": {
        "one matrix with two leading dimensions": "*imatcopy",
        "a `const void *` that is written": "cblas_csrot cblas_zdrot",
    },
    "LAPACKE": {
        "it reads or writes beyond what its manual says": "*tpcon *tptri *tptrs *geqrt",
        "as many rows as the largest pivot": "*laswp *laswp_work",
        "memory of its own, whose size depends on other arguments": "*_work",
        "no line yet": "*",
    },
    "zlib": {"callbacks in two directions": "inflateBack*"},
    "SQLite": {
        "a result with a length of its own": "sqlite3_serialize sqlite3_keyword_name",
        "a table as the result": "sqlite3_get_table sqlite3_free_table",
        "a handle that another call ends":
            "sqlite3_column_value sqlite3_next_stmt sqlite3_vtab_*",
        "a handle that may not be ended": "sqlite3_mutex_* sqlite3_vfs_find",
        "text that only SQLite makes":
            "sqlite3_create_filename sqlite3_free_filename sqlite3_database_file_object "
            "sqlite3_filename_* sqlite3_uri_*",
        "a text that must live as long as a value": "sqlite3_result_pointer",
        "its end returns a text": "sqlite3_str_new",
        "a callback that is called later": "sqlite3_memory_alarm",
    },
    "libsndfile": {
        "as many numbers as frames times the channels of the file": "sf_readf_* sf_writef_*",
        "a structure of callbacks": "sf_open_virtual",
        "a handle that ends if the result is NULL": "sf_*_chunk_iterator",
    },
    "FFTW": {
        "sizes in an array": "fftw_plan_dft fftw_plan_dft_r2c fftw_plan_dft_c2r fftw_plan_r2r",
        "sizes in an array of structures": "fftw_plan_guru*",
        "arrays of the plan's size": "fftw_execute_*",
    },
    "GSL": {
        "arrays of an object's size": "gsl_interp_eval*",
        "an array that an earlier call knows": "gsl_interp_accel_find",
        "a number that leads out of the array":
            "gsl_stats_select gsl_stats_trmean* gsl_sf_bessel_sequence_Jnu_e",
        "it does not return": "gsl_ran_dir_nd",
        "a structure by value": "gsl_poly_complex_eval gsl_complex_poly_complex_eval",
    },
    "libpng": {
        "rows, as long as the image says": "png_*_row png_*_rows png_*_image",
        "an object that ends by the address of its handle":
            "png_create_info_struct png_destroy_* png_info_init_3",
        "the address of an array of the library's": "png_get_*",
        "an array as long as the image says": "png_set_hIST png_set_eXIf png_set_pCAL",
        "it does nothing": "png_set_filter_heuristics*",
    },
    "cJSON": {
        "an array of texts": "cJSON_CreateStringArray",
        "it detaches a part that a handle has": "cJSON_DetachItemViaPointer",
        "it changes a text": "cJSON_Minify",
    },
}


def run(*words, check=True):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    assert not check or done.returncode == 0, (words[:12], done.stdout[-3000:], done.stderr[-3000:])
    return done


def lines_of(name):
    """The file with the lines for a library."""
    return FOLDER / "c_libraries" / f"{name.lower().replace(' ', '_')}.wrap"


def wrap(library, *words):
    headers = [f"--header={name}" for name in library.headers]
    flags = [f"--cflags={library.flags}"] if library.flags else []
    return run(TOOL, "wrap", *headers, *flags, *(f"--match={name}" for name in library.match),
               *words)


def read_table(library, *words):
    return json.loads(wrap(library, "--list", "--json", *words).stdout)["functions"]


def is_outside(row):
    """Variadic functions, and callbacks that get no data, are no goal."""
    return row["wrapped"] == "refused" and re.search(
        r"variadic|va_list|callback without data", row["reason"])


def least_line(row):
    """A line that says what must be said: an array of any length, an address."""
    items, result = [], ""
    for need in row["reason"].split("; "):
        what, _, names = need.partition(" for ")
        for name in names.split(", "):
            if name == "its result":
                result = "const void *"
            else:
                items.append({"a shape": f"{name}[any_{name}]", "a type": f"void *{name}",
                              "a value": f"{name} = NULL", "NULL": f"{name} = NULL"}[what])
    return f"{result}{row['name']}({', '.join(items)})"


def compile_all(library, rows):
    """With least lines, all functions that need one compile."""
    path = WORK / "least.wrap"
    path.write_text("\n".join(
        least_line(row) for row in rows if row["wrapped"] == "needs a line") + "\n",
                    encoding="utf-8")
    table = read_table(library, f"@{path}")
    wanted = sum(row["wrapped"] == "needs a line" for row in rows)
    assert sum(row["wrapped"] == "with a line" for row in table) == wanted, library.name
    source = WORK / "least.c"
    wrap(library, f"@{path}", "-o", source)
    run("gcc", "-std=gnu11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
        "-Wno-deprecated-declarations", *map("-I{}".format, INCLUDES), *library.flags.split(),
        source)


def make_library(library):
    """The kernels of a library, with the lines for it."""
    stem = WORK / library.name.replace(" ", "_")
    wrap(library, f"@{lines_of(library.name)}", "-o", f"{stem}.c")
    run("gcc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-deprecated-declarations",
        "-shared", "-fPIC", *map("-I{}".format, INCLUDES), *library.flags.split(), f"{stem}.c",
        *library.links.split(), "-o", f"{stem}.so")
    return f"{stem}.so"


def call_all(library, kernels):
    wrong = []
    for call, expected in library.calls:
        done = run(TOOL, "run", kernels, call, check=False)
        shown = (done.stdout + done.stderr).strip()
        if expected not in shown:
            wrong.append(f"{call} prints {shown}, not {expected}")
    for call in PROBED.get(library.name, []):
        done = run(TOOL, "probe", kernels, call, check=False)
        if done.returncode != 0:
            wrong.append(f"probe of {call}:\n{done.stdout}{done.stderr}")
    assert not wrong, "\n".join(wrong)


# ---- From Python ----


def refused(kernel, *args):
    """A call that raises an error."""
    try:
        kernel(*args)
    except (TypeError, ValueError, RuntimeError):
        return
    raise AssertionError(f"a call is not refused: {args}")


def check_cblas(kernels, np):
    a, b = np.random.rand(3, 4), np.random.rand(4, 5)
    c = np.zeros((3, 5))
    kernels.cblas_dgemm(1.0, a, b, 0.0, c)
    assert np.allclose(c, a @ b)
    x, y = np.random.rand(8)[::-2], np.random.rand(4)
    assert np.isclose(kernels.cblas_ddot(x, y), x @ y)
    a, b, c = a + 1j, b - 2j, np.zeros((3, 5), np.complex128)
    kernels.cblas_zgemm([2.0, 1.0], a, b, [0.0, 0.0], c)
    assert np.allclose(c, (2 + 1j) * (a @ b))
    x, y = x + 3j, y * 1j
    real, imaginary = kernels.cblas_zdotu(x, y)
    assert np.isclose(real + 1j * imaginary, x @ y)
    real, imaginary = kernels.cblas_zdotc_sub(x, y)
    assert np.isclose(real + 1j * imaginary, x.conj() @ y)
    refused(kernels.cblas_zdotu, x[::-1], y)  # it would read before x
    assert np.isclose(kernels.cblas_dznrm2(x[::-1].copy()), np.linalg.norm(x))
    a, y = np.random.rand(4, 4), np.random.rand(4)
    band = np.array([[0, a[0, 0], a[0, 1]], [a[1, 0], a[1, 1], a[1, 2]],
                     [a[2, 1], a[2, 2], a[2, 3]], [a[3, 2], a[3, 3], 0]])
    y, z = y.copy(), y
    kernels.cblas_dgbmv(1, 1, 1.0, band, x.real.copy(), 2.0, y)
    assert np.allclose(y, np.triu(np.tril(a, 1), -1) @ x.real + 2 * z)
    packed, y = a[np.tril_indices(4)], z.copy()
    kernels.cblas_dspmv("CblasLower", 1.0, packed, z, 0.0, y)
    assert np.allclose(y, (np.tril(a) + np.tril(a, -1).T) @ z)
    refused(kernels.cblas_dspmv, "CblasLower", 1.0, packed[:9], z, 0.0, y)
    y = z.copy()
    kernels.cblas_dtpsv("CblasLower", "CblasNoTrans", "CblasNonUnit", packed, y)
    assert np.allclose(np.tril(a) @ y, z)
    b = np.zeros((4, 4))
    kernels.cblas_domatcopy(3.0, a, b)
    kernels.cblas_dsyr2("CblasUpper", 1.0, z, y, b)
    assert np.allclose(b, 3 * a + np.triu(np.outer(z, y) + np.outer(y, z)))


def check_lapacke(kernels, np):
    """Families of LAPACKE beside NumPy, in both precisions, real and complex."""
    for letter, dtype, more in (("d", float, 0), ("s", np.float32, 0), ("z", complex, 1j)):
        def call(name, *args, letter=letter):
            return getattr(kernels, f"LAPACKE_{letter}{name}")(*args)

        def random(*shape, dtype=dtype, more=more):
            return (np.random.rand(*shape) + more * np.random.rand(*shape)).astype(dtype)

        def same(a, b, tolerance=2e-3 if letter == "s" else 1e-9):
            assert np.allclose(a, b, atol=tolerance, rtol=tolerance), (letter, a, b)

        real = np.zeros(0, dtype).real.dtype
        a, b = random(4, 4) + 2 * np.eye(4, dtype=dtype), random(4, 2)
        solved, factors, pivots = b.copy(), a.copy(), np.zeros(4, np.int32)
        call("gesv", factors, pivots, solved)
        same(a @ solved, b)
        solved = b.copy()
        call("getrs", "N", factors, pivots, solved)
        same(a @ solved, b)
        call("getri", factors, pivots)
        same(factors @ a, np.eye(4))
        wide, pivots = random(3, 5), np.zeros(3, np.int32)
        call("getrf_work", wide.copy(), pivots)
        refused(getattr(kernels, f"LAPACKE_{letter}getrf"), wide, np.zeros(4, np.int32))
        definite = a @ a.conj().T
        factor = np.triu(definite)
        call("potrf", "U", factor)
        same(factor.conj().T @ factor, definite)
        solved = b.copy()
        call("potrs", "U", factor, solved)
        same(definite @ solved, b)
        tall, b = random(5, 3), random(5, 2)
        solved = b.copy()
        call("gels", "N", tall.copy(), solved)
        same(solved[:3], np.linalg.lstsq(tall, b, rcond=None)[0])
        solved, values = b.copy(), np.zeros(3, real)
        assert call("gelsd", tall.copy(), solved, values, -1.0) == 3
        same(values, np.linalg.svd(tall, compute_uv=False))
        q, tau = tall.copy(), np.zeros(3, dtype)
        call("geqrf", q, tau)
        r = np.triu(q[:3])
        call("ungqr" if letter == "z" else "orgqr", q, tau)
        same(q @ r, tall)
        u, v, rest = np.zeros((5, 5), dtype), np.zeros((3, 3), dtype), np.zeros(2, real)
        call("gesvd", "A", "A", tall.copy(), values, u, v, rest)
        same(u[:, :3] * values @ v, tall)
        call("gesdd", "S", tall.copy(), values, u, v)
        same(u[:, :3] * values @ v, tall)
        hermitian, w = a + a.conj().T, np.zeros(4, real)
        for name in ("heev", "heevd") if letter == "z" else ("syev", "syevd"):
            call(name, "N", "U", hermitian.copy(), w)
            same(w, np.linalg.eigvalsh(hermitian))
        vectors, numbers = np.zeros((4, 4), dtype), np.zeros(8, np.int32)
        name = "heevr" if letter == "z" else "syevr"
        assert call(name, "V", "I", "U", hermitian.copy(), 0, 0, 1, 2, 0.0, w, vectors,
                    numbers) == 2
        same(hermitian @ vectors[:, :2], vectors[:, :2] * w[:2])
        same(call("lange", "F", tall), np.linalg.norm(tall))
        lower, upper = random(3), random(3)
        band = np.zeros((4, 4), dtype)  # a row for the factors, and three diagonals
        band[1, 1:], band[2], band[3, :3] = upper, 3, lower
        full, b = np.diag(np.full(4, 3, dtype)) + np.diag(upper, 1) + np.diag(lower, -1), b[:4]
        solved, pivots = b.copy(), np.zeros(4, np.int32)
        call("gbsv", 1, 1, band, pivots, solved)
        same(full @ solved, b)
        solved = b.copy()
        call("gtsv", lower.copy(), np.full(4, 3, dtype), upper.copy(), solved)
        same(full @ solved, b)
        try:
            call("potrf", "U", -definite)
        except RuntimeError as error:
            assert "returned 1" in str(error) or "failed" in str(error), error
        else:
            raise AssertionError("a matrix is not definite, but has a factor")


def check_zlib(kernels, np):
    text, packed = np.frombuffer(TEXT, np.uint8).copy(), np.zeros(200, np.uint8)
    size = kernels.compress(packed, text)
    assert zlib.decompress(packed[:size].tobytes()) == TEXT
    assert kernels.crc32(0, text) == zlib.crc32(TEXT)


def check_zstd(kernels, np):
    packed = np.frombuffer(kernels.ZSTD_compress(300, TEXT, 3), np.uint8).copy()
    context, words = kernels.ZSTD_createDCtx(), kernels.ZSTD_createDDict(TEXT)
    kernels.ZSTD_DCtx_refDDict(context, words)
    refused(kernels.ZSTD_freeDDict, words)
    kernels.ZSTD_DCtx_refDDict(context, None)
    assert bytes(kernels.ZSTD_decompressDCtx(context, len(TEXT), packed.tobytes())) == TEXT
    back = np.zeros(len(TEXT), np.uint8)
    assert kernels.ZSTD_decompress(back, packed) == len(TEXT)
    assert back.tobytes() == TEXT and kernels.ZSTD_getFrameContentSize(packed) == len(TEXT)


def check_sqlite(kernels, np):
    query = "SELECT name, weight * 2 FROM t ORDER BY weight"
    fill = "CREATE TABLE t (name, weight); INSERT INTO t VALUES ('b', 2.5), ('a', 4)"
    own = sqlite3.connect(":memory:")
    own.executescript(fill)
    db = kernels.sqlite3_open(":memory:")
    kernels.sqlite3_exec(db, fill)
    statement, rows = kernels.sqlite3_prepare_v2(db, query), []
    while kernels.sqlite3_step(statement) == 100:
        rows.append((kernels.sqlite3_column_name(statement, 0),
                     kernels.sqlite3_column_double(statement, 1)))
    assert rows == [("name", row[1]) for row in own.execute(query)], rows
    memory = np.frombuffer(own.serialize(), np.uint8).copy()
    kept, copy = weakref.ref(memory), kernels.sqlite3_open(":memory:")
    kernels.sqlite3_deserialize(copy, "main", memory)
    del memory
    statement = kernels.sqlite3_prepare_v2(copy, query)
    assert kernels.sqlite3_step(statement) == 100 and kept() is not None
    assert kernels.sqlite3_column_double(statement, 1) == rows[0][1]
    del statement, copy
    assert kept() is None
    insert = kernels.sqlite3_prepare_v2(db, "INSERT INTO t VALUES (?, ?)")
    kernels.sqlite3_bind_text(insert, 1, "a text")
    kernels.sqlite3_bind_blob(insert, 2, b"\0\1\2")
    assert kernels.sqlite3_step(insert) == 101
    blob = kernels.sqlite3_blob_open(db, "main", "t", "weight", 3, 0)
    assert bytes(kernels.sqlite3_blob_read(blob, 2, 1)) == b"\1\2"
    statement = kernels.sqlite3_prepare_v2(db, "SELECT name FROM t WHERE rowid = 3")
    assert kernels.sqlite3_step(statement) == 100
    assert kernels.sqlite3_column_text(statement, 0) == "a text"
    text = "SELECT 5".encode("utf-16-le")
    statement = kernels.sqlite3_prepare16_v2(db, text, len(text))
    assert kernels.sqlite3_step(statement) == 100
    assert kernels.sqlite3_column_int(statement, 0) == 5
    refused(kernels.sqlite3_prepare16_v2, db, text[:-1], len(text) - 1)
    assert kernels.sqlite3_keyword_check("SELECT") == 1
    refused(kernels.sqlite3_keyword_check, "SELECT", 7)
    assert list(kernels.sqlite3_table_column_metadata(db, None, "t", "name")) == [0, 0, 0]
    try:
        kernels.sqlite3_prepare_v2(db, "SELECT missing FROM t")
    except RuntimeError as error:
        assert "no such column: missing" in str(error), error
    else:
        raise AssertionError("a wrong query is prepared")


def check_sndfile(kernels, np):
    path = str(WORK / "tone.wav")
    tone = np.sin(np.arange(100) / 7).astype(np.float32)
    info = {"frames": 0, "samplerate": 8000, "channels": 1, "format": 0x10006, "sections": 0,
            "seekable": 0}  # WAV of float
    assert kernels.sf_format_check(info) == 1
    file, _ = kernels.sf_open(path, 0x20, info)
    assert kernels.sf_write_float(file, tone) == 100
    kernels.sf_close(file)
    read = np.zeros(100, np.float32)
    file, info = kernels.sf_open(path, 0x10, {**info, "samplerate": 0, "format": 0})
    assert kernels.sf_read_float(file, read) == 100 and (read == tone).all()
    assert info["frames"] == 100 and info["samplerate"] == 8000


def check_fftw(kernels, np):
    x = np.random.rand(12) + 1j * np.random.rand(12)
    result = np.zeros_like(x)
    plan = kernels.fftw_plan_dft_1d(x, result, -1, 64)  # FFTW_FORWARD, FFTW_ESTIMATE
    kernels.fftw_execute(plan)
    assert np.allclose(result, np.fft.fft(x))
    assert kernels.fftw_cost(plan) >= 0
    kernels.fftw_destroy_plan(plan)
    refused(kernels.fftw_execute, plan)  # it was destroyed
    given, result = np.random.rand(12), np.zeros(7, complex)
    expected, kept = np.fft.rfft(given), weakref.ref(given)
    refused(kernels.fftw_plan_dft_r2c_1d, given, result[1:], 64)  # it needs 12 / 2 + 1
    plan = kernels.fftw_plan_dft_r2c_1d(given, result, 64)
    del given
    kernels.fftw_execute(plan)
    assert np.allclose(result, expected) and kept() is not None
    del plan
    assert kept() is None
    rows, result = np.random.rand(3, 8), np.zeros((3, 5), complex)
    kernels.fftw_execute(kernels.fftw_plan_many_dft_r2c(rows, result, 64))
    assert np.allclose(result, np.fft.rfft(rows))
    refused(kernels.fftw_plan_many_dft_r2c, rows, result[:, :4], 64)
    columns, result = np.random.rand(8, 3) + 0j, np.zeros((3, 8), complex)
    kernels.fftw_execute(kernels.fftw_plan_many_dft(columns.T, result, -1, 64))
    assert np.allclose(result, np.fft.fft(columns.T))
    wisdom = []
    kernels.fftw_export_wisdom(wisdom.append)
    assert bytes(map(ord, wisdom)).startswith(b"(fftw-")


def check_kissfft(kernels, np):
    x = (np.random.rand(12) + 1j * np.random.rand(12)).astype(np.complex64)
    result = np.zeros((12, 2), np.float32)
    kernels.kiss_fft(kernels.kiss_fft_alloc(0), x.view(np.float32).reshape(12, 2), result)
    assert np.allclose(result.view(np.complex64)[:, 0], np.fft.fft(x), atol=1e-5)
    given, back = np.random.rand(12).astype(np.float32), np.zeros(12, np.float32)
    result = np.fft.rfft(given).astype(np.complex64).view(np.float32).reshape(7, 2)
    kernels.kiss_fftri(kernels.kiss_fftr_alloc(1), result, back)
    assert np.allclose(back / 12, given, atol=1e-5)


def check_gsl(kernels, np):
    x = np.random.rand(9)
    assert np.isclose(kernels.gsl_stats_mean(x[::2]), x[::2].mean())
    assert np.isclose(kernels.gsl_stats_variance(x), x.var(ddof=1))
    fit = kernels.gsl_fit_linear(x, 3 * x + 2)
    assert np.allclose([fit[1], fit[2]], [2, 3])
    assert np.isclose(kernels.gsl_sf_gamma(4.5), math.gamma(4.5))
    assert np.isclose(kernels.gsl_stats_wmean(x, x[::-1].copy()), (x * x[::-1]).sum() / x.sum())
    bessel = np.zeros(3)
    kernels.gsl_sf_bessel_Jn_array(2, 4, 1.5, bessel)
    assert np.isclose(bessel[0], kernels.gsl_sf_bessel_Jn(2, 1.5))
    refused(kernels.gsl_sf_bessel_Jn_array, 2, 5, 1.5, bessel)
    assert kernels.gsl_stats_max(x[::2], 5) == x[::2].max()
    assert list(kernels.gsl_stats_minmax_index(x, 9)) == [x.argmin(), x.argmax()]
    refused(kernels.gsl_stats_max, x[:0], 0)  # it would read the first one
    refused(kernels.gsl_stats_correlation, x[:0], x[:0], 0)
    refused(kernels.gsl_poly_eval, x[:0].copy(), -1, 2.0)
    refused(kernels.gsl_poly_dd_eval, x[:1], x[:1], 0, 2.0)
    assert np.isclose(kernels.gsl_stats_median(x.copy(), 9), np.median(x))
    assert np.isclose(kernels.gsl_stats_mad0(x.copy(), 9), np.median(abs(x - np.median(x))))
    assert np.isclose(kernels.gsl_poly_eval(x, 9, 0.5), np.polynomial.polynomial.polyval(0.5, x))
    assert list(kernels.gsl_poly_solve_quadratic(1.0, -3.0, 2.0)) == [2, 1, 2]
    roots = np.zeros(4)
    work = kernels.gsl_poly_complex_workspace_alloc(3)
    kernels.gsl_poly_complex_solve(np.array([2.0, -3, 1]), work, roots)
    assert np.allclose(sorted(roots[::2]), [1, 2])
    difference, values = np.zeros(3), np.array([1.0, 2, 4])
    kernels.gsl_poly_dd_init(difference, values, values ** 2, 3)
    assert np.isclose(kernels.gsl_poly_dd_eval(difference, values, 3, 3.0), 9)


def check_png(kernels, np):
    signature = np.frombuffer(b"\x89PNG\r\n\x1a\n", np.uint8).copy()
    assert kernels.png_sig_cmp(signature) == 0
    assert kernels.png_get_header_ver(None).startswith("1.")
    assert kernels.png_access_version_number() // 100 == 106
    data = np.zeros(4, np.uint8)
    kernels.png_save_uint_32(data, 0x1020304)
    assert list(data) == [1, 2, 3, 4] and kernels.png_get_uint_32(data) == 0x1020304
    assert kernels.png_get_uint_16(data[2:]) == 0x304
    refused(kernels.png_get_uint_32, data[1:])


def check_cjson(kernels, np):
    refused(kernels.cJSON_Parse, "[1, 2")
    assert not isinstance(kernels.cJSON_GetErrorPtr(), str)
    value = {"name": "wrap", "list": [1, 2.5, None]}
    root = kernels.cJSON_Parse(json.dumps(value))
    assert json.loads(kernels.cJSON_PrintUnformatted(root)) == value
    items = kernels.cJSON_GetObjectItem(root, "list")
    assert kernels.cJSON_GetArraySize(items) == 3
    assert kernels.cJSON_GetNumberValue(kernels.cJSON_GetArrayItem(items, 1)) == 2.5
    made = kernels.cJSON_CreateDoubleArray(np.array([1.5, 2.0]))
    assert json.loads(kernels.cJSON_PrintUnformatted(made)) == [1.5, 2]
    part = kernels.cJSON_ParseWithLength(b"[1, 2] and more"[:6])
    assert json.loads(kernels.cJSON_PrintBuffered(part, 4, 0)) == [1, 2]
    assert json.loads(kernels.cJSON_PrintPreallocated(part, 20, 0)[1]) == [1, 2]
    made_of = kernels.cJSON_CreateIntArray(np.array([3, 4], np.int32))
    assert json.loads(kernels.cJSON_Print(made_of)) == [3, 4]
    text = kernels.cJSON_CreateStringReference("".join(["re", "ference"]))
    assert kernels.cJSON_GetStringValue(text) == "reference"
    array = kernels.cJSON_CreateObject()
    assert kernels.cJSON_AddItemToObjectCS(array, "".join(["na", "me"]), text) == 1
    assert json.loads(kernels.cJSON_Print(array)) == {"name": "reference"}
    array, item = kernels.cJSON_CreateArray(), kernels.cJSON_CreateNumber(3)
    assert kernels.cJSON_AddItemToArray(array, item) == 1
    refused(kernels.cJSON_GetNumberValue, item)  # it is the array's
    refused(kernels.cJSON_AddItemToArray, array, item)
    kernels.cJSON_AddItemToObject(root, "more", array)
    item = kernels.cJSON_CreateString("kept")
    refused(kernels.cJSON_InsertItemInArray, made, -1, item)
    assert kernels.cJSON_GetStringValue(item) == "kept"  # the call failed
    kernels.cJSON_AddItemReferenceToArray(made, item)
    del item
    assert json.loads(kernels.cJSON_PrintUnformatted(made)) == [1.5, 2, "kept"]
    refused(kernels.cJSON_DeleteItemFromObject, root, "list")  # items has it
    del items
    kernels.cJSON_DeleteItemFromObject(root, "list")
    more = kernels.cJSON_DetachItemFromObject(root, "more")
    assert json.loads(kernels.cJSON_PrintUnformatted(more)) == [3]
    assert json.loads(kernels.cJSON_PrintUnformatted(root)) == {"name": "wrap"}


CHECKS = {
    "CBLAS": check_cblas, "LAPACKE": check_lapacke, "zlib": check_zlib, "zstd": check_zstd,
    "SQLite": check_sqlite, "libsndfile": check_sndfile, "FFTW": check_fftw,
    "KISS FFT": check_kissfft, "GSL": check_gsl, "libpng": check_png, "cJSON": check_cjson
}


def check_sample():
    """The sample prints the transform, and why another shape is refused."""
    sample = ROOT / "samples/39_c_library"
    run(TOOL, "wrap", "--header=complex.h", "--header=fftw3.h", "--match=fftw_[pe]*",
        f"@{sample}/fftw.wrap", "-o", WORK / "fft.c")
    run("gcc", "-shared", "-fPIC", *map("-I{}".format, INCLUDES), WORK / "fft.c", "-lfftw3", "-o",
        WORK / "fft.so")
    shown = run(sys.executable, sample / "main.py", WORK / "fft.so").stdout.splitlines()
    assert shown[0] == "[0j, (4+0j), 0j, 0j]", shown
    assert "Expected size 4 in dimension 0 but got [3]" in shown[1] and len(shown) == 2, shown


def check_from_python(made):
    try:
        import numpy as np
        import tvm_ffi
    except ImportError as error:
        print("left out, from Python:", error)
        return
    for name, path in made.items():
        CHECKS[name](tvm_ffi.load_module(path), np)
        print(f"{name}: called from Python")
    if "FFTW" in made:
        check_sample()


# ---- The table ----


def version_of(package):
    if shutil.which("dpkg-query") is None:
        return None
    done = run("dpkg-query", "-W", "-f", "${Version}", package, check=False)
    return done.stdout.partition("+")[0] if done.returncode == 0 else None


# These need no line by their types, but no line makes them right.
NOT_AS_IT_IS = ("cblas_csrot cblas_zdrot sqlite3_free_filename sqlite3_filename_* "
                "sqlite3_uri_*").split()


def count_left_out(library, rows):
    """How many functions have no line for each reason; each has one of LEFT_OUT."""
    counted = {}
    for row in rows:
        if is_outside(row) or (row["wrapped"] in ("as it is", "with a line") and
                               not row["unknown"] and
                               not any(fnmatch.fnmatch(row["name"], one) for one in NOT_AS_IT_IS)):
            continue
        reasons = [reason for reason, patterns in LEFT_OUT.get(library.name, {}).items()
                   if any(fnmatch.fnmatch(row["name"], one) for one in patterns.split())]
        assert reasons, f"{library.name}: {row['name']} is neither covered nor left out: {row}"
        counted[reasons[0]] = counted.get(reasons[0], 0) + 1
    idle = set(LEFT_OUT.get(library.name, {})) - set(counted)
    assert not idle, f"{library.name}: nothing is left out because of {idle}"
    return counted


def make_covered(library, version):
    """The row of what the lines for a library cover, and why not all."""
    rows = read_table(library, f"@{lines_of(library.name)}")
    possible = sum(not is_outside(row) for row in rows)
    counted = count_left_out(library, rows)
    lines = sum(row["wrapped"] == "with a line" for row in rows)
    reasons = "; ".join(f"{count} {reason}" for reason, count in counted.items())
    covered = 100 * (possible - sum(counted.values())) // possible
    return f"| {library.name} | {version} | {lines} | {covered} % | {reasons or 'none'} |"


def make_row(library, rows, version):
    verdicts = [row["wrapped"] for row in rows]
    refused = {}
    for row in rows:
        if row["wrapped"] == "refused":
            what = re.sub(r"`\w+` is (an? )?|returns ", "", row["reason"])
            refused[what] = refused.get(what, 0) + 1
    possible = sum(not is_outside(row) for row in rows)
    good = verdicts.count("as it is") + verdicts.count("needs a line")
    reasons = ", ".join(f"{count} {what}" for what, count in sorted(refused.items()))
    return (f"| {library.name} | {version} | {len(rows)} | {verdicts.count('as it is')} | "
            f"{verdicts.count('needs a line')} | {reasons or 'none'} | "
            f"{100 * good // possible} % |")


def check_page(row):
    page = pathlib.Path(PAGE).read_text(encoding="utf-8")
    begin = row[:row.index("|", row.index("|", 2) + 1)]
    if begin in page:
        if f"\n{row}\n" not in page:
            WRONG_ROWS.append(row)
    else:
        print(f"{PAGE} has no row of this version")


def main():
    missing = run(TOOL, "wrap", "--header=stddef.h", "--list", check=False)
    if "needs libclang" in missing.stderr:
        print("skipped: libclang is not installed")
        sys.exit(SKIPPED)
    made, left_out = {}, []
    for library in LIBRARIES:
        version = version_of(library.package)
        if version is None:
            left_out.append(library.package)
            continue
        rows = read_table(library)
        row = make_row(library, rows, version)
        print(row, flush=True)
        compile_all(library, rows)
        made[library.name] = make_library(library)
        call_all(library, made[library.name])
        covered = make_covered(library, version)
        print(covered, flush=True)
        check_page(row)
        check_page(covered)
    check_from_python(made)
    assert not WRONG_ROWS, f"{PAGE} lacks these rows:\n" + "\n".join(WRONG_ROWS)
    if left_out:
        print("left out, as they are not installed:", *left_out)
    if not made:
        sys.exit(SKIPPED)


main()
