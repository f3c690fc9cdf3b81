/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of sizes of inputs: set by programs, in texts and files, in copies, and
 * with sizes that the caller gives for them. */
#include <gpugraph/replace.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "support/graph_case.h"
#include "support/roundtrip.h"
#include "support/tmpfile.h"
#include "text/saved.h"

static const char both[] = "x = input float32[n, \"seq len\", 4]\n"
                           "y = input float32[n, ?, \"float32\"]\n"
                           "z = add(x, y)\n"
                           "function f(x, y) -> (z)\n";

static void assert_sizes(const gg_graph *of, const char *input, int64_t n,
                         int64_t m) {
  const gg_var *const v = gg_graph_find(of, input);

  assert_int_equal(gg_var_type(v)->dims[0], n);
  assert_int_equal(gg_var_type(v)->dims[1], m);
}

static void assert_names(const gg_graph *of) {
  const gg_var *const x = gg_graph_find(of, "x"), *y = gg_graph_find(of, "y");

  assert_string_equal(gg_var_size_name(x, 0), "n");
  assert_string_equal(gg_var_size_name(x, 1), "seq len");
  assert_string_equal(gg_var_size_name(x, 2), "");
  assert_string_equal(gg_var_size_name(y, 0), "n");
  assert_string_equal(gg_var_size_name(y, 1), "");
  assert_string_equal(gg_var_size_name(y, 2), "float32");
}

static void programs_name_sizes(void **state) {
  const int64_t dims[3] = {GG_ANY, GG_ANY, 4};
  gg_var *const x = gg_input_sized(g, "x", GA_FLOAT, 3, dims);
  gg_var *const y = gg_exp(x);

  (void)state;
  assert_string_equal(gg_var_size_name(x, 0), "");
  assert_string_equal(gg_var_size_name(NULL, 0), "");
  assert_ptr_equal(gg_size_named(x, 0, "m"), x);
  assert_ptr_equal(gg_size_named(x, 0, "n"), x);
  assert_ptr_equal(gg_size_named(x, 1, "seq len"), x);
  assert_ptr_equal(gg_size_named(x, 1, NULL), x);
  assert_string_equal(gg_var_size_name(x, 0), "n");
  assert_string_equal(gg_var_size_name(x, 1), "seq len");
  assert_string_equal(gg_var_size_name(x, 9), "");
  assert_null(gg_size_named(NULL, 0, "n"));
  graph_refused(
      gg_size_named(x, 2, "four"),
      "size \"four\": axis 2 of \"x\" is not an open axis of an input");
  graph_refused(gg_size_named(x, 3, "n"),
                "size \"n\": axis 3 of \"x\" is not an open axis of an input");
  graph_refused(gg_size_named(y, 0, "n"),
                "size \"n\": axis 0 of \"\" is not an open axis of an input");
  gg_size_named(x, 1, "");
  char *text = graph_text(g, 0);
  assert_string_equal(text, "x = input float32[n, ?, 4]\n");
  free(text);
}

/* A file with names is of version 3, one without of the version before. */
static void assert_version(gg_graph *of, unsigned int version) {
  const char *path = test_file_path("size_names.gg");
  size_t n;

  assert_ok(gg_graph_save(of, path));
  unsigned char *bytes = test_file_read(path, &n);
  assert_int_equal(bytes[GG_AT_VERSION], version);
  free(bytes);
}

static void files_keep_names(void **state) {
  static const char loop[] =
      "x = input float32[n]\n_, y = scan() {\n  x = row(x)\n  output (x)\n}\n";
  gg_graph *const h = graph_of_text(test_context(), both);
  gg_graph *const k = graph_of_file(test_context(), h);
  gg_graph *const l = graph_of_text(test_context(), loop);
  gg_graph *const none =
      graph_of_text(test_context(), "x = input float32[?]\n");

  (void)state;
  assert_same_text(both);
  assert_names(h);
  assert_names(k);
  assert_version(k, 3);
  assert_version(l, 3);
  assert_version(none, 1);
  gg_graph_free(h);
  gg_graph_free(k);
  gg_graph_free(l);
  gg_graph_free(none);
}

static void copies_keep_names(void **state) {
  gg_graph *const h = graph_of_text(test_context(), both);
  gg_var *v[2] = {gg_graph_find(h, "x"), gg_graph_find(h, "y")};

  (void)state;
  assert_ok(gg_replace_in(g, v, 2, v, NULL));
  gg_graph_free(h);
  assert_names(g);
}

/* --- sizes that the caller gives --- */

