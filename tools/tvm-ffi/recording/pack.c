/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings in one file: a zip with the folder and the libraries (docs/guide/record_format.md). */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/names.h"
#include "base/report.h"
#include "base/utf8.h"
#include "base/zip.h"
#include "file/binary_file.h"
#include "recording/recorded_value.h"
#include "system/system.h"

static const char kLibraries[] = "libraries";

/* ---- Packing ---- */

/* False after a report. */
static bool add_file(zip_writer *zip, const char *path, const char *name) {
  size_t size;
  char *bytes = recorded_file_read(path, &size);
  if (bytes != NULL) zip_add(zip, name, bytes, size);
  free(bytes);
  return bytes != NULL;
}

/* Whether a name in the folder is that of a file of a recording. */
static bool is_own_name(const char *name) {
  static const char *const kEndings[] = {".jsonl", ".memory", ".counts"};
  size_t i;
  if (strcmp(name, "version") == 0) return true;
  for (i = 0; i < sizeof kEndings / sizeof *kEndings; ++i) {
    if (text_begins(name, "calls.") && path_ends_in(name, kEndings[i])) return true;
  }
  return false;
}

/* Whether it is that of a file in tensors. */
static bool is_tensor_name(const char *name) {
  const size_t digits = strspn(name, "0123456789abcdef");
  return digits == 32 && strcmp(name + digits, ".npy") == 0;
}

/* Adds the files of a folder that have such names; `inside` is "tensors/" or empty. */
static bool add_folder(zip_writer *zip, const char *folder, const char *inside,
                       bool (*is_wanted)(const char *name)) {
  char *path = tool_format("%s/%s", folder, inside);
  DIR *list = opendir(path);
  struct dirent *entry;
  bool good = list != NULL || report_error("%s: %s", path, strerror(errno));
  while (good && (entry = readdir(list)) != NULL) {
    char *file = tool_format("%s/%s", path, entry->d_name),
         *name = tool_format("%s%s", inside, entry->d_name);
    if (is_wanted(entry->d_name)) good = add_file(zip, file, name);
    free(file);
    free(name);
  }
  if (list != NULL) closedir(list);
  free(path);
  return good;
}

/* ---- Libraries: by the build id of the one that is called, which is the last of its folder ----
 */

typedef struct {
  zip_writer *zip;
  const char *build_id;
  word_list names; /* in its folder */
} library_packer;

/* A needed library that is not the system's: beside the one that needs it, or where that looks for
 * it. NULL: the loader finds it elsewhere, or it is the runtime. */
static char *find_needed(const binary_file *file, const char *name) {
  const char *at = file->search_path != NULL ? file->search_path : "";
  char *folder = path_beside(file->path, "."), *found = path_beside(file->path, name);
  if (strchr(name, '/') != NULL || text_begins(name, "libtvm_ffi")) *found = '\0';
  while (*found != '\0' && !file_exists(found) && *at != '\0') {
    static const char *const kOrigins[] = {"$ORIGIN", "${ORIGIN}"};
    const size_t size = strcspn(at, ":");
    char *part = tool_copy(at, size);
    const size_t origin = text_begins(part, kOrigins[0])   ? strlen(kOrigins[0])
                          : text_begins(part, kOrigins[1]) ? strlen(kOrigins[1])
                                                           : 0;
    free(found);
    found = tool_format("%s%s/%s", origin > 0 ? folder : "", part + origin, name);
    free(part);
    at += size + (at[size] == ':' ? 1 : 0);
  }
  free(folder);
  if (*found != '\0' && file_exists(found)) return found;
  free(found);
  return NULL;
}

static bool has_name(const word_list *names, const char *name) {
  size_t i;
  for (i = 0; i < names->size && strcmp(names->items[i], name) != 0; ++i) continue;
  return i < names->size;
}

/* Adds a library after those that it needs. False after a report. */
static bool add_library(library_packer *packer, const char *path, const char *name, int depth) {
  enum { kMaxDepth = 16 };
  size_t size, i;
  char *image = binary_file_read(path, path, &size), *bytes, *entry;
  binary_file *file;
  bool good = true;
  if (image == NULL) return false;
  bytes = tool_copy(image, size);
  file = binary_file_open_image(path, image, size);
  for (i = 0; file != NULL && i < file->num_needed && depth < kMaxDepth && good; ++i) {
    char *needed = find_needed(file, file->needed[i]);
    if (needed != NULL && !has_name(&packer->names, file->needed[i])) {
      words_add(&packer->names, file->needed[i]);
      good = add_library(packer, needed, file->needed[i], depth + 1);
    }
    free(needed);
  }
  entry = tool_format("%s/%s/%s", kLibraries, packer->build_id, name);
  if (file != NULL) zip_add(packer->zip, entry, bytes, size);
  good = good && file != NULL;
  binary_file_close(file);
  free(entry);
  free(bytes);
  return good;
}

static bool add_libraries(zip_writer *zip, const recording *r) {
  word_list done = {NULL, 0};
  bool good = true;
  size_t i, k;
  for (i = 0; i < r->num_files; ++i) {
    for (k = 0; k < r->files[i].num_libraries && good; ++k) {
      const recorded_library *library = &r->files[i].libraries[k];
      library_packer packer = {zip, library->build_id, {NULL, 0}};
      char *why = recorded_library_check(library->path, library->build_id);
      if (why != NULL) {
        report_note("%s is not packed: %s", library->path, why);
      } else if (!has_name(&done, library->build_id)) {
        words_add(&done, library->build_id);
        words_add(&packer.names, path_base(library->path));
        good = add_library(&packer, library->path, path_base(library->path), 0);
      }
      words_free(&packer.names);
      free(why);
    }
  }
  words_free(&done);
  return good;
}

