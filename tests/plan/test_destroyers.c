/* SPDX-License-Identifier: BSD-2-Clause */
/* Who may overwrite a value: one op at most, and the last of all that read it.
 * The ops here are functions of the host on device arrays, which tell whether
 * they were given one memory for both; no kernel is compiled. */
#include <string.h>

#include "base/err.h"
#include "support/funcs.h"

enum { N = 4 };

static gg_graph *g;
static gg_func *f;
static GpuArray a, out;
static gg_var *x;
static int n_in_place; /* outputs that had the memory of input 0 */
static const float ones[N] = {1, 2, 3, 4};

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  x = gg_input(g, "x", GA_FLOAT, 1);
  f = NULL;
  n_in_place = 0;
  memset(&out, 0, sizeof out);
  float_vector(&a, N, ones);
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  GpuArray_clear(&a);
  GpuArray_clear(&out);
  gg_func_free(f);
  gg_graph_free(g);
  return 0;
}

/* --- ops --- */

typedef struct factors {
  float by[2]; /* of the operands; output j has by[j] times more */
} factors;

static int infer_outputs(const gg_apply *node, gg_type *type) {
  for (unsigned int j = 0; j < node->n_out; j++)
    type[j] = *gg_var_type(node->in[0]);
  return GA_NO_ERROR;
}

static int shape_outputs(const gg_apply *node, const gg_dims *in,
                         const double *const *host, gg_dims *dims) {
  (void)host;
  for (unsigned int j = 0; j < node->n_out; j++)
    dims[j] = in[0];
  return GA_NO_ERROR;
}

static int same_memory(const GpuArray *v, const GpuArray *w) {
  return v->data == w->data && v->offset == w->offset;
}

/* Output j is (j + 1) (by[0] in[0] + by[1] in[1]). */
static int perform_sum(const gg_prepare *p) {
  const factors *by = p->apply->props;
  float v[2][N] = {{0}}, z[N];

  for (unsigned int i = 0; i < p->n_in; i++)
    GA_TRY(GpuArray_read(v[i], sizeof v[i], p->in[i]));
  for (unsigned int j = 0; j < p->n_out; j++) {
    for (unsigned int i = 0; i < N; i++)
      z[i] = (float)(j + 1) * (by->by[0] * v[0][i] + by->by[1] * v[1][i]);
    GA_TRY(GpuArray_write(p->out[j], z, sizeof z));
    n_in_place += same_memory(p->out[j], p->in[0]);
  }
  return GA_NO_ERROR;
}

static int destroys_first(const gg_apply *node, unsigned int which) {
  (void)node;
  (void)which;
  return 0;
}

/* The input and as many zeros. */
static int shape_longer(const gg_apply *node, const gg_dims *in,
                        const double *const *host, gg_dims *dims) {
  (void)node;
  (void)host;
  dims[0] = in[0];
  dims[0].dim[0] *= 2;
  return GA_NO_ERROR;
}

static int infer_longer(const gg_apply *node, gg_type *type) {
  *type = *gg_var_type(node->in[0]);
  type->dims[0] = GG_ANY;
  return GA_NO_ERROR;
}

static int perform_longer(const gg_prepare *p) {
  float v[2 * N] = {0};

  GA_TRY(GpuArray_read(v, N * sizeof *v, p->in[0]));
  n_in_place += same_memory(p->out[0], p->in[0]);
  return GpuArray_write(p->out[0], v, sizeof v);
}

static int destroys_none_of_its_own(const gg_apply *node, unsigned int which) {
  (void)which;
  return (int)node->n_in;
}

#define SUM_OP(text, outputs, destroyed)                                       \
  {                                                                            \
    .name = text, .kind = GG_OP_PERFORM, .props_bytes = sizeof(factors),       \
    .n_out = outputs, .infer = infer_outputs, .shape = shape_outputs,          \
    .c_order = 1, .perform = perform_sum, .destroys = destroyed                \
  }

