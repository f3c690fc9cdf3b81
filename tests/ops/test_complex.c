/* SPDX-License-Identifier: BSD-2-Clause */
/* Complex numbers in graphs: values of ops compared with C's complex numbers,
 * gradients and forward derivatives with differences. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/complex_operands.h"
#include "support/graph_case.h"

/* --- ops of two complex operands z and w, and a real one r --- */

typedef struct complex_case {
  const char *name;
  gg_var *(*build)(gg_var *z, gg_var *w, gg_var *r);
  number (*eval)(number z, number w, double r);
} complex_case;

#define CASE(name, graph, host)                                                \
  static gg_var *build_##name(gg_var *z, gg_var *w, gg_var *r) {               \
    (void)z, (void)w, (void)r;                                                 \
    return graph;                                                              \
  }                                                                            \
  static number eval_##name(number z, number w, double r) {                    \
    (void)z, (void)w, (void)r;                                                 \
    return host;                                                               \
  }
#define CASES                                                                  \
  X(add, gg_add(z, w), z + w)                                                  \
  X(sub, gg_sub(z, r), z - r)                                                  \
  X(mul, gg_mul(z, w), z *w)                                                   \
  X(mul_real, gg_mul(r, z), r *z)                                              \
  X(div, gg_div(z, w), z / w)                                                  \
  X(div_real, gg_div(z, r), z / r)                                             \
  X(rest, gg_reciprocal(w), 1 / w)                                             \
  X(neg, gg_neg(z), -z)                                                        \
  X(sqr, gg_sqr(z), z *z)                                                      \
  X(cube, gg_pow(z, gg_weak(gg_var_graph(z), 3)), z *z *z)                     \
  X(conj, gg_conj(z), conj(z))                                                 \
  X(both, gg_mul(z, gg_conj(w)), z *conj(w))                                   \
  X(real, gg_real(z), creal(z))                                                \
  X(imag, gg_imag(w), cimag(w))                                                \
  X(abs, gg_abs(z), cabs(z))                                                   \
  X(angle, gg_angle(w), carg(w))                                               \
  X(make, gg_complex(gg_mul(r, gg_imag(z)), r), CMPLX(r *cimag(z), r))         \
  X(polar, gg_polar(r, gg_real(z)), r *cexp(I *creal(z)))                      \
  X(where, gg_where(gg_gt(gg_real(z), r), z, w), creal(z) > r ? z : w)         \
  X(shift, gg_add(z, gg_c64(gg_var_graph(z), 1, -2)), z + CMPLX(1, -2))        \
  X(weak, gg_mul(gg_weak(gg_var_graph(z), 0.5), z), 0.5 * z)                   \
  X(sqrt, gg_sqrt(z), csqrt(z))                                                \
  X(exp, gg_exp(z), cexp(z))                                                   \
  X(log, gg_log(z), clog(z))                                                   \
  X(pow, gg_pow(z, w), cpow(z, w))                                             \
  X(root, gg_pow(z, gg_weak(gg_var_graph(z), -0.5)), cpow(z, -0.5))            \
  X(sin, gg_sin(z), csin(z))                                                   \
  X(cos, gg_cos(z), ccos(z))                                                   \
  X(tan, gg_tan(z), ctan(z))                                                   \
  X(sinh, gg_sinh(z), csinh(z))                                                \
  X(cosh, gg_cosh(z), ccosh(z))                                                \
  X(tanh, gg_tanh(z), ctanh(z))                                                \
  X(whole, gg_sub(gg_weak_int(gg_var_graph(z), 2), z), 2 - z)

#define X CASE
CASES
#undef X

static const complex_case cases[] = {
#define X(name, ...) {#name, build_##name, eval_##name},
    CASES
#undef X
};
enum { N_CASES = sizeof cases / sizeof *cases };

/* The indices of the cases that a test takes; how many. Quick tests take each
 * eighth, from number `first` on. */
static size_t choose_cases(size_t chosen[N_CASES], size_t first) {
  size_t n = 0;

  for (size_t k = test_is_quick() ? first : 0; k < N_CASES;
       k += test_is_quick() ? 8 : 1)
    chosen[n++] = k;
  return n;
}

static number host_value(const operands *o, const complex_case *c, size_t i) {
  return c->eval(o->z_at[i], o->w_at[i % COLS], o->r_at[i / COLS]);
}

/* --- values --- */

