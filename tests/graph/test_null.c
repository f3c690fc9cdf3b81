/* SPDX-License-Identifier: BSD-2-Clause */
/* NULL where a variable is expected is an error that names the call and the
 * argument. */
#include <gpugraph/args.h>
#include <gpugraph/gpugraph.h>
#include <gpugraph/save.h>

#include "support/device.h"

static gg_graph *g;
static gg_var *x, *m, *k;

static int begin(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  x = gg_input_sized(g, "x", GA_FLOAT, 1, (int64_t[]){3});
  m = gg_input_sized(g, "m", GA_FLOAT, 2, (int64_t[]){3, 3});
  k = gg_input_sized(g, "k", GA_LONG, 1, (int64_t[]){2});
  return x == NULL || m == NULL || k == NULL;
}

static int end(void **state) {
  (void)state;
  gg_graph_free(g);
  return 0;
}

/* The builder gave NULL, and the graph says why. */
static void refused(const gg_var *v, const char *message) {
  assert_null(v);
  assert_int_equal(gg_graph_status(g), GA_VALUE_ERROR);
  assert_string_equal(gg_graph_error(g), message);
  gg_graph_reset_error(g);
}

/* There was no graph that could say why. */
static void thread_says(const char *message) {
  assert_string_equal(gpuarray_error_text(GA_VALUE_ERROR), message);
}

#define X "float32[3]"
#define M "float32[3, 3]"

static void test_operands(void **state) {
  gg_var *const n = gg_i64(g, 2);

  (void)state;
  refused(gg_add(x, NULL), "add(" X ", NULL): operand 1 is NULL");
  refused(gg_lt(NULL, x), "lt(NULL, " X "): operand 0 is NULL");
  refused(gg_where(NULL, x, x), "where(NULL, " X ", " X "): operand 0 is NULL");
  refused(gg_clip(x, x, NULL), "clip(" X ", " X ", NULL): operand 2 is NULL");
  refused(gg_fill(x, NULL), "fill(" X ", NULL): operand 1 is NULL");
  refused(gg_join(0, 2, (gg_var *[]){x, NULL}),
          "join(" X ", NULL): operand 1 is NULL");
  refused(gg_take(m, NULL), "take(" M ", NULL): operand 1 is NULL");
  refused(gg_take_axis(NULL, 1, k), "take(NULL, int64[2]): operand 0 is NULL");
  refused(gg_put(m, 0, k, NULL),
          "put(" M ", int64[2], NULL): operand 2 is NULL");
  refused(gg_slice_set(x, 0, 0, 2, 1, NULL),
          "slice_set(" X ", NULL): operand 1 is NULL");
  refused(gg_dot(m, NULL), "dot(" M ", NULL): operand 1 is NULL");
  refused(gg_outer(NULL, x), "outer(NULL, " X "): operand 0 is NULL");
  refused(gg_batched_dot(m, NULL),
          "batched_dot(" M ", NULL): operand 1 is NULL");
  refused(gg_tensordot(m, NULL, 1, NULL, NULL),
          "tensordot(" M ", NULL): operand 1 is NULL");
  refused(gg_crossentropy(m, NULL),
          "crossentropy(" M ", NULL): operand 1 is NULL");
  refused(gg_assert(x, NULL, "no"), "assert(" X ", NULL): operand 1 is NULL");
  refused(gg_arange(n, NULL, n),
          "arange(int64, NULL, int64): operand 1 is NULL");
  refused(gg_alloc(x, 2, (gg_var *[]){n, NULL}),
          "alloc(" X "): size 1 is NULL");
  refused(gg_alloc(NULL, 1, (gg_var *[]){n}),
          "alloc(int64): the value is NULL");
  refused(gg_ifelse(NULL, x, x), "ifelse: the condition is NULL");
  refused(gg_ifelse(gg_gt(gg_sum(x), gg_f32(g, 0)), x, NULL),
          "ifelse: value 0 is NULL");
}

/* What is built from a variable that failed keeps the first error. */
static void test_first_error(void **state) {
  (void)state;
  gg_var *bad = gg_add(x, gg_input_sized(g, "y", GA_FLOAT, 1, (int64_t[]){4}));
  refused(gg_mul(x, gg_exp(bad)),
          "add(" X ", float32[4]): dim 0: 3 and 4 do not broadcast");
}

