/* SPDX-License-Identifier: BSD-2-Clause */
/* Values where arithmetic is delicate: NaN, infinities, zeros of both signs,
 * the ends of integer ranges, indices out of range, sizes of 0. */
#include <gpuarray/kernel.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops/ops.h"
#include "support/child.h"
#include "support/funcs.h"
#include "support/interp.h"

#define MOST 32 /* outputs of one function */

/* Elements of an array as doubles; to be freed. */
static double *elements(const GpuArray *a) {
  const size_t n = test_size(a);
  char *raw = malloc(n * 8 + 1);
  double *v = malloc((n + 1) * sizeof *v);

  assert_non_null(raw);
  assert_non_null(v);
  test_gather(a, raw);
  for (size_t k = 0; k < n; k++)
    v[k] = test_get(raw, a->typecode, k);
  free(raw);
  return v;
}

static void bind(interp *it, const gg_var *x, const GpuArray *a) {
  double *v = elements(a);

  interp_bind(it, x, a->nd, a->dimensions, v);
  free(v);
}

/* Compare with the reference: NaN with NaN, infinities by sign, finite values
 * within `rtol`; the smallest may be flushed to 0. */
static void compare(const GpuArray *a, interp *it, gg_var *out, unsigned int i,
                    double rtol) {
  const tensor *t = interp_eval(it, out);
  double *v = elements(a);

  assert_int_equal(test_size(a), t->n);
  for (size_t k = 0; k < t->n; k++) {
    double want = a->typecode == GA_FLOAT ? (double)(float)t->v[k] : t->v[k];
    if (!(v[k] == want || (isnan(v[k]) && isnan(want)) ||
          fabs(v[k] - want) <= rtol * (fabs(want) + 1e-31)))
      fail_msg("%s, output %u[%zu]: got %g, expected %g",
               gg_var_owner(out)->op->name, i, k, v[k], want);
  }
  free(v);
}

/* Compile `out` of inputs x and y (y may be NULL), run on these arrays and
 * compare. */
static void check(gg_graph *g, unsigned int n, gg_var **out, gg_var *x,
                  GpuArray *xs, gg_var *y, GpuArray *ys, double rtol) {
  gg_var *in[3] = {x, y, NULL}, *outs[MOST + 1] = {NULL};
  GpuArray *args[2] = {xs, ys}, arrays[MOST], *results[MOST];
  interp *it = interp_new();
  gg_func *f;

  assert_true(n <= MOST);
  assert_non_null(it);
  memset(arrays, 0, sizeof arrays);
  for (unsigned int i = 0; i < 2 && in[i] != NULL; i++)
    bind(it, in[i], args[i]);
  for (unsigned int i = 0; i < n; i++) {
    outs[i] = out[i];
    results[i] = &arrays[i];
  }
  f = func_make(
      g, &(gg_func_spec){.name = "special", .inputs = in, .outputs = outs});
  func_run(f, args, results);
  for (unsigned int i = 0; i < n; i++) {
    compare(&arrays[i], it, out[i], i, rtol);
    GpuArray_clear(&arrays[i]);
  }
  gg_func_free(f);
  interp_free(it);
}

static const float delicate[] = {NAN,   INFINITY, -INFINITY, 0.0f,
                                 -0.0f, 1.0f,     -1.0f,     0.5f,
                                 -2.5f, 3e38f,    -3e38f,    100.0f};
#define N_DELICATE (sizeof delicate / sizeof delicate[0])

static void test_float_unary(void **state) {
  gg_graph *g = gg_graph_new(test_context());
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_var *out[] = {gg_abs(x),     gg_sign(x),     gg_relu(x),     gg_isnan(x),
                   gg_isinf(x),   gg_exp(x),      gg_log(x),      gg_sqrt(x),
                   gg_sigmoid(x), gg_softplus(x), gg_tanh(x),     gg_floor(x),
                   gg_round(x),   gg_log1p(x),    gg_expm1(x),    gg_erf(x),
                   gg_cbrt(x),    gg_exp10(x),    gg_isfinite(x), gg_logit(x)};
  GpuArray a;

  (void)state;
  float_vector(&a, N_DELICATE, delicate);
  check(g, sizeof out / sizeof out[0], out, x, &a, NULL, NULL, 1e-6);
  GpuArray_clear(&a);
  gg_graph_free(g);
}

