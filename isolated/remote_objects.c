/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which objects of the other process this one refers to (imports), and which of its own the other
 * one does (exports). In the host and in the helper.
 */
#define _POSIX_C_SOURCE 200809L
#include "remote_objects.h"

#include <stdlib.h>

/* ---- Imports ---- */

int import_begin(peer *self) {
  int code = 0;
  pthread_mutex_lock(&self->lock);
  if (self->num_imports == self->released_capacity) {
    const size_t capacity = self->released_capacity == 0 ? 16 : 2 * self->released_capacity;
    uint32_t *released = realloc(self->released, capacity * sizeof *released);
    if (released != NULL) {
      self->released = released;
      self->released_capacity = capacity;
    } else {
      code = -1;
    }
  }
  if (code == 0) ++self->num_imports;
  pthread_mutex_unlock(&self->lock);
  return code == 0 ? 0 : tvm_ffi_error_raise_memory();
}

void import_cancel(peer *self) {
  pthread_mutex_lock(&self->lock);
  --self->num_imports;
  pthread_mutex_unlock(&self->lock);
}

void import_end(peer *self, uint32_t number) {
  pthread_mutex_lock(&self->lock);
  self->released[self->num_released++] = number;
  pthread_mutex_unlock(&self->lock);
}

/* A function of the other side, as a Function of this one. */
typedef struct proxy {
  peer *owner;
  TVMFFIObjectHandle object;
  uint32_t number;
  struct proxy *next, *previous; /* of the same owner, under its lock */
} proxy;

static int call_proxy(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  const proxy *self = handle;
  return self->owner->hooks->call(self->owner, self->number, args, num_args, result);
}

static void delete_proxy(void *handle) {
  proxy *self = handle;
  peer *owner = self->owner;
  pthread_mutex_lock(&owner->lock);
  if (self->next != NULL) self->next->previous = self->previous;
  *(self->previous != NULL ? &self->previous->next : &owner->proxies) = self->next;
  pthread_mutex_unlock(&owner->lock);
  import_end(owner, self->number);
  owner->hooks->release(owner);
  free(self);
}

int import_function(peer *owner, uint32_t number, TVMFFIObjectHandle *out) {
  proxy *self = malloc(sizeof *self);
  if (self == NULL) return tvm_ffi_error_raise_memory();
  self->owner = owner;
  self->number = number;
  if (import_begin(owner) != 0) {
    free(self);
    return -1;
  }
  if (TVMFFIFunctionCreate(self, call_proxy, delete_proxy, &self->object) != 0) {
    import_cancel(owner);
    free(self);
    return -1;
  }
  owner->hooks->retain(owner);
  pthread_mutex_lock(&owner->lock);
  self->previous = NULL;
  self->next = owner->proxies;
  if (self->next != NULL) self->next->previous = self;
  owner->proxies = self;
  pthread_mutex_unlock(&owner->lock);
  *out = self->object;
  return 0;
}

uint32_t peer_number_of(peer *self, const TVMFFIAny *value) {
  const proxy *found;
  uint32_t number = 0;
  if (value->type_index != kTVMFFIFunction) return 0;
  pthread_mutex_lock(&self->lock);
  for (found = self->proxies; found != NULL && found->object != value->v_obj; found = found->next) {
    continue;
  }
  if (found != NULL) number = found->number;
  pthread_mutex_unlock(&self->lock);
  return number;
}

/* ---- Exports ---- */

uint32_t export_begin(peer *self, TVMFFIObjectHandle object) {
  uint32_t number = self->first_free;
  if (number != 0) {
    self->first_free = self->exports[number - 1].next_free;
  } else {
    if (self->num_exports == self->exports_capacity) {
      const uint32_t capacity = self->exports_capacity == 0 ? 16 : 2 * self->exports_capacity;
      peer_export *exports = realloc(self->exports, capacity * sizeof *exports);
      if (exports == NULL) return 0;
      self->exports = exports;
      self->exports_capacity = capacity;
    }
    number = ++self->num_exports;
  }
  self->exports[number - 1].object = tvm_ffi_object_retain(object);
  return number;
}

TVMFFIObjectHandle export_find(const peer *self, uint32_t number) {
  return number >= 1 && number <= self->num_exports ? self->exports[number - 1].object : NULL;
}

void export_end(peer *self, uint32_t number) {
  const TVMFFIObjectHandle object = export_find(self, number);
  if (object == NULL) return;
  self->exports[number - 1].object = NULL;
  self->exports[number - 1].next_free = self->first_free;
  self->first_free = number;
  tvm_ffi_object_release(object); /* last, for it may run code that comes back here */
}

void peer_release_exports(peer *self) {
  uint32_t i;
  for (i = 1; i <= self->num_exports; ++i) export_end(self, i);
}

/* ---- Both ---- */

void peer_init(peer *self) {
  pthread_mutex_init(&self->lock, NULL);
}

void peer_fini(peer *self) {
  peer_release_exports(self);
  pthread_mutex_destroy(&self->lock);
  free(self->exports);
  free(self->released);
}
