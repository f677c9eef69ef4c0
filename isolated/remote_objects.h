/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects that two processes know of each other by numbers. An import is an object of the other
 * side that something here refers to; an export is one of this side that the other refers to. The
 * side that has exported an object gives its number out, and keeps the object until a message says
 * that it was released.
 */
#ifndef TVM_FFI_ISOLATED_REMOTE_OBJECTS_H_
#define TVM_FFI_ISOLATED_REMOTE_OBJECTS_H_

#include "peer.h"

/* Counts one more import, and reserves what is needed to release it later. */
int import_begin(peer *self);
/* There was no such object after all. */
void import_cancel(peer *self);
/* An import has died here, in any thread: the next message says so. */
void import_end(peer *self, uint32_t number);
/* A function of the other side, as a Function of this one. */
int import_function(peer *owner, uint32_t number, TVMFFIObjectHandle *out);

/* Keeps an object for the other side. Its number; 0 without memory. */
uint32_t export_begin(peer *self, TVMFFIObjectHandle object);
/* [borrow] The object with a number from the other side; NULL: it has none. */
TVMFFIObjectHandle export_find(const peer *self, uint32_t number);
/* Releases it. No such number: nothing happens. */
void export_end(peer *self, uint32_t number);

#endif /* TVM_FFI_ISOLATED_REMOTE_OBJECTS_H_ */
