/* SPDX-License-Identifier: BSD-2-Clause */
/* Products with blocks that indices choose: values against loops over sizes of
 * all kinds, derivatives, text, and what is refused. */
#include <stdlib.h>
#include <string.h>

#include "support/graph_case.h"
#include "support/lcg.h"
#include "support/roundtrip.h"

/* --- values --- */

enum { W, H, G, Y, FROM, TO, ARGS, DOT = 0, GEMV, OUTER, RESULTS };
enum { MOST = 4096 };

/* w [I, O, m, n], h [B, K, m], g and y [B, J, n]. */
typedef struct sizes {
  size_t I, O, m, n, B, K, J;
} sizes;

static const sizes all_sizes[] = {{3, 4, 2, 5, 2, 3, 2}, {1, 1, 1, 1, 1, 1, 1},
                                  {5, 2, 3, 1, 4, 1, 6}, {2, 3, 1, 4, 1, 5, 2},
                                  {4, 3, 2, 2, 3, 0, 2}, {4, 3, 2, 2, 0, 2, 2},
                                  {2, 2, 3, 3, 2, 2, 0}, {6, 5, 4, 3, 5, 4, 3}};

static double arg[ARGS][MOST], want[RESULTS][MOST];

static size_t place(const sizes *s, size_t r, size_t k, size_t j) {
  const double i = arg[FROM][r * s->K + k], o = arg[TO][r * s->J + j];

  return ((size_t)(i < 0 ? i + (double)s->I : i) * s->O +
          (size_t)(o < 0 ? o + (double)s->O : o)) *
         s->m * s->n;
}

static void add_product(const sizes *s, size_t r, size_t k, size_t j) {
  const double *w = arg[W] + place(s, r, k, j),
               *h = arg[H] + (r * s->K + k) * s->m,
               *x = arg[G] + (r * s->J + j) * s->n;
  double *outer = want[OUTER] + place(s, r, k, j),
         *dot = want[DOT] + (r * s->J + j) * s->n;

  for (size_t c = 0; c < s->m; c++)
    for (size_t d = 0; d < s->n; d++) {
      dot[d] += h[c] * w[c * s->n + d];
      outer[c * s->n + d] += h[c] * x[d];
    }
}

static void compute(const sizes *s) {
  const size_t n = s->B * s->J * s->n;

  memset(want, 0, sizeof want);
  memcpy(want[OUTER], arg[W], sizeof arg[W]);
  for (size_t r = 0; r < s->B; r++)
    for (size_t k = 0; k < s->K; k++)
      for (size_t j = 0; j < s->J; j++)
        add_product(s, r, k, j);
  for (size_t i = 0; i < n; i++)
    want[GEMV][i] = arg[Y][i] + want[DOT][i];
}

static size_t rank_and_dims(const sizes *s, int which, size_t *dims,
                            unsigned int *nd) {
  const size_t d[ARGS][4] = {
      {s->I, s->O, s->m, s->n}, {s->B, s->K, s->m}, {s->B, s->J, s->n},
      {s->B, s->J, s->n},       {s->B, s->K},       {s->B, s->J}};
  static const unsigned int ranks[ARGS] = {4, 3, 3, 3, 2, 2};
  size_t n = 1;

  *nd = ranks[which];
  for (unsigned int i = 0; i < *nd; i++)
    n *= dims[i] = d[which][i];
  return n;
}

/* Random whole numbers; indices may repeat and count from the end. */
static void fill(const sizes *s, int which, size_t n, uint64_t *seed) {
  const size_t limit = which == FROM ? s->I : s->O;

  for (size_t i = 0; i < n; i++) {
    arg[which][i] = which == FROM || which == TO
                        ? (double)lcg_below(seed, 2 * limit) - (double)limit
                        : (double)lcg_below(seed, 17) - 8;
  }
}

static void make_array(GpuArray *to, int dtype, unsigned int nd,
                       const size_t *dims, const double *v) {
  static char data[MOST * sizeof(double)];
  size_t n = 1;

  for (unsigned int i = 0; i < nd; i++)
    n *= dims[i];
  for (size_t i = 0; i < n; i++)
    test_set(data, dtype, i, v[i]);
  test_array(to, dtype, nd, dims, data);
}

static int dtype_of(int dtype, int which) {
  return which == FROM ? GA_INT : which == TO ? GA_LONG : dtype;
}