static void test_random(void **state) {
  gg_random *r = gg_random_new(g, GG_PHILOX, 1);
  const gg_draw *d = GG_DRAW(GA_FLOAT, 3);

  (void)state;
  assert_null(gg_random_uniform(r, d, NULL, NULL));
  assert_non_null(strstr(gg_graph_error(g), "low is NULL"));
  gg_graph_reset_error(g);
  assert_null(gg_random_normal(r, NULL, x, x));
  assert_non_null(strstr(gg_graph_error(g), "the draw is NULL"));
  gg_graph_reset_error(g);
  gg_random_free(r);
  assert_code(GA_VALUE_ERROR, gg_random_seed(NULL, 1));
  thread_says("gg_random_seed: the source is NULL");
  assert_int_equal(gg_random_count(NULL), 0);
  thread_says("gg_random_count: the source is NULL");
  assert_null(gg_random_state(NULL, 0));
  thread_says("gg_random_state: the source is NULL");
  assert_null(gg_random_updates(NULL, NULL));
  thread_says("gg_random_updates: the source is NULL");
}

static void test_values(void **state) {
  gg_var *w =
      gg_shared_host(g, "w", GA_FLOAT, 1, (size_t[]){3}, (float[]){1, 2, 3});
  const size_t three = 3;

  (void)state;
  refused(gg_shared(g, "v", NULL), "shared v: the value is NULL");
  assert_code(GA_VALUE_ERROR, gg_shared_set(w, NULL));
  refused(NULL, "shared w: the value is NULL");
  assert_code(GA_VALUE_ERROR, gg_shared_use(w, NULL));
  refused(NULL, "shared w: the value is NULL");
  refused(gg_constant(g, GA_FLOAT, 1, NULL, &three),
          "gg_constant: the sizes are NULL");
  refused(gg_constant(g, GA_FLOAT, 1, &three, NULL),
          "gg_constant: the value is NULL");
  assert_code(GA_VALUE_ERROR, gg_test_value(x, NULL, &three));
  refused(NULL, "test value of x: the sizes are NULL");
  assert_code(GA_VALUE_ERROR, gg_test_value(x, &three, NULL));
  refused(NULL, "test value of x: the value is NULL");
}

static void test_forms(void **state) {
  const gg_op op = {.name = "nothing"}, nameless = {.n_out = 1};

  (void)state;
  assert_code(GA_VALUE_ERROR, gg_op_register(NULL));
  thread_says("gg_op_register: the form is NULL");
  assert_code(GA_VALUE_ERROR, gg_op_register(&(gg_op_form){.takes = "x"}));
  thread_says("gg_op_register: the op is NULL");
  assert_code(GA_VALUE_ERROR,
              gg_op_register(&(gg_op_form){.op = &nameless, .takes = "x"}));
  thread_says("gg_op_register: the op's name is NULL");
  assert_code(GA_VALUE_ERROR, gg_op_register(&(gg_op_form){.op = &op}));
  thread_says("gg_op_register: the list of operands is NULL");
}

static void test_gradients(void **state) {
  gg_var *out[2];

  (void)state;
  assert_code(GA_VALUE_ERROR, gg_grad(out, NULL, 1, &x));
  refused(NULL, "gradient: the cost is NULL");
  assert_code(GA_VALUE_ERROR,
              gg_grad(out, gg_sum(x), 2, (gg_var *[]){x, NULL}));
  refused(NULL, "gradient: variable 1 is NULL");
  assert_code(GA_VALUE_ERROR, gg_grad(out, NULL, 1, (gg_var *[]){NULL}));
  assert_code(GA_VALUE_ERROR, gg_jacobian(out, NULL, 1, &x));
  assert_code(GA_VALUE_ERROR, gg_rop(out, 1, (gg_var *[]){NULL}, 1, &x, &x));
  thread_says("rop: result 0 is NULL");
  assert_code(GA_VALUE_ERROR, gg_rop(out, 0, NULL, 1, &x, &x));
  thread_says("rop: there are no results");
  assert_code(GA_VALUE_ERROR, gg_rop(out, 1, &x, 1, &x, NULL));
  thread_says("rop: a list is NULL");
  assert_code(GA_VALUE_ERROR, gg_grad(out, gg_sum(x), 1, NULL));
  thread_says("gradient: the list of variables is NULL");
  assert_code(GA_VALUE_ERROR, gg_lop(out, 1, &x, NULL, 1, &x));
  thread_says("gradient: the list of variables is NULL");
  assert_code(GA_VALUE_ERROR, gg_grad_of(out, NULL));
  thread_says("gradient: the spec is NULL");
}

