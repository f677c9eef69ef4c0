/* SPDX-License-Identifier: Apache-2.0 */
/* The errors that say how a helper ended: it crashed, took too long, had no memory, was killed. */
#define _GNU_SOURCE /* recv with MSG_DONTWAIT */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/utf8.h"
#include "process.h"

char *process_show_text(const char *text) {
  static const char digits[] = "0123456789abcdef";
  size_t left = strlen(text), length;
  char *shown = malloc(4 * left + 1), *to = shown;
  if (shown == NULL) return NULL;
  for (; left > 0; left -= length, text += length) {
    length = tvmffi_utf8_measure(text, left);
    if (length != 0) {
      memcpy(to, text, length);
      to += length;
    } else {
      const unsigned char byte = (unsigned char)*text;
      *to++ = '\\';
      *to++ = 'x';
      *to++ = digits[byte >> 4];
      *to++ = digits[byte & 15];
      length = 1;
    }
  }
  *to = '\0';
  return shown;
}

/* Copies a text from shared memory, up to its NUL. */
static void copy_text(const char *from, size_t size, char *to) {
  memcpy(to, from, size);
  to[size - 1] = '\0';
}

/* Printable text at the end of what was printed: control characters become spaces. */
static void clean_text(char *text) {
  unsigned char *c = (unsigned char *)text;
  size_t size;
  for (; *c != '\0'; ++c) {
    if ((*c < ' ' && *c != '\n') || *c >= 0x7f) *c = ' ';
  }
  for (size = strlen(text); size > 0 && (text[size - 1] == '\n' || text[size - 1] == ' ');) {
    text[--size] = '\0';
  }
}

/* The last bytes that the helper printed: those that it has read itself, and what is left. */
static void read_output(process *self, char *out, size_t out_size) {
  enum { kMost = 1 << 20 };
  channel_header *header = self->peer.channel.header;
  uint64_t printed = __atomic_load_n(&header->output_size, __ATOMIC_RELAXED);
  char ring[kOutputRing], bytes[4096];
  size_t size, i, total = 0;
  memcpy(ring, header->output, sizeof ring);
  for (i = 0; i < kOutputPart && ring[printed % kOutputRing] != '\0'; ++i) ++printed;
  size = printed < out_size - 1 ? (size_t)printed : out_size - 1;
  for (i = 0; i < size; ++i) out[i] = ring[(printed - size + i) % kOutputRing];
  while (total < kMost) {
    ssize_t got = recv(self->output, bytes, sizeof bytes, MSG_DONTWAIT);
    size_t kept, more;
    if (got <= 0) break;
    total += (size_t)got;
    more = (size_t)got < out_size - 1 ? (size_t)got : out_size - 1;
    kept = size < out_size - 1 - more ? size : out_size - 1 - more;
    memmove(out, out + size - kept, kept);
    memcpy(out + kept, bytes + got - more, more);
    size = kept + more;
  }
  out[size] = '\0';
  for (i = 0; i < size; ++i) {
    if (out[i] == '\0') out[i] = ' ';
  }
  clean_text(out);
}