static void check_sizes(gg_func *f, int dtype, const sizes *s) {
  uint64_t seed = s->I * 7 + s->K;
  GpuArray in[ARGS] = {0}, got[RESULTS] = {0};
  static char data[MOST * sizeof(double)];
  size_t dims[4];
  unsigned int nd;

  for (int i = 0; i < ARGS; i++) {
    fill(s, i, rank_and_dims(s, i, dims, &nd), &seed);
    make_array(&in[i], dtype_of(dtype, i), nd, dims, arg[i]);
  }
  compute(s);
  /* The other product contains the first one. */
  const int first = test_is_quick() ? GEMV : DOT;
  func_run(f, (GpuArray *[]){&in[0], &in[1], &in[2], &in[3], &in[4], &in[5]},
           (GpuArray *[]){first == DOT ? &got[0] : NULL, &got[1], &got[2]});
  for (int i = first; i < RESULTS; i++) {
    const size_t n = rank_and_dims(s, i == OUTER ? W : Y, dims, &nd);
    assert_int_equal(got[i].typecode, dtype);
    assert_int_equal(test_size(&got[i]), n);
    for (size_t k = 0; k < n; k++)
      test_set(data, dtype, k, want[i][k]);
    test_array_close(&got[i], data, 0, 0); /* whole numbers are exact */
    GpuArray_clear(&got[i]);
  }
  for (int i = 0; i < ARGS; i++)
    GpuArray_clear(&in[i]);
}

static void check_values(int dtype) {
  gg_var *w = gg_input(g, "w", dtype, 4), *h = gg_input(g, "h", dtype, 3),
         *x = gg_input(g, "g", dtype, 3), *y = gg_input(g, "y", dtype, 3),
         *from = gg_input(g, "from", GA_INT, 2),
         *to = gg_input(g, "to", GA_LONG, 2);
  gg_func *f = func_make(
      g,
      &(gg_func_spec){.inputs = GG_VARS(w, h, x, y, from, to),
                      .outputs = GG_VARS(gg_block_dot(w, h, from, to),
                                         gg_block_gemv(y, w, h, from, to),
                                         gg_block_outer(w, h, x, from, to))});
  const size_t n = sizeof all_sizes / sizeof *all_sizes;

  for (size_t i = 0; i < n; i++)
    check_sizes(f, dtype, &all_sizes[i]);
  gg_func_free(f);
}

static void test_values(void **state) {
  (void)state;
  check_values(GA_FLOAT);
  if (test_is_quick())
    return;
  test_need_double();
  check_values(GA_DOUBLE);
}

/* --- derivatives --- */

enum { SMALL = 2 };

static gg_var *indices(unsigned int seed) {
  const size_t dims[2] = {SMALL, 3};
  const int32_t v[SMALL * 3] = {0, 1, 0, (int32_t)(seed % 2), -1, 1};

  return gg_constant(g, GA_INT, 2, dims, v);
}

static gg_var *known(const char *name, unsigned int nd) {
  return gg_input_sized(g, name, GA_FLOAT, nd,
                        nd == 4 ? (int64_t[]){2, 2, 2, 3}
                                : (int64_t[]){SMALL, 3, *name == 'h' ? 2 : 3});
}

static void check_gradient(gg_var *v, unsigned int n, gg_var *const *wrt) {
  static const size_t dims[3][4] = {{2, 2, 2, 3}, {SMALL, 3, 2}, {SMALL, 3, 3}};
  GpuArray at[3] = {0};
  GpuArray *list[3];
  float data[24];

  for (int i = 0; i < 24; i++)
    data[i] = (float)(i * 7 % 11) / 8 - 0.5f;
  for (unsigned int i = 0; i < n; i++) {
    float_array(&at[i], i == 0 ? 4 : 3, dims[i], data);
    list[i] = &at[i];
  }
  if (gg_check_gradient(v, n, wrt, list, 0, 0) != GA_NO_ERROR)
    fail_msg("%s", gg_graph_error(g));
  for (unsigned int i = 0; i < n; i++)
    GpuArray_clear(&at[i]);
}

static void test_gradients(void **state) {
  gg_var *in[3] = {known("w", 4), known("h", 3), known("g", 3)};

  (void)state;
  test_need_full();
  check_gradient(gg_block_dot(in[0], in[1], indices(0), indices(1)), 2, in);
  check_gradient(gg_block_outer(in[0], in[1], in[2], indices(0), indices(1)), 3,
                 in);
}

/* The product is linear in each operand, so its derivative along a direction
 * is a sum of products. */
static void test_rop(void **state) {
  gg_var *w = known("w", 4), *h = known("h", 3), *dw = known("w2", 4),
         *dh = known("h2", 3), *i = indices(0), *j = indices(1), *d;

  (void)state;
  test_need_full();
  assert_ok(gg_rop(&d, 1, &(gg_var *){gg_block_dot(w, h, i, j)}, 2,
                   (gg_var *[]){w, h}, (gg_var *[]){dw, dh}));
  gg_var *sum = gg_add(gg_block_dot(dw, h, i, j), gg_block_dot(w, dh, i, j));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(w, h, dw, dh),
                         .outputs = GG_VARS(gg_max(gg_abs(gg_sub(d, sum))),
                                            gg_max(gg_abs(d)))});
  GpuArray x[2] = {0};
  float data[24], got[2];
  for (int k = 0; k < 24; k++)
    data[k] = (float)(k * 5 % 13) - 6;
  float_array(&x[0], 4, (size_t[]){2, 2, 2, 3}, data);
  float_array(&x[1], 3, (size_t[]){SMALL, 3, 2}, data);
  func_run(f, (GpuArray *[]){&x[0], &x[1], &x[0], &x[1]},
           (GpuArray *[]){&out, &out2});
  assert_ok(GpuArray_read(&got[0], sizeof *got, &out));
  assert_ok(GpuArray_read(&got[1], sizeof *got, &out2));
  assert_true(got[0] == 0 && got[1] > 1);
  GpuArray_clear(&x[0]);
  GpuArray_clear(&x[1]);
  gg_func_free(f);
}

