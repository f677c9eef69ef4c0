/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversion of values, with all that they hold, to a JSON value and back:
 * docs/abi/objects.md#graphs-as-json.
 */
#ifndef TVMFFI_JSON_JSON_GRAPH_H_
#define TVMFFI_JSON_JSON_GRAPH_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

/* Writes a view as an owned Map; metadata, unless None, becomes its last entry. */
int tvmffi_json_graph_write(const TVMFFIAny *value, const TVMFFIAny *metadata, TVMFFIAny *out);

/* Reads the value back from a graph; *out is owned. */
int tvmffi_json_graph_read(const TVMFFIAny *graph, TVMFFIAny *out);

/* ---- Shared by the files of JSON graphs ---- */

/* Standard base64 with padding. Results are owned; InternalError for invalid text. */
int tvmffi_base64_encode(const char *data, size_t size, TVMFFIAny *out);
int tvmffi_base64_decode(const char *text, size_t size, TVMFFIAny *out);

#endif /* TVMFFI_JSON_JSON_GRAPH_H_ */
