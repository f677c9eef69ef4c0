/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of ffi.VisitErrorContext.FindAccessPaths. */
#include "c/structural_support.h"
#include "core/type.h"
#include "reflect/access_path.h"
#include "reflect/builtin_objects.h"
#include "structural/structural.h"
#include "structural/types.h"

static const TVMFFIAny none; /* {0, 0, 0}: None */
static int32_t tree;

static void prepend(char *text, const char *part) {
  size_t size = strlen(part);
  memmove(text + size, text, strlen(text) + 1);
  memcpy(text, part, size);
}

/*
 * Returns the paths to the pattern as ".b[0]; .a; ". The pattern begins with the innermost object.
 */
static const char *find(TVMFFIAny root, const TVMFFIAny *pattern, int32_t num, bool prefixes) {
  static char text[256];
  tvmffi_visit_error_context *context = tvmffi_reflect_new(kTvmffiVisitErrorContext);
  TVMFFIAny result;
  int64_t i;
  assert_non_null(context);
  TVMFFIObjectDecRef(context->reverse_visit_pattern);
  context->reverse_visit_pattern = call_ok("ffi.List", pattern, num).v_obj;
  check_ok(call4("ffi.VisitErrorContext.FindAccessPaths", 3, root, tvmffi_any_object(context),
                 tvmffi_any_bool(prefixes), none, &result));
  assert_int_equal(result.type_index, kTVMFFIArray);
  text[0] = '\0';
  for (i = 0; i < TVMFFISeqGetCellPtr(result.v_obj)->size; ++i) {
    const tvmffi_access_path *path = (const void *)item(&result, (int)i).v_obj;
    char path_text[128] = "";
    for (; path->parent != NULL; path = (const void *)path->parent) {
      const tvmffi_access_step *step = (const void *)path->step;
      char shown[16];
      if (step->kind == kTvmffiStepAttr) {
        (void)snprintf(shown, sizeof shown, ".%.7s",
                       TVMFFISmallBytesGetContentByteArray(&step->key).data);
      } else {
        (void)snprintf(shown, sizeof shown, "%c%d]", step->kind == kTvmffiStepArrayItem ? '[' : '{',
                       (int)step->key.v_int64);
      }
      prepend(path_text, shown);
    }
    strcat(strcat(text, path_text), "; ");
  }
  check_release(&result);
  TVMFFIObjectDecRef(context);
  return text;
}

/* Makes a root with the leaf in `a`, in the List in `b`, and under key 9 of a Dict in that List. */
static TVMFFIAny make_root(TVMFFIAny leaf) {
  TVMFFIAny dict = make("ffi.Dict", 2, tvmffi_any_int(9), tvmffi_any_copy(&leaf));
  TVMFFIAny list = make("ffi.List", 2, tvmffi_any_copy(&leaf), dict);
  return new_node(tree, leaf, list);
}

TEST(test_all_places_of_an_object) {
  TVMFFIAny leaf = new_node(tree, none, none), root = make_root(leaf), pattern[4];
  pattern[0] = pattern[2] = leaf;
  pattern[1] = none;
  pattern[3] = root;
  assert_string_equal(find(root, pattern, 1, false), ".a; .b[0]; .b[1]{9]; ");
  assert_string_equal(find(root, pattern, 4, false), ".a; .b[0]; .b[1]{9]; ");
  assert_string_equal(find(root, &root, 1, false), "; ");
  assert_string_equal(find(root, pattern, 0, true), "");
  assert_string_equal(find(as_node(&root)->b, pattern, 1, false), ""); /* the root is a container */
  assert_string_equal(find(none, pattern, 1, false), "");
  pattern[1] = as_node(&root)->b; /* containers match nothing in a pattern */
  assert_string_equal(find(root, pattern, 2, false), "");
  check_release(&root);
}

TEST(test_prefixes) {
  TVMFFIAny leaf = new_node(tree, none, none), root = make_root(leaf), pattern[2];
  TVMFFIAny other = new_node(tree, none, none);
  pattern[0] = other;
  pattern[1] = root;
  assert_string_equal(find(root, pattern, 2, false), "");
  assert_string_equal(find(root, pattern, 2, true), ".a; .b[0]; .b[1]{9]; ");
  pattern[1] = leaf;
  assert_string_equal(find(root, pattern, 2, true), ".a; .b[0]; .b[1]{9]; ");
  assert_string_equal(find(root, pattern, 1, true), ""); /* nothing matched */
  pattern[1] = other;
  assert_string_equal(find(other, pattern, 2, true), "; ");
  pattern[0] = leaf;
  assert_string_equal(find(other, pattern, 2, true), ""); /* a prefix never gives the root */
  check_release(&other);
  check_release(&root);
}

TEST(test_keys_that_are_none_and_what_has_no_fields) {
  TVMFFIAny leaf = new_node(tree, none, none), function = make_function(copy_node, NULL);
  TVMFFIAny dict = make("ffi.Dict", 2, none, tvmffi_any_copy(&leaf));
  TVMFFIAny root = new_node(tree, function, make("ffi.Array", 2, dict, leaf));
  assert_string_equal(find(root, &leaf, 1, false), ".b[1]; ");
  assert_string_equal(find(root, &function, 1, false), "");
  check_release(&root);
}

FIXTURE(set_up) {
  tree = add_node_type("test.Tree", kTVMFFISEqHashKindTreeNode, 0);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_places_of_an_object),
      cmocka_unit_test(test_prefixes),
      cmocka_unit_test(test_keys_that_are_none_and_what_has_no_fields),
  };
  return cmocka_run_group_tests(tests, set_up, NULL) != 0;
}