static const gg_op sum_op = SUM_OP("weighted_sum", 1, NULL);
static const gg_op over_op = SUM_OP("over", 1, destroys_first);
static const gg_op over_twice_op = SUM_OP("over_twice", 2, destroys_first);
static const gg_op wrong_op = SUM_OP("wrong", 1, destroys_none_of_its_own);
static const gg_op longer_op = {.name = "longer",
                                .kind = GG_OP_PERFORM,
                                .n_out = 1,
                                .infer = infer_longer,
                                .shape = shape_longer,
                                .c_order = 1,
                                .perform = perform_longer,
                                .destroys = destroys_first};

/* by v + w; w may be NULL. */
static gg_var *apply(const gg_op *op, float by, gg_var *v, gg_var *w) {
  const factors props = {{by, 1}};

  return gg_op_apply(NULL, op, &props, w != NULL ? 2 : 1, (gg_var *[]){v, w});
}

static gg_var *over(float by, gg_var *v, gg_var *w) {
  return apply(&over_op, by, v, w);
}

static gg_var *sum(gg_var *v, gg_var *w) {
  return apply(&sum_op, 1, v, w);
}

/* A value in memory that an op may take. */
static gg_var *temporary(void) {
  return apply(&sum_op, 1, x, NULL);
}

static void run(gg_var *z, const float *want) {
  n_in_place = 0;
  if (f == NULL)
    f = func_make(g,
                  &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(z)});
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_floats(&out, want, N);
}

/* --- intermediate values --- */

static void test_one_takes_it(void **state) {
  (void)state;
  run(sum(over(10, temporary(), NULL), x), (float[]){11, 22, 33, 44});
  assert_int_equal(n_in_place, 1);
}

/* Of two ops that would overwrite a value, the second does. */
static void test_two_destroyers(void **state) {
  gg_var *t = temporary();

  (void)state;
  run(sum(over(10, t, NULL), over(100, t, NULL)),
      (float[]){110, 220, 330, 440});
  assert_int_equal(n_in_place, 1);
}

/* Each asks for what the other makes or for what it reads: none can be first
 * and overwrite. */
static void test_read_afterwards(void **state) {
  gg_var *t = temporary(), *p = over(10, t, NULL);

  (void)state;
  run(sum(over(100, t, p), t), (float[]){111, 222, 333, 444});
  assert_int_equal(n_in_place, 0);
}

/* A view is as good as the value, and what lies backwards is not overwritten.
 */
static void test_seen_through_a_view(void **state) {
  gg_var *t = temporary(), *back = gg_slice(t, 0, GG_END, GG_END, -1);

  (void)state;
  run(sum(over(10, t, NULL), over(100, back, NULL)),
      (float[]){410, 320, 230, 140});
  assert_int_equal(n_in_place, 0);
}

static void test_both_operands(void **state) {
  gg_var *t = temporary();

  (void)state;
  run(sum(over(10, t, t), x), (float[]){12, 24, 36, 48});
  assert_int_equal(n_in_place, 0);
}

/* Two outputs of one op that would lie in one place. */
static void test_two_outputs(void **state) {
  gg_apply *p = gg_var_owner(apply(&over_twice_op, 10, temporary(), NULL));

  (void)state;
  run(sum(p->out[0], p->out[1]), (float[]){30, 60, 90, 120});
  assert_int_equal(n_in_place, 1);
}

/* --- arguments --- */

static void test_two_destroyers_of_an_argument(void **state) {
  gg_var *z = sum(over(10, x, NULL), over(100, x, NULL));

  (void)state;
  for (int i = 0; i < 2; i++) {
    f = func_make(
        g, &(gg_func_spec){.inputs = GG_VARS(x),
                           .outputs = GG_VARS(z),
                           .mutable_inputs = i == 1 ? GG_VARS(x) : NULL});
    run(NULL, (float[]){110, 220, 330, 440});
    assert_int_equal(n_in_place, i);
    if (i == 0)
      assert_floats(&a, ones, N);
    gg_func_free(f);
    f = NULL;
  }
}

/* --- shared variables: who reads the old value comes first --- */

static gg_var *shared(const char *name, float by) {
  float v[N];

  for (int i = 0; i < N; i++)
    v[i] = by * ones[i];
  return gg_shared_host(g, name, GA_FLOAT, 1, (size_t[]){N}, v);
}

