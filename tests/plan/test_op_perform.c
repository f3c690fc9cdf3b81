/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops that are functions: on the host, on device arrays, with state. */
#include <gpuarray/blas.h>
#include <gpuarray/profile.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "support/funcs.h"

static gg_graph *g;
static gg_func *f;
static GpuArray a, b, out;
static gg_var *x;
static const float six[6] = {1, 2, 3, 4, 5, 6};
static int calls; /* of perform */

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  x = gg_input(g, "x", GA_FLOAT, 1);
  f = NULL;
  calls = 0;
  memset(&a, 0, sizeof a);
  memset(&b, 0, sizeof b);
  memset(&out, 0, sizeof out);
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&out);
  gg_func_free(f);
  gg_graph_free(g);
  return 0;
}

static void make(gg_var *y, int flags) {
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(y),
                                   .flags = flags});
}

static void run_on(GpuArray *in) {
  func_run(f, (GpuArray *[]){in}, (GpuArray *[]){&out});
}

static int infer_first(const gg_apply *node, gg_type *type) {
  *type = *gg_var_type(node->in[0]);
  return GA_NO_ERROR;
}

static int shape_first(const gg_apply *node, const gg_dims *in,
                       const double *const *host, gg_dims *dims) {
  (void)node;
  (void)host;
  *dims = in[0];
  return GA_NO_ERROR;
}

/* --- on the host --- */

static int perform_double(const gg_prepare *p) {
  const float *from = p->from[0];
  float *to = p->to[0];

  calls++;
  for (size_t i = 0; i < p->in[0]->dimensions[0]; i++)
    to[i] = 2 * from[i];
  return GA_NO_ERROR;
}

static const gg_op double_op = {.name = "double",
                                .kind = GG_OP_PERFORM,
                                .n_out = 1,
                                .on_host = 1,
                                .infer = infer_first,
                                .shape = shape_first,
                                .perform = perform_double};

static gg_var *apply_double(gg_var *v) {
  return gg_op_apply(NULL, &double_op, NULL, 1, &v);
}

static void the_host_computes(void **state) {
  (void)state;
  make(gg_add(apply_double(gg_neg(x)), gg_f32(g, 1)), 0);
  float_vector(&a, 6, six);
  run_on(&a);
  run_on(&a);
  assert_floats(&out, (float[]){-1, -3, -5, -7, -9, -11}, 6);
  assert_int_equal(func_stats(f).host_steps, 1);
  assert_int_equal(calls, 2);
}

static void strided_and_empty_inputs(void **state) {
  GpuArray odd;

  (void)state;
  make(apply_double(x), 0);
  float_vector(&a, 6, six);
  assert_ok(GpuArray_index(&odd, &a, (ssize_t[]){5}, (ssize_t[]){-1},
                           (ssize_t[]){-2}));
  run_on(&odd);
  GpuArray_clear(&odd);
  assert_floats(&out, (float[]){12, 8, 4}, 3);
  assert_ok(
      GpuArray_index(&odd, &a, (ssize_t[]){0}, (ssize_t[]){0}, (ssize_t[]){1}));
  run_on(&odd);
  GpuArray_clear(&odd);
  assert_int_equal(out.dimensions[0], 0);
}

static void the_profile_tells(void **state) {
  gg_profile_row row[4];
  char *text = NULL;
  size_t bytes;

  (void)state;
  make(apply_double(gg_exp(x)), GG_PROFILE);
  float_vector(&a, 6, six);
  run_on(&a);
  size_t n = gg_func_profile_rows(f, row, 4);
  assert_int_equal(n, 2);
  size_t i = strcmp(row[0].provider, "host") != 0;
  assert_string_equal(row[i].provider, "host");
  assert_string_equal(row[i].label, "double (host)");
  assert_int_equal(row[i].calls, 1);
  FILE *file = open_memstream(&text, &bytes);
  assert_ok(gg_func_profile_print(f, file));
  fclose(file);
  assert_non_null(strstr(text, "transfers 2, 0.000 MB"));
  assert_non_null(strstr(text, "host     double (host)"));
  assert_non_null(strstr(text, " 1 calls  host\n"));
  assert_non_null(strstr(text, " 1 calls  device\n"));
  free(text);
}

static void it_can_be_forbidden(void **state) {
  gg_func *h = (gg_func *)&a;

  (void)state;
  assert_code(GA_UNSUPPORTED_ERROR,
              gg_func_new(&h, g,
                          &(gg_func_spec){.inputs = GG_VARS(x),
                                          .outputs = GG_VARS(apply_double(x)),
                                          .flags = GG_NO_HOST}));
  assert_null(h);
  assert_string_equal(
      gg_graph_error(g),
      "double is computed by the host, which GG_NO_HOST forbids");
  gg_graph_reset_error(g);
  make(gg_exp(x), GG_NO_HOST);
}