/* Every pair. */
static void test_float_binary(void **state) {
  gg_graph *g = gg_graph_new(test_context());
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){GG_ANY, 1});
  gg_var *y = gg_input_sized(g, "y", GA_FLOAT, 2, (int64_t[]){1, GG_ANY});
  gg_var *out[] = {gg_maximum(x, y),
                   gg_minimum(x, y),
                   gg_lt(x, y),
                   gg_ge(x, y),
                   gg_eq(x, y),
                   gg_ne(x, y),
                   gg_add(x, y),
                   gg_mul(x, y),
                   gg_div(x, y),
                   gg_hypot(x, y),
                   gg_fmod(x, y),
                   gg_copysign(x, y),
                   gg_logaddexp(x, y),
                   gg_where(gg_gt(x, y), x, y),
                   gg_where(x, y, gg_f32(g, 7)),
                   gg_clip(x, y, gg_f32(g, 2))};
  const size_t col[2] = {N_DELICATE, 1}, row[2] = {1, N_DELICATE};
  GpuArray a, b;

  (void)state;
  float_array(&a, 2, col, delicate);
  float_array(&b, 2, row, delicate);
  check(g, sizeof out / sizeof out[0], out, x, &a, y, &b, 1e-6);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  gg_graph_free(g);
}

/* Python's remainder and quotient for all signs, where both are finite. */
static void test_float_remainders(void **state) {
  const float xs[6] = {7, -7, 0.75f, -0.75f, 0, 6}, ys[4] = {3, -3, 0.5f, 2};
  gg_graph *g = gg_graph_new(test_context());
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){GG_ANY, 1});
  gg_var *y = gg_input_sized(g, "y", GA_FLOAT, 2, (int64_t[]){1, GG_ANY});
  gg_var *out[] = {gg_floordiv(x, y), gg_mod(x, y)};
  GpuArray a, b;

  (void)state;
  float_array(&a, 2, (size_t[]){6, 1}, xs);
  float_array(&b, 2, (size_t[]){1, 4}, ys);
  check(g, 2, out, x, &a, y, &b, 0);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  gg_graph_free(g);
}

/* Division by 0 and of the smallest by -1, which trap on some CPUs, and
 * wrapping. */
static void check_integers(int dtype, double lo, double hi) {
  const double values[] = {lo, -7, -1, 0, 1, 3, 7, hi};
  const size_t n = sizeof values / sizeof values[0];
  gg_graph *g = gg_graph_new(test_context());
  gg_var *x = gg_input_sized(g, "x", dtype, 2, (int64_t[]){GG_ANY, 1});
  gg_var *y = gg_input_sized(g, "y", dtype, 2, (int64_t[]){1, GG_ANY});
  gg_var *out[] = {gg_floordiv(x, y), gg_mod(x, y), gg_add(x, y), gg_sub(x, y),
                   gg_maximum(x, y),  gg_lt(x, y),  gg_abs(x),    gg_sign(x),
                   gg_neg(x),         gg_not(x)};
  char raw[8 * sizeof values];
  GpuArray a, b;

  for (size_t i = 0; i < n; i++)
    test_set(raw, dtype, i, values[i] < lo ? 0 : values[i]);
  test_array(&a, dtype, 2, (size_t[]){n, 1}, raw);
  test_array(&b, dtype, 2, (size_t[]){1, n}, raw);
  check(g, sizeof out / sizeof out[0], out, x, &a, y, &b, 0);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  gg_graph_free(g);
}

static void test_int32(void **state) {
  (void)state;
  check_integers(GA_INT, INT_MIN, INT_MAX);
}

/* The driver alone compiles the sign of an int8, which ends a process on
 * Rusticl 22.3. */
static void role_sign(void **state) {
  const char *text = "kernel void f(global char *x) {\n"
                     "  const char v = x[get_global_id(0)];\n"
                     "  x[get_global_id(0)] = v > 0 ? 1 : v < 0 ? -1 : v;\n}\n";
  const int type = GA_BUFFER;
  const size_t one = 1;
  GpuArray x;
  GpuKernel k;

  (void)state;
  test_array(&x, GA_BYTE, 1, &one, "x");
  assert_ok(GpuKernel_init(&k, test_context(), 1, &text, NULL, "f", 1, &type, 0,
                           NULL));
  assert_ok(GpuKernel_call(&k, 1, &one, &one, 0, (void *[]){x.data}));
  assert_ok(GpuArray_sync(&x));
  GpuKernel_clear(&k);
  GpuArray_clear(&x);
}