static void assert_multiple(const gg_var *v, float by) {
  float want[N];

  for (int i = 0; i < N; i++)
    want[i] = by * ones[i];
  assert_shared(v, want, N);
}

static void update(const gg_update *updates) {
  if (f == NULL)
    f = func_make(g, &(gg_func_spec){.updates = updates});
  n_in_place = 0;
  func_run(f, NULL, NULL);
}

/* Only the update of the variable itself may take its memory. */
static void test_two_destroyers_of_a_shared_value(void **state) {
  gg_var *v = shared("v", 1), *w = shared("w", 0);

  (void)state;
  update(GG_UPDATES({v, over(10, v, NULL)}, {w, over(100, v, NULL)}));
  assert_int_equal(n_in_place, 1);
  assert_multiple(v, 10);
  assert_multiple(w, 100);
  update(NULL);
  assert_multiple(v, 100);
  assert_multiple(w, 1000);
}

/* Two that would have to come before each other: one gets other memory. */
static void test_cycle_of_two(void **state) {
  gg_var *v = shared("v", 1), *w = shared("w", 2);

  (void)state;
  update(GG_UPDATES({v, over(10, v, w)}, {w, over(100, w, v)}));
  assert_int_equal(n_in_place, 1);
  assert_multiple(v, 12);
  assert_multiple(w, 201);
}

static void test_cycle_of_three(void **state) {
  gg_var *u = shared("u", 1), *v = shared("v", 2), *w = shared("w", 3);

  (void)state;
  update(GG_UPDATES({u, over(10, u, v)}, {v, over(10, v, w)},
                    {w, over(10, w, u)}));
  assert_int_equal(n_in_place, 2);
  assert_multiple(u, 12);
  assert_multiple(v, 23);
  assert_multiple(w, 31);
}

/* The order that one update asks for closes a cycle with what the graph asks
 * for: the new v is read by who reads the old one. */
static void test_cycle_with_a_reader(void **state) {
  gg_var *v = shared("v", 1), *w = shared("w", 0), *next = over(10, v, NULL);

  (void)state;
  update(GG_UPDATES({v, next}, {w, sum(next, v)}));
  assert_int_equal(n_in_place, 0);
  assert_multiple(v, 10);
  assert_multiple(w, 11);
}

/* Without the stage nobody overwrites a shared value. */
static void test_excluded(void **state) {
  gg_var *v = shared("v", 1);

  (void)state;
  f = func_make(g,
                &(gg_func_spec){.updates = GG_UPDATES({v, over(10, v, NULL)}),
                                .exclude = GG_NAMES("inplace")});
  update(NULL);
  assert_int_equal(n_in_place, 0);
  assert_multiple(v, 10);
}

/* --- ops that ask for what they have not --- */

static void test_no_such_operand(void **state) {
  (void)state;
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(
                                       sum(apply(&wrong_op, 1, x, NULL), x))});
  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out}));
  assert_non_null(
      strstr(gg_func_error(f), "wrong: output 0 overwrites operand 1 of 1"));
}

/* Memory that is too short is not taken. */
static void test_longer_result(void **state) {
  gg_var *t = temporary();
  gg_var *z = gg_op_apply(NULL, &longer_op, NULL, 1, &t);

  (void)state;
  run(sum(gg_slice(z, 0, 1, N + 1, 1), x), (float[]){3, 5, 7, 4});
  assert_int_equal(n_in_place, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_one_takes_it),
      TEST(test_two_destroyers),
      TEST(test_read_afterwards),
      TEST(test_seen_through_a_view),
      TEST(test_both_operands),
      TEST(test_two_outputs),
      TEST(test_two_destroyers_of_an_argument),
      TEST(test_two_destroyers_of_a_shared_value),
      TEST(test_cycle_of_two),
      TEST(test_cycle_of_three),
      TEST(test_cycle_with_a_reader),
      TEST(test_excluded),
      TEST(test_no_such_operand),
      TEST(test_longer_result),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
