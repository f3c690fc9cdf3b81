/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that no model can hold, wrong arguments of gg_onnx_save, and what
 * its options do. */
#include <gpugraph/gpugraph.h>
#include <gpugraph/inner.h>
#include <gpugraph/onnx.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "support/device.h"
#include "support/roundtrip.h"
#include "support/tmpfile.h"

static void assert_refused(const gg_func_spec *f, const gg_onnx_save_options *o,
                           const char *part) {
  const char *path = test_file_path("refused.onnx");

  assert_code(GA_VALUE_ERROR, gg_onnx_save(f, path, o));
  assert_message(GA_VALUE_ERROR, part);
  assert_false(test_file_exists(path));
}

static void test_arguments(void **state) {
  gg_graph *g = gg_graph_new(test_context());
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2), *y = gg_exp(x), *none = NULL;
  gg_loop_view loop;
  const gg_func_spec good = {.inputs = GG_VARS(x), .outputs = GG_VARS(y)};

  (void)state;
  assert_false(gg_apply_loop(NULL, &loop));
  assert_false(gg_apply_loop(gg_var_owner(y), &loop));
  assert_false(gg_apply_choice(gg_var_owner(y), NULL));
  assert_code(GA_VALUE_ERROR, gg_onnx_save(NULL, "x.onnx", NULL));
  assert_code(GA_VALUE_ERROR, gg_onnx_save(&good, NULL, NULL));
  assert_refused(&(gg_func_spec){.inputs = GG_VARS(x)}, NULL, "no outputs");
  assert_refused(&(gg_func_spec){.outputs = GG_VARS(none, y)}, NULL, "");
  gg_graph_reset_error(g);
  assert_refused(
      &(gg_func_spec){.inputs = GG_VARS(x, none), .outputs = GG_VARS(y)}, NULL,
      "");
  gg_graph_reset_error(g);
  assert_refused(
      &(gg_func_spec){.inputs = GG_VARS(x, x), .outputs = GG_VARS(y)}, NULL,
      "inputs 0 and 1 are the same");
  assert_refused(&(gg_func_spec){.inputs = GG_VARS(y), .outputs = GG_VARS(y)},
                 NULL, "is not an input");
  assert_refused(&(gg_func_spec){.inputs = GG_VARS(x),
                                 .outputs = GG_VARS(y),
                                 .updates = GG_UPDATES({none, y})},
                 NULL, "");
  gg_graph_reset_error(g);
  assert_refused(&(gg_func_spec){.inputs = GG_VARS(x),
                                 .outputs = GG_VARS(y),
                                 .givens = GG_GIVENS({none, y})},
                 NULL, "");
  gg_graph_reset_error(g);
  assert_refused(&good, &(gg_onnx_save_options){.flags = 2}, "flags 2");
  assert_refused(&good,
                 &(gg_onnx_save_options){.axes = GG_ONNX_AXES({x, 2, "n"})},
                 "\"n\" is for axis 2 of \"x\", which is not open");
  assert_refused(&good,
                 &(gg_onnx_save_options){.axes = GG_ONNX_AXES({x, 0, ""})},
                 "axis name 0 is empty");
  assert_refused(&good,
                 &(gg_onnx_save_options){.axes = GG_ONNX_AXES({y, 0, "n"})},
                 "axis name 0 is not for an input");
  assert_code(GA_SYS_ERROR, gg_onnx_save(&good, "/nowhere/x.onnx", NULL));
  gg_graph_free(g);
}