/* Cases as outputs of one function; debug mode compares them with the host's,
 * too. */
static void check_values(int dtype, gg_mode mode) {
  const double tolerance = dtype == GA_CFLOAT ? 1e-5 : 1e-13;
  gg_var *y[N_CASES + 1] = {NULL};
  GpuArray result[N_CASES], *out_list[N_CASES];
  number got[ROWS * COLS];
  size_t chosen[N_CASES];
  const size_t n_chosen = choose_cases(chosen, 0);
  operands o;

  memset(result, 0, sizeof result);
  operands_init(&o, dtype);
  for (size_t k = 0; k < n_chosen; k++) {
    const complex_case *c = &cases[chosen[k]];
    y[k] = c->build(o.z, o.w, o.r);
    if (y[k] == NULL)
      fail_msg("%s: %s", c->name, gg_graph_error(g));
    out_list[k] = &result[k];
  }
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(o.z, o.w, o.r),
                                            .outputs = y,
                                            .mode = mode});
  func_run(f, arguments(&o), out_list);
  for (size_t k = 0; k < n_chosen; k++) {
    const complex_case *c = &cases[chosen[k]];
    const size_t n = result[k].dimensions[0] * result[k].dimensions[1];
    complex_read(&result[k], got, n);
    for (size_t i = 0; i < n; i++)
      assert_complex(c->name, got[i], host_value(&o, c, i), tolerance);
    GpuArray_clear(&result[k]);
  }
  gg_func_free(f);
  operands_clear(&o);
}

static void test_values(void **state) {
  (void)state;
  check_values(GA_CFLOAT, GG_FAST_RUN);
}

static void test_values_double(void **state) {
  (void)state;
  test_need_full();
  test_need_double();
  check_values(GA_CDOUBLE, GG_FAST_RUN);
}

static void test_values_debug(void **state) {
  (void)state;
  test_need_full();
  check_values(GA_CFLOAT, GG_DEBUG);
}

/* --- gradients --- */

/* A real cost that depends on both parts of all cases, on each differently. */
static gg_var *cost_of(const operands *o, size_t k) {
  gg_var *const y = cases[k].build(o->z, o->w, o->r);
  gg_var *const c = gg_c128(g, 0.3 + 0.1 * (double)k, 1 - 0.07 * (double)k);

  return gg_sum(gg_sin(gg_real(gg_mul(y, c))));
}

static gg_var *total_cost(const operands *o) {
  size_t chosen[N_CASES];
  const size_t n = choose_cases(chosen, 3);
  gg_var *cost = cost_of(o, chosen[0]);

  for (size_t k = 1; k < n; k++)
    cost = gg_add(cost, cost_of(o, chosen[k]));
  return cost;
}

/* Does the case depend on w alone? */
static int is_row(size_t k) {
  const char *const name = cases[k].name;

  return strcmp(name, "rest") == 0 || strcmp(name, "imag") == 0 ||
         strcmp(name, "angle") == 0;
}

static double host_cost(const operands *o) {
  size_t chosen[N_CASES];
  const size_t n = choose_cases(chosen, 3);
  double cost = 0;

  for (size_t j = 0; j < n; j++) {
    const size_t k = chosen[j];
    const number c = CMPLX(0.3 + 0.1 * (double)k, 1 - 0.07 * (double)k);
    for (size_t i = 0; i < (is_row(k) ? COLS : ROWS * COLS); i++)
      cost += sin(creal(host_value(o, &cases[k], i) * c));
  }
  return cost;
}

/* d cost / dx + i d cost / dy of the variable *at. */
static number slope_at(operands *o, number *at) {
  const double h = 1e-5;
  const number z = *at;
  double d[2];

  for (int k = 0; k < 2; k++) {
    const number step = k == 0 ? CMPLX(h, 0) : CMPLX(0, h);
    *at = z + step;
    d[k] = host_cost(o);
    *at = z - step;
    d[k] = (d[k] - host_cost(o)) / (2 * h);
  }
  *at = z;
  return CMPLX(d[0], d[1]);
}

