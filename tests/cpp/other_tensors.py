#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The code of docs/guide/tensors.md for tensors of other libraries: compiled and run with each
library that is installed, and skipped with the reason for the others.

    other_tensors.py ROOT LIBRARY COMPILER...    LIBRARY is that of the runtime

PyTorch is that of $TVM_FFI_TORCH_PYTHON, of this Python, or Debian's libtorch-dev.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT, LIBRARY, *COMPILER = sys.argv[1:]
ROOT, LIBRARY = pathlib.Path(ROOT), pathlib.Path(LIBRARY)
PAGE = (ROOT / "docs/guide/tensors.md").read_text(encoding="utf-8")
RUNTIME = [f"-L{LIBRARY.parent}", "-ltvm_ffi", f"-Wl,-rpath,{LIBRARY.parent}"]
STRICT = ["-Wall", "-Wextra", "-Werror"]

# Prints the sum of the elements of a matrix or vector, each times its number in row-major order.
SUM = """
#include <tvm/ffi/tvm_ffi.h>
#include <cstdio>
namespace ffi = tvm::ffi;
static double Weigh(ffi::TensorView x) {
  const int64_t rows = x.ndim() == 2 ? x.size(0) : 1, columns = x.size(x.ndim() - 1);
  if (x.dtype().code != kDLFloat || x.dtype().bits != 32) return -1;
  double sum = 0;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      const float *data = static_cast<const float *>(x.data_ptr());
      sum += static_cast<double>(i * columns + j + 1) *
             data[(x.ndim() == 2 ? i * x.stride(0) : 0) + j * x.stride(x.ndim() - 1)];
    }
  }
  return sum;
}
static const ffi::Function weigh = ffi::Function::FromTyped(Weigh);
"""
CALL = 'std::printf("%g\\n", weigh(ffi::TensorView(t)).cast<double>());'

# The row of the table, what else a program needs, the type of x with its elements, and the result:
# the matrix is [[1, 2, 3], [4, 5, 6]], the vector [1, 2, 3].
MATRIX, VECTOR = "91\n", "14\n"
KINDS = {
    "std::vector": ("`std::vector<T>`", "<vector>", "std::vector<float> x{1, 2, 3};", VECTOR, []),
    "std::span": ("`std::vector<T>`", "<span>",
                  "const float data[] = {1, 2, 3}; std::span<const float> x(data);", VECTOR,
                  ["-std=c++20"]),
    "Eigen": ("`Eigen::Matrix`", "<Eigen/Core>",
              "Eigen::MatrixXf x(2, 3); x << 1, 2, 3, 4, 5, 6;", MATRIX,
              ["-isystem", "/usr/include/eigen3"]),
    "Eigen, by rows": ("`Eigen::Matrix`", "<Eigen/Core>",
                       "Eigen::Matrix<float, 2, 3, Eigen::RowMajor> x; x << 1, 2, 3, 4, 5, 6;",
                       MATRIX, ["-isystem", "/usr/include/eigen3"]),
    "OpenCV": ("`cv::Mat`", "<opencv2/core.hpp>",
               "cv::Mat whole(3, 4, CV_32F, cv::Scalar(9)), x = whole(cv::Rect(1, 1, 3, 2));\n"
               "  for (int i = 0; i < 6; ++i) x.at<float>(i / 3, i % 3) = float(i + 1);", MATRIX,
               ["-isystem", "/usr/include/opencv4", "-lopencv_core"]),
    "xtensor": ("`xt::xtensor", "<xtensor/xtensor.hpp>",
                "xt::xtensor<float, 2> x{{1, 2, 3}, {4, 5, 6}};", MATRIX, []),
    "xtensor, one row": ("`xt::xtensor", "<xtensor/xtensor.hpp>",
                         "xt::xtensor<float, 2> x{{1, 2, 3}};", VECTOR, []),
}

