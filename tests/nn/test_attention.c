/* SPDX-License-Identifier: BSD-2-Clause */
/* Attention against plain loops in double over its parameters, and an encoder
 * layer composed of it. */
#include "nn/params_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 512 };

typedef struct geometry {
  size_t b, n, m, heads, size, k, v; /* last sizes of query, key and value */
  int flags;
  int mask; /* 0: none; 1: bool [b, 1, 1, m]; 2: float [n, m] */
} geometry;

static double x[3][MOST], y[3][MOST], attended[MOST], want[MOST], got[MOST];
static double mask[MOST], w[3][MOST], bias[3 * MOST], w_out[MOST], b_out[MOST];

/* --- the reference --- */

static void product(const double *l, size_t rows, size_t inner, const double *r,
                    const double *add, size_t units, double *to) {
  for (size_t i = 0; i < rows; i++)
    for (size_t u = 0; u < units; u++) {
      double sum = add != NULL ? add[u] : 0;
      for (size_t k = 0; k < inner; k++)
        sum += l[i * inner + k] * r[u * inner + k];
      to[i * units + u] = sum;
    }
}

/* What is added to the product of query i and key j. */
static double added(const geometry *at, size_t image, size_t i, size_t j) {
  if ((at->flags & GG_NN_CAUSAL) != 0 && j > i)
    return -INFINITY;
  if (at->mask == 1)
    return mask[image * at->m + j] != 0 ? -INFINITY : 0;
  return at->mask == 2 ? mask[i * at->m + j] : 0;
}

/* Row i of head h of image b. */
static void attend_one(const geometry *at, size_t image, size_t h, size_t i) {
  const size_t d = at->size / at->heads;
  const double *q = &y[0][(image * at->n + i) * at->size + h * d];
  double *to = &attended[(image * at->n + i) * at->size + h * d];
  double e[MOST], sum = 0;

  for (size_t j = 0; j < at->m; j++) {
    const double *k = &y[1][(image * at->m + j) * at->size + h * d];
    e[j] = 0;
    for (size_t c = 0; c < d; c++)
      e[j] += q[c] * k[c] / sqrt((double)d);
    e[j] = exp(e[j] + added(at, image, i, j));
    sum += e[j];
  }
  for (size_t c = 0; c < d; c++) {
    to[c] = 0;
    for (size_t j = 0; j < at->m; j++)
      to[c] += e[j] / sum * y[2][(image * at->m + j) * at->size + h * d + c];
  }
}

static void refer(const geometry *at) {
  const size_t rows[3] = {at->b * at->n, at->b * at->m, at->b * at->m},
               inner[3] = {at->size, at->k, at->v};
  const int has_bias = (at->flags & GG_NN_NO_BIAS) == 0;

  for (size_t i = 0; i < 3; i++)
    product(x[i], rows[i], inner[i], w[i],
            has_bias ? &bias[i * at->size] : NULL, at->size, y[i]);
  for (size_t i = 0; i < at->b * at->heads * at->n; i++)
    attend_one(at, i / (at->heads * at->n), i / at->n % at->heads, i % at->n);
  product(attended, rows[0], at->size, w_out, has_bias ? b_out : NULL, at->size,
          want);
}

/* --- the graph --- */

/* Read a parameter; a bias gets values other than zeros first. */
static void read_param(const char *name, size_t n, double *to, int is_bias) {
  gg_var *v = gg_params_find(p, name);

  assert_non_null(v);
  if (is_bias) {
    test_fill(to, GA_DOUBLE, n, -1, 1, 5);
    assert_ok(gg_shared_write(v, to, n * sizeof *to));
  }
  assert_ok(gg_shared_read(v, to, n * sizeof *to));
}

static void read_params(const geometry *at) {
  const size_t square = at->size * at->size;
  double packed[3 * MOST];

  read_param("a.out_proj.weight", square, w_out, 0);
  if ((at->flags & GG_NN_NO_BIAS) == 0) {
    read_param("a.in_proj_bias", 3 * at->size, bias, 1);
    read_param("a.out_proj.bias", at->size, b_out, 1);
  } else {
    assert_null(gg_params_find(p, "a.in_proj_bias"));
    assert_null(gg_params_find(p, "a.out_proj.bias"));
  }
  if (at->k == at->size && at->v == at->size) {
    read_param("a.in_proj_weight", 3 * square, packed, 0);
    for (size_t i = 0; i < 3; i++)
      memcpy(w[i], &packed[i * square], square * sizeof(double));
    return;
  }
  read_param("a.q_proj_weight", square, w[0], 0);
  read_param("a.k_proj_weight", at->size * at->k, w[1], 0);
  read_param("a.v_proj_weight", at->size * at->v, w[2], 0);
}

