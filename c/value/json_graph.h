/* SPDX-License-Identifier: Apache-2.0 */
/* Values and all they hold as a JSON value, and back: abi/04 section 6. */
#ifndef TVMFFI_VALUE_JSON_GRAPH_H_
#define TVMFFI_VALUE_JSON_GRAPH_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

/* The graph of a view as an owned Map; metadata, unless None, becomes its last entry. */
int tvmffi_json_graph_write(const TVMFFIAny *value, const TVMFFIAny *metadata, TVMFFIAny *out);

/* The value that a graph is of, owned. */
int tvmffi_json_graph_read(const TVMFFIAny *graph, TVMFFIAny *out);

/* ---- Between the files of it --------------------------------------------------------------------
 */

/* Whether values of a field are in the object's own data, not nodes. */
bool tvmffi_json_graph_is_inline(const TVMFFIFieldInfo *field);

/* The integer of a decimal text. */
int tvmffi_json_graph_read_bigint(const TVMFFIAny *data, TVMFFIAny *out);

/* base64.c: standard, with padding. Owned texts and bytes; InternalError for what is none. */
int tvmffi_base64_encode(const char *data, size_t size, TVMFFIAny *out);
int tvmffi_base64_decode(const char *text, size_t size, TVMFFIAny *out);

#endif /* TVMFFI_VALUE_JSON_GRAPH_H_ */