/* Or be told of: a line for the op, none for those of the device. */
static void it_can_be_told_of(void **state) {
  char *text = NULL;
  size_t bytes;
  FILE *file = open_memstream(&text, &bytes);

  (void)state;
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(apply_double(gg_exp(x))),
                                   .flags = GG_WARN_HOST,
                                   .mode = GG_FAST_COMPILE,
                                   .trace = file});
  fclose(file);
  assert_string_equal(text, "double is computed by the host\n");
  free(text);
}

static void constants_are_folded(void **state) {
  gg_var *c = gg_constant(g, GA_FLOAT, 1, (size_t[]){6}, six);
  gg_op unfolded = double_op;

  (void)state;
  make(gg_add(x, apply_double(c)), GG_NO_HOST);
  assert_int_equal(calls, 1);
  float_vector(&a, 6, six);
  run_on(&a);
  assert_floats(&out, (float[]){3, 6, 9, 12, 15, 18}, 6);
  assert_int_equal(calls, 1);
  gg_func_free(f);

  unfolded.no_fold = 1;
  make(gg_add(x, gg_op_apply(NULL, &unfolded, NULL, 1, &c)), 0);
  assert_int_equal(calls, 1);
  run_on(&a);
  run_on(&a);
  assert_floats(&out, (float[]){3, 6, 9, 12, 15, 18}, 6);
  assert_int_equal(calls, 3);
  gg_func_free(f); /* before its op goes */
  f = NULL;
}

/* x + the number in input 1 */
static int perform_shift(const gg_prepare *p) {
  for (size_t i = 0; i < p->in[0]->dimensions[0]; i++)
    ((float *)p->to[0])[i] =
        ((const float *)p->from[0])[i] + (float)*p->number[1];
  return GA_NO_ERROR;
}

static void numbers_are_known_in_both(void **state) {
  gg_var *c = gg_constant(g, GA_FLOAT, 1, (size_t[]){6}, six);
  gg_op op = double_op;
  gg_var *two = gg_f32(g, 2);

  (void)state;
  op.number_only = 1 << 1;
  op.perform = perform_shift;
  c = gg_op_apply(NULL, &op, NULL, 2, (gg_var *[]){c, two}); /* folded */
  c = gg_op_apply(NULL, &op, NULL, 2, (gg_var *[]){gg_add(c, x), two});
  make(c, 0);
  float_vector(&a, 6, six);
  run_on(&a);
  assert_floats(&out, (float[]){6, 8, 10, 12, 14, 16}, 6);
  assert_int_equal(func_stats(f).host_steps, 1);
  gg_func_free(f); /* before its op goes */
  f = NULL;
}

/* --- failures --- */

static int perform_negative(const gg_prepare *p) {
  const float *from = p->from[0];

  if (from[0] < 0)
    return gg_op_fail(p->apply, GA_VALUE_ERROR, "element 0 is %g",
                      (double)from[0]);
  return from[0] > 5 ? GA_MISC_ERROR : perform_double(p);
}

static void failures_are_told(void **state) {
  gg_op op = double_op;

  (void)state;
  op.name = "picky";
  op.perform = perform_negative;
  make(gg_op_apply(NULL, &op, NULL, 1, &x), 0);
  float_vector(&a, 2, (float[]){-7, 1});
  float_vector(&b, 2, (float[]){9, 1});
  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out}));
  assert_string_equal(gg_func_error(f),
                      "function: picky(float32[?]): element 0 is -7");
  assert_null(out.data);
  assert_code(GA_MISC_ERROR,
              gg_func_call(f, (GpuArray *[]){&b}, (GpuArray *[]){&out}));
  assert_non_null(strstr(gg_func_error(f), "function: "));
  GpuArray_clear(&a);
  float_vector(&a, 2, six);
  run_on(&a); /* it goes on */
  assert_floats(&out, (float[]){2, 4}, 2);
  gg_func_free(f);
  f = NULL;
}

static void failed_allocations_leave_nothing(void **state) {
  const size_t n = 6;
  long i;
  int err = GA_MEMORY_ERROR;

  (void)state;
  float_vector(&a, n, six);
  make(apply_double(x), 0); /* what the graph and the context keep */
  run_on(&a);
  GpuArray_clear(&out);
  gg_func_free(f);
  long live_before = ga__alloc_live();
  for (i = 1; err != GA_NO_ERROR; i++) {
    make(apply_double(x), 0);
    ga__alloc_fail(i, 0);
    err = gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
    ga__alloc_fail(0, 0);
    gg_func_free(f);
    f = NULL;
    if (err != GA_NO_ERROR) {
      assert_int_equal(err, GA_MEMORY_ERROR);
      assert_null(out.data);
      assert_int_equal(ga__alloc_live(), live_before);
    }
  }
  assert_true(i > 10);
  assert_floats(&out, (float[]){2, 4, 6, 8, 10, 12}, 6);
}

