/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the access paths to the objects that an error passed through:
 * docs/abi/structural.md#where-an-error-came-from. The walk is iterative and does not use the
 * thread's stack.
 */
#include <string.h>

#include "base/stack.h"
#include "container/array.h"
#include "core/any.h"
#include "core/error.h"
#include "core/object.h"
#include "core/string_object.h"
#include "core/type.h"
#include "platform/atomic.h"
#include "reflect/access_path.h"
#include "reflect/walk.h"
#include "structural/outcome.h"
#include "structural/structural.h"
#include "structural/types.h"

typedef struct {
  TVMFFIObject *obj;  /* borrowed from the frame below */
  TVMFFIObject *path; /* the path to the object, owned; NULL until needed */
  tvmffi_child_cursor cursor;
  tvmffi_child child; /* the current child */
  size_t num_matched; /* elements of the pattern, down to this object */
  int64_t num_paths_before;
} path_frame;

typedef struct {
  tvmffi_stack pattern; /* owned object pointers, outermost first */
  bool wants_prefixes;
  tvmffi_stack frames;
  TVMFFIObject *paths; /* an Array that only the search owns */
} path_search;

/* ---- Paths ---- */

/* The step from the object of a frame to the current child. NULL with the error raised. */
static TVMFFIObject *make_step(const path_frame *current) {
  const tvmffi_child *child = &current->child;
  TVMFFIObject *step;
  TVMFFIAny key;
  if (tvmffi_is_map(current->obj->type_index)) {
    return tvmffi_access_step_new(kTvmffiStepMapItem, &child->key);
  }
  if (child->field == NULL) {
    key = tvmffi_any_int(child->index);
    return tvmffi_access_step_new(kTvmffiStepArrayItem, &key);
  }
  if (tvmffi_string_to_any(child->field->name.data, child->field->name.size, &key) != 0) {
    return NULL;
  }
  step = tvmffi_access_step_new(kTvmffiStepAttr, &key);
  tvmffi_any_release(&key);
  return step;
}

/* The path to the object of frame i, lent; it shares its beginning with other paths. */
static TVMFFIObject *ensure_path(path_search *s, size_t i) {
  size_t depth = i;
  path_frame *current;
  while (depth > 0 && ((path_frame *)tvmffi_stack_at(&s->frames, depth))->path == NULL) --depth;
  current = tvmffi_stack_at(&s->frames, depth);
  if (current->path == NULL) current->path = tvmffi_access_path_root();
  for (; current->path != NULL && depth < i; ++depth) {
    path_frame *next = tvmffi_stack_at(&s->frames, depth + 1);
    TVMFFIObject *step = make_step(current);
    next->path = step != NULL ? tvmffi_access_path_extend(current->path, step) : NULL;
    tvmffi_object_release(step);
    current = next;
  }
  return current->path;
}

/* Adds the path to the innermost object to the results. */
static int record(path_search *s) {
  TVMFFIObject *path = ensure_path(s, s->frames.size - 1);
  TVMFFIAny value;
  if (path == NULL) return -1;
  value = tvmffi_any_object(path);
  if (tvmffi_array_append(&s->paths, &value) != 0) return tvmffi_fail_memory();
  tvmffi_object_retain(path);
  return 0;
}

/* ---- The walk ---- */

static bool has_metadata(int32_t type_index) {
  const tvmffi_type_record *type_record = tvmffi_type_find(type_index);
  return type_record != NULL && tvmffi_atomic_load_acquire_ptr(&type_record->info.metadata) != NULL;
}

static void pop_path(path_search *s) {
  path_frame *top = tvmffi_stack_top(&s->frames);
  tvmffi_child_release(&top->child);
  tvmffi_object_release(top->path);
  tvmffi_stack_pop(&s->frames);
}

static bool is_next(const path_search *s, const TVMFFIObject *obj, size_t num_matched) {
  return num_matched < s->pattern.size &&
         *(TVMFFIObject **)tvmffi_stack_at(&s->pattern, num_matched) == obj;
}

/* Starts searching a value: pushes objects that may have children, and matches them. */
static int begin_path(path_search *s, const TVMFFIAny *value, size_t num_matched) {
  bool is_container = tvmffi_is_container(value->type_index);
  path_frame *top;
  if (value->type_index < kTVMFFIStaticObjectBegin || value->v_obj == NULL ||
      (!is_container && !has_metadata(value->type_index))) {
    return 0;
  }
  TVMFFI_TRY(tvmffi_walk_check_depth("FindAccessPaths", s->frames.size));
  top = tvmffi_stack_push(&s->frames);
  if (top == NULL) return tvmffi_fail_memory();
  top->obj = value->v_obj;
  top->num_matched = num_matched;
  top->num_paths_before = tvmffi_array_size(s->paths);
  tvmffi_child_first(&top->cursor, top->obj);
  if (!is_container && is_next(s, value->v_obj, num_matched) &&
      ++top->num_matched == s->pattern.size) {
    TVMFFI_TRY(record(s));
    pop_path(s); /* a match is not searched further */
  }
  return 0;
}