static gg_var *make_mask(const geometry *at) {
  unsigned char hidden[MOST];

  if (at->mask == 2) {
    test_fill(mask, GA_DOUBLE, at->n * at->m, -2, 2, 8);
    return gg_constant(g, GA_DOUBLE, 2, (size_t[]){at->n, at->m}, mask);
  }
  for (size_t i = 0; i < at->b * at->m; i++)
    mask[i] = hidden[i] = i % at->m != 0 && i % 3 == 1;
  return at->mask == 1 ? gg_constant(g, GA_BOOL, 4,
                                     (size_t[]){at->b, 1, 1, at->m}, hidden)
                       : NULL;
}

/* q, k and v are one variable if `is_self`; images and positions are open. */
static void check(const geometry *at, int is_self, int with_gradient) {
  const size_t last[3] = {at->size, at->k, at->v},
               length[3] = {at->n, at->m, at->m};
  const char *const names[3] = {"q", "k", "v"};
  GpuArray arrays[3];
  gg_var *in[3], *vars[4] = {NULL};

  for (int i = 0; i < 3; i++) {
    const size_t dims[3] = {at->b, length[i], last[i]};
    test_fill(x[i], GA_DOUBLE, dims[0] * dims[1] * dims[2], -2, 2,
              is_self ? 3 : 3 + (unsigned)i);
    test_array(&arrays[i], GA_DOUBLE, 3, dims, x[i]);
    in[i] = is_self && i > 0
                ? in[0]
                : gg_input_sized(g, names[i], GA_DOUBLE, 3,
                                 (int64_t[]){GG_ANY, GG_ANY, (int64_t)last[i]});
    vars[i] = is_self && i > 0 ? NULL : in[i];
  }
  gg_var *made = gg_nn_attention(p, "a", in[0], in[1], in[2],
                                 &(gg_attention){.heads = at->heads,
                                                 .flags = at->flags,
                                                 .mask = make_mask(at)});
  assert_non_null(made);
  assert_int_equal(gg_var_type(made)->dims[2], at->size);
  read_params(at);
  refer(at);
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = vars, .outputs = GG_VARS(made)});
  GpuArray *const args[3] = {&arrays[0], &arrays[1], &arrays[2]};
  func_run(f, args, (GpuArray *[]){&out});
  assert_int_equal(test_size(&out), at->b * at->n * at->size);
  assert_ok(GpuArray_read(got, test_size(&out) * sizeof *got, &out));
  test_close(GA_DOUBLE, got, want, test_size(&out), 1e-9, 1e-9);
  gg_func_free(f);
  if (with_gradient && !test_is_quick())
    assert_ok(gg_check_gradient(made, is_self ? 1 : 3, in, args, 0, 0));
  for (int i = 0; i < 3; i++)
    GpuArray_clear(&arrays[i]);
}

static void attention_to_itself_is_that_of_a_loop(void **state) {
  (void)state;
  test_need_double();
  check(&(geometry){.b = 2,
                    .n = 5,
                    .m = 5,
                    .heads = 2,
                    .size = 6,
                    .k = 6,
                    .v = 6,
                    .flags = GG_NN_CAUSAL,
                    .mask = 1},
        1, 1);
}

static void attention_to_others_is_that_of_a_loop(void **state) {
  (void)state;
  test_need_double();
  check(&(geometry){.b = 3,
                    .n = 4,
                    .m = 7,
                    .heads = 2,
                    .size = 4,
                    .k = 3,
                    .v = 5,
                    .flags = GG_NN_NO_BIAS,
                    .mask = 2},
        0, 1);
}

static void packed_weights_take_any_operands(void **state) {
  (void)state;
  test_need_double();
  test_need_full();
  check(
      &(geometry){
          .b = 1, .n = 3, .m = 2, .heads = 1, .size = 4, .k = 4, .v = 4},
      0, 0);
  check(&(geometry){.b = 2,
                    .n = 1,
                    .m = 6,
                    .heads = 4,
                    .size = 4,
                    .k = 4,
                    .v = 4,
                    .flags = GG_NN_CAUSAL},
        0, 0);
}

/* --- composition --- */

/* torch.nn.TransformerEncoderLayer with norm_first, as docs/training.md has
 * it. */
static gg_var *encoder(gg_params *of, const char *name, gg_var *v, size_t heads,
                       size_t hidden) {
  gg_params *own = gg_params_group(of, name);
  const size_t size = (size_t)gg_var_type(v)->dims[2];
  const gg_attention how = {.heads = heads, .dropout = 0.1};
  gg_var *h = gg_nn_layer_norm(own, "norm1", v, -1);

  h = gg_nn_attention(own, "self_attn", h, h, h, &how);
  v = gg_add(v, gg_nn_dropout(own, h, 0.1));
  h = gg_nn_layer_norm(own, "norm2", v, -1);
  h = gg_relu(gg_nn_dense(own, "linear1", h, hidden, 0));
  h = gg_nn_dense(own, "linear2", gg_nn_dropout(own, h, 0.1), size, 0);
  return gg_add(v, gg_nn_dropout(own, h, 0.1));
}

