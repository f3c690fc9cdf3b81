/* SPDX-License-Identifier: BSD-2-Clause */
/* Models that are written here, byte by byte: what is listed, built and
 * refused. */
#include <gpugraph/gpugraph.h>
#include <gpugraph/onnx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "support/device.h"
#include "support/onnx_message.h"
#include "support/tmpfile.h"

static const int64_t open3[] = {-1, 3};
static const float weights[] = {1, 2, 3};

/* y = x * w for x [batch, 3]. */
static void fill_good(message *m) {
  message graph = {.n = 0};

  put_value(&graph, 11, "x", 2, open3);
  put_tensor(&graph, "w", 3, weights, sizeof weights);
  put_node(&graph, "Mul", "x w", "y", NULL);
  put_value(&graph, 12, "y", 2, open3);
  put_model(m, &graph, 17);
}

static int check_model(const message *m) {
  gpucontext *ctx = test_context();
  gg_onnx *model = NULL;
  int err = gg_onnx_open_memory(&model, m->bytes, m->n, NULL);

  if (err == GA_NO_ERROR)
    err = gg_onnx_check(model, ctx, NULL);
  gg_onnx_close(model);
  return err;
}

static int check_graph(const message *graph, int64_t opset) {
  message m = {.n = 0};

  put_model(&m, graph, opset);
  return check_model(&m);
}

/* The message of loading the model of a graph, which fails. */
static const char *load_message(const message *graph, int64_t opset) {
  int err = check_graph(graph, opset);

  assert_int_not_equal(err, GA_NO_ERROR);
  return gpuarray_error_text(err);
}

#define assert_says(graph, part) assert_says_in(graph, 18, part)
#define assert_says_in(graph, opset, part)                                     \
  do {                                                                         \
    const char *text_ = load_message(graph, opset);                            \
    if (strstr(text_, part) == NULL)                                           \
      fail_msg("\"%s\" has no \"%s\"", text_, part);                           \
  } while (0)

/* --- tests --- */

static void test_runs(void **state) {
  gg_graph *g = gg_graph_new(test_context());
  gg_onnx *model;
  gg_func *f;
  float x[] = {1, 1, 1, 2, 2, 2}, y[6];
  gg_host_array in = {GA_FLOAT, 2, {2, 3}, x, sizeof x};
  gg_host_array out = {.data = y, .bytes = sizeof y};
  message m = {.n = 0};

  (void)state;
  fill_good(&m);
  assert_ok(gg_onnx_open_memory(&model, m.bytes, m.n, NULL));
  assert_int_equal(gg_onnx_n_inputs(model), 1);
  assert_string_equal(gg_onnx_input(model, 0)->size_names[0], "batch");
  assert_int_equal(gg_onnx_input(model, 0)->dims[1], 3);
  assert_int_equal(gg_onnx_describe(model).opset, 17);
  assert_ok(gg_onnx_load(model, g, NULL));
  assert_ok(gg_func_new(&f, g,
                        &(gg_func_spec){.inputs = gg_onnx_inputs(model),
                                        .outputs = gg_onnx_outputs(model)}));
  gg_onnx_close(model);
  assert_string_equal(gg_var_name(gg_func_shared(f, 0)), "w");
  assert_ok(gg_func_call_host(f, (const gg_host_array *[]){&in},
                              (gg_host_array *[]){&out}));
  for (int i = 0; i < 6; i++)
    assert_true(y[i] == x[i] * weights[i % 3]);
  gg_func_free(f);
  gg_graph_free(g);
}

/* Inputs, weights and outputs have the model's names, so a model that is loaded
 * and saved keeps them. */