static void test_int8(void **state) {
  (void)state;
  if (test_child("sign", (const char *[]){NULL}) != 0) {
    print_message("the driver ends a process that takes signs of int8\n");
    skip();
  }
  check_integers(GA_BYTE, SCHAR_MIN, SCHAR_MAX);
}

static void test_uint16(void **state) {
  (void)state;
  check_integers(GA_USHORT, 0, USHRT_MAX);
}

/* NaN wins max, min, argmax and argmin; the first of equals is found. */
static void test_reductions(void **state) {
  const float rows[] = {1, NAN, 3,  2,         /* */
                        5, 2,   5,  1,         /* */
                        4, 4,   -1, -INFINITY, /* */
                        0, 0,   0,  0};
  const int axis = 1;
  gg_graph *g = gg_graph_new(test_context());
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *out[] = {gg_max_axis(x, 1),
                   gg_reduce(GG_MIN, x, 1, &axis, 0),
                   gg_argmax_axis(x, 1),
                   gg_reduce(GG_ARGMIN, x, 1, &axis, 0),
                   gg_reduce(GG_ANY_OF, x, 1, &axis, 0),
                   gg_reduce(GG_ALL_OF, x, 1, &axis, 0),
                   gg_sum_axis(x, 1),
                   gg_max(x)};
  GpuArray a;

  (void)state;
  float_array(&a, 2, (size_t[]){4, 4}, rows);
  check(g, sizeof out / sizeof out[0], out, x, &a, NULL, NULL, 1e-6);
  GpuArray_clear(&a);
  gg_graph_free(g);
}

/* Whatever the scores are, losses and gradients are finite and right. */
static void test_extreme_scores(void **state) {
  const float z[] = {1000, -1000,  0,   /* */
                     -500, 500,    400, /* */
                     0,    1e-30f, 3e38f};
  const int64_t classes[3] = {1, 0, 2};
  gg_graph *g = gg_graph_new(test_context());
  gg_var *x = gg_input(g, "z", GA_FLOAT, 2), *y = gg_input(g, "y", GA_LONG, 1);
  gg_var *loss = gg_crossentropy(gg_softmax(x), y), *grad;
  gg_var *in[3] = {x, y, NULL}, *out[5] = {0};
  GpuArray a, b, arrays[4], *args[2] = {&a, &b}, *results[4];
  float got[9];
  gg_func *f;

  (void)state;
  assert_ok(gg_grad(&grad, gg_sum(loss), 1, &x));
  out[0] = loss;
  out[1] = grad;
  out[2] = gg_log_softmax(x);
  out[3] = gg_softmax(x);
  memset(arrays, 0, sizeof arrays);
  for (int i = 0; i < 4; i++)
    results[i] = &arrays[i];
  float_array(&a, 2, (size_t[]){3, 3}, z);
  test_array(&b, GA_LONG, 1, (size_t[]){3}, classes);
  f = func_make(g, &(gg_func_spec){.name = "f", .inputs = in, .outputs = out});
  func_run(f, args, results);
  assert_floats(&arrays[0], (float[]){2000, 1000, 0}, 3);
  assert_floats(&arrays[1], (float[]){1, -1, 0, -1, 1, 0, 0, 0, 0}, 9);
  assert_floats(&arrays[3], (float[]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9);
  assert_ok(GpuArray_read(got, sizeof got, &arrays[2]));
  for (int i = 0; i < 9; i++)
    assert_true(isfinite(got[i]));
  for (int i = 0; i < 4; i++)
    GpuArray_clear(&arrays[i]);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  gg_func_free(f);
  gg_graph_free(g);
}

/* Indices count from the end when negative and stop at the ends. */
static void test_take(void **state) {
  const float rows[6] = {1, 2, 3, 4, 5, 6};
  const int64_t index[6] = {0, -1, 2, 9, -9, 2};
  gg_graph *g = gg_graph_new(test_context());
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2), *i = gg_input(g, "i", GA_LONG, 1);
  gg_var *t = gg_take(x, i), *grad, *out[2];
  GpuArray a, b;

  (void)state;
  assert_ok(gpucontext_guard_indices(test_context(), 0));
  assert_ok(gg_grad(&grad, gg_sum(gg_sqr(t)), 1, &x));
  out[0] = t;
  out[1] = grad;
  float_array(&a, 2, (size_t[]){3, 2}, rows);
  test_array(&b, GA_LONG, 1, (size_t[]){6}, index);
  check(g, 2, out, x, &a, i, &b, 1e-6);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  gg_graph_free(g);
}

