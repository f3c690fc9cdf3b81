/* SPDX-License-Identifier: BSD-2-Clause */
/* Complex numbers in graphs: values of ops compared with C's complex numbers,
 * gradients and forward derivatives with differences, texts, refusals. */
#include <complex.h>
#undef complex
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/device.h>

#include "base/dtype.h"
#include "support/graph_case.h"
#include "support/lcg.h"
#include "support/roundtrip.h"

#ifndef CMPLX /* some compilers lack it */
#define CMPLX(re, im) pair_of(re, im)

static double _Complex pair_of(double re, double im) {
  const double parts[2] = {re, im};
  double _Complex value;

  memcpy(&value, parts, sizeof value);
  return value;
}
#endif

typedef double _Complex number;

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
enum { N_CASES = sizeof cases / sizeof *cases, ROWS = 2, COLS = 3 };

/* The indices of the cases that a test takes; how many. Quick tests take each
 * eighth, from number `first` on. */
static size_t choose_cases(size_t chosen[N_CASES], size_t first) {
  const int is_quick = getenv("GPUGRAPH_QUICK_TESTS") != NULL;
  size_t n = 0;

  for (size_t k = is_quick ? first : 0; k < N_CASES; k += is_quick ? 8 : 1)
    chosen[n++] = k;
  return n;
}

/* --- operands --- */

static const size_t whole_dims[] = {ROWS, COLS}, row_dims[] = {1, COLS},
                    column_dims[] = {ROWS, 1};

typedef struct operands {
  int dtype, part;
  gg_var *z, *w, *r;
  number z_at[ROWS * COLS], w_at[COLS];
  double r_at[ROWS];
  GpuArray arrays[3];
} operands;

/* Store `v` in a complex or real dtype. */
static void store(int dtype, char *to, number v) {
  const int part = ga__dtype_real(dtype);

  ga__dtype_from_double(dtype, to, creal(v));
  if (ga__dtype_is_complex(dtype))
    ga__dtype_from_double(part, to + ga__dtype_size(part), cimag(v));
}

static number load(int dtype, const char *from) {
  const int part = ga__dtype_real(dtype);

  return CMPLX(ga__dtype_to_double(part, from),
               ga__dtype_is_complex(dtype)
                   ? ga__dtype_to_double(part, from + ga__dtype_size(part))
                   : 0);
}

static void write_array(GpuArray *to, int dtype, size_t nd, const size_t *dims,
                        const number *v) {
  char bytes[16 * ROWS * COLS];
  size_t n = 1;

  for (size_t i = 0; i < nd; i++)
    n *= dims[i];
  for (size_t i = 0; i < n; i++)
    store(dtype, bytes + i * ga__dtype_size(dtype), v[i]);
  GpuArray_clear(to);
  assert_ok(GpuArray_empty(to, test_context(), dtype, (unsigned int)nd, dims,
                           GA_C_ORDER));
  assert_ok(GpuArray_write(to, bytes, n * ga__dtype_size(dtype)));
}

static void read_array(const GpuArray *from, number *v, size_t n) {
  const size_t bytes = ga__dtype_size(from->typecode);
  char data[16 * ROWS * COLS];

  assert_true(n * bytes <= sizeof data);
  assert_ok(GpuArray_read(data, n * bytes, from));
  for (size_t i = 0; i < n; i++)
    v[i] = load(from->typecode, data + i * bytes);
}

static double draw(uint64_t *s) {
  return (double)lcg_below(s, 4000) / 1000 - 2 + 0.0005;
}

static void operands_init(operands *o, int dtype) {
  uint64_t s = 7;

  memset(o, 0, sizeof *o);
  o->dtype = dtype;
  o->part = ga__dtype_real(dtype);
  o->z = gg_input(g, "z", dtype, 2);
  o->w = gg_input_sized(g, "w", dtype, 2, (int64_t[]){1, COLS});
  o->r = gg_input_sized(g, "r", o->part, 2, (int64_t[]){ROWS, 1});
  for (size_t i = 0; i < ROWS * COLS; i++)
    o->z_at[i] = (float)draw(&s) + (float)draw(&s) * I;
  for (size_t i = 0; i < COLS; i++)
    o->w_at[i] = (float)draw(&s) + (float)draw(&s) * I;
  for (size_t i = 0; i < ROWS; i++)
    o->r_at[i] = (float)(1.5 + draw(&s) / 4);
  write_array(&o->arrays[0], dtype, 2, whole_dims, o->z_at);
  write_array(&o->arrays[1], dtype, 2, row_dims, o->w_at);
  write_array(&o->arrays[2], o->part, 2, column_dims,
              (number[]){o->r_at[0], o->r_at[1]});
}