bool recording_pack(const recording *r, const char *path) {
  zip_writer zip;
  bool good;
  memset(&zip, 0, sizeof zip);
  good = add_folder(&zip, r->folder, "", is_own_name) &&
         add_folder(&zip, r->folder, "tensors/", is_tensor_name) && add_libraries(&zip, r);
  if (good) return zip_write(&zip, path);
  text_free(&zip.bytes);
  text_free(&zip.list);
  return false;
}

/* ---- Unpacking ---- */

/* Whether it is the name of a library in its folder, "8d31.../libscale.so". */
static bool is_library_name(const char *name) {
  const size_t digits = strspn(name, "0123456789abcdef");
  const char *file = name + digits + 1;
  return digits > 0 && digits <= 128 && name[digits] == '/' && *file != '\0' && *file != '.' &&
         strpbrk(file, "/\\:") == NULL;
}

static bool is_known_name(const char *name) {
  return is_own_name(name) ? strpbrk(name, "/\\:") == NULL
         : text_begins(name, "tensors/")
             ? is_tensor_name(name + strlen("tensors/"))
             : text_begins(name, "libraries/") && is_library_name(name + strlen("libraries/"));
}

/* Makes the folders above a file, and notes what was made. */
static void make_folders(word_list *made, const char *root, const char *name) {
  const char *slash;
  for (slash = strchr(name, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    char *folder = tool_format("%s/%.*s", root, tvmffi_shown_size((size_t)(slash - name)), name);
    if (folder_make(folder, true)) words_add(made, folder);
    free(folder);
  }
}

static bool unpack_file(word_list *made, const char *root, const zip_file *file) {
  char *name = tool_copy(file->name, file->name_size), *path;
  bool good = strlen(name) == file->name_size && is_known_name(name);
  if (!good) {
    char *shown = text_escape(file->name, file->name_size);
    report_error("%s is no file of a recording", shown);
    free(shown);
    free(name);
    return false;
  }
  make_folders(made, root, name);
  path = tool_format("%s/%s", root, name);
  good = !file_exists(path) || report_error("%s is twice in the archive", name);
  good = good && tool_write_file(path, file->bytes, file->size);
  if (good) {
    (void)file_make_private(path);
    words_add(made, path);
  }
  free(path);
  free(name);
  return good;
}

/* A new folder for the user alone; NULL after a report. */
static char *make_root(void) {
  unsigned number;
  for (number = 0; number < 10000; ++number) {
    char *root = tool_format("%s/tvm-ffi-recording-%u", temporary_folder(), number);
    if (folder_make(root, true)) return root;
    free(root);
    if (errno != EEXIST) break;
  }
  report_error("%s: %s", temporary_folder(), strerror(errno));
  return NULL;
}

/* The new folder; NULL after a report. `out_made` are the files and folders to remove. */
static char *unpack(const char *path, word_list *out_made) {
  const char *wrong = NULL;
  size_t size, position = 0;
  char *bytes = tool_read_file(path, &size), *root;
  zip_file file;
  bool good = true;
  if (bytes == NULL) return NULL;
  root = make_root();
  if (root != NULL) words_add(out_made, root);
  while (root != NULL && good && zip_next(bytes, size, &position, &file, &wrong)) {
    good = unpack_file(out_made, root, &file);
  }
  free(bytes);
  if (wrong != NULL) good = report_error("%s: %s", path, wrong);
  if (root != NULL && good) {
    char *tensors = tool_format("%s/tensors", root); /* it may have no files */
    if (folder_make(tensors, true)) words_add(out_made, tensors);
    free(tensors);
    return root;
  }
  free(root);
  recorded_unpacked_remove(out_made);
  return NULL;
}

recording *recording_open(const char *path) {
  word_list made = {NULL, 0};
  file_status status;
  recording *r;
  char *folder;
  if (!file_status_get(path, &status) || !status.is_regular) return recorded_open_folder(path);
  folder = unpack(path, &made);
  if (folder == NULL) return NULL;
  r = recorded_open_folder(folder);
  free(folder);
  if (r != NULL) {
    r->unpacked = made;
  } else {
    recorded_unpacked_remove(&made);
  }
  return r;
}

/* ---- The libraries of an unpacked recording ---- */

void recording_trust(recording *r) {
  size_t i;
  for (i = 0; r->unpacked.size > 0 && i < r->num_calls; ++i) {
    recorded_call *c = &r->calls[i];
    char *path;
    if (c->build_id == NULL || strspn(c->build_id, "0123456789abcdef") != strlen(c->build_id)) {
      continue;
    }
    path = tool_format("%s/%s/%s/%s", r->folder, kLibraries, c->build_id, path_base(c->library));
    if (has_name(&r->unpacked, path) && recorded_library_check(path, c->build_id) == NULL) {
      c->packed = path;
    } else {
      free(path);
    }
  }
}

void recorded_library_prepare(const recording *r, const recorded_call *c) {
  const size_t size = c->packed != NULL ? (size_t)(path_base(c->packed) - c->packed) : 0;
  size_t i;
  for (i = 0; size > 0 && i < r->unpacked.size; ++i) {
    const char *path = r->unpacked.items[i];
    if (strncmp(path, c->packed, size) != 0 || strchr(path + size, '/') != NULL) continue;
    if (strcmp(path, c->packed) != 0) { /* without it, loading the library says what is missing */
      tvmffi_dl_reason reason = kNoReason;
      (void)tvmffi_dl_open(path, &reason);
    }
  }
}
