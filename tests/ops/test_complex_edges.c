/* SPDX-License-Identifier: BSD-2-Clause */
/* Complex numbers at the edges: infinities and NaN compared with C's complex
 * functions, texts and files, refusals. */
#include <math.h>
#include <string.h>

#include "support/complex_operands.h"
#include "support/graph_case.h"
#include "support/roundtrip.h"

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
  complex_read(&out, got, 2);
  for (size_t i = 0; i < 2; i++)
    assert_complex("saved", got[i], CMPLX(want[2 * i], want[2 * i + 1]), 1e-6);
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
      cmocka_unit_test_setup_teardown(test_special_values, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_infinite_divisor, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_guarded, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(test_texts, graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(test_saved, graph_setup, graph_teardown),
      cmocka_unit_test_setup_teardown(test_refused, graph_setup,
                                      graph_teardown),
  };

  return cmocka_run_group_tests_name("complex_edges", tests, NULL,
                                     test_context_drop);
}