/* The gradient for values that are not put is 0. */
static void test_put_gradients(void **state) {
  const float rows[3] = {1, 2, 3}, values[4] = {4, 5, 6, 7};
  const int64_t index[4] = {0, 3, -1, -4};
  gg_graph *g = gg_graph_new(test_context());
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1), *v = gg_input(g, "v", GA_FLOAT, 1);
  gg_var *i = gg_constant(g, GA_LONG, 1, (size_t[]){4}, index);
  GpuArray a, b, out[GG_PUT_MIN + 1], *results[GG_PUT_MIN + 1];
  gg_var *grads[GG_PUT_MIN + 2] = {NULL}, *in[3] = {x, v, NULL};

  (void)state;
  assert_ok(gpucontext_guard_indices(test_context(), 0));
  for (int how = GG_PUT_SET; how <= GG_PUT_MIN; how++) {
    gg_var *const y = gg_put_with(x, 0, i, v, (gg_put_op)how);
    assert_ok(gg_grad(&grads[how], gg_sum(y), 1, &v));
    results[how] = &out[how];
  }
  memset(out, 0, sizeof out);
  gg_func *f = func_make(
      g, &(gg_func_spec){.name = "f", .inputs = in, .outputs = grads});
  float_vector(&a, 3, rows);
  float_vector(&b, 4, values);
  func_run(f, (GpuArray *[]){&a, &b}, results);
  assert_floats(&out[GG_PUT_SET], (float[]){1, 0, 1, 0}, 4);
  assert_floats(&out[GG_PUT_ADD], (float[]){1, 0, 1, 0}, 4);
  assert_floats(&out[GG_PUT_MUL], (float[]){1, 0, 3, 0}, 4);
  assert_floats(&out[GG_PUT_MAX], (float[]){1, 0, 1, 0}, 4);
  assert_floats(&out[GG_PUT_MIN], (float[]){0, 0, 0, 0}, 4);
  for (int how = GG_PUT_SET; how <= GG_PUT_MIN; how++)
    GpuArray_clear(&out[how]);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  gg_func_free(f);
  gg_graph_free(g);
}

/* Sizes must agree one by one, not only their product. */
static void test_tuples(void **state) {
  gg_graph *g = gg_graph_new(test_context());
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){4, 5});
  gg_var *i = gg_input_sized(g, "i", GA_LONG, 3, (int64_t[]){2, 3, 2});
  gg_var *v = gg_input(g, "v", GA_FLOAT, 2);
  gg_var *wrong = gg_input_sized(g, "w", GA_FLOAT, 2, (int64_t[]){3, 2});
  gg_var *few = gg_input_sized(g, "y", GA_FLOAT, 3, (int64_t[]){3, 2, 5});
  const int64_t pairs[12] = {0};
  const float zeros[20] = {0};
  GpuArray a, b, c, out = {0};

  (void)state;
  assert_null(gg_scatter_nd(x, i, wrong, GG_PUT_ADD));
  assert_string_equal(gg_graph_error(g), "specify_shape(float32[3, 2]): dim 0: "
                                         "expected 2, got 3");
  gg_graph_reset_error(g);
  i = gg_input_sized(g, "j", GA_LONG, 3, (int64_t[]){2, 3, 1});
  assert_null(gg_gather_nd(few, i, 2));
  assert_string_equal(gg_graph_error(g),
                      "specify_shape(int64[2, 3, 1]): dim 0: "
                      "expected 3, got 2");
  gg_graph_reset_error(g);
  i = gg_input_sized(g, "k", GA_LONG, 3, (int64_t[]){-1, -1, 2});
  gg_func *f = func_make(
      g,
      &(gg_func_spec){.inputs = GG_VARS(x, i, v),
                      .outputs = GG_VARS(gg_scatter_nd(x, i, v, GG_PUT_ADD))});
  float_array(&a, 2, (size_t[]){4, 5}, zeros);
  test_array(&b, GA_LONG, 3, (size_t[]){2, 3, 2}, pairs);
  float_array(&c, 2, (size_t[]){3, 2}, zeros);
  assert_code(GA_VALUE_ERROR, gg_func_call(f, (GpuArray *[]){&a, &b, &c},
                                           (GpuArray *[]){&out}));
  assert_non_null(strstr(gg_func_error(f), "dim 0: expected 2, got 3"));
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&c);
  gg_func_free(f);
  gg_graph_free(g);
}

