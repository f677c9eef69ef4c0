/* SPDX-License-Identifier: Apache-2.0 */
/* A module of nginx: `tvmffi_kernel LIBRARY NAME;` in a location answers `?1,2,3` with what the
 * kernel makes of these numbers. */
#include <ngx_config.h> /* before the others */

#include <ngx_core.h>
#include <ngx_http.h>
#include <stdlib.h>
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_runtime_api.h>

enum { MAX_NUMBERS = 64, MAX_TEXT = 2048 };

typedef struct {
  TVMFFIObjectHandle kernel; /* NULL in locations without one */
} location;

static char *set_kernel(ngx_conf_t *cf, ngx_command_t *command, void *conf);
static void *create_location(ngx_conf_t *cf);
static char *merge_location(ngx_conf_t *cf, void *parent, void *child);

static ngx_command_t commands[] = {
    {ngx_string("tvmffi_kernel"), NGX_HTTP_LOC_CONF | NGX_CONF_TAKE2, set_kernel,
     NGX_HTTP_LOC_CONF_OFFSET, 0, NULL},
    ngx_null_command,
};

static ngx_http_module_t context = {
    NULL, NULL, NULL, NULL, NULL, NULL, create_location, merge_location,
};

ngx_module_t ngx_http_tvmffi_module = {
    NGX_MODULE_V1, &context, commands, NGX_HTTP_MODULE,       NULL, NULL, NULL, NULL,
    NULL,          NULL,     NULL,     NGX_MODULE_V1_PADDING,
};

/* ---- Requests, in workers ---- */

static ngx_int_t reply(ngx_http_request_t *request, ngx_uint_t status, const char *text,
                       size_t length) {
  ngx_chain_t chain = {NULL, NULL};
  ngx_buf_t *buffer = ngx_create_temp_buf(request->pool, length + 1);
  ngx_int_t code;
  if (buffer == NULL) return NGX_HTTP_INTERNAL_SERVER_ERROR;
  buffer->last = ngx_cpymem(buffer->last, text, length);
  *buffer->last++ = '\n';
  buffer->last_buf = request == request->main;
  buffer->last_in_chain = 1;
  chain.buf = buffer;
  request->headers_out.status = status;
  request->headers_out.content_length_n = (off_t)length + 1;
  ngx_str_set(&request->headers_out.content_type, "text/plain");
  request->headers_out.content_type_len = request->headers_out.content_type.len;
  code = ngx_http_send_header(request);
  return code == NGX_ERROR || code > NGX_OK || request->header_only
             ? code
             : ngx_http_output_filter(request, &chain);
}

/* A ValueError is the client's to see, another error the administrator's. */
static ngx_int_t reply_error(ngx_http_request_t *request) {
  char text[MAX_TEXT];
  TVMFFIObjectHandle error = tvm_ffi_error_take();
  size_t length = tvm_ffi_error_format(error, text, sizeof text);
  const bool by_caller = tvm_ffi_error_is(error, TVM_FFI_C_VALUE_ERROR);
  tvm_ffi_object_release(error);
  if (length >= sizeof text) length = sizeof text - 1;
  if (by_caller) return reply(request, NGX_HTTP_BAD_REQUEST, text, length);
  ngx_log_error(NGX_LOG_ERR, request->connection->log, 0, "%s", text);
  return NGX_HTTP_INTERNAL_SERVER_ERROR;
}

/* How many numbers a request has; -1: it has something else, or too many. */
static int64_t parse(const ngx_str_t *from, float *numbers) {
  char text[MAX_TEXT], *at = text, *end;
  int64_t count = 0;
  if (from->len >= sizeof text) return -1;
  memcpy(text, from->data, from->len);
  text[from->len] = '\0';
  while (*at != '\0') {
    if (count == MAX_NUMBERS) return -1;
    numbers[count++] = strtof(at, &end);
    if (end == at || (*end != ',' && *end != '\0')) return -1;
    at = end + (*end == ',');
  }
  return count;
}