/* The error goes to the graph of what is there. */
static void test_beside(void **state) {
  gg_var *const n = gg_i64(g, 2), *const sizes[2] = {n, n};
  const GpuPooling p = {.nd = 1, .size = {2}, .stride = {1}, .dilation = {1}};
  const GpuResize r = {0};

  (void)state;
  refused(gg_reshape_sizes(NULL, 2, sizes),
          "reshape_sizes(int64, int64): the value is NULL");
  refused(gg_broadcast_sizes(NULL, 1, sizes),
          "broadcast_sizes(int64): the value is NULL");
  refused(gg_tile_sizes(NULL, 1, sizes), "tile(int64): the value is NULL");
  refused(gg_repeat_sizes(NULL, 0, n), "repeat(int64): the value is NULL");
  refused(gg_slice_sizes(NULL, 1, NULL, sizes, NULL, NULL),
          "slice_sizes(int64): the value is NULL");
  refused(gg_slice_at(NULL, 0, n, NULL, NULL),
          "slice_at(int64, NULL, NULL): the value is NULL");
  refused(gg_slice_vector(NULL, NULL, k, NULL, NULL),
          "slice_vector(int64[2], NULL, NULL): the value is NULL");
  refused(gg_pad_vector(NULL, k, k, GG_PAD_EDGE, NULL),
          "pad_vector(int64[2], int64[2]): the value is NULL");
  refused(gg_pad_sizes(NULL, sizes, sizes, GG_PAD_CONSTANT, n),
          "pad(int64): the value is NULL");
  refused(gg_affine_grid(NULL, sizes, 0),
          "affine_grid(int64): the value is NULL");
  refused(gg_windows_back(NULL, &p, sizes),
          "windows_back(int64): the value is NULL");
  refused(gg_resize(NULL, 2, &r, sizes),
          "resize(int64, int64): the value is NULL");
  refused(gg_layer_norm(NULL, -1, NULL, x, 1e-5),
          "layer_norm(NULL, " X "): the value is NULL");
  refused(gg_rms_norm(NULL, -1, x, 1e-5), "rms_norm(" X "): the value is NULL");
  refused(gg_polyval(1, &x, NULL), "polyval(" X "): the value is NULL");
  refused(gg_trapezoid(NULL, x, 1, 0), "trapezoid(" X "): the value is NULL");
}

/* Lists of numbers and of operands. */
static void test_counted(void **state) {
  gg_var *out[2];

  (void)state;
  refused(gg_reshape(x, 1, NULL), "reshape(" X "): the list of 1 is NULL");
  refused(gg_specify_shape(m, NULL),
          "specify_shape(" M "): the list of 2 is NULL");
  refused(gg_broadcast_to(x, 2, NULL),
          "broadcast_to(" X "): the list of 2 is NULL");
  refused(gg_broadcast_sizes(x, 2, NULL),
          "broadcast_sizes(" X "): the list of 2 is NULL");
  refused(gg_reshape_sizes(x, 1, NULL),
          "reshape_sizes(" X "): the list of 1 is NULL");
  refused(gg_alloc(x, 1, NULL), "alloc(" X "): the list of 1 is NULL");
  refused(gg_tile(x, 1, NULL), "tile(" X "): the list of 1 is NULL");
  refused(gg_tile_sizes(x, 1, NULL), "tile(" X "): the list of 1 is NULL");
  refused(gg_dimshuffle(x, 1, NULL),
          "dimshuffle(" X "): the list of 1 is NULL");
  refused(gg_reduce(GG_SUM, m, 1, NULL, 0),
          "reduce(" M "): the list of 1 is NULL");
  assert_code(GA_VALUE_ERROR, gg_split_at(x, 0, 1, NULL, out));
  refused(NULL, "split_at(" X "): the list of 1 is NULL");
  assert_code(GA_VALUE_ERROR, gg_split_bounds(x, 0, 1, NULL, out));
  refused(NULL, "split_bounds(" X "): the list of 1 is NULL");
  refused(gg_print(x, NULL), "print(" X "): the message is NULL");
  refused(gg_shared_host(g, "w", GA_FLOAT, 1, NULL, out),
          "shared w: the sizes are NULL");
  assert_null(gg_stack(0, 2, NULL));
  thread_says("stack: the list of operands is NULL");
  assert_null(gg_join(0, 2, NULL));
  thread_says("join: the list of operands is NULL");
  refused(gg_map(NULL, NULL, x), "map: the function is NULL");
  refused(gg_fold(NULL, NULL, NULL, x), "fold: the function is NULL");
}