/* --- on device arrays --- */

static int shape_product(const gg_apply *node, const gg_dims *in,
                         const double *const *host, gg_dims *dims) {
  (void)host;
  if (in[0].dim[1] != in[1].dim[0])
    return gg_op_fail(node, GA_VALUE_ERROR, "%zu columns and %zu rows",
                      in[0].dim[1], in[1].dim[0]);
  dims->nd = 2;
  dims->dim[0] = in[0].dim[0];
  dims->dim[1] = in[1].dim[1];
  return GA_NO_ERROR;
}

static int infer_product(const gg_apply *node, gg_type *type) {
  *type = *gg_var_type(node->in[0]);
  type->dims[1] = gg_var_type(node->in[1])->dims[1];
  return GA_NO_ERROR;
}

static int perform_product(const gg_prepare *p) {
  assert_null(p->from);
  assert_ptr_equal(p->ctx, test_context());
  calls++;
  return GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, p->in[0], p->in[1], 0,
                        p->out[0], 1);
}

static const gg_op product_op = {.name = "product",
                                 .kind = GG_OP_PERFORM,
                                 .n_out = 1,
                                 .infer = infer_product,
                                 .shape = shape_product,
                                 .perform = perform_product};

static void the_array_layer_computes(void **state) {
  gg_var *m = gg_input(g, "m", GA_FLOAT, 2);
  gg_var *t = gg_transpose(m);
  gg_var *p = gg_op_apply(NULL, &product_op, NULL, 2, (gg_var *[]){m, t});

  (void)state;
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(m),
                                   .outputs = GG_VARS(gg_neg(p)),
                                   .flags = GG_NO_HOST});
  float_array(&a, 2, (size_t[]){2, 3}, six);
  run_on(&a);
  assert_floats(&out, (float[]){-14, -32, -32, -77}, 4);
  assert_int_equal(func_stats(f).host_steps, 0);
  assert_int_equal(calls, 1);
}

/* --- state --- */

typedef struct counter {
  float next;
} counter;
static int live;

static int counter_new(const gg_prepare *p, void **state) {
  counter *c;

  if (p->in[0]->dimensions[0] == 5)
    return gg_op_fail(p->apply, GA_VALUE_ERROR, "five is too many");
  c = malloc(sizeof *c);
  c->next = (float)*p->number[1];
  *state = c;
  live++;
  return GA_NO_ERROR;
}

static void counter_free(void *state) {
  live--;
  free(state);
}

/* x + how often it was called */
static int perform_count(const gg_prepare *p) {
  counter *c = p->state;
  const float *from = p->from[0];

  for (size_t i = 0; i < p->in[0]->dimensions[0]; i++)
    ((float *)p->to[0])[i] = from[i] + c->next;
  c->next++;
  return GA_NO_ERROR;
}

static void state_lives_with_the_plan(void **state) {
  static const gg_op count_op = {.name = "count",
                                 .kind = GG_OP_PERFORM,
                                 .n_out = 1,
                                 .number_only = 2,
                                 .on_host = 1,
                                 .infer = infer_first,
                                 .shape = shape_first,
                                 .perform = perform_count,
                                 .state_new = counter_new,
                                 .state_free = counter_free};
  gg_var *in[2] = {x, gg_f32(g, 100)};

  (void)state;
  make(gg_op_apply(NULL, &count_op, NULL, 2, in), 0);
  float_vector(&a, 2, six);
  float_vector(&b, 5, six);
  run_on(&a);
  assert_floats(&out, (float[]){101, 102}, 2);
  run_on(&a);
  assert_floats(&out, (float[]){102, 103}, 2);
  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&b}, (GpuArray *[]){&out}));
  assert_string_equal(
      gg_func_error(f),
      "function: count (host): count(float32[?], float32): five is too "
      "many");
  assert_int_equal(live, 1);
  gg_func_free(f);
  f = NULL;
  assert_int_equal(live, 0);
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(the_host_computes),
      TEST(strided_and_empty_inputs),
      TEST(the_profile_tells),
      TEST(it_can_be_forbidden),
      TEST(it_can_be_told_of),
      TEST(constants_are_folded),
      TEST(numbers_are_known_in_both),
      TEST(failures_are_told),
      TEST(failed_allocations_leave_nothing),
      TEST(the_array_layer_computes),
      TEST(state_lives_with_the_plan),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