static const char *signal_name(int number, char *buffer, size_t size) {
  static const struct {
    int number;
    const char *name;
  } kNames[] = {
      {SIGABRT, "SIGABRT"}, {SIGALRM, "SIGALRM"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
      {SIGHUP, "SIGHUP"},   {SIGILL, "SIGILL"},   {SIGINT, "SIGINT"},   {SIGKILL, "SIGKILL"},
      {SIGPIPE, "SIGPIPE"}, {SIGQUIT, "SIGQUIT"}, {SIGSEGV, "SIGSEGV"}, {SIGSYS, "SIGSYS"},
      {SIGTERM, "SIGTERM"}, {SIGTRAP, "SIGTRAP"}, {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"},
  };
  size_t i;
  for (i = 0; i < sizeof kNames / sizeof *kNames; ++i) {
    if (kNames[i].number == number) return kNames[i].name;
  }
  snprintf(buffer, size, "signal %d", number);
  return buffer;
}

typedef struct {
  const char *kind;
  char text[512];
  int signal; /* 0: none */
} verdict;

static void judge_signal(const process *self, const crash_note *note, int number, verdict *out) {
  char buffer[32];
  out->signal = number;
  out->kind = TVM_FFI_ISOLATED_CRASH_ERROR;
  snprintf(out->text, sizeof out->text, "crashed: %s", signal_name(number, buffer, sizeof buffer));
  if (number == SIGXCPU && self->cpu_seconds > 0) {
    out->kind = TVM_FFI_ISOLATED_TIMEOUT_ERROR;
    snprintf(out->text, sizeof out->text, "took more than %llu s of processor time",
             (unsigned long long)self->cpu_seconds);
  } else if (self->memory > 0 && note->signal != 0 &&
             note->data_bytes > self->memory - self->memory / 8) {
    out->kind = TVM_FFI_ISOLATED_MEMORY_ERROR;
    snprintf(out->text, sizeof out->text,
             "crashed with %llu bytes of memory, of which it may have %llu: %s",
             (unsigned long long)note->data_bytes, (unsigned long long)self->memory,
             signal_name(number, buffer, sizeof buffer));
  } else if (number == SIGKILL) {
    snprintf(out->text, sizeof out->text,
             "was killed by somebody else; perhaps the system had no memory left");
  } else if (note->has_address) {
    const size_t size = strlen(out->text);
    snprintf(out->text + size, sizeof out->text - size, " at address 0x%llx",
             (unsigned long long)note->address);
  }
}

/* As "%g" writes it, with a decimal point in every locale: the host chooses that. */
static const char *write_seconds(double seconds, char *out, size_t capacity) {
  static const char kLetters[] = "0123456789+-e";
  char *point = out;
  size_t size;
  snprintf(out, capacity, "%g", seconds);
  point += strspn(out, kLetters);
  size = strcspn(point, kLetters);
  if (size > 0) {
    *point = '.';
    memmove(point + 1, point + size, strlen(point + size) + 1);
  }
  return out;
}

static void judge_leave(leave_reason reason, verdict *out) {
  out->kind = reason == kLeaveThread ? TVM_FFI_ISOLATED_EXIT_ERROR : TVM_FFI_ISOLATED_CHANNEL_ERROR;
  snprintf(out->text, sizeof out->text, "ended: %s",
           reason == kLeaveThread    ? "a kernel ended the thread that calls it"
           : reason == kLeaveProgram ? "a kernel executed another program, or closed its files"
                                     : "its files were closed, or its memory overwritten");
}

static void judge(const process *self, const crash_note *note, wait_result result, const char *why,
                  bool has_status, int status, verdict *out) {
  const leave_reason leaves =
      (leave_reason)__atomic_load_n(&self->peer.channel.header->leaves, __ATOMIC_RELAXED);
  char seconds[32];
  memset(out, 0, sizeof *out);
  if (result == kWaitTime) {
    out->kind = TVM_FFI_ISOLATED_TIMEOUT_ERROR;
    snprintf(out->text, sizeof out->text, "was killed: it took longer than %s s",
             write_seconds(self->timeout, seconds, sizeof seconds));
  } else if (result == kWaitSignal) {
    out->kind = TVM_FFI_ISOLATED_TIMEOUT_ERROR;
    snprintf(out->text, sizeof out->text, "was killed: the host was interrupted");
  } else if (result == kWaitFailed) {
    const channel *c = &self->peer.channel;
    out->kind = TVM_FFI_ISOLATED_CHANNEL_ERROR;
    snprintf(out->text, sizeof out->text, "was killed: the host cannot go on with it: %s%s%s",
             why != NULL ? why : c->failed, why != NULL ? "" : ": ",
             why != NULL ? "" : strerror(c->reason));
  } else if (result == kWaitDamaged) {
    out->kind = TVM_FFI_ISOLATED_CHANNEL_ERROR;
    snprintf(out->text, sizeof out->text, "was killed: what it sent is damaged: %s",
             why != NULL ? why : "it is nobody's turn");
  } else if (note->signal == 0 && self->peer.channel.left != kLeaveNot &&
             (!has_status || (self->was_killed && WIFSIGNALED(status)))) {
    /* Otherwise it was about to end: its status says more. */
    judge_leave(self->peer.channel.left, out);
  } else if (!has_status && note->signal != 0) {
    judge_signal(self, note, (int)note->signal, out);
  } else if (!has_status) {
    out->kind = TVM_FFI_ISOLATED_EXIT_ERROR;
    snprintf(out->text, sizeof out->text, "ended");
  } else if (WIFSIGNALED(status)) {
    /* The handler that wrote the note may have been ended by another signal. */
    judge_signal(self, note, note->signal != 0 ? (int)note->signal : WTERMSIG(status), out);
  } else if (__atomic_load_n(&self->peer.channel.header->serves, __ATOMIC_RELAXED) == 0) {
    out->kind = TVM_FFI_ISOLATED_START_ERROR;
    snprintf(out->text, sizeof out->text, "could not start");
  } else if (leaves != kLeaveNot) {
    judge_leave(leaves, out);
  } else {
    out->kind = TVM_FFI_ISOLATED_EXIT_ERROR;
    snprintf(out->text, sizeof out->text, "ended with exit code %d", WEXITSTATUS(status));
  }
}

static TVMFFIObjectHandle make_cause(const verdict *found, const crash_note *note) {
  TVMFFIObjectHandle cause = NULL;
  TVMFFIByteArray kind, message, backtrace;
  char buffer[32], text[64] = "";
  if (found->signal == 0) return NULL;
  kind = tvm_ffi_string_get_bytes(signal_name(found->signal, buffer, sizeof buffer));
  if (note->has_address) {
    snprintf(text, sizeof text, "at address 0x%llx", (unsigned long long)note->address);
  }
  message = tvm_ffi_string_get_bytes(text);
  backtrace = tvm_ffi_string_get_bytes(note->backtrace);
  return TVMFFIErrorCreate(&kind, &message, &backtrace, &cause) == 0 ? cause : NULL;
}

TVMFFIObjectHandle process_describe_end(process *self, wait_result result, const char *why,
                                        bool has_status, int status) {
  enum { kShown = 600 };
  const char *called = self->called != NULL ? self->called : "";
  TVMFFIObjectHandle cause, error = NULL;
  TVMFFIByteArray kind, message;
  crash_note note;
  verdict found;
  char output[kShown], *text, *shown = NULL;
  size_t room;
  memcpy(&note, &self->peer.channel.header->note, sizeof note);
  copy_text(note.backtrace, sizeof note.backtrace, note.backtrace);
  clean_text(note.backtrace);
  if (note.signal > 64) note.signal = 0;
  if (note.signal == 0) note.backtrace[0] = '\0', note.has_address = 0;
  judge(self, &note, result, why, has_status, status, &found);
  read_output(self, output, sizeof output);
  room = strlen(called) + strlen(self->library) + sizeof found.text + sizeof output + 64;
  text = malloc(room);
  if (text != NULL) {
    snprintf(text, room, "%s%s%s: the helper process %s%s%s", called,
             called[0] != '\0' ? " of " : "", self->library, found.text,
             output[0] != '\0' ? "; it printed: " : "", output);
    shown = process_show_text(text);
    free(text);
  }
  cause = make_cause(&found, &note);
  kind = tvm_ffi_string_get_bytes(found.kind);
  message = tvm_ffi_string_get_bytes(shown != NULL ? shown : self->library); /* no memory */
  TVMFFIErrorCreateWithCauseAndExtraContext(&kind, &message, NULL, cause, NULL, &error);
  tvm_ffi_object_release(cause);
  free(shown);
  return error;
}