TORCH = SUM.replace("#include <tvm/ffi/tvm_ffi.h>",
                    "#include <tvm/ffi/tvm_ffi.h>\n#include \"torch_tensor.h\"\n"
                    "#include <ATen/ATen.h>").replace("namespace ffi = tvm::ffi;\n", "") + """
int main() {
  const at::Tensor x = at::arange(1, 7, at::kFloat).reshape({2, 3});
  std::printf("%g\\n", weigh(FromTorch(x)).cast<double>());
  std::printf("%g\\n", weigh(FromTorch(x.t())).cast<double>());
  const ffi::Tensor shared = FromTorch(x);
  const at::Tensor back = ToTorch(shared);
  std::printf("%d\\n", back.data_ptr() == x.data_ptr() && at::equal(back, x));
  return 0;
}
"""
TORCH_PRINTS = "91\n86\n1\n"


def read_block(name):
    found = re.search(rf"^```cpp {re.escape(name)}\n(.*?)^```$", PAGE, re.M | re.S)
    assert found, f"the page has no {name}"
    return found[1]


def read_row(begin):
    rows = [line for line in PAGE.splitlines() if line.startswith(f"| {begin}")]
    assert len(rows) == 1, (begin, rows)
    return re.search(r"`(Described<.*;)` \|$", rows[0])[1]


def compile_code(place, code, options, link):
    (place / "program.cc").write_text(code, encoding="utf-8")
    return subprocess.run([
        *COMPILER, "-std=c++17", *STRICT, *(word for word in options if not word.startswith("-l")),
        f"-I{place}", f"-I{ROOT}/cpp", f"-I{ROOT}/include", f"-I{ROOT}/subprojects/dlpack/include",
        place / "program.cc", "-o", place / "program", *RUNTIME,
        *(word for word in options if word.startswith("-l")), *link
    ], capture_output=True, text=True, check=False)


def has_header(place, header, options):
    (place / "probe.cc").write_text(f"#include {header}\n", encoding="utf-8")
    return subprocess.run([
        *COMPILER, "-std=c++17", *(word for word in options if not word.startswith("-l")),
        "-fsyntax-only", place / "probe.cc"
    ], capture_output=True, check=False).returncode == 0


def run_program(place, environment=None):
    return subprocess.run([place / "program"], capture_output=True, text=True, check=False,
                          env={**os.environ, **(environment or {})})


def check_kind(place, kind):
    row, header, make, prints, options = KINDS[kind]
    if not has_header(place, header, options):
        return f"skipped {kind}: the compiler finds no {header}"
    code = f"""#include {header}
#include "described.h"
{SUM}
int main() {{
  {make}
  {read_row(row)}
  {CALL}
  return 0;
}}
"""
    done = compile_code(place, code, options, [])
    assert done.returncode == 0, (kind, done.stderr)
    done = run_program(place)
    assert (done.returncode, done.stdout) == (0, prints), (kind, done)
    return f"checked {kind}"


def find_torch():
    """The compiler's options and the folder of the libraries; a text that says why there are
    none."""
    python = os.environ.get("TVM_FFI_TORCH_PYTHON", sys.executable)
    ask = ("import torch, torch.utils.cpp_extension as e; print(*e.include_paths(), sep='\\n'); "
           "print(e.library_paths()[0]); print(int(torch._C._GLIBCXX_USE_CXX11_ABI))")
    done = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        *include, library, abi = done.stdout.split("\n")[:-1]
        return [*(word for path in include for word in ("-isystem", path)),
                f"-D_GLIBCXX_USE_CXX11_ABI={abi}"], library
    if pathlib.Path("/usr/include/ATen/DLConvertor.h").exists():
        return [], None
    return f"{python} has no torch, and there is no libtorch-dev"


def check_torch(place):
    found = find_torch()
    if isinstance(found, str):
        return f"skipped PyTorch: {found}"
    options, library = found
    link = ["-lc10", "-ltorch_cpu"]
    if library is not None:
        link = [f"-L{library}", f"-Wl,-rpath,{library}", *link]
    done = compile_code(place, TORCH, options, link)
    assert done.returncode == 0, done.stderr
    done = run_program(place)
    assert (done.returncode, done.stdout) == (0, TORCH_PRINTS), done
    return "checked PyTorch"


def main():
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        for header in "described.h", "torch_tensor.h":
            (place / header).write_text("#pragma once\n" + read_block(header), encoding="utf-8")
        for kind in KINDS:
            print(check_kind(place, kind))
        print(check_torch(place))


main()
