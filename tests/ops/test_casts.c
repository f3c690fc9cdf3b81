/* SPDX-License-Identifier: BSD-2-Clause */
/* Casts out of range, and NaN in extrema: all modes, constants, the host and
 * the arrays give the same. */
#include <gpuarray/create.h>
#include <gpugraph/gpugraph.h>
#include <math.h>

#include "base/dtype.h"
#include "support/device.h"
#include "support/funcs.h"

static const int integers[] = {GA_BYTE, GA_UBYTE, GA_SHORT, GA_USHORT,
                               GA_INT,  GA_UINT,  GA_LONG,  GA_ULONG};
static const int floats[] = {GA_HALF, GA_FLOAT, GA_DOUBLE};
static const gg_mode modes[] = {GG_FAST_RUN, GG_NO_REWRITE, GG_DEBUG};
enum { N_INTEGERS = 8, N_FLOATS = 3, N_MODES = 3, N_MOST = 24 };

static const double delicate[] = {
    NAN, INFINITY,     -INFINITY, 0,     -0.9,  -1,    0.9, 127.9, -128.9,
    128, 255.5,        256,       -129,  40000, 65504, 7e4, -3e9,  3e9,
    5e9, 2147483648.0, 1e19,      -1e19, 2e19,  1e300};
enum { N_DELICATE = sizeof delicate / sizeof *delicate };

static void fill(int dtype, void *data) {
  for (size_t i = 0; i < N_DELICATE; i++)
    ga__dtype_from_double(dtype, (char *)data + i * ga__dtype_size(dtype),
                          delicate[i]);
}

/* The result has the elements that `from`, of `dtype`, becomes on the host. */
static void check(const GpuArray *got, int dtype, const void *from,
                  const char *what) {
  double room[N_DELICATE], want[N_DELICATE];
  const size_t item = ga__dtype_size(got->typecode);

  test_gather(got, room);
  for (size_t i = 0; i < N_DELICATE; i++)
    ga__dtype_from_double(
        got->typecode, (char *)want + i * item,
        ga__dtype_to_double(dtype,
                            (const char *)from + i * ga__dtype_size(dtype)));
  for (size_t i = 0; i < N_DELICATE; i++)
    if (memcmp((char *)room + i * item, (char *)want + i * item, item) != 0)
      fail_msg("%s: %g of %s as %s is %g, expected %g", what, delicate[i],
               ga__dtype_name(dtype), ga__dtype_name(got->typecode),
               test_get(room, got->typecode, i),
               test_get(want, got->typecode, i));
}

/* `x` in all integer dtypes. */
static void check_casts(gg_graph *g, gg_var *x, GpuArray *a, const void *data,
                        gg_mode mode) {
  gg_var *out[N_INTEGERS + 1] = {NULL};
  GpuArray arrays[N_INTEGERS], *results[N_INTEGERS];
  const int dtype = gg_var_type(x)->dtype;

  memset(arrays, 0, sizeof arrays);
  for (size_t i = 0; i < N_INTEGERS; i++) {
    out[i] = gg_cast(x, integers[i]);
    results[i] = &arrays[i];
  }
  gg_func *f =
      func_make(g, &(gg_func_spec){.name = "casts",
                                   .inputs = a != NULL ? GG_VARS(x) : NULL,
                                   .outputs = out,
                                   .mode = mode});
  func_run(f, &a, results);
  for (size_t i = 0; i < N_INTEGERS; i++) {
    check(&arrays[i], dtype, data, a != NULL ? "variable" : "constant");
    GpuArray_clear(&arrays[i]);
  }
  gg_func_free(f);
}

static void check_float(int dtype) {
  double data[N_DELICATE];
  const size_t n = N_DELICATE;
  GpuArray a, b;

  fill(dtype, data);
  test_array(&a, dtype, 1, &n, data);
  for (size_t m = 0; m < N_MODES; m++) {
    gg_graph *g = gg_graph_new(test_context());
    check_casts(g, gg_input(g, "x", dtype, 1), &a, data, modes[m]);
    check_casts(g, gg_constant(g, dtype, 1, &n, data), NULL, data, modes[m]);
    gg_graph_free(g);
  }
  for (size_t i = 0; i < N_INTEGERS; i++) {
    assert_ok(GpuArray_cast(&b, &a, integers[i], GA_C_ORDER));
    check(&b, dtype, data, "array");
    GpuArray_clear(&b);
  }
  GpuArray_clear(&a);
}

