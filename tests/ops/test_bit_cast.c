/* SPDX-License-Identifier: BSD-2-Clause */
/* Bits as another dtype: all pairs of dtypes, with NaN and numbers that are not
 * normal, in each mode, through text and through a file. */
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "support/graph_case.h"
#include "support/roundtrip.h"

enum { ROWS = 2, COLS = 3, N = ROWS * COLS };

/* Zeros, NaN of both kinds, a subnormal number, others. */
static const uint16_t words2[N] = {0x8000, 0x7d01, 0x7e05, 1, 0x3c00, 0xfbff};
static const uint32_t words4[N] = {0x80000000u, 0x7f800001u, 0x7fc00123u,
                                   1,           0x3f800000u, 0xff7fffffu};
static const uint64_t words8[N] = {0x8000000000000000u, 0x7ff0000000000001u,
                                   0x7ff8000000000123u, 1,
                                   0x3ff0000000000000u, 0xffefffffffffffffu};

static const void *words_of(size_t bytes) {
  switch (bytes) {
  case 2:
    return words2;
  case 4:
    return words4;
  default:
    return words8;
  }
}

/* Column by column. */
static void assert_turned(const GpuArray *got, int dtype) {
  const size_t item = ga__dtype_size(dtype);
  const char *const want = words_of(item);
  char bytes[N * 8];

  assert_int_equal(got->typecode, dtype);
  assert_int_equal(got->nd, 2);
  assert_int_equal(got->dimensions[0], COLS);
  assert_ok(GpuArray_read(bytes, N * item, got));
  for (size_t r = 0; r < ROWS; r++)
    for (size_t c = 0; c < COLS; c++)
      assert_memory_equal(bytes + (c * ROWS + r) * item,
                          want + (r * COLS + c) * item, item);
}

/* --- values --- */

/* The bits of a matrix that is no longer in C order, and back. */
static void add_function(int from, int to, gg_mode mode) {
  gg_var *const x = gg_input(g, "x", from, 2);
  gg_var *const y = gg_bit_cast(gg_transpose(x), to);

  assert_ok(gg_graph_add_func(
      g, &(gg_func_spec){.name = "f",
                         .inputs = GG_VARS(x),
                         .outputs = GG_VARS(y, gg_bit_cast(y, from)),
                         .mode = mode}));
}

static void check_function(gg_graph *of, int from, int to) {
  gg_func *f = func_make(of, gg_graph_func(of, "f"));

  func_run(f, (GpuArray *[]){&a}, (GpuArray *[]){&out, &out2});
  assert_turned(&out, to);
  assert_turned(&out2, from);
  gg_func_free(f);
}

static void check_pair(int from, int to, gg_mode mode) {
  char *text;

  graph_setup(NULL);
  test_array(&a, from, 2, (const size_t[]){ROWS, COLS},
             words_of(ga__dtype_size(from)));
  add_function(from, to, mode);
  check_function(g, from, to);
  text = graph_text(g, 0);
  assert_same_text(text);
  gg_graph *const h = graph_of_text(test_context(), text);
  gg_graph *const k = graph_of_file(test_context(), g);
  check_function(h, from, to);
  check_function(k, from, to);
  gg_graph_free(k);
  gg_graph_free(h);
  free(text);
  graph_teardown(NULL);
}

static void all_pairs_keep_bits(void **state) {
  static const int pairs[][2] = {{GA_HALF, GA_SHORT},   {GA_USHORT, GA_HALF},
                                 {GA_HALF, GA_BFLOAT},  {GA_FLOAT, GA_INT},
                                 {GA_BFLOAT, GA_SHORT}, {GA_UINT, GA_FLOAT},
                                 {GA_DOUBLE, GA_LONG}};

  (void)state;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    check_pair(pairs[i][0], pairs[i][1], GG_FAST_RUN);
  check_pair(GA_FLOAT, GA_UINT, GG_DEBUG);
  check_pair(GA_HALF, GA_BFLOAT, GG_NO_REWRITE);
}

/* A weak scalar has the dtype that it has alone. */
static void constants_have_bits(void **state) {
  const int32_t want[2] = {0x40490fdb, 0x3f800000};
  const float both[2] = {3.14159274f, 1};
  const size_t n = 2;
  int32_t got[2];
  gg_var *const y = gg_bit_cast(gg_constant(g, GA_FLOAT, 1, &n, both), GA_INT);
  gg_var *const z = gg_bit_cast(gg_weak(g, 1), GA_INT);
  gg_func *f = func_make(g, &(gg_func_spec){.outputs = GG_VARS(y, z)});

  (void)state;
  func_run(f, NULL, (GpuArray *[]){&out, &out2});
  assert_ok(GpuArray_read(got, sizeof got, &out));
  assert_memory_equal(got, want, sizeof got);
  assert_ok(GpuArray_read(got, sizeof *got, &out2));
  assert_int_equal(got[0], want[1]);
  gg_func_free(f);
}

/* --- what is built and refused --- */

static void integers_are_cast(void **state) {
  gg_var *const n = gg_input(g, "n", GA_INT, 1);
  gg_var *const t = gg_input(g, "t", GA_BOOL, 1);
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 1);

  (void)state;
  assert_ptr_equal(gg_bit_cast(n, GA_UINT), gg_cast(n, GA_UINT));
  assert_ptr_equal(gg_bit_cast(t, GA_UBYTE), gg_cast(t, GA_UBYTE));
  assert_ptr_equal(gg_bit_cast(x, GA_FLOAT), x);
}

static void others_are_refused(void **state) {
  gg_var *const x = gg_input(g, "x", GA_FLOAT, 1), *d;
  gg_var *const z = gg_input(g, "z", GA_CFLOAT, 1);

  (void)state;
  graph_refused(gg_bit_cast(x, GA_LONG),
                "bit_cast(float32[?]): int64 has 8 bytes, expected 4");
  graph_refused(gg_bit_cast(z, GA_DOUBLE),
                "bit_cast(complex64[?]): expected real dtypes, got float64");
  assert_null(gg_bit_cast(NULL, GA_INT));
  assert_true(gg_grad(&d, gg_sum(gg_bit_cast(gg_bit_cast(x, GA_INT), GA_FLOAT)),
                      1, (gg_var *[]){x}) != GA_NO_ERROR);
  gg_graph_reset_error(g);
}

static void texts_are_checked(void **state) {
  static const refused_text list[] = {
      {"x = input float32[3]\ny = bit_cast{dtype=int64}(x)\n",
       "t:2:5: bit_cast(float32[3]): int64 has 8 bytes, expected 4"},
      {"x = input int32[3]\ny = bit_cast{dtype=uint32}(x)\n",
       "t:2:5: bit_cast(int32[3]): to uint32: cast keeps the bits"},
      {"x = input complex64[3]\ny = bit_cast{dtype=int64}(x)\n",
       "bit_cast(complex64[3]): expected real dtypes, got int64"},
      {"x = input float32[3]\ny = bit_cast(x)\n", "dtype"}};

  (void)state;
  assert_texts_refused(sizeof list / sizeof *list, list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_pairs_keep_bits),
      cmocka_unit_test_setup_teardown(constants_have_bits, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(integers_are_cast, graph_setup,
                                      graph_teardown),
      cmocka_unit_test_setup_teardown(others_are_refused, graph_setup,
                                      graph_teardown),
      cmocka_unit_test(texts_are_checked)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
