/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "base/files.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/names.h"
#include "base/report.h"
#include "base/text.h"
#include "system/system.h"

/* Reports the reason in errno; returns false. */
static bool refuse(const char *path) {
  return report_error("%s: %s", *path != '\0' ? path : "the empty name", strerror(errno));
}

bool tool_can_read(const char *path) {
  return file_can_read(path) || refuse(path);
}

/* ---- What files hold ---- */

/* By file_kind; each ending is between spaces. */
static const struct {
  const char *name, *endings;
} kKinds[kHoldsUnknown] = {
    [kHoldsC] = {"C", " .c .h .inc "},
    [kHoldsCxx] = {"C++", " .cc .cpp .cxx .hh .hpp .hxx .cu .cuh "},
    [kHoldsPython] = {"Python", " .py .pyi "},
    [kHoldsRust] = {"Rust", " .rs "},
    [kHoldsAssembler] = {"assembler source", " .s .asm "},
    [kHoldsObject] = {"an object file", " .o .obj "},
    [kHoldsLibrary] = {"a library", " .so .a .dll .dylib .lib "},
};

/* " .c " of "x.c", in small letters; " " if there is no ending. Release with free(). */
static char *make_ending(const char *path) {
  const char *dot = strrchr(path_base(path), '.');
  char *ending = dot != NULL ? tool_format(" %s ", dot) : tool_format(" "), *letter;
  for (letter = ending; *letter != '\0'; ++letter) {
    if (*letter >= 'A' && *letter <= 'Z') *letter = (char)(*letter - 'A' + 'a');
  }
  return ending;
}

bool file_has_ending(const char *path, const char *ending) {
  char *found = make_ending(path);
  const size_t size = strlen(ending);
  const bool has = strncmp(found + 1, ending, size) == 0 && found[1 + size] == ' ';
  free(found);
  return has;
}

file_kind file_kind_of(const char *path) {
  char *ending = make_ending(path);
  unsigned kind = 0;
  while (kind < kHoldsUnknown &&
         (ending[1] == '\0' || strstr(kKinds[kind].endings, ending) == NULL)) {
    ++kind;
  }
  free(ending);
  return (file_kind)kind;
}

bool file_check_ending(const char *option, const char *path, unsigned kinds) {
  text_buf expected = {NULL, 0, 0};
  const unsigned found = file_kind_of(path);
  unsigned kind;
  char *shown;
  if ((kinds & 1u << found) != 0 || strchr(path_base(path), '.') == NULL) return true;
  for (kind = 0; kind < kHoldsUnknown; ++kind) {
    if ((kinds & 1u << kind) == 0) continue;
    text_add(&expected, "%s%s(%s)", expected.size > 0 ? ", " : "", kKinds[kind].endings + 1,
             kKinds[kind].name);
  }
  shown = text_escape(path, strlen(path));
  report_error("--%s must end in %s or have no ending, not \"%s\"%s%s", option, expected.data,
               shown, found < kHoldsUnknown ? ", a name for " : "",
               found < kHoldsUnknown ? kKinds[found].name : "");
  free(shown);
  text_free(&expected);
  return false;
}

/* ---- Reading ---- */

/* What does not end by itself is read up to here. */
static const size_t kMaxUnknownSize = (size_t)256 << 20;

static void note_size(file_reader *reader) {
  file_status status;
  if (file_status_get_open(reader->stream, &status) && status.is_regular) {
    reader->known_size = status.size;
  }
}

/* The same; 0 if that does not fit into memory. */
static size_t known_room(const file_reader *reader) {
  return reader->known_size < SIZE_MAX / 2 ? (size_t)reader->known_size : 0;
}

/* Messages call the file `name`. */
static bool open_as(const char *path, const char *name, file_reader *out) {
  file_status status;
  memset(out, 0, sizeof *out);
  out->path = name;
  out->stream = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
  if (out->stream == NULL) {
    const int reason = errno;
    /* Windows says of a folder that it may not be opened. */
    errno = file_status_get(path, &status) && status.is_folder ? EISDIR : reason;
    return refuse(name);
  }
  note_size(out);
  return true;
}

bool file_reader_open(const char *path, file_reader *out) {
  return open_as(path, path, out);
}

bool file_reader_open_regular(const char *path, file_links links, file_reader *out) {
  memset(out, 0, sizeof *out);
  out->path = path;
  out->stream = file_open_regular(path, links);
  if (out->stream == NULL) {
    if (errno == ELOOP && links != kLinksFollowed) {
      return report_error("%s: %sis a symbolic link", path,
                          links == kLinksAbove ? "it, or its folder, " : "");
    }
    return errno == ESPIPE ? report_error("%s: is not a regular file", path) : refuse(path);
  }
  note_size(out);
  return true;
}

static void close_stream(file_reader *reader) {
  if (reader->stream != NULL && reader->stream != stdin) fclose(reader->stream);
  reader->stream = NULL;
}

