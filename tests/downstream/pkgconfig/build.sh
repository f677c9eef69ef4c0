#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kernel libraries and hosts, with only a compiler and pkg-config:
# sh build.sh [tvm_ffi-static|tvm_ffi-cxx]
set -eux
cc=${CC:-cc} cxx=${CXX:-c++}
runtime=${1:-tvm_ffi}
rpath=-Wl,-rpath,$(pkg-config --variable=libdir tvm_ffi)

$cc -std=c99 -shared -fPIC $(pkg-config --cflags tvm_ffi) kernel.c -o kernel.so
$cxx -std=c++17 -shared -fPIC $(pkg-config --cflags tvm_ffi) add_one.cc -o add_one.so
$cc -std=c99 host.c $(pkg-config --cflags --libs "$runtime") "$rpath" -o host
$cxx -std=c++17 load.cc $(pkg-config --cflags --libs "$runtime") "$rpath" -o load
! pkg-config --exists tvm_ffi-isolated ||
  $cc -std=c99 isolated_host.c $(pkg-config --cflags --libs tvm_ffi-isolated) "$rpath" \
    -o isolated_host
[ "$runtime" != tvm_ffi-cxx ] ||
  $cxx -std=c++17 cxx_host.cc $(pkg-config --cflags --libs "$runtime") -o cxx_host
