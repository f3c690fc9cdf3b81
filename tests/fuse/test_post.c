/* SPDX-License-Identifier: BSD-2-Clause */
/* What follows a product at its result's shape is computed in its kernel, with
 * the values of the function that fuses nothing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/funcs.h"

enum { MOST = 4096 };

static gg_graph *g;
static gg_var *x, *w, *v;

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  if (g == NULL)
    return 1;
  x = gg_input(g, "x", GA_FLOAT, 2);
  w = gg_input(g, "w", GA_FLOAT, 2);
  v = gg_input(g, "v", GA_FLOAT, 1);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  gg_graph_free(g);
  g = NULL;
  return 0;
}

static void fill(GpuArray *a, unsigned int nd, const size_t *dims,
                 unsigned int seed) {
  const size_t n = dims[0] * (nd == 2 ? dims[1] : 1);
  float values[MOST];

  assert_true(n <= MOST);
  test_fill(values, GA_FLOAT, n, -1, 1, seed);
  float_array(a, nd, dims, values);
}

static size_t array_bytes(const GpuArray *a) {
  size_t n = GpuArray_ITEMSIZE(a);

  for (unsigned int i = 0; i < a->nd; i++)
    n *= a->dimensions[i];
  assert_true(n <= MOST * sizeof(float));
  return n;
}

/* Two outputs of x [m, k], w [k, n] and v [n], fused and not; `steps` is how
 * many the fused function has, and one of them is called `label`. */
static void check(gg_var *first, gg_var *second, const size_t sizes[3],
                  size_t steps, const char *label) {
  const size_t m = sizes[0], k = sizes[1], n = sizes[2];
  gg_func_spec spec = {.inputs = GG_VARS(x, w, v),
                       .outputs = GG_VARS(first, second),
                       .flags = GG_ALLOW_UNUSED_INPUT};
  GpuArray in[3] = {{0}}, out[4] = {{0}};
  GpuArray *const ins[3] = {&in[0], &in[1], &in[2]};
  static float want[MOST];

  fill(&in[0], 2, (size_t[]){m, k}, 1);
  fill(&in[1], 2, (size_t[]){k, n}, 2);
  fill(&in[2], 1, &n, 3);
  gg_func *fused = func_make(g, &spec);
  spec.mode = GG_NO_REWRITE;
  gg_func *plain = func_make(g, &spec);
  func_run(fused, ins, (GpuArray *[]){&out[0], &out[1]});
  func_run(plain, ins, (GpuArray *[]){&out[2], &out[3]});
  for (int i = 0; i < 2; i++) {
    assert_ok(GpuArray_read(want, array_bytes(&out[2 + i]), &out[2 + i]));
    test_array_close(&out[i], want, 1e-4, 1e-5);
  }
  char *text = func_text(fused);
  if (strstr(text, label) == NULL)
    fail_msg("no \"%s\" in:\n%s", label, text);
  free(text);
  if (m * k * n > 0)
    assert_int_equal(func_stats(fused).steps, steps);
  gg_func_free(fused);
  gg_func_free(plain);
  for (int i = 0; i < 3; i++)
    GpuArray_clear(&in[i]);
  for (int i = 0; i < 4; i++)
    GpuArray_clear(&out[i]);
}

static const size_t sizes[][3] = {{1, 1, 1},    {7, 5, 3},   {17, 33, 65},
                                  {64, 20, 10}, {0, 5, 3},   {5, 0, 3},
                                  {3, 5, 0},    {128, 8, 10}};
enum { N_SIZES = sizeof sizes / sizeof sizes[0] };

static gg_var *relu(gg_var *y) {
  return gg_maximum(y, gg_f32(g, 0));
}

/* A layer: the bias is a row, and both values of it are wanted. */
static void test_layer(void **state) {
  gg_var *z = gg_add(gg_dot(x, w), v), *y = relu(z);

  (void)state;
  for (int i = 0; i < N_SIZES; i++)
    check(y, gg_gt(z, gg_f32(g, 0.1f)), sizes[i], 1, "dot then {");
}

/* Pairs of rows: the product of three axes is a reshaped one of two, which is
 * wanted, too. */
static void test_layer_of_pairs(void **state) {
  enum { K = 8, N = 6 };
  gg_var *of_x = gg_specify_shape(x, (const int64_t[]){GG_ANY, K});
  gg_var *of_w = gg_specify_shape(w, (const int64_t[]){K, N});
  gg_var *of_v = gg_specify_shape(v, (const int64_t[]){N});
  gg_var *pairs = gg_reshape(of_x, 3, (const int64_t[]){GG_ANY, 2, K});
  gg_var *z = gg_einsum("bij,jk->bik", 2, (gg_var *[]){pairs, of_w});

  (void)state;
  z = gg_add(z, of_v);
  for (size_t m = 0; m <= 128; m += 32)
    check(gg_mul(z, gg_sigmoid(z)), gg_dot(of_x, of_w), (size_t[]){m, K, N}, 1,
          "dot then {");
}

/* The product itself is wanted as well. */
static void test_product_too(void **state) {
  gg_var *z = gg_dot(x, w);

  (void)state;
  for (int i = 0; i < N_SIZES; i++)
    check(z, gg_tanh(gg_mul(z, z)), sizes[i], 1, "dot then {");
}

/* A vector from the right, and from the left. */
static void test_vectors(void **state) {
  gg_var *right = gg_dot(x, gg_sum_axis(w, 1));
  gg_var *left = gg_dot(gg_sum_axis(x, 0), w);

  (void)state;
  for (int i = 0; i < N_SIZES; i++) {
    check(gg_exp(right), gg_sqr(right), sizes[i], 2, "dot then {exp, sqr}");
    check(gg_add(left, v), left, sizes[i], 2, "dot then {add}");
  }
}

