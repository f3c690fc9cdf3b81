/* SPDX-License-Identifier: BSD-2-Clause */
/* Random streams: the published numbers, and what every way of drawing has in
 * common. What they look like is for tests/ops/test_distributions.c. */
#include "support/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/device.h>
#include <gpuarray/random.h>

#include "base/dtype.h"

/* --- Philox on the host, from the paper --- */

static void philox(const uint32_t counter[4], uint64_t key, uint32_t out[4]) {
  uint32_t k[2] = {(uint32_t)key, (uint32_t)(key >> 32)};

  memcpy(out, counter, 16);
  for (int r = 0; r < 10; r++) {
    const uint64_t a = (uint64_t)out[0] * 0xD2511F53u;
    const uint64_t b = (uint64_t)out[2] * 0xCD9E8D57u;
    const uint32_t next[4] = {(uint32_t)(b >> 32) ^ out[1] ^ k[0], (uint32_t)b,
                              (uint32_t)(a >> 32) ^ out[3] ^ k[1], (uint32_t)a};

    memcpy(out, next, 16);
    k[0] += 0x9E3779B9u;
    k[1] += 0xBB67AE85u;
  }
}

static uint32_t word_at(uint64_t key, uint64_t draw, uint64_t w) {
  const uint32_t counter[4] = {(uint32_t)(w >> 2), (uint32_t)(w >> 34),
                               (uint32_t)draw, (uint32_t)(draw >> 32)};
  uint32_t out[4];

  philox(counter, key, out);
  return out[w & 3];
}

/* Element i of a draw of `what`, as double. */
static double element_at(ga_random what, int typecode, uint64_t key,
                         uint64_t draw, uint64_t i) {
  const int wide = ga__dtype_size(typecode) == 8;
  uint64_t word[2], at = what == GA_RANDOM_NORMAL ? i & ~(uint64_t)1 : i;

  for (int k = 0; k < 2; k++, at++) {
    word[k] = word_at(key, draw, wide ? 2 * at : at);
    if (wide)
      word[k] |= (uint64_t)word_at(key, draw, 2 * at + 1) << 32;
  }
  if (what == GA_RANDOM_BITS)
    return (double)word[0];
  if (what == GA_RANDOM_UNIFORM)
    return typecode == GA_HALF     ? ((double)(word[0] >> 22) + 0.5) / 1024
           : typecode == GA_BFLOAT ? ((double)(word[0] >> 25) + 0.5) / 128
           : wide                  ? ((double)(word[0] >> 12) + 0.5) / 0x1p52
                                   : ((double)(word[0] >> 9) + 0.5) / 0x1p23;
  double u = wide ? ((double)(word[0] >> 12) + 0.5) / 0x1p52
                  : (double)(float)(((double)word[0] + 0.5) / 0x1p32);
  double v = wide ? ((double)(word[1] >> 12) + 0.5) / 0x1p52
                  : (double)word[1] / 0x1p32;
  double turn = 2 * 3.14159265358979323846 * v;
  return sqrt(-2 * log(u)) * (i & 1 ? sin(turn) : cos(turn));
}

/* --- help --- */

static void open_state(GpuArray *state, uint64_t key, uint64_t draw) {
  const uint64_t data[2] = {key, draw};
  const size_t dim = 2;

  test_array(state, GA_ULONG, 1, &dim, data);
}

static int has_type(int typecode) {
  return typecode != GA_DOUBLE || gpucontext_caps(test_context())->fp64;
}