/* The largest unsigned index is out of range: it is not the last one. */
static void test_wide_tuples(void **state) {
  const uint64_t pairs[4] = {0, 1, 1, UINT64_MAX};
  const float x[4] = {1, 2, 3, 4}, v[2] = {10, 20};
  gg_graph *g = gg_graph_new(test_context());
  gg_var *i = gg_constant(g, GA_ULONG, 2, (size_t[]){2, 2}, pairs);
  gg_var *y =
      gg_scatter_nd(gg_constant(g, GA_FLOAT, 2, (size_t[]){2, 2}, x), i,
                    gg_constant(g, GA_FLOAT, 1, (size_t[]){2}, v), GG_PUT_SET);
  const uint64_t low[2] = {UINT64_MAX - 1, 1};
  gg_var *z = gg_constant(g, GA_FLOAT, 1, (size_t[]){4}, x), *grad;
  gg_var *taken = gg_take(z, gg_constant(g, GA_ULONG, 1, (size_t[]){2}, low));
  GpuArray out[2] = {{0}};

  (void)state;
  assert_ok(gpucontext_guard_indices(test_context(), 0));
  assert_ok(gg_grad(&grad, gg_sum(taken), 1, &z));
  gg_func *f = func_make(g, &(gg_func_spec){.outputs = GG_VARS(y, grad)});
  func_run(f, NULL, (GpuArray *[]){&out[0], &out[1]});
  assert_floats(&out[0], (float[]){1, 10, 3, 4}, 4);
  assert_floats(&out[1], (float[]){0, 1, 0, 1}, 4);
  GpuArray_clear(&out[0]);
  GpuArray_clear(&out[1]);
  gg_func_free(f);
  gg_graph_free(g);
}

/* A device and a host that agree on integers that are the same double. */
static void test_wide_order(void **state) {
  const int64_t n[3] = {(1LL << 53) + 1, 1LL << 53, -5};
  gg_graph *g = gg_graph_new(test_context());
  gg_var *x = gg_input(g, "x", GA_LONG, 1);
  gg_var *out[2] = {gg_argsort(x, 0, 0), gg_argsort(x, 0, 1)};
  GpuArray a, got[2] = {{0}};
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                            .outputs = GG_VARS(out[0], out[1]),
                                            .mode = GG_DEBUG});

  (void)state;
  test_array(&a, GA_LONG, 1, (size_t[]){3}, n);
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&got[0], &got[1]});
  test_array_equal(&got[0], (int64_t[]){2, 1, 0});
  test_array_equal(&got[1], (int64_t[]){0, 1, 2});
  GpuArray_clear(&a);
  GpuArray_clear(&got[0]);
  GpuArray_clear(&got[1]);
  gg_func_free(f);
  gg_graph_free(g);
}

/* Nothing in, nothing out, and sums of nothing. */
static void test_empty(void **state) {
  gg_graph *g = gg_graph_new(test_context());
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2), *y = gg_input(g, "y", GA_FLOAT, 2);
  gg_var *parts[2] = {x, y};
  gg_var *out[] = {gg_exp(x),
                   gg_sum(x),
                   gg_sum_axis(x, 0),
                   gg_prod(x),
                   gg_join(0, 2, parts),
                   gg_dot(gg_transpose(x), x),
                   gg_slice(y, 0, 5, 2, 1),
                   gg_reshape(x, 1, (int64_t[]){-1}),
                   gg_softmax(x),
                   gg_mean(y)};
  GpuArray a, b;

  (void)state;
  float_array(&a, 2, (size_t[]){0, 3}, NULL);
  float_array(&b, 2, (size_t[]){2, 3}, (float[]){1, 2, 3, 4, 5, 6});
  check(g, sizeof out / sizeof out[0], out, x, &a, y, &b, 1e-6);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  gg_graph_free(g);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_float_unary),
      cmocka_unit_test(test_float_binary),
      cmocka_unit_test(test_float_remainders),
      cmocka_unit_test(test_int32),
      cmocka_unit_test(test_int8),
      cmocka_unit_test(test_uint16),
      cmocka_unit_test(test_reductions),
      cmocka_unit_test(test_extreme_scores),
      cmocka_unit_test(test_take),
      cmocka_unit_test(test_put_gradients),
      cmocka_unit_test(test_tuples),
      cmocka_unit_test(test_wide_tuples),
      cmocka_unit_test(test_wide_order),
      cmocka_unit_test(test_empty),
  };
  const struct CMUnitTest sign[] = {cmocka_unit_test(role_sign)};

  if (argc > 1 && strcmp(argv[1], "sign") == 0)
    return cmocka_run_group_tests(sign, NULL, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