static void test_names(void **state) {
  gg_graph *g = gg_graph_new(test_context());
  gg_onnx *model, *saved;
  message m = {.n = 0};

  (void)state;
  fill_good(&m);
  assert_ok(gg_onnx_open_memory(&model, m.bytes, m.n, NULL));
  assert_ok(gg_onnx_load(model, g, NULL));
  assert_string_equal(gg_var_name(gg_onnx_outputs(model)[0]), "y");
  assert_string_equal(gg_var_size_name(gg_onnx_inputs(model)[0], 0), "batch");
  assert_ok(gg_onnx_save(&(gg_func_spec){.inputs = gg_onnx_inputs(model),
                                         .outputs = gg_onnx_outputs(model)},
                         test_file_path("names.onnx"), NULL));
  gg_onnx_close(model);
  assert_ok(gg_onnx_open(&saved, test_file_path("names.onnx")));
  assert_string_equal(gg_onnx_input(saved, 0)->name, "x");
  assert_string_equal(gg_onnx_input(saved, 0)->size_names[0], "batch");
  assert_string_equal(gg_onnx_output(saved, 0)->name, "y");
  gg_onnx_close(saved);
  gg_graph_free(g);
}

static void assert_fixed(gg_onnx *m, gg_graph *g, const char *name,
                         const gg_host_array *value, const char *part) {
  assert_code(
      GA_VALUE_ERROR,
      gg_onnx_load(m, g,
                   &(gg_onnx_options){.fixed = GG_ONNX_FIXED({name, value})}));
  assert_message(GA_VALUE_ERROR, part);
}

static void test_options(void **state) {
  gg_graph *g = gg_graph_new(test_context());
  float x[] = {1, 2, 3};
  gg_host_array value = {GA_FLOAT, 2, {1, 3}, x, sizeof x};
  gg_onnx *model;
  message m = {.n = 0};

  (void)state;
  fill_good(&m);
  assert_ok(gg_onnx_open_memory(&model, m.bytes, m.n, NULL));
  assert_ok(gg_onnx_load(model, g,
                         &(gg_onnx_options){.sizes = GG_SIZES({"batch", 7})}));
  assert_int_equal(gg_var_type(gg_onnx_outputs(model)[0])->dims[0], 7);
  assert_ok(gg_onnx_load(
      model, g, &(gg_onnx_options){.fixed = GG_ONNX_FIXED({"x", &value})}));
  assert_null(gg_onnx_inputs(model)[0]);
  value.nd = 1;
  assert_code(
      GA_VALUE_ERROR,
      gg_onnx_load(model, g,
                   &(gg_onnx_options){.fixed = GG_ONNX_FIXED({"x", &value})}));
  assert_message(GA_VALUE_ERROR, "expected float32 and 2");
  value = (gg_host_array){GA_FLOAT, 2, {1, 4}, x, sizeof x};
  assert_fixed(model, g, "x", &value, "dim 1 of the value for \"x\" is 4");
  value = (gg_host_array){GA_FLOAT, 2, {1, 3}, NULL, 0};
  assert_fixed(model, g, "x", &value, "the value is NULL");
  assert_fixed(model, g, "y", &value, "no input has the name \"y\"");
  assert_code(GA_VALUE_ERROR,
              gg_onnx_load(model, g,
                           &(gg_onnx_options){.sizes = GG_SIZES({"bach", 7})}));
  assert_message(GA_VALUE_ERROR, "no size has the name \"bach\"");
  assert_code(GA_VALUE_ERROR, gg_onnx_check(NULL, NULL, NULL));
  assert_int_equal(gg_graph_status(g), GA_NO_ERROR);
  gg_onnx_close(model);
  gg_graph_free(g);
}

/* All that is wrong comes in one message. */
static void test_reports_all(void **state) {
  message graph = {.n = 0}, attr = number("colour", 1);

  (void)state;
  put_value(&graph, 11, "x", 2, open3);
  put_node(&graph, "Frobnicate", "x", "a", NULL);
  put_node(&graph, "Softmax", "a", "b", &attr);
  put_node(&graph, "Gelu", "x", "c", NULL);
  put_node(&graph, "Add", "x nobody", "d", NULL);
  assert_says(&graph, "4 problems");
  assert_says(&graph, "(Frobnicate, opset 18, at byte ");
  assert_says(&graph, "attribute \"colour\" is not supported");
  assert_says(&graph, "supported since opset 20");
  assert_says(&graph, "input 1 \"nobody\" is not computed before this node");
}