void file_reader_close(file_reader *reader) {
  close_stream(reader);
  free(reader->bytes);
  reader->bytes = NULL;
}

/* Makes room for more bytes, of which `size` are wanted in all, and for the NUL. */
static void make_room(file_reader *reader, size_t size) {
  const size_t known = known_room(reader);
  size_t expected = size < known ? size + 1 : known + 2;
  reader->capacity = reader->capacity > 0 ? 2 * reader->capacity : 1 << 12;
  if (reader->capacity < expected) reader->capacity = expected;
  reader->bytes = tool_realloc(reader->bytes, reader->capacity);
}

bool file_reader_fill(file_reader *reader, size_t size) {
  if (reader->bytes == NULL) make_room(reader, size);
  while (reader->size < size && reader->stream != NULL) {
    size_t got;
    if (reader->size + 1 == reader->capacity) make_room(reader, size);
    errno = 0;
    got = reader->capacity - 1 - reader->size;
    if (got > size - reader->size) got = size - reader->size;
    got = fread(reader->bytes + reader->size, 1, got, reader->stream);
    reader->size += got;
    if (got > 0) continue;
    if (ferror(reader->stream)) {
      return refuse(reader->stream == stdin ? "standard input" : reader->path);
    }
    close_stream(reader);
  }
  reader->bytes[reader->size] = '\0';
  return true;
}

bool file_reader_fill_all(file_reader *reader) {
  const size_t known = known_room(reader);
  const size_t most = known > kMaxUnknownSize ? known : kMaxUnknownSize;
  if (!file_reader_fill(reader, most + 1)) return false;
  if (reader->size <= most) return true;
  return report_error("%s: has more than %zu MB, the most that is read from a device or a pipe",
                      reader->stream == stdin ? "standard input" : reader->path,
                      kMaxUnknownSize >> 20);
}

char *file_reader_take(file_reader *reader, size_t *out_size) {
  char *bytes = NULL;
  if (file_reader_fill_all(reader)) {
    bytes = reader->bytes;
    reader->bytes = NULL;
  }
  *out_size = bytes != NULL ? reader->size : 0;
  file_reader_close(reader);
  return bytes;
}

char *tool_read_file(const char *path, size_t *out_size) {
  file_reader reader;
  return file_reader_open(path, &reader) ? file_reader_take(&reader, out_size) : NULL;
}

char *tool_read_regular_file(const char *path, file_links links, size_t *out_size) {
  file_reader reader;
  *out_size = 0;
  return file_reader_open_regular(path, links, &reader) ? file_reader_take(&reader, out_size)
                                                        : NULL;
}

char *tool_read_file_as(const char *path, const char *name, size_t *out_size) {
  file_reader reader;
  return open_as(path, name, &reader) ? file_reader_take(&reader, out_size) : NULL;
}

/* ---- Writing ---- */

/* Follows symbolic links; the target need not exist yet. */
static char *find_target(const char *path) {
  enum { kMaxLinks = 40 };
  char *target = tool_copy(path, strlen(path)), link[4096];
  int i;
  for (i = 0; i < kMaxLinks && file_read_link(target, link, sizeof link); ++i) {
    char *next = path_beside(target, link);
    free(target);
    target = next;
  }
  return target;
}

/* "-" and other names of stdout. */
static bool is_stdout(const char *path) {
  file_status named, out;
  return strcmp(path, "-") == 0 ||
         (file_status_get(path, &named) && file_status_get_open(streams_results(), &out) &&
          !named.is_characters && file_status_is_same(&named, &out));
}

/* Takes the file. */
static bool write_to(FILE *file, const file_content *content) {
  bool good = fwrite(content->bytes, 1, content->size, file) == content->size && fflush(file) == 0;
  if (!good) refuse(file == streams_results() ? "standard output" : content->path);
  if (file == streams_results()) return good;
  if (fclose(file) != 0 && good) good = refuse(content->path);
  return good;
}

/* A file that is being written. */
typedef struct {
  char *target;             /* NULL: not a file that can be replaced */
  char *volatile temporary; /* with the bytes, in the same folder; NULL: renamed already, or not
                               begun */
  bool is_new;
} replacement;

static replacement *volatile pending;
static volatile size_t num_pending;

/* Called before a signal ends the program. */
static void remove_pending(void) {
  size_t i;
  for (i = 0; i < num_pending; ++i) {
    if (pending[i].temporary != NULL) unlink(pending[i].temporary);
  }
}

/* A reader that goes away is an error only with several files: a single file written in place
 * leaves nothing behind, so the signal may end the program. */
static void catch_signals(replacement *made, size_t count) {
  pending = made;
  num_pending = count;
  signals_catch(remove_pending);
  signals_ignore_writes(count > 1);
}

static void leave_signals(void) {
  signals_restore_writes();
  signals_restore();
  num_pending = 0;
}

