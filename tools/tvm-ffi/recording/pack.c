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
  const file_links links = strchr(name, '/') != NULL ? kLinksAbove : kLinksInFolder;
  size_t size;
  char *bytes = tool_read_regular_file(path, links, &size);
  if (bytes != NULL) zip_add(zip, name, bytes, size);
  free(bytes);
  return bytes != NULL && !zip->is_too_large;
}

/* Whether a name in the folder is that of a file of a recording. */
static bool is_own_name(const char *name) {
  static const char *const kEndings[] = {".jsonl", ".memory", ".counts"};
  size_t i;
  if (strcmp(name, "version") == 0) return true;
  if (!text_is_printable(name, strlen(name))) return false; /* messages have the name */
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

static bool is_runtime(const char *name) {
  static const char *const kNames[] = {"libtvm_ffi.", "libtvm_ffi_cxx.", "libtvm_ffi_isolated.",
                                       NULL};
  return text_find_prefix(name, kNames) != NULL;
}

/* The library in one of the folders, which are separated by colons; NULL. */
static char *find_in(const char *folders, const char *origin, const char *name) {
  static const char *const kOrigins[] = {"$ORIGIN", "${ORIGIN}", NULL};
  char *found = NULL;
  while (found == NULL && *folders != '\0') {
    const size_t size = strcspn(folders, ":");
    char *part = tool_copy(folders, size);
    const char *prefix = text_find_prefix(part, kOrigins);
    const size_t cut = prefix != NULL ? strlen(prefix) : 0;
    found = tool_format("%s%s/%s", cut > 0 ? origin : "", part + cut, name);
    if (size == 0 || !file_exists(found)) {
      free(found);
      found = NULL;
    }
    free(part);
    folders += size + (folders[size] == ':' ? 1 : 0);
  }
  return found;
}

/* Whether the loader finds a library of this name on every system of the kind: it is in a folder of
 * the system, or in the list that glibc's loader has of those. */
static bool is_of_system(const char *name) {
  static const char kList[] = "/etc/ld.so.cache";
  char *found = find_in("/lib:/lib64:/usr/lib:/usr/lib64", "", name), *list = NULL;
  bool is_found = found != NULL || strchr(name, '/') != NULL;
  const size_t name_size = strlen(name) + 1;
  size_t size = 0, at = 0;
  free(found);
  if (!is_found && file_can_read(kList)) list = tool_read_file(kList, &size);
  for (; list != NULL && !is_found && at + name_size < size; ++at) {
    /* it is the end of its path, with which newer versions store it */
    is_found = (list[at] == '\0' || list[at] == '/') && memcmp(list + at + 1, name, name_size) == 0;
  }
  free(list);
  return is_found;
}

/* A needed library that is not the system's: beside the one that needs it, or where the loader
 * looks for it. NULL: it is the system's or the runtime, or not found, which is said. */
static char *find_needed(const binary_file *file, const char *name) {
  const char *variable = getenv("LD_LIBRARY_PATH");
  char *folder, *found;
  if (strchr(name, '/') != NULL || is_runtime(name)) return NULL;
  folder = path_beside(file->path, ".");
  found = find_in("$ORIGIN", folder, name);
  if (found == NULL && file->search_path != NULL) found = find_in(file->search_path, folder, name);
  if (found == NULL && variable != NULL) found = find_in(variable, folder, name);
  if (found == NULL && !is_of_system(name)) {
    report_note("%s, which %s needs, is not packed: it was not found", name, file->path);
  }
  free(folder);
  return found;
}

/* The loader takes a library that is loaded already only if it has the name by its own word. */
static void note_nameless(const binary_file *needing, const char *path, const char *name) {
  const char *folders = needing->search_path;
  size_t size;
  char *image = binary_file_read(path, path, &size);
  binary_file *file = image != NULL ? binary_file_open_image(path, image, size) : NULL;
  const bool is_found =
      file == NULL || file->format != kFormatElf || file->soname != NULL ||
      (folders != NULL && (strcmp(folders, "$ORIGIN") == 0 || strcmp(folders, "${ORIGIN}") == 0));
  if (!is_found) {
    report_note(
        "%s is packed, but --trust does not find it: it has no DT_SONAME, which "
        "-Wl,-soname,%s gives it",
        path, name);
  }
  binary_file_close(file);
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
      note_nameless(file, needed, file->needed[i]);
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

/* Whether a call has its function from the library: a function object is no symbol of it. */
static bool has_symbols(const recording *r, const recorded_library *library) {
  size_t i;
  for (i = 0; i < r->num_calls; ++i) {
    if (r->calls[i].library == library->path && r->calls[i].kind == kFunctionSymbol) return true;
  }
  return false;
}

static bool add_libraries(zip_writer *zip, const recording *r) {
  word_list done = {NULL, 0};
  bool good = true;
  size_t i, k;
  for (i = 0; i < r->num_files; ++i) {
    for (k = 0; k < r->files[i].num_libraries && good; ++k) {
      const recorded_library *library = &r->files[i].libraries[k];
      library_packer packer = {zip, library->build_id, {NULL, 0}};
      char *why;
      if (!has_symbols(r, library)) continue;
      why = recorded_library_check(library->path, library->build_id);
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
  if (good || zip.is_too_large) return zip_write(&zip, path);
  text_free(&zip.bytes);
  text_free(&zip.list);
  return false;
}

/* ---- Unpacking ---- */

static word_list *volatile unpacked; /* what has to be removed; NULL */

/* Before a signal ends the program. */
static void remove_unpacked(void) {
  size_t i;
  for (i = unpacked != NULL ? unpacked->size : 0; i > 0; --i) {
    if (remove(unpacked->items[i - 1]) != 0) (void)folder_remove(unpacked->items[i - 1]);
  }
}

/* Removes the files and folders of an unpacked recording, the last first. */
static void remove_all_unpacked(word_list *made) {
  if (unpacked == NULL) return;
  signals_block();
  remove_unpacked();
  report_set_archive(NULL, NULL);
  words_free(made);
  unpacked = NULL;
  signals_unblock();
  signals_restore();
}

static void note_made(word_list *made, const char *path) {
  signals_block();
  words_add(made, path);
  signals_unblock();
}

/* False with the reason in errno. */
static bool make_folder(word_list *made, const char *path) {
  bool is_made;
  int error;
  signals_block(); /* else it might be there, and not be in the list */
  is_made = folder_make(path, true);
  error = errno;
  if (is_made) words_add(made, path);
  signals_unblock();
  errno = error;
  return is_made;
}

/* Whether Windows takes the name for a device, with any ending, or for another one. */
static bool is_taken_by_windows(const char *name) {
  static const char *const kDevices[] = {"con", "prn",    "aux",     "nul", "com",
                                         "lpt", "conin$", "conout$", NULL};
  const size_t size = strcspn(name, ". "), all = strlen(name);
  char begin[16];
  size_t i;
  if (strchr(kSystem.path_separators, '\\') == NULL) return false;
  if (all > 0 && (name[all - 1] == '.' || name[all - 1] == ' ')) return true;
  if (strpbrk(name, "<>\"|?*") != NULL) return true;
  if (size >= sizeof begin) return false;
  for (i = 0; i < size; ++i) {
    begin[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 'a' - 'A' : name[i]);
  }
  begin[i] = '\0';
  if (size == 4 && strchr("0123456789", begin[3]) != NULL) begin[3] = '\0'; /* COM1 */
  return text_find(begin, kDevices) != NULL;
}

/* Whether it is the name of a library in its folder, "8d31.../libscale.so". */
static bool is_library_name(const char *name) {
  const size_t digits = strspn(name, "0123456789abcdef");
  const char *file = name + digits + 1;
  return digits > 0 && digits <= 128 && name[digits] == '/' && *file != '\0' && *file != '.' &&
         strpbrk(file, "/\\:") == NULL && text_is_printable(file, strlen(file)) &&
         !is_taken_by_windows(file);
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
    (void)make_folder(made, folder);
    free(folder);
  }
}

/* Entries of folders, which other tools add, are passed over. False after a report. */
static bool unpack_file(word_list *made, const char *archive, const char *root,
                        const zip_file *file) {
  char *name = tool_copy(file->name, file->name_size), *path;
  bool good = strlen(name) == file->name_size && is_known_name(name);
  if (!good) {
    char *shown = text_escape(file->name, file->name_size);
    const bool is_folder =
        file->size == 0 && file->name_size > 0 && file->name[file->name_size - 1] == '/';
    if (!is_folder) report_error("%s: %s is no file of a recording", archive, shown);
    free(shown);
    free(name);
    return is_folder;
  }
  make_folders(made, root, name);
  path = tool_format("%s/%s", root, name);
  good = !file_exists(path) || report_error("%s: %s is twice in the archive", archive, name);
  if (good) note_made(made, path); /* before a signal can come between */
  good = good && tool_write_file(path, file->bytes, file->size);
  if (good) (void)file_make_private(path);
  free(path);
  free(name);
  return good;
}

/* A new folder for the user alone; NULL after a report. */
static char *make_root(word_list *made) {
  unsigned number;
  int error = EEXIST;
  for (number = 0; number < 10000 && error == EEXIST; ++number) {
    char *root = tool_format("%s/tvm-ffi-recording-%u", temporary_folder(), number);
    if (make_folder(made, root)) return root;
    error = errno;
    free(root);
  }
  report_error("%s: %s", temporary_folder(), strerror(error));
  return NULL;
}

/* The new folder; NULL after a report. `out_made` are the files and folders to remove. */
static char *unpack(const char *path, word_list *out_made) {
  const char *wrong = NULL;
  size_t size, position = 0;
  char *bytes = tool_read_regular_file(path, kLinksFollowed, &size), *root;
  zip_file file;
  bool good = true;
  if (bytes == NULL) return NULL;
  root = make_root(out_made);
  if (root != NULL) report_set_archive(out_made->items[0], path); /* the root is the first */
  while (root != NULL && good && zip_next(bytes, size, &position, &file, &wrong)) {
    good = unpack_file(out_made, path, root, &file);
  }
  free(bytes);
  if (wrong != NULL) good = report_error("%s: %s", path, wrong);
  if (root != NULL && good) {
    char *tensors = tool_format("%s/tensors", root); /* it may have no files */
    (void)make_folder(out_made, tensors);
    free(tensors);
    return root;
  }
  free(root);
  return NULL;
}

bool recording_is_archive(const char *path) {
  static const char kBegin[] = "PK\003\004";
  char begin[sizeof kBegin - 1];
  FILE *file = file_open_regular(path, kLinksFollowed);
  const bool is_read = file != NULL && fread(begin, 1, sizeof begin, file) == sizeof begin;
  if (file != NULL) fclose(file);
  return is_read && memcmp(begin, kBegin, sizeof begin) == 0;
}

recording *recording_open(const char *path) {
  word_list made = {NULL, 0};
  file_status status;
  recording *r;
  char *folder;
  if (!file_status_get(path, &status) || !status.is_regular) return recorded_open_folder(path);
  unpacked = &made;
  signals_catch(remove_unpacked);
  folder = unpack(path, &made);
  r = folder != NULL ? recorded_open_folder(folder) : NULL;
  free(folder);
  if (r == NULL) {
    remove_all_unpacked(&made);
    return NULL;
  }
  signals_block();
  r->unpacked = made;
  r->remove_unpacked = remove_all_unpacked;
  unpacked = &r->unpacked;
  signals_unblock();
  return r;
}

/* ---- The libraries of an unpacked recording ---- */

/* Whether a library is in the archive and may be used; says so if it is there and may not. */
static bool is_usable(const recording *r, const char *path, const char *build_id) {
  char *why, *shown;
  if (!has_name(&r->unpacked, path)) return false;
  why = recorded_library_check(path, build_id);
  if (why == NULL) return true;
  path += strlen(r->folder) + 1;
  shown = text_escape(path, strlen(path));
  report_note("%s, from the archive, is not used: %s", shown, why);
  free(shown);
  free(why);
  return false;
}

void recording_trust(recording *r) {
  name_table known; /* libraries that were looked at: each is read once, not for each call */
  bool *usable = NULL;
  size_t num_usable = 0, i, k;
  memset(&known, 0, sizeof known);
  for (i = 0; r->unpacked.size > 0 && i < r->num_calls; ++i) {
    recorded_call *c = &r->calls[i];
    char *path;
    if (c->build_id == NULL || strspn(c->build_id, "0123456789abcdef") != strlen(c->build_id)) {
      continue;
    }
    path = tool_format("%s/%s/%s/%s", r->folder, kLibraries, c->build_id, path_base(c->library));
    k = name_table_add(&known, path);
    if (k == num_usable) {
      usable = tool_grow(usable, num_usable++, sizeof *usable);
      usable[k] = is_usable(r, path, c->build_id);
    }
    if (usable[k]) {
      c->packed = path;
    } else {
      free(path);
    }
  }
  name_table_free(&known);
  free(usable);
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