static void test_floats(void **state) {
  (void)state;
  for (size_t k = 0; k < N_FLOATS; k++)
    if (floats[k] != GA_DOUBLE || gpucontext_caps(test_context())->fp64)
      check_float(floats[k]);
}

static void test_bfloat(void **state) {
  (void)state;
  test_need_full();
  check_float(GA_BFLOAT);
}

/* Integers keep their low bits, constants of one element, too. */
static void test_integers(void **state) {
  gg_graph *g = gg_graph_new(test_context());
  gg_var *x = gg_input(g, "x", GA_LONG, 1);
  gg_var *both = gg_add(gg_cast(x, GA_BYTE), gg_cast(gg_i64(g, 300), GA_BYTE));
  const int64_t data = 300;
  GpuArray a, out = {0};
  signed char got;

  (void)state;
  test_array(&a, GA_LONG, 1, (size_t[]){1}, &data);
  for (size_t m = 0; m < N_MODES; m++) {
    gg_func *f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                              .outputs = GG_VARS(both),
                                              .mode = modes[m]});
    func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out});
    test_gather(&out, &got);
    assert_int_equal(got, 2 * (signed char)300);
    gg_func_free(f);
  }
  GpuArray_clear(&a);
  GpuArray_clear(&out);
  gg_graph_free(g);
}

/* --- NaN in extrema --- */

enum { N_EXTREMA = 8 };

/* As NumPy: NaN wins. `nan` and `one` are constants or inputs. */
static void build_extrema(gg_var **out, gg_var *nan, gg_var *one) {
  gg_var *const pair = gg_join(0, 3, (gg_var *[]){one, nan, nan});

  out[0] = gg_maximum(nan, one);
  out[1] = gg_maximum(one, nan);
  out[2] = gg_minimum(nan, one);
  out[3] = gg_clip(nan, one, one);
  out[4] = gg_clip(one, nan, one);
  out[5] = gg_clip(one, one, nan);
  out[6] = gg_max(pair);
  out[7] = gg_cast(gg_argmax_axis(pair, 0), GA_FLOAT);
}

static void check_extrema(gg_mode mode, int is_constant) {
  gg_graph *g = gg_graph_new(test_context());
  const float values[2] = {NAN, 1};
  const size_t n = 1;
  gg_var *v[3] = {NULL}, *out[N_EXTREMA + 1] = {NULL};
  GpuArray in[2], arrays[N_EXTREMA], *results[N_EXTREMA];
  float got;

  memset(arrays, 0, sizeof arrays);
  for (size_t i = 0; i < 2; i++) {
    v[i] = is_constant
               ? gg_constant(g, GA_FLOAT, 1, &n, &values[i])
               : gg_input_sized(g, "v", GA_FLOAT, 1, (const int64_t[]){1});
    test_array(&in[i], GA_FLOAT, 1, &n, &values[i]);
  }
  if (!is_constant)
    v[1] = gg_input_sized(g, "one", GA_FLOAT, 1, (const int64_t[]){1});
  build_extrema(out, v[0], v[1]);
  for (size_t i = 0; i < N_EXTREMA; i++)
    results[i] = &arrays[i];
  gg_func *f = func_make(g, &(gg_func_spec){.name = "extrema",
                                            .inputs = is_constant ? NULL : v,
                                            .outputs = out,
                                            .mode = mode});
  func_run(f, (GpuArray *[]){&in[0], &in[1]}, results);
  for (size_t i = 0; i < N_EXTREMA; i++) {
    test_gather(&arrays[i], &got);
    if (i < 7 ? !isnan(got) : got != 1)
      fail_msg("extremum %zu in mode %d of %s is %g", i, (int)mode,
               is_constant ? "constants" : "inputs", (double)got);
    GpuArray_clear(&arrays[i]);
  }
  GpuArray_clear(&in[0]);
  GpuArray_clear(&in[1]);
  gg_func_free(f);
  gg_graph_free(g);
}

static void test_extrema(void **state) {
  (void)state;
  for (size_t m = 0; m < N_MODES; m++)
    for (int is_constant = 0; is_constant < 2; is_constant++)
      check_extrema(modes[m], is_constant);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_floats),
      cmocka_unit_test(test_bfloat),
      cmocka_unit_test(test_integers),
      cmocka_unit_test(test_extrema),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