static void operands_clear(operands *o) {
  for (size_t i = 0; i < 3; i++)
    GpuArray_clear(&o->arrays[i]);
}

static GpuArray *const *arguments(operands *o) {
  static GpuArray *list[3];

  for (size_t i = 0; i < 3; i++)
    list[i] = &o->arrays[i];
  return list;
}

static number host_value(const operands *o, const complex_case *c, size_t i) {
  return c->eval(o->z_at[i], o->w_at[i % COLS], o->r_at[i / COLS]);
}

static void assert_near(const char *name, number got, number want,
                        double tolerance) {
  if (!(cabs(got - want) <= tolerance * fmax(1, cabs(want))))
    fail_msg("%s: got %.9g%+.9gj, expected %.9g%+.9gj", name, creal(got),
             cimag(got), creal(want), cimag(want));
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
    read_array(&result[k], got, n);
    for (size_t i = 0; i < n; i++)
      assert_near(c->name, got[i], host_value(&o, c, i), tolerance);
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
  read_array(&out, got, 1);
  assert_near("cost", got[0], host_cost(&o), 1e-12);
  read_array(&result[0], got, ROWS * COLS);
  for (size_t i = 0; i < ROWS * COLS; i++)
    assert_near("by z", got[i], slope_at(&o, &o.z_at[i]), 1e-6);
  read_array(&result[1], got, COLS);
  for (size_t i = 0; i < COLS; i++)
    assert_near("by w", got[i], slope_at(&o, &o.w_at[i]), 1e-6);
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
    read_array(&result[k], got, n);
    for (size_t i = 0; i < n; i++) {
      const number z = o.z_at[i], w = o.w_at[i % COLS], u = CMPLX(0.75, -0.5),
                   v = CMPLX(-0.25, 1);
      const double r = o.r_at[i / COLS];
      const number want = (cases[k].eval(z + h * u, w + h * v, r + h / 2) -
                           cases[k].eval(z - h * u, w - h * v, r - h / 2)) /
                          (2 * h);
      assert_near(cases[k].name, got[i], want, 1e-7);
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
  read_array(&out, &got, 1);
  assert_near("moved", got, host_moved(&o), 1e-5);
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

/* --- special values --- */

typedef struct special {
  const char *name;
  gg_var *(*graph)(gg_var *x);
  number (*host)(number z);
} special;

static const special specials[] = {
    {"sqrt", gg_sqrt, csqrt}, {"exp", gg_exp, cexp},
    {"log", gg_log, clog},    {"sin", gg_sin, csin},
    {"cos", gg_cos, ccos},    {"tan", gg_tan, ctan},
    {"sinh", gg_sinh, csinh}, {"cosh", gg_cosh, ccosh},
    {"tanh", gg_tanh, ctanh}};
enum { N_SPECIALS = sizeof specials / sizeof *specials, N_EDGES = 12 };

static const double edges[N_EDGES] = {
    0, -0.0, 1, -1, 0.5, -2.5, 1e-20, -80, 95, INFINITY, -INFINITY, NAN};

/* Equal, but for rounding and the signs of NaN; infinities may have any sign
 * where the other part is NaN. */
static int same_part(double got, double want, double other, double scale) {
  if (isnan(want))
    return isnan(got);
  if (isinf(want))
    return got == want || (isnan(other) && got == -want);
  if (want == 0)
    return fabs(got) <= 1e-6 * scale &&
           (isnan(other) || got != 0 || !signbit(got) == !signbit(want));
  return fabs(got - want) <= 4e-6 * (fabs(want) + scale);
}

/* What C's functions of complex float have at all pairs of edges. */
static void test_special_values(void **state) {
  gg_var *const z = gg_input(g, "z", GA_CFLOAT, 1), *y[N_SPECIALS + 1] = {NULL};
  GpuArray result[N_SPECIALS] = {{0}}, *list[N_SPECIALS];
  float in[N_EDGES * N_EDGES * 2], got[N_EDGES * N_EDGES * 2];
  const size_t n = N_EDGES * N_EDGES;

  (void)state;
  for (size_t i = 0; i < n; i++) {
    in[2 * i] = (float)edges[i / N_EDGES];
    in[2 * i + 1] = (float)edges[i % N_EDGES];
  }
  for (size_t k = 0; k < N_SPECIALS; k++) {
    y[k] = specials[k].graph(z);
    list[k] = &result[k];
  }
  gg_func *f =
      func_make(g, &(gg_func_spec){.inputs = GG_VARS(z), .outputs = y});
  test_array(&a, GA_CFLOAT, 1, &n, in);
  func_run(f, (GpuArray *[]){&a}, list);
  for (size_t k = 0; k < N_SPECIALS; k++) {
    assert_ok(GpuArray_read(got, sizeof got, &result[k]));
    for (size_t i = 0; i < n; i++) {
      const number want =
          specials[k].host(CMPLX((double)in[2 * i], (double)in[2 * i + 1]));
      const double re = (double)(float)creal(want),
                   im = (double)(float)cimag(want);
      const double scale = isfinite(re) && isfinite(im) ? hypot(re, im) : 0;
      if (!same_part((double)got[2 * i], re, im, scale) ||
          !same_part((double)got[2 * i + 1], im, re, scale))
        fail_msg("%s(%g%+gj): got %g%+gj, expected %g%+gj", specials[k].name,
                 (double)in[2 * i], (double)in[2 * i + 1], (double)got[2 * i],
                 (double)got[2 * i + 1], re, im);
    }
    GpuArray_clear(&result[k]);
  }
  gg_func_free(f);
}

/* Debug mode divides as devices do, also by infinities. */
static void test_infinite_divisor(void **state) {
  gg_var *const z = gg_input(g, "z", GA_CFLOAT, 1);
  gg_var *const by = gg_c64(g, INFINITY, -INFINITY);
  const size_t n = 1;
  float got[2];

  (void)state;
  gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(z),
                                            .outputs = GG_VARS(gg_div(z, by)),
                                            .mode = GG_DEBUG});
  test_array(&a, GA_CFLOAT, 1, &n, (const float[]){1, 2});
  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
  assert_ok(GpuArray_read(got, sizeof got, &out));
  assert_true(isnan(got[0]) && isnan(got[1]));
  gg_func_free(f);
}