/* All problems are listed, and the old file stays. */
static void test_lists_all(void **state) {
  static const char text[] =
      "x = input float32[?]\nz = input float32[?]\nw = shared float32[2]\n"
      "s = shared uint64[2]\n"
      "a = add(exponent(x), popcount(int32 3))\n"
      "b = mul(nextafter(x, x), z)\n"
      "c = philox{what=uniform, dtype=float32, dims=[2]}(s)\n"
      "d = real(exp(complex(x, x)))\n"
      "w1 = add(w, 1)\n"
      "function f(x) -> (a, b, c, d) update (w = w1)\n";
  static const char *const parts[] = {
      "7 problems",
      "\n  exp(complex64[?]): models have no complex numbers",
      "\n  exponent(float32[?]): models have no such op",
      "nextafter(",
      "\"z\" is neither an input",
      "update of \"w\"",
      "philox(uint64[2])"};
  gg_graph *g = graph_of_text(test_context(), text);
  const char *path = test_file_path("kept.onnx");
  size_t n;

  (void)state;
  test_file_write(path, "old", 3);
  const int err = gg_onnx_save(gg_graph_func(g, "f"), path, NULL);
  if (err != GA_UNSUPPORTED_ERROR)
    fail_msg("%s", gpuarray_error_text(err));
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    assert_message(err, parts[i]);
  unsigned char *old = test_file_read(path, &n);
  assert_int_equal(n, 3);
  free(old);
  gg_graph_free(g);
}

/* --- options --- */

static const char weighted[] =
    "x = input float32[?, 40]\nw = shared float32[40, 20]\n"
    "y = dot{alpha=1}(x, w)\nw1 = add(w, 1)\n"
    "function f(x) -> (y) update (w = w1)\n";

static void test_names(void **state) {
  gg_graph *g = graph_of_text(test_context(), weighted);
  const gg_func_spec *f = gg_graph_func(g, "f");
  const char *path = test_file_path("names.onnx");
  gg_onnx *m;

  (void)state;
  assert_code(GA_UNSUPPORTED_ERROR, gg_onnx_save(f, path, NULL));
  assert_ok(gg_onnx_save(f, path,
                         &(gg_onnx_save_options){.flags = GG_ONNX_NO_UPDATES}));
  assert_ok(gg_onnx_open(&m, path));
  assert_string_equal(gg_onnx_input(m, 0)->name, "x");
  assert_string_equal(gg_onnx_input(m, 0)->size_names[0], "x_0");
  assert_int_equal(gg_onnx_input(m, 0)->dims[1], 40);
  assert_string_equal(gg_onnx_output(m, 0)->name, "y");
  assert_int_equal(gg_onnx_describe(m).ir_version, 8);
  assert_int_equal(gg_onnx_describe(m).opset, 18);
  assert_string_equal(gg_onnx_describe(m).producer, "gpugraph");
  gg_onnx_close(m);
  assert_ok(
      gg_onnx_save(f, path,
                   &(gg_onnx_save_options){
                       .flags = GG_ONNX_NO_UPDATES,
                       .axes = GG_ONNX_AXES({f->inputs[0], 0, "batch"})}));
  assert_ok(gg_onnx_open(&m, path));
  assert_string_equal(gg_onnx_input(m, 0)->size_names[0], "batch");
  gg_onnx_close(m);
  gg_graph_free(g);
}

/* The number of nodes of the model of a text's function f. */
static size_t count_nodes(const char *text) {
  gg_graph *g = graph_of_text(test_context(), text);
  const char *path = test_file_path("nodes.onnx");
  gg_onnx *m;

  assert_ok(gg_onnx_save(gg_graph_func(g, "f"), path, NULL));
  assert_ok(gg_onnx_open(&m, path));
  const size_t n = gg_onnx_describe(m).nodes;
  gg_onnx_close(m);
  gg_graph_free(g);
  return n;
}

#define ROWS                                                                   \
  "x = input float32[?]\ny, z = scan() {\na = row(x)\nb = exp(a)\n"            \
  "output (b)\n}\n"

static void test_nodes(void **state) {
  (void)state;
  /* Cast to int64, Gather, and Identity for the output. */
  assert_int_equal(count_nodes("x = input float32[4]\ni = input uint8\n"
                               "y = index_at{axis=0}(x, i)\n"
                               "function f(x, i) -> (y)\n"),
                   3);
  /* Shape, Squeeze, Loop and Identity; a last row only for who needs it, since
   * there may be none. */
  assert_int_equal(count_nodes(ROWS "function f(x) -> (y)\n"), 4);
  assert_int_equal(count_nodes(ROWS "function f(x) -> (y, z)\n"), 6);
}

