/* SPDX-License-Identifier: BSD-2-Clause */
/* Products over any axes beyond the case table: against sums that are written
 * out, with sizes of 0, and what is refused. */
#include "support/graph_case.h"

enum { MOST = 256 }; /* elements of an array */

typedef struct shape {
  unsigned int nd;
  size_t dims[5];
} shape;

#define SHAPE(...)                                                             \
  {                                                                            \
    sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t), {                        \
      __VA_ARGS__                                                              \
    }                                                                          \
  }

/* A product of x and y over n pairs of axes, NULL-ended lists of which say
 * nothing where `named` is 0. */
typedef struct product {
  shape x, y;
  unsigned int batch, n;
  int named, x_axes[3], y_axes[3];
} product;

static const product products[] = {
    {SHAPE(2, 3), SHAPE(3, 4), 0, 1, 0, {0}, {0}},
    {SHAPE(3), SHAPE(3), 0, 1, 0, {0}, {0}},
    {SHAPE(2, 3, 4), SHAPE(4), 0, 1, 0, {0}, {0}},
    {SHAPE(4), SHAPE(2, 3, 4), 0, 1, 1, {0}, {2}},
    {SHAPE(2, 3, 4), SHAPE(2, 3, 4), 0, 3, 0, {0}, {0}},
    {SHAPE(2, 3, 4), SHAPE(4, 2, 3), 0, 3, 1, {2, 0, 1}, {0, 1, 2}},
    {SHAPE(2, 3, 4), SHAPE(5, 4, 2), 0, 2, 1, {0, -1}, {-1, 1}},
    {SHAPE(2, 3, 1), SHAPE(1, 3, 2), 0, 2, 1, {1, 2}, {1, 0}},
    {SHAPE(2, 3), SHAPE(4, 2), 0, 0, 0, {0}, {0}},
    {SHAPE(2, 0, 3), SHAPE(3, 0, 4), 0, 2, 1, {1, 2}, {1, 0}},
    {SHAPE(0, 2, 3), SHAPE(3, 2, 4), 0, 1, 0, {0}, {0}},
    {SHAPE(3, 2, 4), SHAPE(3, 4, 2), 1, 1, 0, {0}, {0}},
    {SHAPE(3, 2, 4), SHAPE(3, 5, 4, 2), 1, 1, 1, {1}, {-1}},
    {SHAPE(3, 2, 4), SHAPE(3, 2, 4), 1, 2, 0, {0}, {0}},
    {SHAPE(3, 2, 4, 2), SHAPE(3, 2, 2, 4), 1, 2, 1, {2, 1}, {3, 2}},
    {SHAPE(3, 2), SHAPE(3, 4), 1, 0, 0, {0}, {0}},
    {SHAPE(2, 2, 0, 2), SHAPE(2, 0, 2, 3), 1, 2, 0, {0}, {0}},
    {SHAPE(0, 2, 3), SHAPE(0, 3, 2), 1, 1, 0, {0}, {0}},
};

/* --- sums written out --- */

static size_t count(const shape *s) {
  size_t n = 1;

  for (unsigned int i = 0; i < s->nd; i++)
    n *= s->dims[i];
  return n;
}

static float x_value(size_t i) {
  return (float)(i % 13) / 4 - 1;
}

static float y_value(size_t i) {
  return (float)(i % 7) / 2 - 1;
}

/* Axis i of those that are added up. */
static unsigned int axis_of(const product *p, int which, unsigned int i) {
  const shape *const s = which == 0 ? &p->x : &p->y;
  const int k = which == 0 ? p->x_axes[i] : p->y_axes[i];

  if (!p->named)
    return which == 0 ? s->nd - p->n + i : p->batch + i;
  return k < 0 ? s->nd + (unsigned int)k : (unsigned int)k;
}

/* The pair that an axis belongs to, the batch behind the last; -1 if none. */
static int pair_of(const product *p, int which, unsigned int axis) {
  for (unsigned int i = 0; i < p->n; i++)
    if (axis_of(p, which, i) == axis)
      return (int)i;
  return axis < p->batch ? (int)p->n : -1;
}

static void find_indices(const shape *s, size_t at, size_t *index) {
  for (unsigned int i = s->nd; i-- > 0; at /= s->dims[i])
    index[i] = at % s->dims[i];
}

/* Where the product of elements i of x and k of y is added to; 0 if nowhere. */
static int find_place(const product *p, const size_t *i, const size_t *k,
                      const shape *z, size_t *at) {
  size_t paired[4] = {0};
  unsigned int n = 0;

  *at = 0;
  for (unsigned int d = 0; d < p->x.nd; d++) {
    const int pair = pair_of(p, 0, d);

    if (pair >= 0)
      paired[pair] = i[d];
    if (pair < 0 || (unsigned int)pair == p->n)
      *at = *at * z->dims[n++] + i[d];
  }
  for (unsigned int d = 0; d < p->y.nd; d++) {
    const int pair = pair_of(p, 1, d);

    if (pair >= 0 && paired[pair] != k[d])
      return 0;
    if (pair < 0)
      *at = *at * z->dims[n++] + k[d];
  }
  return 1;
}