/* One layer feeds the next: each is one kernel. */
static void test_layers(void **state) {
  gg_var *h = relu(gg_add(gg_dot(x, w), v));
  gg_var *y = gg_tanh(gg_dot(h, gg_transpose(w)));

  (void)state;
  check(h, y, sizes[1], 2, "dot then {tanh}");
}

/* Two products meet: one of them computes what needs both. */
static void test_two_products(void **state) {
  gg_var *p = gg_dot(x, w), *q = gg_dot(gg_exp(x), w);
  gg_var *both = gg_mul(gg_tanh(p), gg_sqr(q));

  (void)state;
  check(both, gg_sum(both), sizes[2], 4, "dot then {");
}

/* The sum of the product comes between: nothing waits for itself. */
static void test_circle(void **state) {
  gg_var *p = gg_dot(x, w), *s = gg_sum(p);

  (void)state;
  check(gg_mul(p, gg_cos(s)), gg_sub(p, s), sizes[2], 5, "1  dot  ");
}

/* An update that adds a product in place, and what is made of the new value. */
static void test_update(void **state) {
  enum { N = 6, K = 4 };
  static float rows[N * K], step[K], old[N];
  gg_var *d = gg_input(g, "d", GA_FLOAT, 1);
  GpuArray in[2] = {{0}}, out = {0};
  float want[N], tanhs[N];
  gg_func *f;

  (void)state;
  test_fill(rows, GA_FLOAT, N * K, -1, 1, 1);
  test_fill(step, GA_FLOAT, K, -1, 1, 2);
  test_fill(old, GA_FLOAT, N, -1, 1, 3);
  gg_var *u = gg_shared_host(g, "u", GA_FLOAT, 1, (size_t[]){N}, old);
  gg_var *next = gg_sub(gg_mul(u, gg_f32(g, 0.5f)), gg_dot(x, d));
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x, d),
                                   .outputs = GG_VARS(gg_tanh(next)),
                                   .updates = GG_UPDATES({u, next})});
  float_array(&in[0], 2, (size_t[]){N, K}, rows);
  float_vector(&in[1], K, step);
  func_run(f, (GpuArray *[]){&in[0], &in[1]}, (GpuArray *[]){&out});
  for (int i = 0; i < N; i++) {
    want[i] = 0.5f * old[i];
    for (int j = 0; j < K; j++)
      want[i] -= rows[i * K + j] * step[j];
    tanhs[i] = tanhf(want[i]);
  }
  test_array_close(&out, tanhs, 1e-5, 1e-6);
  GpuArray_clear(&out);
  assert_ok(gg_shared_get(u, &out));
  test_array_close(&out, want, 1e-5, 1e-6);
  char *text = func_text(f);
  if (strstr(text, "then {tanh}") == NULL ||
      strstr(text, "= new u (in place)") == NULL)
    fail_msg("%s", text);
  free(text);
  assert_int_equal(func_stats(f).steps, 1);
  gg_func_free(f);
  GpuArray_clear(&out);
  GpuArray_clear(&in[0]);
  GpuArray_clear(&in[1]);
}

/* A batch: a bias for each column and a scale for each matrix. */
static void test_batch(void **state) {
  enum { Z = 3, M = 9, K = 7, N = 21 };
  gg_var *a = gg_input(g, "a", GA_FLOAT, 3), *b = gg_input(g, "b", GA_FLOAT, 3);
  gg_var *scale = gg_input(g, "scale", GA_FLOAT, 1);
  gg_var *y = gg_mul(relu(gg_add(gg_batched_dot(a, b), v)),
                     gg_dimshuffle(scale, 3, (const int[]){0, -1, -1}));
  gg_func_spec spec = {.inputs = GG_VARS(a, b, v, scale),
                       .outputs = GG_VARS(y)};
  static float values[Z * K * N], want[Z * M * N];
  GpuArray in[4] = {{0}}, out[2] = {{0}};
  GpuArray *const ins[4] = {&in[0], &in[1], &in[2], &in[3]};

  (void)state;
  test_fill(values, GA_FLOAT, Z * K * N, -1, 1, 5);
  float_array(&in[0], 3, (size_t[]){Z, M, K}, values);
  float_array(&in[1], 3, (size_t[]){Z, K, N}, values);
  float_vector(&in[2], N, values);
  float_vector(&in[3], Z, values + N);
  gg_func *fused = func_make(g, &spec);
  spec.mode = GG_NO_REWRITE;
  gg_func *plain = func_make(g, &spec);
  func_run(fused, ins, (GpuArray *[]){&out[0]});
  func_run(plain, ins, (GpuArray *[]){&out[1]});
  assert_ok(GpuArray_read(want, sizeof want, &out[1]));
  test_array_close(&out[0], want, 1e-4, 1e-5);
  char *text = func_text(fused);
  if (strstr(text, "batched_dot then {") == NULL)
    fail_msg("%s", text);
  free(text);
  assert_int_equal(func_stats(fused).steps, 1);
  gg_func_free(fused);
  gg_func_free(plain);
  for (int i = 0; i < 4; i++)
    GpuArray_clear(&in[i]);
  GpuArray_clear(&out[0]);
  GpuArray_clear(&out[1]);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(test_layer),  TEST(test_product_too),  TEST(test_vectors),
      TEST(test_layers), TEST(test_two_products), TEST(test_circle),
      TEST(test_update), TEST(test_batch),        TEST(test_layer_of_pairs),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