static int parse(const char *text, const gg_named_size *sizes) {
  return gg_graph_parse_with(g, "t", text, strlen(text),
                             &(gg_load_options){.sizes = sizes});
}

static void names_get_sizes(void **state) {
  const char *path = test_file_path("sized.gg");
  gg_graph *const h = graph_of_text(test_context(), both);

  (void)state;
  assert_ok(parse(both, GG_SIZES({"n", 2})));
  assert_sizes(g, "x", 2, GG_ANY);
  assert_sizes(g, "y", 2, GG_ANY);
  assert_string_equal(gg_var_size_name(gg_graph_find(g, "x"), 0), "");
  assert_string_equal(gg_var_size_name(gg_graph_find(g, "x"), 1), "seq len");
  assert_sizes(g, "z", 2, GG_ANY);
  graph_teardown(NULL);
  graph_setup(NULL);
  assert_ok(gg_graph_save(h, path));
  assert_ok(gg_graph_load_with(
      g, path,
      &(gg_load_options){.sizes = GG_SIZES({"seq len", 0}, {"n", 5})}));
  assert_sizes(g, "x", 5, 0);
  gg_graph_free(h);
}

static void wrong_sizes_are_refused(void **state) {
  (void)state;
  assert_code(GA_VALUE_ERROR, parse(both, GG_SIZES({"n", 2}, {"m", 3})));
  graph_says(GA_VALUE_ERROR, "t: no size has the name \"m\"");
  assert_code(GA_VALUE_ERROR, parse(both, GG_SIZES({"n", -1})));
  graph_says(GA_VALUE_ERROR, "t: -1 is not a size for \"n\"");
  assert_code(GA_VALUE_ERROR, parse(both, GG_SIZES({"float32", 3})));
  graph_says(GA_VALUE_ERROR, "t:3:5: add(float32[?, ?, 4], float32[?, ?, 3])");
  assert_code(GA_XLARGE_ERROR, parse(both, GG_SIZES({"n", INT64_MAX / 2})));
  graph_says(GA_XLARGE_ERROR, "t:1:11: the sizes are too large");
  assert_int_equal(gg_graph_size(g), 0);
}

/* --- what is no name of a size --- */

static void only_inputs_have_names(void **state) {
  static const refused_text list[] = {
      {"w = shared float32[n]\n", "t:1:20: expected"},
      {"c = float32[n] {1}\n", "t:1:13: expected"},
      {"x = input float32[n, ?]\n_, y = scan() {\nr = row float32[n](x)\n"
       "output (r)\n}\n",
       "t:3:17: expected"},
      {"x = input float32[\"\\q\"]\n", "t:1:19: expected \\\", \\\\ or \\xHH"},
      {"x = input float32[?n]\n", "t:1:20: expected ',' or ']', got 'n'"},
      {"x = input float32[n 3]\n", "t:1:21: expected ',' or ']', got '3'"},
      {"x = input float32[%1]\n", "t:1:19: expected"}};

  (void)state;
  assert_texts_refused(sizeof list / sizeof *list, list);
  assert_prefixes_end(both);
  assert_read_without_memory(both, GA_NO_ERROR);
}

/* Blocks that are alive, with a thread's message of one size. */
static long live_now(void) {
  ga__fail(GA_MISC_ERROR, "none");
  return ga__alloc_live();
}

/* Reading with sizes fails once for each allocation, and leaks nothing. */
static void sizes_need_memory(void **state) {
  (void)state;
  for (long n = 1, left = 0; left <= 0; n++) {
    const long before = live_now();
    gg_graph *const h = gg_graph_new(NULL);

    assert_non_null(h);
    ga__alloc_fail(n, 0);
    const int err = gg_graph_parse_with(
        h, "t", both, sizeof both - 1,
        &(gg_load_options){.sizes = GG_SIZES({"n", 2}, {"seq len", 3})});
    left = ga__alloc_fail(0, 0);
    assert_int_equal(err, left > 0 ? GA_NO_ERROR : GA_MEMORY_ERROR);
    gg_graph_free(h);
    assert_int_equal(live_now(), before);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(programs_name_sizes, graph_setup,
                                      graph_teardown),
      cmocka_unit_test(files_keep_names),
      cmocka_unit_test_setup_teardown(copies_keep_names, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(names_get_sizes, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(wrong_sizes_are_refused, graph_setup,
                                      graph_teardown),
      cmocka_unit_test(only_inputs_have_names),
      cmocka_unit_test(sizes_need_memory)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