static void test_gradients(void **state) {
  gg_var *grad[3], *cost;
  number got[ROWS * COLS];
  GpuArray result[3] = {{0}};
  operands o;

  (void)state;
  test_need_double();
  operands_init(&o, GA_CDOUBLE);
  cost = total_cost(&o);
  assert_ok(gg_grad(grad, cost, 3, (gg_var *[]){o.z, o.w, o.r}));
  assert_int_equal(gg_var_type(grad[0])->dtype, GA_CDOUBLE);
  assert_int_equal(gg_var_type(grad[2])->dtype, GA_DOUBLE);
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(o.z, o.w, o.r),
                         .outputs = GG_VARS(grad[0], grad[1], grad[2], cost)});
  func_run(f, arguments(&o),
           (GpuArray *[]){&result[0], &result[1], &result[2], &out});
  complex_read(&out, got, 1);
  assert_complex("cost", got[0], host_cost(&o), 1e-12);
  complex_read(&result[0], got, ROWS * COLS);
  for (size_t i = 0; i < ROWS * COLS; i++)
    assert_complex("by z", got[i], slope_at(&o, &o.z_at[i]), 1e-6);
  complex_read(&result[1], got, COLS);
  for (size_t i = 0; i < COLS; i++)
    assert_complex("by w", got[i], slope_at(&o, &o.w_at[i]), 1e-6);
  for (size_t i = 0; i < 3; i++)
    GpuArray_clear(&result[i]);
  gg_func_free(f);
  operands_clear(&o);
}

/* --- forward derivatives --- */

/* The moves of all cases along a direction, as their differences give them. */
static void test_rop(void **state) {
  gg_var *y[N_CASES], *move[N_CASES + 1] = {NULL};
  GpuArray result[N_CASES], *list[N_CASES + 3];
  number got[ROWS * COLS];
  const double h = 1e-6;
  operands o;

  (void)state;
  test_need_full();
  test_need_double();
  memset(result, 0, sizeof result);
  operands_init(&o, GA_CDOUBLE);
  for (size_t k = 0; k < N_CASES; k++) {
    y[k] = cases[k].build(o.z, o.w, o.r);
    list[k] = &result[k];
  }
  gg_var *const dz = gg_fill(o.z, gg_c128(g, 0.75, -0.5));
  gg_var *const dw = gg_fill(o.w, gg_c128(g, -0.25, 1));
  gg_var *const dr = gg_fill(o.r, gg_f64(g, 0.5));
  assert_ok(gg_rop(move, N_CASES, y, 3, (gg_var *[]){o.z, o.w, o.r},
                   (gg_var *[]){dz, dw, dr}));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(o.z, o.w, o.r), .outputs = move});
  func_run(f, arguments(&o), list);
  for (size_t k = 0; k < N_CASES; k++) {
    const size_t n = result[k].dimensions[0] * result[k].dimensions[1];
    complex_read(&result[k], got, n);
    for (size_t i = 0; i < n; i++) {
      const number z = o.z_at[i], w = o.w_at[i % COLS], u = CMPLX(0.75, -0.5),
                   v = CMPLX(-0.25, 1);
      const double r = o.r_at[i / COLS];
      const number want = (cases[k].eval(z + h * u, w + h * v, r + h / 2) -
                           cases[k].eval(z - h * u, w - h * v, r - h / 2)) /
                          (2 * h);
      assert_complex(cases[k].name, got[i], want, 1e-7);
    }
    GpuArray_clear(&result[k]);
  }
  gg_func_free(f);
  operands_clear(&o);
}

/* --- reductions and moves of elements --- */

/* Something of everything that moves elements, as one real cost. */
static gg_var *moved(const operands *o) {
  gg_var *const z = o->z, *const w = gg_fill(z, o->w);
  gg_var *const index =
      gg_constant(g, GA_LONG, 1, (size_t[]){2}, (const int64_t[]){2, 0});
  gg_var *const both = gg_join(0, 2, (gg_var *[]){z, w});
  gg_var *const part = gg_slice(gg_transpose(both), 0, 1, GG_END, 1);
  gg_var *const taken = gg_take_axis(gg_mul(z, w), 1, index);
  gg_var *const put = gg_put(z, 1, index, taken);
  gg_var *const added = gg_put_add(w, 1, index, gg_sqr(taken));
  gg_var *const prod = gg_prod(gg_add(put, gg_c64(g, 0.5f, 1)));
  gg_var *const mean = gg_mean_axis(gg_mul(added, gg_conj(put)), 0);
  gg_var *const var = gg_variance(z, 1, (int[]){1}, 0, 0);

  return gg_add(
      gg_add(gg_sum(gg_abs(gg_sum_axis(part, 0))), gg_imag(prod)),
      gg_add(gg_sum(gg_angle(mean)), gg_sum(gg_mul(var, gg_f32(g, 0.25f)))));
}

