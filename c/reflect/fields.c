/* SPDX-License-Identifier: Apache-2.0 */
#include "reflect/fields.h"

#include "base/buf.h"
#include "core/any.h"
#include "core/error.h"
#include "core/function.h"
#include "core/type.h"
#include "platform/atomic.h"
#include "reflect/builtin_objects.h"
#include "reflect/register.h"

/* ---- Iterating ---- */

void tvmffi_field_first(tvmffi_field_cursor *cursor, const TVMFFITypeInfo *type) {
  cursor->type = type;
  cursor->depth = 1;
  cursor->next = 0;
}

/* ---- Reading and writing ---- */

static void *address_of_field(const TVMFFIFieldInfo *field, const TVMFFIObject *obj) {
  union {
    const char *readonly;
    void *writable;
  } address;
  address.readonly = (const char *)obj + field->offset;
  return address.writable;
}

int tvmffi_field_get(const TVMFFIFieldInfo *field, const TVMFFIObject *obj, TVMFFIAny *out) {
  int rc;
  *out = tvmffi_any_none();
  if (field->getter == NULL) {
    return tvmffi_fail("TypeError", "Field `%s` has no getter", field->name.data);
  }
  rc = field->getter(address_of_field(field, obj), out);
  return TVMFFI_LIKELY(rc == 0) ? 0 : tvmffi_function_check_raised(rc);
}

bool tvmffi_field_get_plain(const TVMFFIFieldInfo *field, const TVMFFIObject *obj, TVMFFIAny *out) {
  return field->field_static_type_index < kTVMFFIStaticObjectBegin && field->getter != NULL &&
         field->getter == tvmffi_getter_find(field->field_static_type_index) &&
         tvmffi_field_get(field, obj, out) == 0;
}

int tvmffi_field_set(const TVMFFIFieldInfo *field, TVMFFIObject *obj, const TVMFFIAny *value) {
  union {
    void *address;
    TVMFFIFieldSetter function;
  } setter;
  TVMFFIAny args[2], result;
  int rc;
  if (field->setter == NULL) {
    return tvmffi_fail("TypeError", "Field `%s` has no setter", field->name.data);
  }
  if (!(field->flags & kTVMFFIFieldFlagBitSetterIsFunctionObj)) {
    setter.address = field->setter;
    rc = setter.function(address_of_field(field, obj), value);
    return TVMFFI_LIKELY(rc == 0) ? 0 : tvmffi_function_check_raised(rc);
  }
  args[0] = tvmffi_any_ptr(kTVMFFIOpaquePtr, address_of_field(field, obj));
  args[1] = *value;
  rc = tvmffi_function_call_foreign(field->setter, args, 2, &result);
  tvmffi_any_release(&result);
  return rc;
}

int tvmffi_field_default(const TVMFFIFieldInfo *field, TVMFFIAny *out) {
  const TVMFFIAny *value = &field->default_value_or_factory;
  if (field->flags & kTVMFFIFieldFlagBitMaskDefaultFromFactory) {
    if (value->type_index != kTVMFFIFunction) {
      return tvmffi_fail("TypeError", "the default factory of field `%.*s` is not a Function",
                         tvmffi_shown_size(field->name.size), field->name.data);
    }
    return tvmffi_function_call_foreign(value->v_obj, NULL, 0, out);
  }
  *out = tvmffi_any_copy(value);
  return 0;
}

int tvmffi_field_set_default(const TVMFFIFieldInfo *field, TVMFFIObject *obj) {
  TVMFFIAny value;
  int rc;
  TVMFFI_TRY(tvmffi_field_default(field, &value));
  rc = tvmffi_field_set(field, obj, &value);
  tvmffi_any_release(&value);
  return rc;
}

/* ---- Objects ---- */

/*
 * The object is checked to be an instance of the type, because the type's fields will be set in it.
 */
static int create_by_attribute(const TVMFFIAny *create, const tvmffi_type_record *record,
                               TVMFFIObject **out) {
  TVMFFIAny made;
  TVMFFI_TRY(tvmffi_function_call_foreign(create->v_obj, NULL, 0, &made));
  if (!tvmffi_type_is_instance(made.type_index, record->info.type_index)) {
    (void)tvmffi_fail("TypeError", "__ffi_new__ of `%s` gave `%s`", record->key.data,
                      tvmffi_any_type_name(&made));
    tvmffi_any_release(&made);
    return -1;
  }
  *out = made.v_obj;
  return 0;
}

int tvmffi_reflect_create(int32_t type_index, TVMFFIObject **out) {
  const tvmffi_type_record *record = tvmffi_type_require(type_index);
  const TVMFFITypeMetadata *metadata;
  const TVMFFIAny *create;
  *out = NULL;
  if (record == NULL) return -1;
  metadata = tvmffi_atomic_load_acquire_ptr(&record->info.metadata);
  if (metadata != NULL && metadata->creator != NULL) {
    TVMFFIObjectHandle made = NULL;
    int rc = metadata->creator(&made);
    *out = rc == 0 ? made : NULL;
    return rc == 0 ? 0 : tvmffi_function_check_raised(rc);
  }
  create = tvmffi_type_find_attr(kTvmffiAttrNew, type_index);
  if (create != NULL && create->type_index == kTVMFFIFunction) {
    return create_by_attribute(create, record, out);
  }
  return tvmffi_fail("RuntimeError",
                     "Type `%s` does not support reflection creation (no native creator or "
                     "__ffi_new__ type attr)",
                     record->key.data);
}