/* --- files --- */

static void test_text(void **state) {
  gg_var *w = known("w", 4), *h = known("h", 3), *x = known("g", 3);
  gg_func_spec spec = {
      .name = "blocks",
      .inputs = GG_VARS(w, h, x),
      .outputs = GG_VARS(gg_block_gemv(x, w, h, indices(0), indices(1)),
                         gg_block_outer(w, h, x, indices(0), indices(1)))};

  (void)state;
  assert_ok(gg_graph_add_func(g, &spec));
  char *text = graph_text(g, 0);
  assert_same_text(text);
  free(text);
}

/* --- what is refused --- */

static void refused(const gg_var *made, const char *part) {
  assert_null(made);
  graph_says(GA_VALUE_ERROR, part);
}

static void test_refused(void **state) {
  gg_var *w = gg_input(g, "w", GA_FLOAT, 4), *h = gg_input(g, "h", GA_FLOAT, 3),
         *i = gg_input(g, "i", GA_INT, 2), *m = gg_input(g, "m", GA_FLOAT, 2),
         *z = gg_input(g, "z", GA_CFLOAT, 3),
         *j = gg_input_sized(g, "j", GA_INT, 2, (int64_t[]){7, 2}),
         *k = gg_input_sized(g, "k", GA_INT, 2, (int64_t[]){5, 2});

  (void)state;
  refused(gg_block_dot(h, h, i, i), "the weights have 3 axes, expected 4");
  refused(gg_block_dot(w, m, i, i), "the blocks have 2 axes, expected 3");
  refused(gg_block_dot(w, h, h, i), "the indices have 3 axes, expected 2");
  refused(gg_block_dot(w, h, i, m), "expected integers as indices");
  assert_null(gg_block_dot(w, z, i, i));
  graph_says(GA_UNSUPPORTED_ERROR, "expected real numbers");
  refused(gg_block_dot(NULL, h, i, i), "operand 0 is NULL");
  refused(gg_block_dot(w, h, j, k), "dim 0: expected 7, got 5");
  refused(gg_block_gemv(m, w, h, i, i), "the result has 2 axes, expected 3");
  refused(gg_block_gemv(h, w, h, NULL, i), "operand 3 is NULL");
  refused(gg_block_outer(w, h, m, i, i), "the blocks have 2 axes, expected 3");
  refused(gg_block_outer(w, NULL, h, i, i), "operand 1 is NULL");
}

/* Sizes that only a call knows, and indices out of range. */
static void test_calls(void **state) {
  gg_var *w = gg_input(g, "w", GA_FLOAT, 4), *h = gg_input(g, "h", GA_FLOAT, 3),
         *i = gg_input(g, "i", GA_INT, 2);
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(w, h, i),
                                   .outputs = GG_VARS(gg_block_dot(w, h, i, i)),
                                   .flags = GG_BOUNDS_GUARD});
  static const float zeros[24];
  static const int32_t bad[2] = {0, 2}, good[2] = {1, -2};
  GpuArray in[4] = {0};

  (void)state;
  float_array(&in[0], 4, (size_t[]){2, 2, 2, 3}, zeros);
  float_array(&in[1], 3, (size_t[]){1, 2, 2}, zeros);
  float_array(&in[2], 3, (size_t[]){1, 2, 3}, zeros);
  test_array(&in[3], GA_INT, 2, (size_t[]){1, 2}, good);
  func_run(f, (GpuArray *[]){&in[0], &in[1], &in[3]}, (GpuArray *[]){&out});
  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&in[0], &in[2], &in[3]},
                           (GpuArray *[]){&out}));
  assert_non_null(strstr(gg_func_error(f), "expected 2, got 3"));
  GpuArray_clear(&in[3]);
  test_array(&in[3], GA_INT, 2, (size_t[]){1, 2}, bad);
  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&in[0], &in[1], &in[3]},
                           (GpuArray *[]){&out}));
  assert_non_null(strstr(gg_func_error(f), "out of range"));
  for (int k = 0; k < 4; k++)
    GpuArray_clear(&in[k]);
  gg_func_free(f);
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, graph_setup, graph_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(test_values),  TEST(test_gradients),
                                     TEST(test_rop),     TEST(test_text),
                                     TEST(test_refused), TEST(test_calls)};

  return cmocka_run_group_tests_name("blocks", tests, NULL, test_context_drop);
}
