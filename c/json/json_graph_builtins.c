/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in functions and attributes of JSON graphs. */
#include "core/any.h"
#include "core/bigint.h"
#include "core/error.h"
#include "core/string_object.h"
#include "json/json.h"
#include "json/json_graph.h"

static int to_graph(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)num_args;
  return tvmffi_json_graph_write(&args[0], &args[1], result);
}

static int from_graph(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)num_args;
  return tvmffi_json_graph_read(&args[0], result);
}

static int to_text(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIAny graph;
  int rc;
  (void)num_args;
  TVMFFI_TRY(tvmffi_json_graph_write(&args[0], &args[1], &graph));
  rc = tvmffi_json_write(&graph, 0, 0, result);
  tvmffi_any_release(&graph);
  return rc;
}

static int from_text(const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIByteArray text = tvmffi_builtin_text(&args[0]);
  TVMFFIAny graph;
  int rc;
  (void)num_args;
  TVMFFI_TRY(tvmffi_json_parse(text.data, text.size, &graph));
  rc = tvmffi_json_graph_read(&graph, result);
  tvmffi_any_release(&graph);
  return rc;
}

#define FUNCTIONS(F)                          \
  F("ffi.ToJSONGraph", "aa>a", to_graph)      \
  F("ffi.ToJSONGraphString", "aa>s", to_text) \
  F("ffi.FromJSONGraph", "a>a", from_graph)   \
  F("ffi.FromJSONGraphString", "s>a", from_text)

TVMFFI_BUILTIN_GROUP(tvmffi_json_graph_builtins, FUNCTIONS);

/* ---- ffi.BigInt ---- */

static int bigint_to_json(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  tvmffi_buf text = TVMFFI_BUF_INIT;
  int rc;
  TVMFFI_TRY(tvmffi_attr_check_args(self, "(0: ffi.BigInt) -> str", 1, 1, args, num_args));
  rc = tvmffi_bigint_append_decimal(&text, &args[0]);
  if (rc == 0) {
    rc = text.failed ? tvmffi_fail_memory() : tvmffi_string_to_any(text.data, text.size, result);
  }
  tvmffi_buf_fini(&text);
  return rc;
}

static int bigint_from_json(void *self, const TVMFFIAny *args, int32_t num_args,
                            TVMFFIAny *result) {
  TVMFFI_TRY(tvmffi_attr_check_args(self, "(0: Any) -> BigInt", 1, 0, args, num_args));
  return tvmffi_json_graph_read_bigint(&args[0], result);
}

static const tvmffi_builtin_attr kAttrs[] = {
    {kTVMFFIBigInt, kTvmffiAttrDataToJson, false, bigint_to_json, NULL},
    {kTVMFFIBigInt, kTvmffiAttrDataFromJson, false, bigint_from_json, NULL},
};
enum { kNumAttrs = sizeof kAttrs / sizeof *kAttrs };
static tvmffi_attr_function functions[kNumAttrs];

const tvmffi_builtin_attr_group tvmffi_json_graph_attrs = {kAttrs, functions, kNumAttrs};