/* Weights keep names that nodes would get. */
static void test_weight_names(void **state) {
  gg_graph *g = graph_of_text(
      test_context(), "x = input float32[?, 2]\nw = shared float32[2, 2]\n"
                      "MatMul = shared float32[2, 2]\n"
                      "y = dot(dot(x, w), MatMul)\nfunction f(x) -> (y)\n");
  gg_graph *h = gg_graph_new(test_context());
  const char *path = test_file_path("weights.onnx");
  gg_onnx *m;

  (void)state;
  assert_ok(gg_onnx_save(gg_graph_func(g, "f"), path, NULL));
  assert_ok(gg_onnx_open(&m, path));
  assert_ok(gg_onnx_load(m, h, NULL));
  gg_onnx_close(m);
  assert_non_null(gg_graph_find(h, "MatMul"));
  assert_null(gg_var_owner(gg_graph_find(h, "MatMul")));
  gg_graph_free(g);
  gg_graph_free(h);
}

/* Weights in a file beside the model have the same values. */
static void test_external(void **state) {
  gg_graph *g = graph_of_text(test_context(), weighted);
  gg_graph *h = gg_graph_new(test_context());
  const char *path = test_file_path("large.onnx");
  float in[800], out[800];
  gg_onnx *m;
  size_t n;

  (void)state;
  for (int i = 0; i < 800; i++)
    in[i] = (float)i;
  assert_ok(gg_shared_write(gg_graph_find(g, "w"), in, sizeof in));
  assert_ok(gg_onnx_save(gg_graph_func(g, "f"), path,
                         &(gg_onnx_save_options){.flags = GG_ONNX_NO_UPDATES,
                                                 .external_above = 3000}));
  free(test_file_read(path, &n));
  assert_true(n < 1000);
  free(test_file_read(test_file_path("large.onnx.data"), &n));
  assert_int_equal(n, sizeof in);
  assert_ok(gg_onnx_open(&m, path));
  assert_ok(gg_onnx_load(m, h, NULL));
  gg_onnx_close(m);
  assert_ok(gg_shared_read(gg_graph_find(h, "w"), out, sizeof out));
  assert_memory_equal(in, out, sizeof in);
  gg_graph_free(g);
  gg_graph_free(h);
}

/* Every allocation of the library for models fails once. */
static void test_without_memory(void **state) {
  gg_graph *g = graph_of_text(
      test_context(), "x = input float32[?, 4]\nw = shared float32[4]\n"
                      "y = softmax(hypot(x, dimshuffle{pattern=[-1, 0]}(w)))\n"
                      "z = reduce{op=sum, axes=[0]}(y)\n"
                      "function f(x) -> (y, z)\n");
  const gg_func_spec *f = gg_graph_func(g, "f");
  const char *path = test_file_path("memory.onnx");
  int err = GA_MEMORY_ERROR;

  (void)state;
  assert_ok(gg_onnx_save(f, path, NULL));
  const long live = ga__alloc_live();
  for (long nth = 1; err != GA_NO_ERROR; nth++) {
    ga__alloc_fail(nth, 1);
    err = gg_onnx_save(f, path, NULL);
    ga__alloc_fail(0, 0);
    assert_int_equal(ga__alloc_live(), live);
    if (err != GA_NO_ERROR)
      assert_int_equal(err, GA_MEMORY_ERROR);
    gg_graph_reset_error(g);
  }
  gg_graph_free(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arguments),      cmocka_unit_test(test_lists_all),
      cmocka_unit_test(test_names),          cmocka_unit_test(test_external),
      cmocka_unit_test(test_without_memory), cmocka_unit_test(test_nodes),
      cmocka_unit_test(test_weight_names),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