/* A function that could not be compiled is NULL. */
static void test_reports(void **state) {
  (void)state;
  assert_code(GA_VALUE_ERROR, gg_graph_add_func(g, NULL));
  refused(NULL, "gg_graph_add_func: the spec is NULL");
  assert_code(GA_VALUE_ERROR, gg_func_print(NULL, stdout));
  thread_says("gg_func_print: the function is NULL");
  assert_code(GA_VALUE_ERROR, gg_func_print_kernels(NULL, stdout));
  assert_code(GA_VALUE_ERROR, gg_func_print_rewrites(NULL, stdout));
  assert_code(GA_VALUE_ERROR, gg_func_dot(NULL, stdout));
  assert_code(GA_VALUE_ERROR, gg_func_html(NULL, stdout));
  assert_code(GA_VALUE_ERROR, gg_func_profile_json(NULL, stdout));
  assert_code(GA_VALUE_ERROR, gg_func_profile_print(NULL, stdout));
  thread_says("a profile: the function is NULL");
}

/* --- lists --- */

static void function_refused(const gg_func_spec *spec, const char *message) {
  gg_func *f;

  assert_code(GA_VALUE_ERROR, gg_func_new(&f, g, spec));
  assert_null(f);
  refused(NULL, message);
}

static void test_lists(void **state) {
  gg_var *w =
      gg_shared_host(g, "w", GA_FLOAT, 1, (size_t[]){3}, (float[]){1, 2, 3});
  gg_var *none = NULL, *out[1];
  GpuArray a = {0};

  (void)state;
  function_refused(&(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(gg_neg(x), none)},
                   "output 1 is NULL");
  function_refused(&(gg_func_spec){.inputs = GG_VARS(none, x)},
                   "input 0 is NULL");
  function_refused(&(gg_func_spec){.updates = GG_UPDATES({none, w}, {w, w})},
                   "update 0 is NULL");
  function_refused(&(gg_func_spec){.updates = GG_UPDATES({w, none})},
                   "the new value of update 0 is NULL");
  function_refused(&(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(x),
                                   .givens = GG_GIVENS({none, x})},
                   "given 0 is NULL");
  function_refused(&(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(x),
                                   .mutable_inputs = GG_VARS(none)},
                   "mutable input 0 (NULL) is not among the inputs");
  function_refused(&(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(x),
                                   .no_default_updates = GG_VARS(none)},
                   "variable 0 without its default update is NULL");
  function_refused(NULL, "gg_func_new: the spec is NULL");
  assert_code(GA_VALUE_ERROR, gg_eval(gg_neg(x), GG_VALUES({none, &a}), &a));
  refused(NULL, "eval: variable 0 is NULL");
  assert_code(GA_VALUE_ERROR, gg_shared_write(w, NULL, 12));
  refused(NULL, "shared w: the source is NULL");
  assert_code(GA_VALUE_ERROR, gg_replace(out, 1, &x, GG_GIVENS({none, x})));
  refused(NULL, "replace: given 0 is not in the variables' graph");
}