static const struct {
  ga_random what;
  int typecode;
  double tolerance; /* absolute */
} kinds[] = {
    {GA_RANDOM_BITS, GA_UINT, 0},       {GA_RANDOM_BITS, GA_ULONG, 0},
    {GA_RANDOM_UNIFORM, GA_HALF, 0},    {GA_RANDOM_UNIFORM, GA_FLOAT, 0},
    {GA_RANDOM_UNIFORM, GA_DOUBLE, 0},  {GA_RANDOM_NORMAL, GA_HALF, 2e-3},
    {GA_RANDOM_UNIFORM, GA_BFLOAT, 0},  {GA_RANDOM_NORMAL, GA_BFLOAT, 16e-3},
    {GA_RANDOM_NORMAL, GA_FLOAT, 4e-6}, {GA_RANDOM_NORMAL, GA_DOUBLE, 1e-14},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* --- the published numbers --- */

/* kat_vectors of Random123: counter, key, result. */
static void known_answers(void **state) {
  static const uint32_t kat[][10] = {
      {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
      {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
       0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
      {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0,
       0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};

  (void)state;
  for (size_t i = 0; i < sizeof kat / sizeof kat[0]; i++) {
    uint32_t got[4];

    philox(kat[i], kat[i][4] | (uint64_t)kat[i][5] << 32, got);
    assert_memory_equal(got, kat[i] + 6, sizeof got);
  }
}

/* 12 streams, 7 substreams of each, 5 numbers from each substream. */
static void mrg_reference(void **state) {
  const size_t dims[2] = {5, 7}, total = 12 * 7 * 5;
  FILE *f = fopen("tests/random/samples_MRG31k3p_12_7_5.txt", "r");
  int32_t seed[6] = {12345, 12345, 12345, 12345, 12345, 12345};
  double want[12][7][5], got[5][7];

  (void)state;
  assert_non_null(f);
  for (size_t i = 0; i < total; i++)
    assert_int_equal(fscanf(f, "%lf", &want[0][0][0] + i), 1);
  fclose(f);
  test_need_double();
  for (int stream = 0; stream < 12; stream++) {
    GpuArray s, a;

    assert_ok(GpuRandom_mrg31k3p(&s, test_context(), seed, 7));
    assert_ok(
        GpuArray_empty(&a, test_context(), GA_DOUBLE, 2, dims, GA_C_ORDER));
    assert_ok(GpuRandom_fill(&a, GA_RANDOM_UNIFORM, 0, 1, &s));
    assert_ok(GpuArray_read(got, sizeof got, &a));
    for (int sub = 0; sub < 7; sub++)
      for (int i = 0; i < 5; i++)
        assert_memory_equal(&got[i][sub], &want[stream][sub][i],
                            sizeof(double));
    GpuArray_clear(&a);
    GpuArray_clear(&s);
    assert_ok(GpuRandom_mrg31k3p_jump(seed, 134));
  }
}

/* --- Philox on the device --- */

/* Every kind, with every remainder of lanes and blocks, and a second draw. */
static void all_kinds(void) {
  static const size_t sizes[] = {1, 2, 3, 5, 16, 37, 1000, 4099};
  const uint64_t key = 0x299f31d0a4093822, draw = 0xfffffffffffffffe;

  for (int k = 0; k < KINDS; k++) {
    const int type = kinds[k].typecode;

    for (size_t j = 0; j < sizeof sizes / sizeof sizes[0]; j++) {
      GpuArray s, a;
      uint64_t got[4099];

      if (!has_type(type))
        continue;
      open_state(&s, key, draw);
      assert_ok(
          GpuArray_empty(&a, test_context(), type, 1, &sizes[j], GA_C_ORDER));
      for (uint64_t round = 0; round < 3; round++) {
        assert_ok(GpuRandom_fill(&a, kinds[k].what, 0, 1, &s));
        assert_ok(GpuArray_read(got, sizes[j] * ga__dtype_size(type), &a));
        for (size_t i = 0; i < sizes[j]; i++) {
          const double want =
              element_at(kinds[k].what, type, key, draw + round, i);

          if (!(fabs(test_get(got, type, i) - want) <= kinds[k].tolerance))
            fail_msg("kind %d, size %zu, draw %d, element %zu: %.17g, "
                     "expected %.17g",
                     k, sizes[j], (int)round, i, test_get(got, type, i), want);
        }
      }
      GpuArray_clear(&a);
      GpuArray_clear(&s);
    }
  }
}

static void kinds_of_numbers(void **state) {
  (void)state;
  test_mappings(all_kinds);
}

/* --- where numbers go --- */

/* A draw counts in C order, whatever the strides: rows, columns, backwards,
 * with gaps, and rows that are no whole blocks. */
static void all_strides(void) {
  static const ssize_t strides[][2] = {
      {13, 1}, {1, 7}, {-13, -1}, {40, 3}, {16, -1}};
  const size_t dims[2] = {7, 13};
  const float zeros[7 * 13] = {0};
  float got[7 * 13];

  for (size_t k = 0; k < sizeof strides / sizeof strides[0]; k++) {
    GpuArray s, a;

    open_state(&s, 99, 5);
    test_array_strided(&a, GA_FLOAT, 2, dims, strides[k], zeros);
    assert_ok(GpuRandom_fill(&a, GA_RANDOM_UNIFORM, 0, 1, &s));
    test_gather(&a, got);
    for (size_t i = 0; i < 7 * 13; i++)
      assert_true((double)got[i] ==
                  element_at(GA_RANDOM_UNIFORM, GA_FLOAT, 99, 5, i));
    GpuArray_clear(&a);
    GpuArray_clear(&s);
  }
}

static void strided(void **state) {
  (void)state;
  test_mappings(all_strides);
}

static void mrg_strided(void **state) {
  const int32_t seed[6] = {1, 2, 3, 4, 5, 6};
  const size_t dims[2] = {7, 13};
  float plain[7 * 13], got[7 * 13];
  GpuArray s, a;

  (void)state;
  for (int k = 0; k < 2; k++) {
    assert_ok(GpuRandom_mrg31k3p(&s, test_context(), seed, 10));
    assert_ok(GpuArray_empty(&a, test_context(), GA_FLOAT, 2, dims,
                             k == 0 ? GA_C_ORDER : GA_F_ORDER));
    assert_ok(GpuRandom_fill(&a, GA_RANDOM_NORMAL, 3, 2, &s));
    test_gather(&a, k == 0 ? plain : got);
    GpuArray_clear(&a);
    GpuArray_clear(&s);
  }
  assert_memory_equal(plain, got, sizeof got);
}

/* Two draws of MRG31k3p are one that is as long, where rounds are whole. */
static void mrg_continues(void **state) {
  const int32_t seed[6] = {1, 2, 3, 4, 5, 6};
  const size_t whole = 60, half = 30;
  uint64_t all[60], parts[60];
  GpuArray s, a;

  (void)state;
  for (int what = 0; what <= GA_RANDOM_BITS; what++) {
    const int type = what == GA_RANDOM_BITS ? GA_ULONG : GA_FLOAT;
    const size_t bytes = half * ga__dtype_size(type);

    assert_ok(GpuRandom_mrg31k3p(&s, test_context(), seed, 5));
    assert_ok(GpuArray_empty(&a, test_context(), type, 1, &whole, GA_C_ORDER));
    assert_ok(GpuRandom_fill(&a, (ga_random)what, 0, 1, &s));
    assert_ok(GpuArray_read(all, 2 * bytes, &a));
    GpuArray_clear(&a);
    GpuArray_clear(&s);
    assert_ok(GpuRandom_mrg31k3p(&s, test_context(), seed, 5));
    assert_ok(GpuArray_empty(&a, test_context(), type, 1, &half, GA_C_ORDER));
    for (int i = 0; i < 2; i++) {
      assert_ok(GpuRandom_fill(&a, (ga_random)what, 0, 1, &s));
      assert_ok(GpuArray_read((char *)parts + (size_t)i * bytes, bytes, &a));
    }
    assert_memory_equal(all, parts, 2 * bytes);
    GpuArray_clear(&a);
    GpuArray_clear(&s);
  }
}

static void empty(void **state) {
  const int32_t seed[6] = {1, 2, 3, 4, 5, 6};
  const size_t dims[2] = {4, 0};
  const uint64_t want[2] = {9, 3};
  GpuArray s, a;

  (void)state;
  assert_ok(GpuArray_empty(&a, test_context(), GA_FLOAT, 2, dims, GA_C_ORDER));
  open_state(&s, 9, 2);
  assert_ok(GpuRandom_fill(&a, GA_RANDOM_UNIFORM, 0, 1, &s));
  test_array_equal(&s, want); /* a draw all the same */
  GpuArray_clear(&s);
  assert_ok(GpuRandom_mrg31k3p(&s, test_context(), seed, 1));
  assert_ok(GpuRandom_fill(&a, GA_RANDOM_UNIFORM, 0, 1, &s));
  test_array_equal(&s, seed);
  GpuArray_clear(&s);
  GpuArray_clear(&a);
}

/* --- in expressions --- */

/* Dropout of a strided array, with the scale in a column, as vector text and
 * as scalar text. */
static void all_expressions(void) {
  static const char *const texts[] = {
      "z = (u < (w_float)(0.5f) ? x * s : (w_float)(0.0f))",
      "z = u < 0.5f ? x * s : 0"};
  const gpuelemwise_arg args[] = {{"u", GA_FLOAT, GE_RANDOM_UNIFORM},
                                  {"z", GA_FLOAT, GE_WRITE},
                                  {"x", GA_FLOAT, GE_READ},
                                  {"s", GA_FLOAT, GE_READ}};
  static const size_t columns[] = {5, 100, 128, 777};

  for (size_t k = 0; k < 8; k++) {
    const size_t cols = columns[k / 2], dims[2] = {3, cols}, side[2] = {3, 1};
    const ssize_t turned[2] = {1, 3};
    static float host[3 * 777], got[3 * 777];
    const float scale[3] = {1, 2, 3};
    GpuArray st, x, z, s;
    void *values[] = {&st, &z, &x, &s};

    test_fill(host, GA_FLOAT, 3 * cols, 1, 2, 4);
    open_state(&st, 99, 5);
    test_array_strided(&x, GA_FLOAT, 2, dims, turned, host);
    test_array(&s, GA_FLOAT, 2, side, scale);
    assert_ok(
        GpuArray_empty(&z, test_context(), GA_FLOAT, 2, dims, GA_C_ORDER));
    GpuElemwise *ge =
        GpuElemwise_new(test_context(), NULL, texts[k % 2], 4,
                        (gpuelemwise_arg *)args, 2, k % 2 == 0 ? GE_VECTOR : 0);
    assert_non_null(ge);
    assert_ok(GpuElemwise_call(ge, values, GE_BROADCAST));
    assert_ok(GpuArray_read(got, 3 * cols * sizeof *got, &z));
    for (size_t i = 0; i < 3 * cols; i++) {
      const double u = element_at(GA_RANDOM_UNIFORM, GA_FLOAT, 99, 5, i);

      assert_true(got[i] == (u < 0.5 ? host[i] * scale[i / cols] : 0));
    }
    GpuElemwise_free(ge);
    GpuArray_clear(&x);
    GpuArray_clear(&z);
    GpuArray_clear(&s);
    GpuArray_clear(&st);
  }
}

static void expressions(void **state) {
  (void)state;
  test_mappings(all_expressions);
}

static void epilogue(void **state) {
  const gpuelemwise_arg args[] = {{"z", GA_FLOAT, GE_WRITE},
                                  {"s", GA_FLOAT, GE_SCALAR}};
  const GpuEpilogue e = {
      .text = "z = acc * s", .n_args = 2, .args = args, .flags = GE_VECTOR};
  const size_t n = 100;
  const float two = 2;
  float got[100];
  GpuArray s, z;
  GpuLaunch *l;

  (void)state;
  open_state(&s, 99, 5);
  assert_ok(GpuArray_empty(&z, test_context(), GA_FLOAT, 1, &n, GA_C_ORDER));
  assert_ok(GpuRandom_epilogue_prepare(&l, GA_RANDOM_UNIFORM, GA_FLOAT, &s, &e,
                                       (void *[]){&z, (void *)&two}));
  assert_ok(GpuLaunch_run(l));
  assert_ok(GpuArray_read(got, sizeof got, &z));
  for (size_t i = 0; i < n; i++)
    assert_true((double)got[i] ==
                2 * element_at(GA_RANDOM_UNIFORM, GA_FLOAT, 99, 5, i));
  GpuLaunch_free(l);
  GpuArray_clear(&z);
  GpuArray_clear(&s);
}

/* --- samples --- */

/* Rows of counts and choices with weights in columns that lie apart. */
static void all_samples(void) {
  enum { ROWS = 70, COLUMNS = 3 };
  const size_t dims[2] = {ROWS, COLUMNS};
  const ssize_t turned[2] = {1, ROWS};
  static float u[ROWS * COLUMNS], p[ROWS * COLUMNS];
  int32_t counts[ROWS * COLUMNS];
  int64_t chosen[ROWS * COLUMNS];
  GpuArray du, dp, dz, dc;
  GpuLaunch *l;

  test_fill(u, GA_FLOAT, ROWS * COLUMNS, 0, 1, 11);
  for (int i = 0; i < ROWS * COLUMNS; i++)
    p[i] = (float)(i % COLUMNS); /* 0, 1, 2 */
  test_array(&du, GA_FLOAT, 2, dims, u);
  test_array_strided(&dp, GA_FLOAT, 2, dims, turned, p);
  assert_ok(GpuArray_empty(&dz, test_context(), GA_INT, 2, dims, GA_C_ORDER));
  assert_ok(GpuArray_empty(&dc, test_context(), GA_LONG, 2, dims, GA_C_ORDER));
  assert_ok(GpuRandom_multinomial_prepare(&l, &dz, &du, &dp, 100));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  assert_ok(GpuRandom_choice_prepare(&l, &dc, &du, &dp));
  assert_ok(GpuLaunch_run(l));
  GpuLaunch_free(l);
  assert_ok(GpuArray_read(counts, sizeof counts, &dz));
  assert_ok(GpuArray_read(chosen, sizeof chosen, &dc));
  for (int i = 0; i < ROWS; i++) {
    const int32_t *n = counts + (ptrdiff_t)i * COLUMNS;
    const int64_t *c = chosen + (ptrdiff_t)i * COLUMNS;

    assert_true(n[0] == 0 && n[1] + n[2] == 100);
    /* The first of two weights, 1 of 3, where u is below a third. */
    assert_int_equal(c[0], u[i * COLUMNS] < 1 / 3.0f ? 1 : 2);
    assert_true(c[0] + c[1] == 3 && c[2] == -1);
  }
  GpuArray_clear(&du);
  GpuArray_clear(&dp);
  GpuArray_clear(&dz);
  GpuArray_clear(&dc);
}

static void samples(void **state) {
  (void)state;
  test_mappings(all_samples);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_answers),
      cmocka_unit_test(mrg_reference),
      cmocka_unit_test(kinds_of_numbers),
      cmocka_unit_test(strided),
      cmocka_unit_test(mrg_strided),
      cmocka_unit_test(mrg_continues),
      cmocka_unit_test(empty),
      cmocka_unit_test(expressions),
      cmocka_unit_test(epilogue),
      cmocka_unit_test(samples),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
