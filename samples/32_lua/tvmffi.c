/* SPDX-License-Identifier: Apache-2.0 */
/* A module of Lua 5.4: load(path, name) gives a kernel, tensor(table) gives a tensor of doubles.
 *
 * An error of Lua is a longjmp, and so is running out of memory in almost every function of Lua. It
 * must not jump over frames of a kernel, and whatever it jumps over must be owned by Lua. So all
 * handles are in userdata, and what a kernel calls goes through lua_pcall. */
#include <lauxlib.h>
#include <lua.h>
#include <tvm/ffi/c.h>

static const char kKernel[] = "tvmffi.kernel", kTensor[] = "tvmffi.tensor";
static const char kCallback[] = "tvmffi.callback";
enum { MAX_ARGS = 16 };

/* Raises the error of this thread as an error of Lua. */
static int raise_error(lua_State *L) {
  char text[512];
  tvm_ffi_error_format_raised(text, sizeof text);
  return luaL_error(L, "%s", text);
}

/* ---- Functions of Lua, called by kernels ---- */

/* The state of a Function. A kernel may keep that longer than the call that it was passed to. */
typedef struct {
  lua_State *L; /* NULL when the call is over */
  int reference;
} callback;

typedef struct {
  TVMFFIObjectHandle function;
  callback *state;
} callback_userdata;

typedef struct {
  const tvm_ffi_args *args;
  int reference;
  double result;
} callback_call;

/* Errors jump from here to the lua_pcall below. */
static int call_protected(lua_State *L) {
  callback_call *call = (callback_call *)lua_touserdata(L, 1);
  const int count = call->args->num_args;
  int i;
  luaL_checkstack(L, count + 1, "too many arguments");
  lua_rawgeti(L, LUA_REGISTRYINDEX, call->reference);
  for (i = 0; i < count; ++i) {
    double value;
    if (!tvm_ffi_any_try_double(&call->args->args[i], &value)) {
      return luaL_error(L, "argument %d of the callback is not a number", i + 1);
    }
    lua_pushnumber(L, value);
  }
  lua_call(L, count, 1);
  if (!lua_isnumber(L, -1)) return luaL_error(L, "the callback must return a number");
  call->result = lua_tonumber(L, -1);
  return 0;
}

/* What the kernel calls. */
TVM_FFI_C_FUNCTION(call_lua, "(float...) -> float") {
  const callback *self = (const callback *)args->self;
  lua_State *L = self->L;
  callback_call call = {args, self->reference, 0};
  TVM_FFI_C_CHECK(L != NULL, TVM_FFI_C_RUNTIME_ERROR, "the callback's call is over");
  TVM_FFI_C_CHECK(lua_checkstack(L, 2), TVM_FFI_C_RUNTIME_ERROR, "the stack of Lua is full");
  lua_pushcfunction(L, call_protected);
  lua_pushlightuserdata(L, &call);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "not a string";
    (void)tvm_ffi_error_raise("LuaError", "%s", text);
    lua_pop(L, 1);
    return -1;
  }
  return tvm_ffi_args_return(args, tvm_ffi_any_from_double(call.result));
}

/* Replaces a function in the stack by userdata with a Function that calls it. */
static TVMFFIObjectHandle push_callback(lua_State *L, int index) {
  callback_userdata *self = (callback_userdata *)lua_newuserdatauv(L, sizeof *self, 0);
  int code = 0;
  self->function = NULL;
  self->state = NULL;
  luaL_setmetatable(L, kCallback);
  self->state = (callback *)malloc(sizeof *self->state);
  if (self->state == NULL) luaL_error(L, "out of memory");
  self->state->L = L;
  self->state->reference = LUA_NOREF;
  code = TVMFFIFunctionCreate(self->state, call_lua, free, &self->function);
  if (code != 0) {
    free(self->state);
    self->state = NULL;
    raise_error(L);
  }
  lua_pushvalue(L, index);
  self->state->reference = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_replace(L, index);
  return self->function;
}

/* At the end of the call; or by the collector, when an error has ended it earlier. */
static int close_callback(lua_State *L) {
  callback_userdata *self = (callback_userdata *)luaL_checkudata(L, 1, kCallback);
  if (self->state == NULL) return 0;
  luaL_unref(L, LUA_REGISTRYINDEX, self->state->reference);
  self->state->L = NULL;
  self->state = NULL;
  tvm_ffi_object_release(self->function);
  return 0;
}

/* ---- Kernels ---- */

static TVMFFIAny to_any(lua_State *L, int index) {
  DLTensor *tensor = (DLTensor *)luaL_testudata(L, index, kTensor);
  TVMFFIObjectHandle *kernel = (TVMFFIObjectHandle *)luaL_testudata(L, index, kKernel);
  const char *text;
  size_t size;
  if (tensor != NULL) return tvm_ffi_any_view_tensor(tensor);
  if (kernel != NULL) return tvm_ffi_any_view_object(*kernel);
  switch (lua_type(L, index)) {
    case LUA_TNIL:
      return tvm_ffi_any_none();
    case LUA_TBOOLEAN:
      return tvm_ffi_any_from_bool(lua_toboolean(L, index));
    case LUA_TNUMBER:
      if (lua_isinteger(L, index)) return tvm_ffi_any_from_int64(lua_tointeger(L, index));
      return tvm_ffi_any_from_double(lua_tonumber(L, index));
    case LUA_TSTRING:
      text = lua_tolstring(L, index, &size);
      luaL_argcheck(L, strlen(text) == size, index - 1, "the string contains a zero byte");
      return tvm_ffi_any_view_string(text);
    case LUA_TFUNCTION:
      return tvm_ffi_any_view_object(push_callback(L, index));
    default:
      luaL_argerror(L, index - 1, "no value that a kernel takes");
      return tvm_ffi_any_none();
  }
}