/* Which of two positions has the larger first element, far apart: only
 * attention sees both. */
static void encoders_learn(void **state) {
  enum { B = 64, N = 4, E = 8 };
  const size_t dims[3] = {B, N, E};
  float values[B * N * E], loss[2] = {0};
  int32_t labels[B];

  (void)state;
  test_need_full();
  test_fill(values, GA_FLOAT, B * N * E, -1, 1, 9);
  for (int i = 0; i < B; i++)
    labels[i] = values[i * N * E] > values[(i * N + N - 1) * E];
  gg_params *own = gg_params_new(g, GA_FLOAT, 5);
  gg_var *v = gg_input_sized(g, "x", GA_FLOAT, 3, (int64_t[]){-1, N, E}),
         *t = gg_input(g, "t", GA_INT, 1);
  gg_var *z = gg_nn_dense(
      own, "out", gg_index(encoder(own, "layer", v, 2, 32), 1, 0), 2, 0);
  gg_var *cost = gg_loss_cross_entropy(z, t, NULL);
  const gg_optimiser how = gg_adam(3e-3);
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(v, t),
                                   .outputs = GG_VARS(cost),
                                   .updates = gg_optimise(own, cost, &how)});
  assert_non_null(gg_params_find(own, "layer.self_attn.out_proj.weight"));
  test_array(&a, GA_FLOAT, 3, dims, values);
  test_array(&b, GA_INT, 1, dims, labels);
  for (int i = 0; i < 150; i++) {
    func_run(f, (GpuArray *[]){&a, &b}, (GpuArray *[]){&out});
    if (i == 0 || i == 149)
      assert_ok(GpuArray_read(&loss[i > 0], sizeof(float), &out));
  }
  assert_true(loss[1] < 0.5F * loss[0]);
  gg_func_free(f);
  gg_params_free(own);
}

/* --- what is refused --- */

static void bad_arguments_are_refused(void **state) {
  gg_var *v = gg_input_sized(g, "x", GA_FLOAT, 3, (int64_t[]){-1, -1, 6}),
         *flat = gg_input_sized(g, "f", GA_FLOAT, 2, (int64_t[]){-1, 6}),
         *open = gg_input(g, "o", GA_FLOAT, 3),
         *four = gg_input_sized(g, "4", GA_FLOAT, 4, (int64_t[]){1, 1, 6, 2}),
         *ints = gg_input(g, "i", GA_INT, 2);
  const gg_attention two = {.heads = 2};

  (void)state;
  graph_refused(gg_nn_attention(p, "a", v, v, v, &(gg_attention){.heads = 4}),
                "nn_attention(float32[?, ?, 6]): 4 heads do not divide the "
                "size 6");
  assert_null(gg_nn_attention(p, "a", v, v, v, NULL));
  graph_says(GA_VALUE_ERROR, "0 heads");
  assert_null(gg_nn_attention(p, "a", flat, v, v, &two));
  graph_says(GA_VALUE_ERROR, "expected 3 axes or more");
  assert_null(gg_nn_attention(p, "a", v, four, v, &two));
  graph_says(GA_VALUE_ERROR, "expected [images, positions, size]");
  assert_null(gg_nn_attention(p, "a", v, v, open, &two));
  graph_says(GA_VALUE_ERROR, "the size of axis 2");
  assert_null(gg_nn_attention(p, "a", v, v, v,
                              &(gg_attention){.heads = 2, .dropout = 1}));
  graph_says(GA_VALUE_ERROR, "dropout is 1");
  assert_null(gg_nn_attention(p, "a", v, v, v,
                              &(gg_attention){.heads = 2, .mask = ints}));
  graph_says(GA_VALUE_ERROR, "bool or a float");
  assert_null(gg_nn_attention(p, "a", v, v, v,
                              &(gg_attention){.heads = 2, .flags = 64}));
  graph_says(GA_VALUE_ERROR, "unknown flags 64");
  assert_null(gg_nn_attention(NULL, "a", v, v, v, &two));
  graph_says(GA_VALUE_ERROR, "the group of parameters is NULL");
  assert_null(gg_nn_attention(p, "", v, v, v, &two));
  graph_says(GA_VALUE_ERROR, "empty");
  assert_null(gg_nn_attention(p, "a", NULL, v, v, &two));
  assert_null(gg_nn_attention(p, "a", v, v, NULL, &two));
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, params_setup, params_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(attention_to_itself_is_that_of_a_loop),
      TEST(attention_to_others_is_that_of_a_loop),
      TEST(packed_weights_take_any_operands), TEST(encoders_learn),
      TEST(bad_arguments_are_refused)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