static number host_moved(const operands *o) {
  number z[ROWS][COLS], w[ROWS][COLS], put[ROWS][COLS], added[ROWS][COLS];
  number prod = 1, cost = 0;

  for (size_t i = 0; i < ROWS * COLS; i++) {
    z[i / COLS][i % COLS] = put[i / COLS][i % COLS] = o->z_at[i];
    w[i / COLS][i % COLS] = added[i / COLS][i % COLS] = o->w_at[i % COLS];
  }
  for (size_t i = 0; i < ROWS; i++)
    for (size_t k = 0; k < 2; k++) {
      const size_t to = k == 0 ? 2 : 0;
      const number t = z[i][to] * w[i][to];
      put[i][to] = t;
      added[i][to] += t * t;
    }
  for (size_t i = 0; i < ROWS; i++) {
    cost += cabs(z[i][1] + z[i][2]) + cabs(w[i][1] + w[i][2]);
    number mean = 0;
    double var = 0;
    for (size_t j = 0; j < COLS; j++)
      mean += z[i][j] / COLS;
    for (size_t j = 0; j < COLS; j++)
      var += pow(cabs(z[i][j] - mean), 2) / COLS;
    cost += 0.25 * var;
  }
  for (size_t i = 0; i < ROWS * COLS; i++)
    prod *= put[i / COLS][i % COLS] + CMPLX(0.5, 1);
  for (size_t j = 0; j < COLS; j++)
    cost += carg(
        (added[0][j] * conj(put[0][j]) + added[1][j] * conj(put[1][j])) / 2);
  return cost + cimag(prod);
}

static void check_moved(int dtype, gg_mode mode) {
  operands o;
  number got;

  operands_init(&o, dtype);
  gg_var *const cost = moved(&o);
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(o.z, o.w),
                                            .outputs = GG_VARS(cost),
                                            .mode = mode});
  func_run(f, arguments(&o), (GpuArray *[]){&out});
  complex_read(&out, &got, 1);
  assert_complex("moved", got, host_moved(&o), 1e-5);
  gg_func_free(f);
  operands_clear(&o);
}

static void test_moved(void **state) {
  (void)state;
  check_moved(GA_CFLOAT, GG_FAST_RUN);
}

static void test_moved_debug(void **state) {
  (void)state;
  test_need_full();
  check_moved(GA_CFLOAT, GG_DEBUG);
}

static void test_moved_gradient(void **state) {
  operands o;

  (void)state;
  test_need_full();
  test_need_double();
  operands_init(&o, GA_CDOUBLE);
  if (gg_check_gradient(moved(&o), 2, (gg_var *[]){o.z, o.w}, arguments(&o), 0,
                        0) != GA_NO_ERROR)
    fail_msg("%s", gg_graph_error(g));
  operands_clear(&o);
}

/* --- products --- */

/* All kinds of products, of operands with all kinds of strides. */
static gg_var *products(const operands *o) {
  gg_var *const z = o->z, *const turned = gg_transpose(z);
  gg_var *const row = gg_reshape(o->w, 1, (const int64_t[]){COLS});
  gg_var *const square = gg_dot(z, gg_conj(turned));
  gg_var *const vectors = gg_dot(gg_dot(z, row), gg_dot(row, turned));
  gg_var *const batch =
      gg_batched_dot(gg_dimshuffle(z, 3, (const int[]){0, 1, -1}),
                     gg_dimshuffle(z, 3, (const int[]){0, -1, 1}));
  gg_var *const third = gg_einsum("ij,ik,j->k", 3, (gg_var *[]){z, z, row});

  return gg_add(
      gg_add(gg_sum(gg_abs(gg_mul(square, o->r))),
             gg_real(gg_mul(vectors, gg_c64(g, 0.5f, -1)))),
      gg_add(gg_sum(gg_imag(gg_sqr(batch))), gg_sum(gg_angle(third))));
}

static void test_products(void **state) {
  operands o;

  (void)state;
  test_need_full();
  operands_init(&o, GA_CFLOAT);
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(o.z, o.w, o.r),
                                            .outputs = GG_VARS(products(&o)),
                                            .mode = GG_DEBUG});
  func_run(f, arguments(&o), (GpuArray *[]){&out});
  gg_func_free(f);
  operands_clear(&o);
}