static shape result_shape(const product *p) {
  shape z = {0, {0}};

  for (unsigned int d = 0; d < p->x.nd; d++)
    if (d < p->batch || pair_of(p, 0, d) < 0)
      z.dims[z.nd++] = p->x.dims[d];
  for (unsigned int d = 0; d < p->y.nd; d++)
    if (pair_of(p, 1, d) < 0)
      z.dims[z.nd++] = p->y.dims[d];
  return z;
}

static void add_up(const product *p, const shape *z, float *want) {
  size_t i[5], k[5], at;

  for (at = 0; at < count(z); at++)
    want[at] = 0;
  for (size_t u = 0; u < count(&p->x); u++)
    for (size_t v = 0; v < count(&p->y); v++) {
      find_indices(&p->x, u, i);
      find_indices(&p->y, v, k);
      if (find_place(p, i, k, z, &at))
        want[at] += x_value(u) * y_value(v);
    }
}

/* --- against them --- */

static gg_var *build(const product *p, gg_var *x, gg_var *y) {
  const int *const u = p->named ? p->x_axes : NULL, *const v = p->named
                                                                   ? p->y_axes
                                                                   : NULL;

  return p->batch ? gg_batched_tensordot(x, y, p->n, u, v)
                  : gg_tensordot(x, y, p->n, u, v);
}

/* An input whose sizes are known, or the one of axis `open` and all behind it
 * are not. */
static gg_var *sized(const char *name, const shape *s, unsigned int open) {
  int64_t dims[5];

  for (unsigned int i = 0; i < s->nd; i++)
    dims[i] = i < open ? (int64_t)s->dims[i] : GG_ANY;
  return gg_input_sized(g, name, GA_FLOAT, s->nd, dims);
}

static void check(const product *p, unsigned int open_x, unsigned int open_y) {
  const shape z = result_shape(p);
  float x[MOST], y[MOST], want[MOST];
  gg_var *const u = sized("x", &p->x, open_x), *v = sized("y", &p->y, open_y);
  gg_func *const f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(u, v),
                                   .outputs = GG_VARS(build(p, u, v))});

  for (size_t i = 0; i < MOST; i++) {
    x[i] = x_value(i);
    y[i] = y_value(i);
  }
  float_array(&a, p->x.nd, p->x.dims, x);
  float_array(&b, p->y.nd, p->y.dims, y);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
  assert_int_equal(out.nd, z.nd);
  assert_memory_equal(out.dimensions, z.dims, z.nd * sizeof *z.dims);
  add_up(p, &z, want);
  assert_floats(&out, want, count(&z));
  gg_func_free(f);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&out);
}

static void sums_are_those_written_out(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof products / sizeof products[0]; i++)
    check(&products[i], 5, 5);
}

static void sizes_may_be_open(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof products / sizeof products[0]; i++) {
    check(&products[i], 0, 0);
    check(&products[i], 0, 5);
    check(&products[i], 5, 1);
  }
}

/* --- what they are made of --- */

static gg_var *input(unsigned int nd) {
  return gg_input(g, "x", GA_FLOAT, nd);
}

static void a_plain_product_is_a_dot(void **state) {
  gg_var *const x = input(2), *const y = input(2), *const z = input(3);

  (void)state;
  assert_ptr_equal(gg_tensordot(x, y, 1, NULL, NULL), gg_dot(x, y));
  assert_ptr_equal(gg_tensordot(x, y, 1, (int[]){0}, (int[]){-1}),
                   gg_dot(gg_transpose(x), gg_transpose(y)));
  assert_ptr_equal(gg_batched_tensordot(z, z, 1, NULL, NULL),
                   gg_batched_dot(z, z));
}

/* Axes that lie beside each other become one without a copy. */
static void rows_are_taken_as_they_lie(void **state) {
  gg_var *const x = input(4), *const y = gg_input_sized(
                                  g, "y", GA_FLOAT, 3,
                                  (int64_t[]){GG_ANY, GG_ANY, 2});
  gg_func *const f = func_make(
      g,
      &(gg_func_spec){.inputs = GG_VARS(x, y),
                      .outputs = GG_VARS(gg_tensordot(x, y, 2, NULL, NULL))});
  float v[MOST] = {1};

  (void)state;
  float_array(&a, 4, (size_t[]){2, 2, 2, 4}, v);
  float_array(&b, 3, (size_t[]){2, 4, 2}, v);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
  assert_int_equal(func_stats(f).steps, 1);
  gg_func_free(f);
}