/* Pops an object. With wants_prefixes, a partly matched one is recorded if nothing in it was. */
static int end(path_search *s) {
  const path_frame *top = tvmffi_stack_top(&s->frames);
  int rc = 0;
  if (s->wants_prefixes && s->frames.size > 1 && !tvmffi_is_container(top->obj->type_index) &&
      top->num_matched > 0 && tvmffi_array_size(s->paths) == top->num_paths_before) {
    rc = record(s);
  }
  pop_path(s);
  return rc;
}

static int find_next(path_search *s) {
  path_frame *top = tvmffi_stack_top(&s->frames);
  TVMFFIAny value;
  int rc;
  tvmffi_child_release(&top->child);
  rc = tvmffi_child_next(&top->cursor, &top->child);
  if (rc <= 0) return rc == 0 ? end(s) : -1;
  if (tvmffi_is_map(top->obj->type_index) && top->child.key.type_index == kTVMFFINone) return 0;
  value = top->child.value;
  return begin_path(s, &value, top->num_matched);
}

static int find_path(path_search *s, TVMFFIObject *root) {
  TVMFFIAny value = tvmffi_any_object(root);
  int rc;
  if (root == NULL || tvmffi_is_container(root->type_index)) return 0;
  rc = begin_path(s, &value, 0);
  while (rc == 0 && s->frames.size != 0) rc = find_next(s);
  while (s->frames.size != 0) pop_path(s);
  return rc;
}

/* ---- The pattern ---- */

/* Retains the objects, because foreign code may change the list. Skips None and repetitions. */
static bool copy_pattern(path_search *s, TVMFFIObject *reversed) {
  int64_t i = reversed != NULL ? tvmffi_array_size(reversed) : 0;
  while (i-- > 0) {
    const TVMFFIAny *item = &tvmffi_array_items(reversed)[i];
    TVMFFIObject **last = tvmffi_stack_top(&s->pattern);
    if (item->type_index < kTVMFFIStaticObjectBegin || (last != NULL && *last == item->v_obj)) {
      continue;
    }
    last = tvmffi_stack_push(&s->pattern);
    if (last == NULL) return false;
    tvmffi_object_retain(item->v_obj);
    *last = item->v_obj;
  }
  return true;
}

/* A visit in another thread may be extending the list. */
static int read_pattern(path_search *s, TVMFFIObject *reversed) {
  bool is_copied;
  tvmffi_mutex_lock(&tvmffi_outcome_mutex);
  is_copied = copy_pattern(s, reversed);
  tvmffi_mutex_unlock(&tvmffi_outcome_mutex);
  return is_copied ? 0 : tvmffi_fail_memory();
}

int tvmffi_find_access_paths(TVMFFIObject *root, TVMFFIObject *context, bool allow_prefix_match,
                             TVMFFIObject **out) {
  path_search s;
  size_t i;
  int rc;
  memset(&s, 0, sizeof s);
  s.wants_prefixes = allow_prefix_match;
  s.paths = tvmffi_array_new(0);
  if (s.paths == NULL) return tvmffi_fail_memory();
  tvmffi_stack_init(&s.frames, sizeof(path_frame));
  tvmffi_stack_init(&s.pattern, sizeof(TVMFFIObject *));
  rc = read_pattern(&s, ((tvmffi_visit_error_context *)(void *)context)->reverse_visit_pattern);
  if (rc == 0) rc = find_path(&s, root);
  for (i = 0; i < s.pattern.size; ++i) {
    tvmffi_object_release(*(TVMFFIObject **)tvmffi_stack_at(&s.pattern, i));
  }
  tvmffi_stack_fini(&s.pattern);
  tvmffi_stack_fini(&s.frames);
  if (rc == 0) {
    *out = s.paths;
  } else {
    tvmffi_object_release(s.paths);
  }
  return rc;
}

static int find_access_paths(const TVMFFIAny *args, TVMFFIAny *result) {
  TVMFFIObject *root = args[0].type_index == kTVMFFINone ? NULL : args[0].v_obj, *paths;
  TVMFFI_TRY(tvmffi_find_access_paths(root, args[1].v_obj, args[2].v_int64 != 0, &paths));
  *result = tvmffi_any_object(paths);
  return 0;
}

#define FUNCTIONS(F) F("ffi.VisitErrorContext.FindAccessPaths", "OXb>@P", find_access_paths)

TVMFFI_BUILTIN_GROUP(tvmffi_find_paths_builtins, FUNCTIONS);