/* Add to `attrs` a graph with one node `op` of `in`. */
static void put_branch(message *attrs, const char *name, const char *op,
                       const char *in) {
  message branch = {.n = 0}, attr = {.n = 0};

  put_node(&branch, op, in, "r", NULL);
  put_value(&branch, 12, "r", 2, open3);
  put_text(&attr, 1, name);
  put_message(&attr, 6, &branch);
  put_int(&attr, 20, 5);
  put_message(attrs, 5, &attr);
}

/* So do problems of both branches, and of a graph whose node cannot be
 * built. */
static void test_reports_inner(void **state) {
  message graph = {.n = 0}, branches = {.n = 0}, body = {.n = 0};

  (void)state;
  put_value(&graph, 11, "x", 2, open3);
  put_value(&graph, 11, "x", 2, open3);
  put_value(&graph, 11, "c", 0, NULL);
  put_branch(&branches, "then_branch", "First", "x");
  put_branch(&branches, "else_branch", "Second", "x");
  put_node_in(&graph, 1, "If", "c", "y", &branches);
  put_branch(&body, "body", "Third", "y");
  put_node_in(&graph, 1, "Loop", "- c y", "z", &body);
  put_node(&graph, "Neg", "z", "v", NULL);
  assert_says(&graph, "model: 4 problems");
  assert_says(&graph, "the name \"x\" is used twice");
  assert_says(&graph, "(First, opset 18, at byte ");
  assert_says(&graph, "), inside of node (If, at byte ");
  assert_says(&graph, "(Second, opset 18, at byte ");
  assert_says(&graph, "(Third, opset 18, at byte ");
  assert_says(&graph, "), inside of node (Loop, at byte ");
}

static void test_refuses(void **state) {
  message twice = {.n = 0}, short_w = {.n = 0}, cycle = {.n = 0},
          clash = {.n = 0}, blind = {.n = 0}, one = number("value_int", 1);

  (void)state;
  put_node(&blind, "Constant", "", NULL, &one);
  assert_says(&blind, "the node has no outputs");
  put_value(&twice, 11, "x", 2, open3);
  put_node(&twice, "Neg", "x", "y", NULL);
  put_node(&twice, "Abs", "x", "y", NULL);
  assert_says(&twice, "the name \"y\" is used twice");
  put_tensor(&short_w, "w", 4, weights, sizeof weights);
  assert_says(&short_w, "tensor \"w\" has 12 bytes, its sizes need 16");
  put_node(&cycle, "Neg", "b", "a", NULL);
  put_node(&cycle, "Neg", "a", "b", NULL);
  assert_says(&cycle, "\"b\" is not computed before this node");
  put_value(&clash, 11, "x", 2, (int64_t[]){2, 3});
  put_value(&clash, 11, "y", 2, (int64_t[]){2, 4});
  put_node(&clash, "Add", "x y", "z", NULL);
  assert_says(&clash, "model:1");
}

/* --- attributes and inputs that ops cannot take --- */

/* Check what one node says that reads a float32 x of rank 4 and an int64 t. */
static void assert_node(const char *op, const char *in, const char *out,
                        const message *attr, size_t n, const int64_t *t,
                        const char *part) {
  message graph = {.n = 0};

  put_value(&graph, 11, "x", 4, (int64_t[]){2, 4, 6, 6});
  put_elements(&graph, "t", 7, 1, (int64_t)n, t);
  put_node(&graph, op, in, out, attr);
  assert_says(&graph, part);
}

static void test_odd_nodes(void **state) {
  static const int64_t none[1], parts[] = {1, 2}, far[] = {1, INT64_MAX},
                                crop[] = {2, 4, 6, -1};
  message wide = number("blocksize", (int64_t)1 << 32),
          axis = number("axis", 1), three = number("num_outputs", 3);

  (void)state;
  assert_node("DepthToSpace", "x", "y", &wide, 0, none, "blocksize 4294967296");
  assert_node("HannWindow", "t", "y", NULL, 0, none, "input 0 \"t\" is empty");
  assert_node("OneHot", "x t x", "y", NULL, 0, none, "input 1 \"t\" is empty");
  assert_node("MatMulInteger", "- t t t", "y", NULL, 2, parts, "output 0");
  assert_node("Split", "x t", "y z", &axis, 2, parts,
              "3 elements in all, of 4");
  assert_node("Split", "x t", "y z", &axis, 2, far, "part 1 has size");
  assert_node("Split", "x", "y z", &three, 0, none, "num_outputs is 3");
  assert_node("CenterCropPad", "x t", "y", NULL, 4, crop, "-1 is no size");
}

