/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between two processes, and how they are written (writer.c) and read (reader.c).
 *
 * A message is a sequence of words of 8 bytes, behind which elements of tensors may lie:
 *
 *     word 0   the operation; from bit 32 on the number of released objects
 *     word 1   what is called, a number that the receiver has given out; from bit 32 on the number
 *              of arguments
 *     word 2   the number of the host's call that the message belongs to: a new one, larger than
 *              all before, for a call of the host; for its answer, and for callbacks and their
 *              answers, the same again
 *     ...      the numbers of released objects, one word each
 *     ...      values: a word with the tag, then what belongs to it
 *
 * The elements of a tensor that is not in shared memory are attached: copied behind the message.
 */
#ifndef TVM_FFI_ISOLATED_MESSAGE_H_
#define TVM_FFI_ISOLATED_MESSAGE_H_

#include "peer.h"

/* The tags of values. */
enum {
  kTagNone,
  kTagInt,
  kTagBool,
  kTagFloat,
  kTagNull, /* a pointer that is NULL */
  kTagDtype,
  kTagDevice,
  kTagText,
  kTagBytes,
  kTagBigInt,
  kTagShape,
  kTagArray,
  kTagList,
  kTagMap,
  kTagDict,
  kTagTensor,
  kTagDLTensor,
  kTagFunction, /* of the sender */
  kTagYours,    /* a function of the receiver */
  kTagArgument, /* the argument with this index of the call that is answered */
  kTagError,
  kNumTags
};

/* Where the elements of a tensor are. */
enum {
  kPlaceAttached, /* behind the message, as long as the call */
  kPlacePool,     /* in the host's memory for all helpers */
  kPlaceHeap,     /* in the receiver's region */
  kPlaceLent      /* in the sender's region, until the receiver releases the object */
};

enum {
  kMessageHead = 3,     /* words before the numbers of released objects */
  kMaxDepth = 100,      /* of containers in containers, and of causes of errors */
  kMaxMessage = 1 << 28 /* of the part of a message that is copied before it is read */
};

/* ---- Writing ---- */

/*
 * Zeros but for the peer; for a call `is_call` and its name, and for an answer the arguments that
 * it answers.
 */
typedef struct {
  peer *peer;
  const char *name; /* of the called function, for errors */
  int32_t argument; /* that is being written */
  size_t begin, at;
  bool is_call;              /* of this side, rather than an answer */
  const TVMFFIAny *answered; /* the arguments of the call that is answered */
  int32_t num_answered;
  struct attached_tensor *attached; /* of writer.c */
  size_t num_attached, attached_capacity;
  uint32_t *exported; /* in this message, to be taken back if it cannot be sent */
  size_t num_exported, exported_capacity;
  size_t num_released; /* that the message tells */
  bool is_sent;
} writer;

/* Begins a message with the objects that died since the last one. */
int writer_begin(writer *w, operation op, uint32_t target, int32_t num_args);
int writer_put(writer *w, const TVMFFIAny *value);
/* An error of any type; NULL: None. */
int writer_put_error(writer *w, TVMFFIObjectHandle error);
/* After the last value: copies the elements of attached tensors behind the message. */
int writer_attach_elements(writer *w);
/* `size` is that of the message without attached elements. */
void writer_send(writer *w, size_t size);
/* After a call that has succeeded: copies what the called function changed into the tensors. */
int writer_copy_back(writer *w);
void writer_end(writer *w);

/* ---- Reading ---- */

/* How tensors of a message are received. */
typedef enum {
  kInPlace,  /* arguments in the helper: the elements are used where they are */
  kCopyBack, /* arguments in the host: copied, and what changed is written back */
  kKeep      /* results: copied, or lent */
} tensor_mode;

typedef struct {
  peer *peer;
  char *copy; /* of the message, in `small` if it fits */
  const char *at, *end;
  uint64_t number;      /* of the host's call */
  uint64_t memory_left; /* in the host: bytes that the message may still make it take */
  uint64_t work;        /* bytes since the last look at the clock */
  operation op;
  uint32_t target;
  int32_t num_args;
  uint64_t structure_end; /* in the sender's region */
  tensor_mode mode;
  struct view *views;       /* of tensors among the arguments; of reader.c */
  const TVMFFIAny *answers; /* the arguments of the call that is answered */
  int32_t num_answers;
  const char *damage; /* what is wrong with the message; then an error may not be raised */
  bool is_late;       /* the deadline has passed; the same */
  bool lacks_memory;  /* the system could not open shared memory */
  char small[512];
} reader;

/*
 * Copies the message that the other side has sent, and reads its beginning. From here on, nothing
 * but elements of tensors is read from the shared memory. -1: it is damaged, or memory ran out.
 */
int reader_begin(reader *r, peer *p);
/* Says what is wrong with the message. Returns -1. */
int reader_set_damage(reader *r, const char *reason);
/* Whether the helper has to end: the message is damaged, or took too long to read. */
bool reader_is_broken(const reader *r);
int reader_get(reader *r, TVMFFIAny *out);
/*
 * After the last argument, before the call: copies the elements of tensors, if they are not used in
 * place. Those that overlap in the other process share their memory.
 */
int reader_copy_arguments(reader *r);
/* After a call, before the answer is written: copies what the called function changed back. */
int reader_write_back(reader *r);
/* After the answer: releases the tensors that were arguments. */
void reader_end_arguments(reader *r);
/* Frees the copy of the message. */
void reader_end(reader *r);

#endif /* TVM_FFI_ISOLATED_MESSAGE_H_ */
