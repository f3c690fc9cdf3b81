/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops of integers: sums of products wrap around and are exact also on devices
 * without float64. */
#include <string.h>

#include "support/device.h"
#include "support/lcg.h"
#include "support/onnx_trial.h"

#define GIVE_BYTES(t, data, ...)                                               \
  give(t, GA_UBYTE, sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t),          \
       (size_t[]){__VA_ARGS__}, data)

static void assert_ints(const trial *t, int n, const int32_t *want) {
  int32_t got[MOST];

  memcpy(got, t->got[0], (size_t)n * sizeof *got);
  for (int i = 0; i < n; i++)
    if (got[i] != want[i])
      fail_msg("element %d: %d, expected %d", i, (int)got[i], (int)want[i]);
}

/* --- products --- */

/* Sums above 2^24, and above 2^31. */
static void test_products(void **state) {
  enum { ODD = 301, LONG = 33027 };
  static uint8_t a[LONG], b[LONG];

  (void)state;
  memset(a, 255, sizeof a);
  memset(b, 255, sizeof b);
  trial t = trial_new("MatMulInteger", "a b", "y", NULL);
  GIVE_BYTES(&t, a, 1, ODD);
  GIVE_BYTES(&t, b, ODD, 1);
  run(&t, 10);
  assert_ints(&t, 1, (int32_t[]){ODD * 65025});
  t = trial_new("MatMulInteger", "a b", "y", NULL);
  GIVE_BYTES(&t, a, LONG);
  GIVE_BYTES(&t, b, LONG, 1);
  run(&t, 10);
  assert_ints(&t, 1, (int32_t[]){(int32_t)(LONG * 65025LL - (1LL << 32))});
}

/* Batches, of which one has one matrix, and zero points for rows. */
static void test_batches(void **state) {
  enum { N = 2, I = 2, J = 259, K = 3 };
  static uint8_t a[N * I * J], b[J * K];
  static const uint8_t zero[] = {200, 3};
  int32_t want[N * I * K] = {0};
  uint64_t seed = 1;

  (void)state;
  for (size_t i = 0; i < sizeof a; i++)
    a[i] = (uint8_t)lcg_below(&seed, 256);
  for (size_t i = 0; i < sizeof b; i++)
    b[i] = (uint8_t)lcg_below(&seed, 256);
  for (int i = 0; i < N * I; i++)
    for (int k = 0; k < K; k++)
      for (int j = 0; j < J; j++)
        want[i * K + k] += (a[i * J + j] - zero[i % I]) * b[j * K + k];
  trial t = trial_new("MatMulInteger", "a b c", "y", NULL);
  GIVE_BYTES(&t, a, N, I, J);
  GIVE_BYTES(&t, b, J, K);
  GIVE_BYTES(&t, zero, I);
  run(&t, 10);
  assert_ints(&t, N * I * K, want);
}

enum { SIZE = 5, CHANNELS = 64, GROUPS = 2, FILTERS = 4, OUT = 3, TAPS = 3 };

/* Sum of products for one element: stride 2, one pad on each side. */
static int32_t convolved(const uint8_t *x, const uint8_t *w, int f, int i,
                         int j) {
  const int each = CHANNELS / GROUPS, first = f / (FILTERS / GROUPS) * each;
  int32_t sum = 0;

  for (int c = 0; c < each; c++)
    for (int k = 0; k < TAPS; k++)
      for (int l = 0; l < TAPS; l++) {
        const int row = 2 * i + k - 1, column = 2 * j + l - 1;

        if (row >= 0 && row < SIZE && column >= 0 && column < SIZE)
          sum += (x[((first + c) * SIZE + row) * SIZE + column] - 1) *
                 w[((f * each + c) * TAPS + k) * TAPS + l];
      }
  return sum;
}

static void test_convolution(void **state) {
  static uint8_t x[CHANNELS * SIZE * SIZE];
  static uint8_t w[FILTERS * CHANNELS / GROUPS * TAPS * TAPS];
  static const uint8_t one = 1;
  int32_t want[FILTERS * OUT * OUT];
  message attrs = {.n = 0}, group = number("group", GROUPS);
  uint64_t seed = 1;

  (void)state;
  for (size_t i = 0; i < sizeof x; i++)
    x[i] = (uint8_t)(255 - lcg_below(&seed, 3));
  for (size_t i = 0; i < sizeof w; i++)
    w[i] = (uint8_t)(255 - lcg_below(&seed, 3));
  for (int i = 0; i < FILTERS * OUT * OUT; i++)
    want[i] = convolved(x, w, i / (OUT * OUT), i / OUT % OUT, i % OUT);
  put_message(&attrs, 5, &group);
  NUMBERS(&attrs, "pads", 1, 1, 1, 1);
  NUMBERS(&attrs, "strides", 2, 2);
  trial t = trial_new("ConvInteger", "a b c", "y", &attrs);
  GIVE_BYTES(&t, x, 1, CHANNELS, SIZE, SIZE);
  GIVE_BYTES(&t, w, FILTERS, CHANNELS / GROUPS, TAPS, TAPS);
  give(&t, GA_UBYTE, 0, (size_t[]){0}, &one);
  run(&t, 10);
  assert_ints(&t, FILTERS * OUT * OUT, want);
}

/* --- activations --- */

/* 2^24 + 1 is no float32. */
static void test_activations(void **state) {
  static const int32_t x[] = {16777217, -16777217}, slope = 3;

  (void)state;
  trial t = trial_new("Relu", "a", "y", NULL);
  give(&t, GA_INT, 1, (size_t[]){2}, x);
  run(&t, 14);
  assert_int_equal(t.out[0].dtype, GA_INT);
  assert_ints(&t, 2, (int32_t[]){16777217, 0});
  t = trial_new("PRelu", "a b", "y", NULL);
  give(&t, GA_INT, 1, (size_t[]){2}, x);
  give(&t, GA_INT, 1, (size_t[]){1}, &slope);
  run(&t, 16);
  assert_int_equal(t.out[0].dtype, GA_INT);
  assert_ints(&t, 2, (int32_t[]){16777217, -50331651});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_products),
      cmocka_unit_test(test_batches),
      cmocka_unit_test(test_convolution),
      cmocka_unit_test(test_activations),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
