/* SPDX-License-Identifier: Apache-2.0 */
#include "structural/mismatch.h"

#include "container/array.h"
#include "core/any.h"
#include "core/error.h"
#include "reflect/access_path.h"

enum { kAtNoChild = -1 };

typedef struct {
  int32_t kind_a, kind_b;
  TVMFFIAny key_a, key_b; /* an index, a field's name, or two keys; owned */
} step;

int tvmffi_mismatch_push(tvmffi_mismatch *m) {
  step *top;
  if (m == NULL) return 0;
  top = tvmffi_stack_push(&m->steps);
  if (top == NULL) return tvmffi_fail_memory();
  top->kind_a = top->kind_b = kAtNoChild;
  return 0;
}

void tvmffi_mismatch_pop(tvmffi_mismatch *m) {
  if (m == NULL) return;
  tvmffi_mismatch_step_back(m);
  tvmffi_stack_pop(&m->steps);
}

void tvmffi_mismatch_step(tvmffi_mismatch *m, int32_t kind_a, const TVMFFIAny *key_a,
                          int32_t kind_b, const TVMFFIAny *key_b) {
  step *top;
  if (m == NULL) return;
  tvmffi_mismatch_step_back(m);
  top = tvmffi_stack_top(&m->steps);
  top->kind_a = kind_a;
  top->kind_b = kind_b;
  top->key_a = tvmffi_any_copy(key_a);
  top->key_b = tvmffi_any_copy(key_b);
}

void tvmffi_mismatch_step_back(tvmffi_mismatch *m) {
  step *top;
  if (m == NULL) return;
  top = tvmffi_stack_top(&m->steps);
  top->kind_a = top->kind_b = kAtNoChild;
  tvmffi_any_release(&top->key_a);
  tvmffi_any_release(&top->key_b);
}

static int extend(TVMFFIObject **path, int32_t kind, const TVMFFIAny *key) {
  TVMFFIObject *made = tvmffi_access_step_new(kind, key), *longer = NULL;
  if (made == NULL) return -1;
  longer = tvmffi_access_path_extend(*path, made);
  tvmffi_object_release(made);
  if (longer == NULL) return -1;
  tvmffi_object_release(*path);
  *path = longer;
  return 0;
}

int tvmffi_mismatch_note(tvmffi_mismatch *m) {
  size_t i;
  if (m == NULL || m->path_a != NULL) return 0;
  m->path_a = tvmffi_access_path_root();
  m->path_b = tvmffi_access_path_root();
  if (m->path_a == NULL || m->path_b == NULL) return -1;
  for (i = 0; i < m->steps.size; ++i) {
    const step *current = tvmffi_stack_at(&m->steps, i);
    if (current->kind_a == kAtNoChild) continue;
    TVMFFI_TRY(extend(&m->path_a, current->kind_a, &current->key_a));
    TVMFFI_TRY(extend(&m->path_b, current->kind_b, &current->key_b));
  }
  return 0;
}

void tvmffi_mismatch_forget(tvmffi_mismatch *m) {
  if (m == NULL) return;
  tvmffi_object_release(m->path_a);
  tvmffi_object_release(m->path_b);
  m->path_a = m->path_b = NULL;
}

/* Moves both paths into an Array. */
static int take_paths(tvmffi_mismatch *m, TVMFFIAny *out) {
  TVMFFIObject *paths = tvmffi_array_new(2);
  if (paths == NULL) return tvmffi_fail_memory();
  tvmffi_array_items(paths)[0] = tvmffi_any_object(m->path_a);
  tvmffi_array_items(paths)[1] = tvmffi_any_object(m->path_b);
  TVMFFISeqGetCellPtr(paths)->size = 2;
  m->path_a = m->path_b = NULL;
  *out = tvmffi_any_object(paths);
  return 0;
}

int tvmffi_structural_mismatch(const TVMFFIAny *a, const TVMFFIAny *b,
                               tvmffi_structural_options options, TVMFFIAny *out) {
  tvmffi_mismatch m = {{NULL, sizeof(step), 0, 0}, NULL, NULL};
  bool is_equal;
  int rc = tvmffi_equal_run(a, b, options, &m, &is_equal);
  *out = tvmffi_any_none();
  if (rc == 0 && !is_equal) rc = take_paths(&m, out);
  tvmffi_mismatch_forget(&m);
  tvmffi_stack_fini(&m.steps);
  return rc;
}
