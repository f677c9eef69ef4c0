/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers say about graphs and arrays that are wrong. */
#include "graph.h"
#include "npy.h"

static const char *const graphs[] = {
    "input x[n]\noutput y[n]\nsymbol absent(x, y)\n",
    "input x[n]\noutput y[m]\n",
    "input x[n\n",
    "input x[n]\ninput x[n]\n",
    "input x[0]\n",
    "input x[1, 2, 3, 4, 5]\n",
    "weight w[3]\n",
    "weight w[n]\n",
    "input x[n]\nweight w[n]\n",
    "weight w[1]\n",
    "tensor x[n]\n",
    "input a_name_that_is_longer_than_thirty_one[n]\n",
    "input x[n] y\n",
    "weight w[2]\nglobal no.such.function(w)\n",
    "weight w[2]\nglobal ffi.SystemLib(v)\n",
    "weight w[2]\nglobal ffi.SystemLib(w, w, w, w, w, w, w, w, w)\n",
};

/* A header of version 1, and two floats. */
static const char *const headers[] = {
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }",
    "{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2,",
    "{'descr': '<f4', 'fortran_order': False}",
};

static void read_graph(const char *text) {
  static const graph_symbol symbols[] = {{NULL, NULL}};
  static const float weights[2] = {1, 2};
  Graph *graph;
  if (graph_create(text, weights, 2, symbols, NULL, &graph) != 0) {
    tvm_ffi_error_print_raised(stdout);
  } else {
    printf("read: %s", text);
    graph_free(graph);
  }
}

static void read_array(const unsigned char *bytes, size_t size) {
  float *values;
  int64_t count;
  if (npy_read_float32(bytes, size, &values, &count) != 0) {
    tvm_ffi_error_print_raised(stdout);
  } else {
    printf("read: %g %g\n", values[0], values[count - 1]);
    free(values);
  }
}

int main(void) {
  static const unsigned char start[8] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  static const unsigned char floats[8] = {0, 0, 0xc0, 0x3f, 0, 0, 0x20, 0xc0}; /* 1.5, -2.5 */
  unsigned char bytes[256];
  size_t i, length, size = 0;
  for (i = 0; i < sizeof graphs / sizeof *graphs; ++i) read_graph(graphs[i]);
  for (i = 0; i < sizeof headers / sizeof *headers; ++i) {
    length = strlen(headers[i]);
    memcpy(bytes, start, sizeof start);
    bytes[8] = (unsigned char)length;
    bytes[9] = 0;
    memcpy(bytes + 10, headers[i], length);
    memcpy(bytes + 10 + length, floats, sizeof floats);
    size = 10 + length + sizeof floats;
    read_array(bytes, size);
  }
  for (i = 0; i < 14; i += 4) read_array(bytes, i); /* cut off */
  return 0;
}