/* Filters whose sizes are open are as large as an attribute says. */
static void test_huge_filters(void **state) {
  static const int64_t most = INT32_MAX / 4;
  message graph = {.n = 0}, shape = {.n = 0}, attrs = {.n = 0};

  (void)state;
  put_text(&shape, 1, "kernel_shape");
  put_int(&shape, 8, most);
  put_int(&shape, 8, most);
  put_int(&shape, 20, 7);
  put_message(&attrs, 5, &shape);
  put_value(&graph, 11, "x", 4, (int64_t[]){1, most, 4, 4});
  put_value(&graph, 11, "w", 4, (int64_t[]){1, most, -1, -1});
  put_value(&graph, 11, "o", 4, (int64_t[]){1, -1, 4, 4});
  put_node_in(&graph, 1, "DeformConv", "x w o", "y", &attrs);
  assert_says_in(&graph, 19, "filters of 1.54743e+26 elements");
}

static void test_odd_floats(void **state) {
  static const float far = 1e30f, zero, one = 1;
  message range = {.n = 0}, axis = {.n = 0};

  (void)state;
  put_elements(&range, "zero", 1, 0, 1, &zero);
  put_elements(&range, "far", 1, 0, 1, &far);
  put_elements(&range, "one", 1, 0, 1, &one);
  put_node(&range, "Range", "zero far one", "y", NULL);
  assert_says(&range, "1e+30 elements");
  put_value(&axis, 11, "x", 2, open3);
  put_elements(&axis, "far", 1, 0, 1, &far);
  put_node(&axis, "CumSum", "x far", "y", NULL);
  assert_says(&axis, "axis 9223372036854775807 does not exist");
}

static void test_scalar_mask(void **state) {
  static const float zero;
  message graph = {.n = 0};

  (void)state;
  put_value(&graph, 11, "x", 4, (int64_t[]){2, 4, 6, 6});
  put_elements(&graph, "mask", 1, 0, 1, &zero);
  put_node(&graph, "Attention", "x x x mask", "y", NULL);
  put_value(&graph, 12, "y", 4, (int64_t[]){2, 4, 6, 6});
  assert_ok(check_graph(&graph, 23));
}

/* Each state of a loop needs an output. */
static void test_states_without_outputs(void **state) {
  message graph = {.n = 0}, body = {.n = 0}, attr = {.n = 0}, attrs = {.n = 0},
          count = number("num_scan_inputs", 1);

  (void)state;
  put_value(&body, 11, "a", 1, open3);
  put_value(&body, 11, "b", 1, open3);
  put_value(&body, 11, "c", 1, open3);
  put_node(&body, "Add", "a b", "d", NULL);
  put_value(&body, 12, "d", 1, open3);
  put_text(&attr, 1, "body");
  put_message(&attr, 6, &body);
  put_int(&attr, 20, 5);
  put_message(&attrs, 5, &attr);
  put_message(&attrs, 5, &count);
  put_value(&graph, 11, "x", 2, open3);
  put_node_in(&graph, 1, "Scan", "x x x", "y", &attrs);
  assert_says(&graph, "2 states, but 1 outputs");
}

static void test_segment(void **state) {
  message graph = {.n = 0}, t = {.n = 0};

  (void)state;
  put_int(&t, 1, 3);
  put_int(&t, 2, 1);
  put_text(&t, 3, "");
  put_text(&t, 8, "w");
  put_bytes(&t, 9, weights, sizeof weights);
  put_message(&graph, 5, &t);
  assert_says(&graph, "tensor \"w\" is a part of one");
}