static ngx_int_t handle_request(ngx_http_request_t *request) {
  location *self = ngx_http_get_module_loc_conf(request, ngx_http_tvmffi_module);
  const DLDevice cpu = tvm_ffi_device_make(kDLCPU, 0);
  float in[MAX_NUMBERS], out[MAX_NUMBERS];
  tvm_ffi_vector x, y;
  int64_t i, count;
  TVMFFIAny args[2];
  char text[MAX_TEXT];
  size_t length = 0;
  ngx_int_t code;
  if (!(request->method & (NGX_HTTP_GET | NGX_HTTP_HEAD))) return NGX_HTTP_NOT_ALLOWED;
  code = ngx_http_discard_request_body(request);
  if (code != NGX_OK) return code;
  count = parse(&request->args, in);
  if (count < 0) {
    static const char kWanted[] = "numbers with commas between them are wanted, 64 at most";
    return reply(request, NGX_HTTP_BAD_REQUEST, kWanted, sizeof kWanted - 1);
  }
  args[0] = tvm_ffi_vector_init(&y, out, cpu, TVM_FFI_C_FLOAT32, count);
  args[1] = tvm_ffi_vector_init(&x, in, cpu, TVM_FFI_C_FLOAT32, count);
  if (tvm_ffi_function_call_void(self->kernel, args, 2) != 0) return reply_error(request);
  for (i = 0; i < count; ++i) {
    length += (size_t)snprintf(text + length, sizeof text - length, "%s%g", i == 0 ? "" : ",",
                               (double)out[i]);
  }
  return reply(request, NGX_HTTP_OK, text, length);
}

/* ---- Configuration, in the master: at the start, and for each SIGHUP ---- */

static void *create_location(ngx_conf_t *cf) {
  return ngx_pcalloc(cf->pool, sizeof(location));
}

/* `limit_except` and `if` make locations in a location, which inherit its handler. */
static char *merge_location(ngx_conf_t *cf, void *parent, void *child) {
  (void)cf;
  if (((location *)child)->kernel == NULL) *(location *)child = *(location *)parent;
  return NGX_CONF_OK;
}

/* With the last function of a library it is unloaded, so that rebuilt kernels do not pile up. */
static int load(const char *path, const char *name, TVMFFIObjectHandle *out) {
  TVMFFIObjectHandle module;
  int code;
  TVM_FFI_C_TRY(tvm_ffi_module_load(path, &module));
  code = TVMFFIRuntimeModuleAllowUnload(module);
  if (code == 0) code = tvm_ffi_module_get_function(module, name, out);
  tvm_ffi_object_release(module);
  return code;
}

static char *set_kernel(ngx_conf_t *cf, ngx_command_t *command, void *conf) {
  location *self = conf;
  ngx_http_core_loc_conf_t *core = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
  ngx_str_t *words = cf->args->elts; /* they end with a NUL */
  ngx_pool_cleanup_t *cleanup = ngx_pool_cleanup_add(cf->pool, 0);
  (void)command;
  if (self->kernel != NULL) return "is duplicate";
  if (cleanup == NULL) return NGX_CONF_ERROR;
  if (ngx_strncmp(words[1].data, "isolated", 8) != 0 &&
      ngx_conf_full_name(cf->cycle, &words[1], 0) != NGX_OK) {
    return NGX_CONF_ERROR;
  }
  if (load((char *)words[1].data, (char *)words[2].data, &self->kernel) != 0) {
    char text[MAX_TEXT];
    tvm_ffi_error_format_raised(text, sizeof text);
    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "%s", text);
    return NGX_CONF_ERROR; /* and the former configuration stays */
  }
  cleanup->handler = tvm_ffi_object_release; /* when no process uses this configuration any more */
  cleanup->data = self->kernel;
  core->handler = handle_request;
  return NGX_CONF_OK;
}