/* In each step, with sizes that only the call tells. */
static void bodies_of_loops_have_them(void **state) {
  const product step = {SHAPE(3, 2, 4), SHAPE(4, 2, 2), 0, 2, 1,
                        {1, 2},         {1, 0}};
  const shape one = result_shape(&step);
  float x[MOST], y[MOST], want[MOST] = {0};
  gg_var *const u = input(4), *const v = input(3);
  gg_scan *s = gg_scan_open(g);
  gg_var *z = gg_scan_output(s, gg_tensordot(gg_scan_sequence(s, u, 0), v, 2,
                                             step.x_axes, step.y_axes));
  gg_func *f;

  (void)state;
  assert_ok(gg_scan_close(s));
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(u, v),
                                   .outputs = GG_VARS(gg_scan_all(s, z))});
  gg_scan_free(s);
  for (size_t i = 0; i < MOST; i++) {
    x[i] = x_value(i % count(&step.x));
    y[i] = y_value(i);
  }
  float_array(&a, 4, (size_t[]){2, 3, 2, 4}, x);
  float_array(&b, 3, step.y.dims, y);
  func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
  add_up(&step, &one, want);
  add_up(&step, &one, want + count(&one));
  assert_floats(&out, want, 2 * count(&one));
  gg_func_free(f);
}

/* --- what is refused --- */

static void refuses(gg_var *z, const char *message) {
  assert_null(z);
  assert_int_equal(gg_graph_status(g), GA_VALUE_ERROR);
  assert_string_equal(gg_graph_error(g), message);
  gg_graph_reset_error(g);
}

static void axes_that_do_not_fit_are_refused(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 2);

  (void)state;
  refuses(gg_tensordot(x, x, 1, (int[]){2}, (int[]){0}),
          "tensordot(float32[?, ?]): there is no axis 2");
  refuses(gg_tensordot(x, x, 2, (int[]){1, -1}, (int[]){0, 1}),
          "tensordot(float32[?, ?], float32[?, ?]): axis 1 is summed twice");
  refuses(gg_tensordot(x, x, 3, NULL, NULL),
          "tensordot(float32[?, ?], float32[?, ?]): operand 0 has too few "
          "axes");
  refuses(gg_tensordot(x, x, ~0u, NULL, NULL),
          "tensordot(float32[?, ?], float32[?, ?]): operand 0 has too few "
          "axes");
  refuses(gg_batched_tensordot(x, gg_sum_axis(x, 0), 1, NULL, NULL),
          "batched_tensordot(float32[?, ?], float32[?]): operand 1 has too few "
          "axes");
  refuses(
      gg_batched_tensordot(x, x, 1, (int[]){1}, (int[]){-2}),
      "batched_tensordot(float32[?, ?], float32[?, ?]): axis 0 is the batch "
      "axis");
  refuses(gg_tensordot(input(5), input(4), 0, NULL, NULL),
          "tensordot(float32[?, ?, ?, ?, ?], float32[?, ?, ?, ?]): the result "
          "has more than 8 axes");
  assert_null(gg_tensordot(NULL, x, 1, NULL, NULL));
  assert_null(gg_batched_tensordot(x, NULL, 1, NULL, NULL));
}

static void sizes_that_differ_are_refused(void **state) {
  const shape s = SHAPE(2, 3), t = SHAPE(3, 2);
  gg_var *const x = sized("x", &s, 2), *const y = sized("y", &t, 2);

  (void)state;
  refuses(gg_tensordot(x, y, 2, NULL, NULL),
          "tensordot(float32[2, 3], float32[3, 2]): axes 0 and 0: sizes 2 and "
          "3 differ");
  refuses(gg_batched_tensordot(x, y, 0, NULL, NULL),
          "batched_tensordot(float32[2, 3], float32[3, 2]): axes 0 and 0: "
          "sizes 2 and 3 differ");
}

/* As many elements as have to be, but not along the axes. */
static void a_call_of_other_sizes_is_refused(void **state) {
  gg_var *const x = input(3), *const y = gg_input(g, "y", GA_FLOAT, 2);
  gg_func *const f = func_make(
      g,
      &(gg_func_spec){.inputs = GG_VARS(x, y),
                      .outputs = GG_VARS(gg_tensordot(x, y, 2, NULL, NULL))});
  const float v[12] = {0};

  (void)state;
  float_array(&a, 3, (size_t[]){2, 2, 3}, v);
  float_array(&b, 2, (size_t[]){3, 2}, v);
  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out}));
  assert_string_equal(gg_func_error(f),
                      "function: specify_sizes(float32[3, 2], int64, int64): "
                      "dim 0: expected 2, got 3");
  gg_func_free(f);
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, graph_setup, graph_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(sums_are_those_written_out),
      TEST(sizes_may_be_open),
      TEST(a_plain_product_is_a_dot),
      TEST(rows_are_taken_as_they_lie),
      TEST(bodies_of_loops_have_them),
      TEST(axes_that_do_not_fit_are_refused),
      TEST(sizes_that_differ_are_refused),
      TEST(a_call_of_other_sizes_is_refused),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