/* kernel(...): the arguments are above the kernel on the stack. */
static int call_kernel(lua_State *L) {
  TVMFFIObjectHandle *kernel = (TVMFFIObjectHandle *)luaL_checkudata(L, 1, kKernel);
  const int count = lua_gettop(L) - 1;
  TVMFFIAny args[MAX_ARGS], result = tvm_ffi_any_none();
  bool boolean;
  double number;
  int i, code;
  luaL_argcheck(L, count <= MAX_ARGS, MAX_ARGS + 1, "too many arguments");
  luaL_checkstack(L, 4, NULL);
  for (i = 0; i < count; ++i) args[i] = to_any(L, i + 2);
  code = tvm_ffi_function_call(*kernel, args, count, &result);
  for (i = 0; i < count; ++i) {
    if (luaL_testudata(L, i + 2, kCallback) == NULL) continue;
    lua_pushcfunction(L, close_callback);
    lua_pushvalue(L, i + 2);
    lua_call(L, 1, 0);
  }
  if (code != 0) return raise_error(L);
  if (tvm_ffi_any_is_none(&result)) {
    return 0;
  } else if (result.type_index == kTVMFFIInt) {
    lua_pushinteger(L, result.v_int64);
  } else if (result.type_index == kTVMFFIBool && tvm_ffi_any_try_bool(&result, &boolean)) {
    lua_pushboolean(L, boolean);
  } else if (tvm_ffi_any_try_double(&result, &number)) {
    lua_pushnumber(L, number);
  } else {
    const char *type = tvm_ffi_any_get_type_name(&result);
    tvm_ffi_any_clear(&result);
    return luaL_error(L, "results of type %s are not supported", type);
  }
  return 1;
}

static int release_kernel(lua_State *L) {
  TVMFFIObjectHandle *kernel = (TVMFFIObjectHandle *)luaL_checkudata(L, 1, kKernel);
  tvm_ffi_object_release(*kernel);
  *kernel = NULL; /* another object's __gc may still call it */
  return 0;
}

/* load(path, name) */
static int load(lua_State *L) {
  const char *path = luaL_checkstring(L, 1), *name = luaL_checkstring(L, 2);
  TVMFFIObjectHandle *kernel = (TVMFFIObjectHandle *)lua_newuserdatauv(L, sizeof *kernel, 0);
  *kernel = NULL;
  luaL_setmetatable(L, kKernel);
  if (tvm_ffi_module_load_function(path, name, kernel) != 0) return raise_error(L);
  return 1;
}

/* ---- Tensors: userdata, whose memory Lua collects. A kernel gets a view, and cannot keep it. ----
 */

typedef struct {
  DLTensor view; /* first: the userdata is used as a DLTensor */
  int64_t shape[1], strides[1];
  double data[1]; /* more follow */
} tensor;

/* tensor(table) */
static int create_tensor(lua_State *L) {
  const lua_Integer count = (lua_Integer)lua_rawlen(L, 1);
  lua_Integer i;
  tensor *self;
  luaL_checktype(L, 1, LUA_TTABLE);
  self = (tensor *)lua_newuserdatauv(L, sizeof *self + (size_t)count * sizeof(double), 0);
  luaL_setmetatable(L, kTensor);
  self->shape[0] = count;
  tvm_ffi_tensor_init(&self->view, self->data, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT64, 1,
                      self->shape, self->strides);
  for (i = 0; i < count; ++i) {
    lua_geti(L, 1, i + 1);
    self->data[i] = luaL_checknumber(L, -1);
    lua_pop(L, 1);
  }
  return 1;
}

/* tensor[i]; nil after the last one. */
static int get_element(lua_State *L) {
  const tensor *self = (const tensor *)luaL_checkudata(L, 1, kTensor);
  const lua_Integer i = luaL_checkinteger(L, 2);
  if (i < 1 || i > self->shape[0]) return 0;
  lua_pushnumber(L, self->data[i - 1]);
  return 1;
}

static int get_length(lua_State *L) {
  lua_pushinteger(L, ((const tensor *)luaL_checkudata(L, 1, kTensor))->shape[0]);
  return 1;
}

static void create_type(lua_State *L, const char *name, const luaL_Reg *methods) {
  luaL_newmetatable(L, name);
  luaL_setfuncs(L, methods, 0);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable"); /* so that a program cannot call __gc */
  lua_pop(L, 1);
}

LUAMOD_API int luaopen_tvmffi(lua_State *L) {
  static const luaL_Reg kernels[] = {{"__call", call_kernel}, {"__gc", release_kernel}, {0, 0}};
  static const luaL_Reg callbacks[] = {{"__gc", close_callback}, {0, 0}};
  static const luaL_Reg tensors[] = {{"__index", get_element}, {"__len", get_length}, {0, 0}};
  static const luaL_Reg functions[] = {{"load", load}, {"tensor", create_tensor}, {0, 0}};
  create_type(L, kKernel, kernels);
  create_type(L, kCallback, callbacks);
  create_type(L, kTensor, tensors);
  luaL_newlib(L, functions);
  return 1;
}