/* Chooses the temporary file that remove_pending() removes. `name` [take] */
static void set_temporary(replacement *out, char *name) {
  char *previous = out->temporary;
  signals_block();
  out->temporary = name;
  signals_unblock();
  free(previous);
}

/* Opens a temporary file beside the target, with the mode of the file `old`, or of any new one. */
static FILE *create_beside(replacement *out, const char *old) {
  static unsigned count;
  FILE *file;
  do {
    char *name = tool_format(".tvm-ffi-%ld-%u", (long)getpid(), count++);
    set_temporary(out, path_beside(out->target, name));
    free(name);
    file = file_create(out->temporary, old);
  } while (file == NULL && errno == EEXIST);
  return file;
}

/* Writes the temporary file that will replace the file; false after a report. */
static bool prepare(const file_content *content, replacement *out) {
  file_status old, linked;
  FILE *file = NULL;
  bool exists = file_status_get(content->path, &old);
  out->is_new = !exists;
  if (is_stdout(content->path)) return true;
  if (exists && old.is_folder) {
    errno = EISDIR;
  } else if (exists ? file_can_write(content->path) : errno == ENOENT) {
    char *target = find_target(content->path);
    /* Not a regular file, or a link below /proc to a file that has no name: written in place. */
    if (exists && !(old.is_regular && file_status_get(target, &linked) &&
                    file_status_is_same(&old, &linked))) {
      free(target);
      return true;
    }
    out->target = target;
    file = create_beside(out, exists ? target : NULL);
  }
  return file != NULL ? write_to(file, content) : refuse(content->path);
}

static bool write_in_place(const file_content *content) {
  FILE *file = is_stdout(content->path) ? streams_results() : fopen(content->path, "wb");
  return file != NULL ? write_to(file, content) : refuse(content->path);
}

static bool put_in_place(const file_content *content, replacement *made) {
  if (!file_rename(made->temporary, made->target)) return refuse(content->path);
  set_temporary(made, NULL);
  return true;
}

bool tool_write_files(const file_content *files, size_t count) {
  replacement *made = tool_alloc(count * sizeof *made);
  size_t num_made = 0, num_placed = 0, i;
  bool good = true;
  memset(made, 0, count * sizeof *made);
  catch_signals(made, count);
  for (; good && num_made < count; ++num_made) good = prepare(&files[num_made], &made[num_made]);
  for (i = 0; good && i < count; ++i) good = made[i].target != NULL || write_in_place(&files[i]);
  for (; good && num_placed < count; ++num_placed) {
    good = made[num_placed].target == NULL || put_in_place(&files[num_placed], &made[num_placed]);
  }
  for (i = 0; i < num_made; ++i) {
    if (made[i].temporary != NULL) {
      remove(made[i].temporary);
    } else if (!good && i < num_placed && made[i].target != NULL && made[i].is_new) {
      remove(made[i].target);
    }
  }
  leave_signals();
  for (i = 0; i < num_made; ++i) {
    free(made[i].temporary);
    free(made[i].target);
  }
  free(made);
  return good;
}

bool tool_write_file(const char *path, const void *bytes, size_t size) {
  file_content content;
  content.path = path;
  content.bytes = bytes;
  content.size = size;
  return tool_write_files(&content, 1);
}

/* ---- Which file it is ---- */

static bool look_at(const char *path, FILE *standard, file_status *out) {
  return strcmp(path, "-") == 0 ? file_status_get_open(standard, out) : file_status_get(path, out);
}

bool tool_is_one_file(const char *a, const char *b) {
  file_status a_status, b_status;
  return file_status_get(a, &a_status) && file_status_get(b, &b_status) &&
         file_status_is_same(&a_status, &b_status);
}

/* Whether two names, neither of them of an existing file, would name the same file. */
static bool is_same_name(const char *a, const char *b) {
  char *a_target = find_target(a), *b_target = find_target(b);
  char *a_folder = path_beside(a_target, "."), *b_folder = path_beside(b_target, ".");
  bool same =
      strcmp(path_base(a_target), path_base(b_target)) == 0 && tool_is_one_file(a_folder, b_folder);
  free(a_target);
  free(b_target);
  free(a_folder);
  free(b_folder);
  return same;
}

bool tool_is_same_file(const char *written, const char *second, bool second_is_read) {
  file_status a, b;
  bool has_a = look_at(written, stdout, &a);
  bool has_b = look_at(second, second_is_read ? stdin : stdout, &b);
  if (!second_is_read && strcmp(written, "-") == 0 && strcmp(second, "-") == 0) return true;
  if (!has_a && !has_b) return is_same_name(written, second);
  /* A terminal or a socket is often both stdin and stdout: only a regular file that is read
   * counts. */
  return has_a && has_b && file_status_is_same(&a, &b) &&
         (second_is_read ? a.is_regular : !a.is_characters);
}