static void test_products_gradient(void **state) {
  operands o;

  (void)state;
  test_need_full();
  test_need_double();
  operands_init(&o, GA_CDOUBLE);
  if (gg_check_gradient(products(&o), 3, (gg_var *[]){o.z, o.w, o.r},
                        arguments(&o), 0, 0) != GA_NO_ERROR)
    fail_msg("%s", gg_graph_error(g));
  operands_clear(&o);
}

/* --- loops --- */

/* A gradient goes back through a complex state. */
static void test_loop_gradient(void **state) {
  operands o;

  (void)state;
  test_need_full();
  test_need_double();
  operands_init(&o, GA_CDOUBLE);
  gg_scan *s = gg_scan_open(g);
  gg_var *const x = gg_scan_state(s, o.w);
  gg_scan_next(s, x, gg_mul(gg_add(gg_conj(x), o.w), gg_c128(g, 0.5, 0.25)));
  gg_scan_steps(s, gg_i64(g, 3));
  gg_scan_close(s);
  gg_var *const cost = gg_sum(gg_abs(gg_scan_last(s, x)));
  gg_scan_free(s);
  if (gg_check_gradient(cost, 1, &o.w, (GpuArray *[]){&o.arrays[1]}, 0, 0) !=
      GA_NO_ERROR)
    fail_msg("%s", gg_graph_error(g));
  operands_clear(&o);
}

/* --- statistics --- */

static void assert_dtype(const gg_var *v, int dtype) {
  assert_non_null(v);
  assert_int_equal(gg_var_type(v)->dtype, dtype);
}

/* The covariances of the rows of z. */
static void assert_covariances(const operands *o, const number *got) {
  number mean[ROWS] = {0}, want;

  for (size_t i = 0; i < ROWS * COLS; i++)
    mean[i / COLS] += o->z_at[i] / COLS;
  for (size_t i = 0; i < ROWS * ROWS; i++) {
    const size_t p = i / ROWS, q = i % ROWS;
    want = 0;
    for (size_t j = 0; j < COLS; j++)
      want += (o->z_at[p * COLS + j] - mean[p]) *
              conj(o->z_at[q * COLS + j] - mean[q]) / (COLS - 1);
    assert_complex("cov", got[i], want, 1e-5);
  }
}

static void test_statistics(void **state) {
  number got[ROWS * ROWS], sum = 0;
  double squares = 0;
  operands o;

  (void)state;
  test_need_full();
  operands_init(&o, GA_CFLOAT);
  gg_var *const has_nan =
      gg_join(0, 2, (gg_var *[]){o.z, gg_fill(o.z, gg_c64(g, NAN, INFINITY))});
  gg_var *const norm = gg_norm(o.z, 2, 0, NULL, 0);
  gg_var *const close =
      gg_isclose(o.z, gg_mul(o.z, gg_c64(g, 1, 1e-4f)), 1e-3, 0);
  gg_var *const y =
      gg_add(gg_add(gg_nansum(has_nan, 0, NULL, 0), norm),
             gg_add(gg_sum(gg_nan_to_num(has_nan, 7, 8, 9)), gg_sum(close)));

  assert_dtype(norm, GA_FLOAT);
  assert_dtype(gg_variance(o.z, 0, NULL, 0, 1), GA_FLOAT);
  assert_dtype(gg_std(o.z, 0, NULL, 0, 0), GA_FLOAT);
  assert_dtype(gg_mean(o.z), GA_CFLOAT);
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(o.z),
                                   .outputs = GG_VARS(gg_cov(o.z, 1), y)});
  func_run(f, arguments(&o), (GpuArray *[]){&out, &out2});
  complex_read(&out, got, ROWS * ROWS);
  assert_covariances(&o, got);
  for (size_t i = 0; i < ROWS * COLS; i++) {
    sum += 2 * o.z_at[i] + CMPLX(7, 8) + 1;
    squares += pow(cabs(o.z_at[i]), 2);
  }
  complex_read(&out2, got, 1);
  assert_complex("sums", got[0], sum + sqrt(squares), 1e-5);
  gg_func_free(f);
  operands_clear(&o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_values, graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(test_values_double, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_values_debug, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_gradients, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_rop, graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(test_moved, graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(test_moved_debug, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_moved_gradient, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_products, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_products_gradient, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_loop_gradient, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_statistics, graph_setup,
                                      graph_teardown),
  };

  return cmocka_run_group_tests_name("complex", tests, NULL, test_context_drop);
}