static void test_guarded(void **state) {
  gg_var *const z = gg_input(g, "z", GA_CFLOAT, 1);
  const size_t n = 2;
  gg_func *f = NULL;

  (void)state;
  assert_ok(gg_func_new(&f, g,
                        &(gg_func_spec){.inputs = GG_VARS(z),
                                        .outputs = GG_VARS(gg_neg(z)),
                                        .flags = GG_NAN_GUARD}));
  test_array(&a, GA_CFLOAT, 1, &n, (const float[]){1, 2, 3, NAN});
  assert_true(gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out}) !=
              GA_NO_ERROR);
  assert_non_null(strstr(gg_func_error(f), "NaN in z at [1] of complex64[2]"));
  gg_func_free(f);
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
    assert_near("cov", got[i], want, 1e-5);
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
  read_array(&out, got, ROWS * ROWS);
  assert_covariances(&o, got);
  for (size_t i = 0; i < ROWS * COLS; i++) {
    sum += 2 * o.z_at[i] + CMPLX(7, 8) + 1;
    squares += pow(cabs(o.z_at[i]), 2);
  }
  read_array(&out2, got, 1);
  assert_near("sums", got[0], sum + sqrt(squares), 1e-5);
  gg_func_free(f);
  operands_clear(&o);
}

/* --- texts --- */

