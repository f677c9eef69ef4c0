/* SPDX-License-Identifier: Apache-2.0 */
#include "container/lend.h"
#include "core/any.h"
#include "core/error.h"
#include "core/function.h"
#include "core/object.h"
#include "core/type.h"
#include "reflect/frontend_type.h"
#include "reflect/register.h"

int tvmffi_frontend_getter(int32_t static_type_index, TVMFFIFieldGetter *out) {
  *out = tvmffi_getter_find(static_type_index);
  if (*out != NULL) return 0;
  return tvmffi_fail("ValueError", "Unsupported field type index for getter: %d",
                     (int)static_type_index);
}

typedef struct {
  tvmffi_own_function base;
  int32_t static_type_index;
  void *converter;
  tvmffi_frontend_convert convert;
} setter_function;

/* Checks that the converter, which is foreign code, returned a value that fits the storage. */
static int check_converted(int32_t static_type_index, const TVMFFIAny *value) {
  bool fits = true;
  switch (static_type_index) {
    case kTVMFFIInt:
    case kTVMFFIBool:
      fits = value->type_index == kTVMFFIInt || value->type_index == kTVMFFIBool;
      break;
    case kTVMFFIFloat:
    case kTVMFFIDataType:
    case kTVMFFIDevice:
      fits = value->type_index == static_type_index;
      break;
    case kTVMFFIOpaquePtr:
      fits = value->type_index == kTVMFFIOpaquePtr || value->type_index == kTVMFFINone;
      break;
    default:
      if (static_type_index >= kTVMFFIStaticObjectBegin) {
        fits = value->type_index >= kTVMFFIStaticObjectBegin || value->type_index == kTVMFFINone;
      }
  }
  return fits ? 0 : tvmffi_any_fail_conversion(value, tvmffi_type_key(static_type_index));
}

/*
 * Guarded, because a structural walk may have lent the old value to the code that sets the field.
 */
static void release_old(TVMFFIAny *old) {
  tvmffi_lend_guard guard = tvmffi_lend_begin_guard();
  tvmffi_any_release(old);
  tvmffi_lend_end_guard(guard);
}

/*
 * Takes the value. The old value is released last, because its destructor may look at the object.
 */
static int store(int32_t static_type_index, void *field, TVMFFIAny *value) {
  TVMFFIAny old = tvmffi_any_none();
  TVMFFI_TRY(check_converted(static_type_index, value));
  switch (static_type_index) {
    case kTVMFFIInt:
      *(int64_t *)field = value->v_int64;
      break;
    case kTVMFFIBool:
      *(unsigned char *)field = value->v_int64 != 0;
      break;
    case kTVMFFIFloat:
      *(double *)field = value->v_float64;
      break;
    case kTVMFFIOpaquePtr:
      *(void **)field = value->type_index == kTVMFFINone ? NULL : value->v_ptr;
      break;
    case kTVMFFIDataType:
      *(DLDataType *)field = value->v_dtype;
      break;
    case kTVMFFIDevice:
      *(DLDevice *)field = value->v_device;
      break;
    case kTVMFFIAny:
    case kTVMFFINone:
      old = *(TVMFFIAny *)field;
      *(TVMFFIAny *)field = *value;
      break;
    default:
      old = tvmffi_any_object(*(TVMFFIObject **)field);
      *(TVMFFIObject **)field = value->type_index == kTVMFFINone ? NULL : value->v_obj;
  }
  *value = tvmffi_any_none();
  if (old.type_index >= kTVMFFIStaticObjectBegin) release_old(&old);
  return 0;
}

static int call_setter(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  const setter_function *setter = self;
  TVMFFIAny value = tvmffi_any_none();
  int rc;
  (void)result;
  if (num_args != 2 || args[0].type_index != kTVMFFIOpaquePtr || args[0].v_ptr == NULL) {
    return tvmffi_fail("TypeError",
                       "A field setter expects a field address (`void*`) and a value but got %d "
                       "arguments, the first `%s`",
                       (int)num_args, num_args > 0 ? tvmffi_any_type_name(&args[0]) : "missing");
  }
  if (tvmffi_getter_find(setter->static_type_index) == NULL) {
    return tvmffi_fail("ValueError", "Unsupported field type index for setter: %d",
                       (int)setter->static_type_index);
  }
  rc = setter->convert(setter->converter, &args[1], &value);
  rc = rc != 0 ? tvmffi_function_check_raised(rc)
               : store(setter->static_type_index, args[0].v_ptr, &value);
  tvmffi_any_release(&value);
  return rc;
}

TVMFFIObject *tvmffi_frontend_setter(int32_t static_type_index, void *converter,
                                     tvmffi_frontend_convert convert) {
  setter_function *setter =
      tvmffi_object_new(sizeof *setter, kTVMFFIFunction, tvmffi_object_delete_plain);
  if (setter == NULL) return NULL;
  tvmffi_own_function_init(&setter->base, call_setter);
  setter->static_type_index = static_type_index;
  setter->converter = converter;
  setter->convert = convert;
  return &setter->base.header;
}