static void test_names(void **state) {
  const char *const none = NULL;
  gg_func_spec spec = {.name = "f",
                       .inputs = GG_VARS(x),
                       .outputs = GG_VARS(gg_neg(x)),
                       .include = GG_NAMES("fold", none, "shape")};
  GpuArray a = {0};
  gg_func *f;

  (void)state;
  function_refused(&spec, "name 1 to include is NULL");
  assert_code(GA_VALUE_ERROR, gg_graph_add_func(g, &spec));
  refused(NULL, "function f: name 1 to include is NULL");
  spec.include = NULL;
  spec.exclude = GG_NAMES(none);
  function_refused(&spec, "name 0 to exclude is NULL");
  spec.exclude = (const char *const[]){NULL};
  assert_ok(gg_func_new(&f, g, &spec));
  assert_code(GA_VALUE_ERROR,
              gg_func_call_named(f, GG_ARGS({none, &a}, {"x", &a}), NULL));
  assert_string_equal(gg_func_error(f), "f: the name of input 0 is NULL");
  gg_func_free(f);
  assert_code(
      GA_VALUE_ERROR,
      gg_graph_parse_with(
          g, "text", "", 0,
          &(gg_load_options){.contexts = GG_CONTEXTS({"left", test_context()},
                                                     {none, test_context()})}));
  refused(NULL, "text: the name of context 1 is NULL");
  assert_code(GA_VALUE_ERROR,
              gg_graph_parse_with(
                  g, "text", "", 0,
                  &(gg_load_options){.sizes = GG_SIZES({"n", 2}, {none, 3})}));
  refused(NULL, "text: the name of size 1 is NULL");
}

/* --- files and buffers --- */

static void test_paths(void **state) {
  (void)state;
  assert_code(GA_VALUE_ERROR, gg_graph_load(g, NULL));
  refused(NULL, "gg_graph_load: the path is NULL");
  assert_code(GA_VALUE_ERROR, gg_graph_save(g, NULL));
  thread_says("gg_graph_save: the path is NULL");
  assert_code(GA_VALUE_ERROR, gg_graph_parse(g, NULL, "", 0));
  refused(NULL, "gg_graph_parse: the name is NULL");
  assert_code(GA_VALUE_ERROR, gg_graph_parse(g, "text", NULL, 0));
  refused(NULL, "gg_graph_parse: the text is NULL");
  assert_code(GA_VALUE_ERROR, gg_graph_print(g, NULL, 0));
  thread_says("gg_graph_print: the file is NULL");
  assert_null(gg_graph_func(g, NULL));
  thread_says("gg_graph_func: the name is NULL");
  assert_null(gg_graph_find(g, NULL));
  thread_says("gg_graph_find: the name is NULL");
}

static void test_buffers(void **state) {
  size_t n;

  (void)state;
  gpudata_retain(NULL);
  gpukernel_retain(NULL);
  assert_code(GA_VALUE_ERROR,
              gpucontext_property(NULL, GA_CTX_PROP_LMEMSIZE, &n));
  assert_code(GA_VALUE_ERROR, gpudata_property(NULL, GA_BUFFER_PROP_SIZE, &n));
  assert_code(GA_VALUE_ERROR,
              gpukernel_property(NULL, GA_KERNEL_PROP_MAXLSIZE, &n));
  assert_string_equal(gpuarray_error_text(GA_VALUE_ERROR),
                      "gpukernel_property: the kernel is NULL");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_operands, begin, end),
      cmocka_unit_test_setup_teardown(test_first_error, begin, end),
      cmocka_unit_test_setup_teardown(test_random, begin, end),
      cmocka_unit_test_setup_teardown(test_values, begin, end),
      cmocka_unit_test_setup_teardown(test_forms, begin, end),
      cmocka_unit_test_setup_teardown(test_gradients, begin, end),
      cmocka_unit_test_setup_teardown(test_beside, begin, end),
      cmocka_unit_test_setup_teardown(test_counted, begin, end),
      cmocka_unit_test_setup_teardown(test_reports, begin, end),
      cmocka_unit_test_setup_teardown(test_lists, begin, end),
      cmocka_unit_test_setup_teardown(test_names, begin, end),
      cmocka_unit_test_setup_teardown(test_paths, begin, end),
      cmocka_unit_test_setup_teardown(test_buffers, begin, end),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