static void test_texts(void **state) {
  (void)state;
  assert_same_text("z = input complex64[?, 3]\n"
                   "w = complex128[2] {1+2j, 0.5+-0.25j}\n"
                   "a = add(z, 1.5+-2j)\n"
                   "b = mul(conj(a), inf+nanj)\n"
                   "c = angle(complex(real(b), imag(b)))\n"
                   "d = magnitude(w)\n"
                   "e = reduce{op=sum, axes=[0]}(w)\n");
  assert_texts_refused(
      6, (const refused_text[]){
             {"x = complex64 1+2", "expected the end of the line, got '+2'"},
             {"x = complex64 1e+j", "1e+j"},
             {"x = float32 1+2j", "1+2j is no float32"},
             {"z = input complex64\ny = lt(z, z)",
              "lt(complex64, complex64): expected real operands"},
             {"z = input complex64[2]\ny = reduce{op=max, axes=[0]}(z)",
              "max of complex numbers"},
             {"z = input float32\ny = conj(z)", "expected complex numbers"}});
}

/* A graph is saved and read with its values. */
static void test_saved(void **state) {
  const float values[] = {1, -2, 0.5f, 4}, want[] = {-3, -4, -15.75f, 4};
  gg_func *f = NULL;

  (void)state;
  gg_var *v = gg_shared_host(g, "v", GA_CFLOAT, 1, (size_t[]){2}, values);
  assert_ok(gg_func_new(
      &f, g, &(gg_func_spec){.name = "sqr", .outputs = GG_VARS(gg_sqr(v))}));
  gg_func_free(f);
  gg_named(gg_sqr(v), "y");
  gg_graph *h = graph_of_file(test_context(), g);
  f = func_make(h, &(gg_func_spec){.outputs = GG_VARS(gg_graph_find(h, "y"))});
  func_run(f, NULL, (GpuArray *[]){&out});
  assert_int_equal(out.typecode, GA_CFLOAT);
  assert_memory_equal(gg_var_type(gg_graph_find(h, "v")), gg_var_type(v), 4);
  number got[2];
  read_array(&out, got, 2);
  for (size_t i = 0; i < 2; i++)
    assert_near("saved", got[i], CMPLX(want[2 * i], want[2 * i + 1]), 1e-6);
  gg_func_free(f);
  gg_graph_free(h);
}

/* --- what only real numbers have --- */

static void assert_refused(gg_var *v, const char *text) {
  assert_null(v);
  if (strstr(gg_graph_error(g), text) == NULL)
    fail_msg("got \"%s\", expected \"%s\"", gg_graph_error(g), text);
  gg_graph_reset_error(g);
}

static void test_refused(void **state) {
  gg_var *const z = gg_input(g, "z", GA_CFLOAT, 2), *grad = NULL;
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 2);

  (void)state;
  assert_refused(gg_lt(z, x), "lt(complex64[?, ?], complex64[?, ?]): expected "
                              "real operands, got complex64");
  assert_refused(gg_maximum(z, z), "maximum(");
  assert_refused(gg_floor(z), "floor(complex64[?, ?]): expected real");
  assert_refused(gg_atan2(z, z), "atan2(");
  assert_refused(gg_and(z, z), "and(");
  assert_refused(gg_max(z), "complex64 has no order, which max needs");
  assert_refused(gg_argmax_axis(z, 0), "complex64 has no order");
  assert_refused(gg_sort(z, 0, 0), "sort(complex64[?, ?]): expected real");
  assert_refused(gg_softmax(z), "softmax(");
  assert_refused(gg_cast(z, GA_FLOAT),
                 "cast(complex64[?, ?]): float32 would lose imaginary parts of "
                 "complex64 (use gg_real)");
  assert_refused(gg_complex(z, x), "expected two real parts");
  assert_refused(gg_clip_gradient(z, 0, 1), "expected real operands");
  assert_non_null(gg_scale_gradient(z, 2));
  assert_non_null(gg_undefined_gradient(z, "no"));
  assert_refused(gg_polar(x, z), "expected a real radius and a real angle");
  assert_code(GA_VALUE_ERROR, gg_grad(&grad, gg_sum(z), 1, &z));
  assert_refused(NULL, "the cost must be a float scalar, got complex64");
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
      cmocka_unit_test_setup_teardown(test_special_values, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_infinite_divisor, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_guarded, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_statistics, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_texts, graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(test_saved, graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(test_refused, graph_setup,
                                      graph_teardown),
  };

  return cmocka_run_group_tests_name("complex", tests, NULL, test_context_drop);
}