/* A weight of one element stays one, but ops that need its value read it. */
static void test_single_weight(void **state) {
  static const float one = 1, two = 2, three = 3;
  gg_graph *g = gg_graph_new(test_context());
  message graph = {.n = 0}, m = {.n = 0};
  gg_onnx *model;
  gg_func *f;

  (void)state;
  put_value(&graph, 11, "x", 1, (int64_t[]){5});
  put_tensor(&graph, "one", 1, &one, sizeof one);
  put_tensor(&graph, "two", 1, &two, sizeof two);
  put_tensor(&graph, "three", 1, &three, sizeof three);
  put_node(&graph, "Range", "one three one", "r", NULL);
  put_node(&graph, "TopK", "x two", "t i", NULL);
  put_node(&graph, "Add", "r t", "s", NULL);
  put_node(&graph, "PRelu", "s one", "y", NULL);
  put_value(&graph, 12, "y", 1, (int64_t[]){2});
  put_model(&m, &graph, 17);
  assert_ok(gg_onnx_open_memory(&model, m.bytes, m.n, NULL));
  assert_ok(gg_onnx_load(model, g, NULL));
  assert_ok(gg_func_new(&f, g,
                        &(gg_func_spec){.inputs = gg_onnx_inputs(model),
                                        .outputs = gg_onnx_outputs(model)}));
  gg_onnx_close(model);
  assert_string_equal(gg_var_name(gg_func_shared(f, 0)), "one");
  assert_null(gg_func_shared(f, 1));
  gg_func_free(f);
  gg_graph_free(g);
}

/* Scan of opset 8 takes no lengths. */
static void test_lengths(void **state) {
  message graph = {.n = 0}, one = number("num_scan_inputs", 1);

  (void)state;
  put_value(&graph, 11, "x", 2, open3);
  put_node(&graph, "Scan", "x x", "y", &one);
  assert_says_in(&graph, 8, "lengths of sequences are not supported");
}

/* --- functions --- */

/* y = op(inputs) in a function f of a, b and c, which a node calls. The kind of
 * attribute "axis" of op is that of the node's attribute "where". */
static int check_function(const char *op, const char *read, const char *in,
                          const char *out, const message *where) {
  message graph = {.n = 0}, f = {.n = 0}, import = {.n = 0}, attrs = {.n = 0},
          axis = {.n = 0}, m = {.n = 0};

  put_text(&axis, 1, "axis");
  put_int(&axis, 20, 2);
  put_text(&axis, 21, "where");
  put_message(&attrs, 5, &axis);
  put_text(&f, 1, "f");
  put_words(&f, 4, "a b c");
  put_words(&f, 5, "r");
  put_node_in(&f, 7, op, read, "r", where == NULL ? NULL : &attrs);
  put_int(&import, 2, 17);
  put_message(&f, 9, &import);
  put_value(&graph, 11, "x", 2, open3);
  put_node(&graph, "f", in, out, where);
  put_value(&graph, 12, "y", 2, open3);
  put_model(&m, &graph, 17);
  put_message(&m, 25, &f);
  return check_model(&m);
}

static void test_functions(void **state) {
  message whole = number("where", 1), text = {.n = 0};

  (void)state;
  assert_ok(check_function("Clip", "a b c", "x", "y", NULL));
  assert_code(GA_VALUE_ERROR, check_function("Neg", "a", "x", "z y", NULL));
  assert_message(GA_VALUE_ERROR, "1 inputs and 2 outputs, but the function");
  assert_code(GA_VALUE_ERROR, check_function("Neg", "a", "x x x x", "y", NULL));
  assert_ok(check_function("Softmax", "a", "x", "y", &whole));
  put_text(&text, 1, "where");
  put_text(&text, 4, "1");
  put_int(&text, 20, 3);
  assert_code(GA_VALUE_ERROR, check_function("Softmax", "a", "x", "y", &text));
  assert_message(GA_VALUE_ERROR, "attribute \"axis\" has the wrong type 3");
}

/* A model of functions d7, d6, ... that call the next one 10 times, one after
 * the other; the last one is `op`. */
