/* SPDX-License-Identifier: Apache-2.0 */
/* c/core: counts of references, data types from and to text. */
#include "core/any.h"
#include "core/error.h"
#include "core/string_object.h"
#include "prove.h"
#include "stubs.h"

/* ---- Data types ---- */

static char printed[32];
static size_t printed_size;

/* No registered type is known. */
int TVMFFIFunctionGetGlobal(const TVMFFIByteArray *name, TVMFFIObjectHandle *out) {
  (void)name;
  *out = NULL;
  return 0;
}

static int store_dtype_text(const char *text, size_t size, TVMFFIAny *out);
static int find_custom(const char *name, size_t size, uint8_t *code);

#include "core/dtype.c"

static int store_dtype_text(const char *text, size_t size, TVMFFIAny *out) {
  PROVE(size < sizeof printed);
  memcpy(printed, text, sizeof printed);
  printed_size = size;
  *out = tvmffi_any_none();
  return 0;
}

static int find_custom(const char *name, size_t size, uint8_t *code) {
  size_t i = choose_up_to(8);
  if (i < size) PROVE(name[i] != '\0' && name[i] != ']');
  *code = (uint8_t)choose_up_to(UINT8_MAX);
  return choose_bool() ? 0 : tvmffi_fail("ValueError", "");
}

static void prove_dtype_text(size_t most) {
  char text[12];
  DLDataType dtype;
  TVMFFIByteArray source;
  int code;
  choose_bytes(text, sizeof text);
  source.size = choose_up_to(most);
  source.data = text + sizeof text - source.size;
  code = TVMFFIDataTypeFromString(&source, &dtype);
  PROVE((code != 0) == (num_failures > 0));
  if (code == 0 && source.size != 0 && dtype.code != kDLOpaqueHandle) PROVE(dtype.bits > 0);
}

void prove_dtype_from_text(void) {
  prove_dtype_text(4);
}

void prove_dtype_read_number(void) {
  char text[12];
  dtype_source source;
  uint32_t value = 0;
  size_t num_digits, size = choose_up_to(sizeof text);
  choose_bytes(text, sizeof text);
  memset(&source, 0, sizeof source);
  source.next = text + sizeof text - size;
  source.end = text + sizeof text;
  if (read_number(&source, &value, &num_digits) == 0) PROVE(num_digits <= size);
  PROVE(source.next <= source.end);
}

/* All types but registered ones: the text fits, and it is the type again. */
void prove_dtype_to_text(void) {
  DLDataType dtype;
  TVMFFIAny out;
  dtype.code = (uint8_t)choose_up_to(kDTypeFirstCustom - 1);
  dtype.bits = (uint8_t)choose_up_to(UINT8_MAX);
  dtype.lanes = (uint16_t)choose_up_to(UINT16_MAX);
  PROVE((TVMFFIDataTypeToString(&dtype, &out) == 0) == (dtype.code < kDTypeNumNames));
  if (dtype.code < kDTypeNumNames) PROVE(printed_size < kMaxText);
}

/* The number of lanes that is written is read again. */
void prove_dtype_lanes(void) {
  char text[kMaxLanesText];
  dtype_source source;
  const uint16_t lanes = (uint16_t)choose_up_to(UINT16_MAX);
  uint16_t again = 1;
  ASSUME(lanes != 0);
  memset(&source, 0, sizeof source);
  source.next = text;
  source.end = write_lanes(text, lanes);
  PROVE(source.end < text + sizeof text);
  PROVE(parse_lanes(&source, true, &again) == 0 && again == lanes && source.next == source.end);
}

/* ---- Counts ---- */

#include "core/object.h"

static bool is_destroyed, is_freed;

static void count_deletes(void *self, int flags) {
  TVMFFIObject *object = self;
  PROVE(!is_freed);
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskStrong) != 0) {
    PROVE(!is_destroyed);
    is_destroyed = true;
  }
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskWeak) != 0) {
    is_freed = true;
    object->deleter = NULL;
  }
}

#include "core/object.c"

int tvmffi_live_enabled;

/* One strong reference and one weak one; four steps, each on what is held. */
void prove_object_counts(void) {
  TVMFFIObject object;
  size_t strong = 1, weak = 0, step;
  object.combined_ref_count = TVMFFI_BOTH_ONE;
  object.type_index = kTVMFFIStaticObjectBegin;
  object.deleter = count_deletes;
  for (step = 0; step < 4; ++step) {
    const size_t kind = choose_up_to(3);
    if (kind == 0 && strong > 0) {
      tvmffi_object_retain(&object);
      ++strong;
    } else if (kind == 1 && strong > 0) {
      tvmffi_object_release_inline(&object);
      --strong;
    } else if (kind == 2 && strong > 0) {
      object.combined_ref_count += TVMFFI_WEAK_ONE; /* as clients do */
      ++weak;
    } else if (kind == 3 && weak > 0) {
      const uint64_t old = object.combined_ref_count;
      object.combined_ref_count -= TVMFFI_WEAK_ONE;
      if (old == TVMFFI_WEAK_ONE) count_deletes(&object, kTVMFFIObjectDeleterFlagBitMaskWeak);
      --weak;
    }
    PROVE(is_destroyed == (strong == 0));
    PROVE(is_freed == (strong == 0 && weak == 0));
    if (strong > 0) PROVE(tvmffi_object_is_unique(&object) == (strong == 1 && weak == 0));
  }
}