static void fill_deep(message *m, const char *op) {
  static const char *const names[] = {"d0", "d1", "d2", "d3", "d4", "d5", "d6"};
  static const char letters[] = "abcdefghijk";
  message graph = {.n = 0}, import = {.n = 0};

  put_int(&import, 2, 18);
  put_value(&graph, 11, "x", 2, open3);
  put_node(&graph, "d6", "x", "y", NULL);
  put_value(&graph, 12, "y", 2, open3);
  put_model(m, &graph, 18);
  for (int k = 0; k < 7; k++) {
    message f = {.n = 0};

    put_text(&f, 1, names[k]);
    put_text(&f, 4, "a");
    put_text(&f, 5, "k");
    for (int i = 0; i < 10; i++)
      put_node_in(&f, 7, k == 0 ? op : names[k - 1],
                  (const char[]){letters[i], 0},
                  (const char[]){letters[i + 1], 0}, NULL);
    put_message(&f, 9, &import);
    put_message(m, 25, &f);
  }
}

/* A small file may not become a huge graph. The message names the node. */
static void test_limits(void **state) {
  message many = {.n = 0}, large = {.n = 0};

  (void)state;
  fill_deep(&many, "Identity");
  assert_code(GA_XLARGE_ERROR, check_model(&many));
  assert_message(GA_XLARGE_ERROR, "): more than 1000000 nodes");
  fill_deep(&large, "Selu");
  assert_code(GA_XLARGE_ERROR, check_model(&large));
  assert_message(GA_XLARGE_ERROR, "(Selu, opset 18, at byte ");
  assert_message(GA_XLARGE_ERROR, "become more than 1000000 variables");
}

/* float16 data with statistics in float32. */
static void test_narrow_norm(void **state) {
  message graph = {.n = 0}, training = number("training_mode", 1);

  (void)state;
  put_typed(&graph, 11, "x", 10, 2, open3);
  put_value(&graph, 11, "s", 1, open3 + 1);
  put_node(&graph, "BatchNormalization", "x s s s s", "y m v", &training);
  put_typed(&graph, 12, "y", 10, 2, open3);
  put_value(&graph, 12, "m", 1, open3 + 1);
  put_value(&graph, 12, "v", 1, open3 + 1);
  assert_ok(check_graph(&graph, 18));
}

/* --- damage --- */

/* Each cut of a good file and each changed byte is read or refused. */
static void test_damaged(void **state) {
  message m = {.n = 0};
  gg_onnx *model;

  (void)state;
  fill_good(&m);
  const long live = ga__alloc_live();
  for (size_t n = 0; n < m.n; n++) {
    message bad = m;

    if (gg_onnx_open_memory(&model, m.bytes, n, NULL) == GA_NO_ERROR)
      gg_onnx_close(model);
    bad.bytes[n] ^= 0xff;
    if (gg_onnx_open_memory(&model, bad.bytes, bad.n, NULL) == GA_NO_ERROR) {
      gg_onnx_check(model, NULL, NULL);
      gg_onnx_close(model);
    }
  }
  assert_int_equal(ga__alloc_live(), live);
}

static void test_without_memory(void **state) {
  message m = {.n = 0};
  gg_onnx *model;
  int err = GA_MEMORY_ERROR;

  (void)state;
  fill_good(&m);
  const long live = ga__alloc_live();
  for (long nth = 1; err == GA_MEMORY_ERROR; nth++) {
    ga__alloc_fail(nth, 1);
    err = gg_onnx_open_memory(&model, m.bytes, m.n, NULL);
    if (err == GA_NO_ERROR)
      err = gg_onnx_check(model, NULL, NULL);
    ga__alloc_fail(0, 0);
    gg_onnx_close(model);
    assert_int_equal(ga__alloc_live(), live);
  }
  assert_int_equal(err, GA_NO_ERROR);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_runs),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_options),
      cmocka_unit_test(test_reports_all),
      cmocka_unit_test(test_reports_inner),
      cmocka_unit_test(test_refuses),
      cmocka_unit_test(test_odd_nodes),
      cmocka_unit_test(test_huge_filters),
      cmocka_unit_test(test_odd_floats),
      cmocka_unit_test(test_scalar_mask),
      cmocka_unit_test(test_states_without_outputs),
      cmocka_unit_test(test_segment),
      cmocka_unit_test(test_single_weight),
      cmocka_unit_test(test_functions),
      cmocka_unit_test(test_limits),
      cmocka_unit_test(test_lengths),
      cmocka_unit_test(test_narrow_norm),
      cmocka_unit_test(test_damaged),
      cmocka_unit_test(test_without_memory),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
