/* SPDX-License-Identifier: BSD-2-Clause */
/* Single ops whose rules ONNX's own tests of version 1.20 do not cover. */
#include <math.h>
#include <string.h>

#include "support/device.h"
#include "support/lcg.h"
#include "support/onnx_trial.h"

static void test_norm_of_zeros(void **state) {
  static const float x[] = {3, 4, 0, 0};
  message attrs = {.n = 0}, p = number("p", 2);

  (void)state;
  put_message(&attrs, 5, &p);
  trial t = trial_new("LpNormalization", "a", "y", &attrs);
  GIVE(&t, x, 2, 2);
  run(&t, 22);
  EXPECT(&t, 0, 0.6f, 0.8f, 0, 0);
}

/* Powers of integers: whole ones are exact, others are truncated. */
static void test_powers(void **state) {
  static const float exponents[] = {0.5f, 3, 2};
  static const int32_t x[] = {3, 5, -4}, want[] = {1, 125, 16};
  trial t = trial_new("Pow", "a e", "y", NULL);

  (void)state;
  put_elements(&t.graph, "e", 1, 1, 3, exponents);
  give(&t, GA_INT, 1, (size_t[]){3}, x);
  run(&t, 18);
  assert_memory_equal(t.got[0], want, sizeof want);
}

static void test_quantized_zeros(void **state) {
  static const float x[3] = {0};
  trial t = trial_new("DynamicQuantizeLinear", "a", "q y z", NULL);

  (void)state;
  GIVE(&t, x, 3);
  run(&t, 18);
  EXPECT(&t, 0, 1.0f / 255);
}

/* The call decides the diagonal. */
static void test_triangles(void **state) {
  static const float x[] = {1, 2, 3, 4, 5, 6};
  static const int64_t k = -1;
  message attrs = {.n = 0}, upper = number("upper", 0);

  (void)state;
  put_message(&attrs, 5, &upper);
  trial t = trial_new("Trilu", "a b", "y", &attrs);
  GIVE(&t, x, 3, 2);
  give(&t, GA_LONG, 0, NULL, &k);
  run(&t, 14);
  EXPECT(&t, 0, 0, 0, 3, 0, 5, 6);
}

/* Sizes that are given must add up to the axis, also if calls give its size. */
static void test_split_of_open(void **state) {
  static const int64_t parts[] = {1, 2};
  static const float x[] = {1, 2, 3, 4};

  (void)state;
  for (size_t n = 3; n <= 4; n++) {
    trial t = trial_new("Split", "a n", "y z", NULL);

    t.open_batch = 1;
    t.n_out = 2;
    put_elements(&t.graph, "n", 7, 1, 2, parts);
    GIVE(&t, x, n);
    if (n == 4) {
      refuse_call(&t, 13, GA_VALUE_ERROR, "dim 0: expected 3, got 4");
      continue;
    }
    run(&t, 13);
    EXPECT(&t, 0, 1);
    EXPECT(&t, 1, 2, 3);
  }
}

/* --- what a node may give --- */

static void test_too_much(void **state) {
  const float x[] = {1, 2};
  message twice = {.n = 0}, axis = number("axis", 0);

  (void)state;
  trial t = trial_new("Relu", "a a a", "y", NULL);
  GIVE(&t, x, 2);
  refuse(&t, GA_VALUE_ERROR, "(Relu, opset 21, at byte ");
  t = trial_new("Relu", "a a a", "y", NULL);
  GIVE(&t, x, 2);
  refuse(&t, GA_VALUE_ERROR, "3 inputs, expected at most 1");
  t = trial_new("Gather", "a n n", "y", NULL);
  put_elements(&t.graph, "n", 7, 0, 1, &(int64_t){1});
  GIVE(&t, x, 2);
  refuse(&t, GA_VALUE_ERROR, "3 inputs, expected at most 2");
  t = trial_new("Relu", "a - -", "y", NULL); /* nothing, given twice */
  GIVE(&t, x, 2);
  run(&t, 21);
  put_message(&twice, 5, &axis);
  put_message(&twice, 5, &axis);
  t = trial_new("Softmax", "a", "y", &twice);
  GIVE(&t, x, 2);
  refuse(&t, GA_VALUE_ERROR, "attributes 0 and 1 have one name, \"axis\"");
}

/* --- transforms --- */

/* The signal of a half of its frequencies: of odd length if the node says so.
 */
static void test_real_signal(void **state) {
  static const float half[] = {6, 0, -1.5f, 0.8660254f};
  static const int64_t length = 3;
  message attrs = {.n = 0}, back = number("inverse", 1),
          one = number("onesided", 1);

  (void)state;
  put_message(&attrs, 5, &back);
  put_message(&attrs, 5, &one);
  trial t = trial_new("DFT", "a n", "y", &attrs);
  put_elements(&t.graph, "n", 7, 0, 1, &length);
  GIVE(&t, half, 1, 2, 2);
  run(&t, 20);
  EXPECT(&t, 0, 1, 2, 3);
  t = trial_new("DFT", "a", "y", &attrs);
  GIVE(&t, half, 1, 2, 2);
  run(&t, 20);
  EXPECT(&t, 0, 2.25f, 3.75f);
  t = trial_new("DFT", "a", "y", &attrs);
  GIVE(&t, half, 1, 4, 1);
  refuse(&t, GA_VALUE_ERROR, "inverse, but the signal is real");
}

/* --- batch normalisation of opsets 7 and 8 --- */

/* x [2, 2, 2] with a mean for each channel, and for each element. */
static void test_spatial(void **state) {
  static const float x[] = {1, 2, 3, 4, 5, 6, 7, 8}, four[] = {4, 4, 4, 4},
                     scale[] = {2, 4, 6, 8}, bias[] = {0, 1, 2, 3},
                     mean[] = {1, 0, 3, 0};
  const char *const in = "a b c d e";
  message attrs[2] = {{.n = 0}, {.n = 0}};

  (void)state;
  for (int spatial = 0; spatial < 2; spatial++) {
    message value = number("spatial", spatial);

    put_message(&attrs[spatial], 5, &value);
    put_float(&attrs[spatial], "epsilon", 0);
  }
  trial t = trial_new("BatchNormalization", in, "y", &attrs[1]);
  GIVE(&t, x, 2, 2, 2);
  GIVE(&t, scale, 2);
  GIVE(&t, bias, 2);
  GIVE(&t, mean, 2);
  GIVE(&t, four, 2);
  run(&t, 7);
  EXPECT(&t, 0, 0, 1, 7, 9, 4, 5, 15, 17);
  t = trial_new("BatchNormalization", in, "y", &attrs[0]);
  GIVE(&t, x, 2, 2, 2);
  GIVE(&t, scale, 2, 2);
  GIVE(&t, bias, 2, 2);
  GIVE(&t, mean, 2, 2);
  GIVE(&t, four, 2, 2);
  run(&t, 8);
  EXPECT(&t, 0, 0, 5, 2, 19, 4, 13, 14, 35);
  t = trial_new("BatchNormalization", in, "y", &attrs[0]);
  GIVE(&t, x, 2, 2, 2);
  GIVE(&t, scale, 2, 2);
  GIVE(&t, bias, 2);
  GIVE(&t, mean, 2, 2);
  GIVE(&t, four, 2, 2);
  refuse_in(&t, 8, GA_VALUE_ERROR,
            "spatial is 0, and input 2 has 1 dimensions, expected 2");
  t = trial_new("BatchNormalization", in, "y", &attrs[1]);
  GIVE(&t, x, 2, 2, 2);
  GIVE(&t, scale, 2);
  GIVE(&t, bias, 2);
  GIVE(&t, mean, 2);
  GIVE(&t, four, 2);
  refuse_in(&t, 9, GA_UNSUPPORTED_ERROR, "spatial");
}

/* --- ops of opsets 26 to 28 --- */

static void test_bits(void **state) {
  static const float x[] = {1, -2, 0, NAN};
  message attrs = {.n = 0}, to = number("to", 6), narrow = number("to", 3);
  int32_t got[4], want[4];

  (void)state;
  memcpy(want, x, sizeof x);
  put_message(&attrs, 5, &to);
  trial t = trial_new("BitCast", "a", "y", &attrs);
  GIVE(&t, x, 2, 2);
  run(&t, 26);
  assert_int_equal(t.out[0].dtype, GA_INT);
  memcpy(got, t.got[0], sizeof got);
  assert_memory_equal(got, want, sizeof want);
  attrs = (message){.n = 0};
  put_message(&attrs, 5, &narrow);
  t = trial_new("BitCast", "a", "y", &attrs);
  GIVE(&t, x, 2, 2);
  refuse_in(&t, 26, GA_VALUE_ERROR, "int8 has 1 bytes, expected 4");
}

static void test_small_ops(void **state) {
  static const float x[] = {1, 2, 3, 4}, gate[] = {0, 1, -1, 2},
                     count[] = {1, 2, 3, 4, 5, 6, 7, 8};
  static const int64_t axis = 0;
  message attrs = {.n = 0}, back = number("reverse", 1),
          less = number("exclusive", 1), block = number("blocksize", 2);

  (void)state;
  put_message(&attrs, 5, &back);
  put_message(&attrs, 5, &less);
  trial t = trial_new("CumProd", "a n", "y", &attrs);
  put_elements(&t.graph, "n", 7, 0, 1, &axis);
  GIVE(&t, x, 4);
  run(&t, 26);
  EXPECT(&t, 0, 24, 12, 4, 1);
  attrs = (message){.n = 0};
  put_float(&attrs, "alpha", 2);
  t = trial_new("SwiGLU", "a b", "y", &attrs);
  GIVE(&t, gate, 4);
  GIVE(&t, x, 4);
  run(&t, 28);
  EXPECT(&t, 0, 0, 2 / (1 + expf(-2)), -3 / (1 + expf(2)), 8 / (1 + expf(-4)));
  attrs = (message){.n = 0};
  put_message(&attrs, 5, &block);
  put_word(&attrs, "mode", "CRD");
  t = trial_new("SpaceToDepth", "a", "y", &attrs);
  GIVE(&t, count, 1, 2, 2, 2);
  run(&t, 28);
  EXPECT(&t, 0, 1, 2, 3, 4, 5, 6, 7, 8);
}

/* Each channel has filters of its own, which also read the end of the last
 * call. */
static void test_causal_convolution(void **state) {
  static const float x[] = {1, 2, 3, 4, 5, 6}, w[] = {1, 10, 2, 20},
                     bias[] = {0.5f, 0}, past[] = {7, 8};

  (void)state;
  trial t = trial_new("CausalConvWithState", "a b c d", "y z", NULL);
  t.n_out = 2;
  t.open_batch = 0;
  GIVE(&t, x, 1, 2, 3);
  GIVE(&t, w, 2, 1, 2);
  GIVE(&t, bias, 2);
  GIVE(&t, past, 1, 2, 1);
  run(&t, 27);
  EXPECT(&t, 0, 17.5f, 21.5f, 32.5f, 96, 108, 130);
  EXPECT(&t, 1, 3, 6);
  t = trial_new("CausalConvWithState", "a b", "y", NULL);
  GIVE(&t, x, 1, 2, 3);
  GIVE(&t, w, 2, 1, 2);
  run(&t, 27);
  EXPECT(&t, 0, 10, 21, 32, 80, 108, 130);
}

enum { TIME = 3, KEY = 2, VALUE = 2, GROUP = 2 };

/* One head of keys, GROUP heads of queries. */
typedef struct linear {
  float q[TIME * GROUP * KEY], k[TIME * KEY], v[TIME * VALUE];
  float state[KEY * VALUE], decay[TIME], beta[TIME];
  float y[TIME * GROUP * VALUE];
} linear;

static void plain_linear(linear *l) {
  for (int t = 0; t < TIME; t++) {
    const float *k = l->k + t * KEY;

    for (int i = 0; i < KEY * VALUE; i++)
      l->state[i] *= expf(l->decay[t]);
    for (int j = 0; j < VALUE; j++) {
      float v = l->v[t * VALUE + j];

      for (int i = 0; i < KEY; i++)
        v -= l->state[i * VALUE + j] * k[i];
      for (int i = 0; i < KEY; i++)
        l->state[i * VALUE + j] += k[i] * l->beta[t] * v;
    }
    for (int i = 0; i < GROUP * VALUE; i++) {
      const float *q = l->q + (t * GROUP + i / VALUE) * KEY;
      float *y = &l->y[t * GROUP * VALUE + i];

      *y = 0;
      for (int n = 0; n < KEY; n++)
        *y += 0.5f * q[n] * l->state[n * VALUE + i % VALUE];
    }
  }
}

static void fill(float *x, size_t bytes, uint64_t *seed) {
  for (size_t i = 0; i < bytes / sizeof *x; i++)
    x[i] = (float)lcg_below(seed, 2001) / 1000 - 1;
}

static trial linear_trial(const linear *l, const char *rule) {
  message attrs = {.n = 0}, queries = number("q_num_heads", GROUP),
          keys = number("kv_num_heads", 1);

  put_message(&attrs, 5, &queries);
  put_message(&attrs, 5, &keys);
  put_float(&attrs, "scale", 0.5f);
  put_word(&attrs, "update_rule", rule);
  trial t = trial_new("LinearAttention", "a b c d e f", "y z", &attrs);
  t.n_out = 2;
  GIVE(&t, l->q, 1, TIME, GROUP * KEY);
  GIVE(&t, l->k, 1, TIME, KEY);
  GIVE(&t, l->v, 1, TIME, VALUE);
  GIVE(&t, l->state, 1, 1, KEY, VALUE);
  GIVE(&t, l->decay, 1, TIME, 1);
  GIVE(&t, l->beta, 1, TIME, 1);
  return t;
}

static void test_linear_attention(void **state) {
  static linear l, want;
  uint64_t seed = 1;

  (void)state;
  fill(l.q, sizeof l.q, &seed);
  fill(l.k, sizeof l.k, &seed);
  fill(l.v, sizeof l.v, &seed);
  fill(l.state, sizeof l.state, &seed);
  fill(l.decay, sizeof l.decay, &seed);
  fill(l.beta, sizeof l.beta, &seed);
  want = l;
  plain_linear(&want);
  trial t = linear_trial(&l, "gated_delta");
  run(&t, 27);
  assert_output(&t, 0, sizeof want.y / sizeof *want.y, want.y);
  assert_output(&t, 1, sizeof want.state / sizeof *want.state, want.state);
  t = linear_trial(&l, "gated");
  refuse_in(&t, 27, GA_VALUE_ERROR,
            "update_rule is \"gated\", but input 5 is given");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_norm_of_zeros),
      cmocka_unit_test(test_powers),
      cmocka_unit_test(test_quantized_zeros),
      cmocka_unit_test(test_triangles),
      cmocka_unit_test(test_split_of_open),
      cmocka_unit_test(test_too_much),
      cmocka_unit_test(test_real_signal),
      cmocka_unit_test(test_spatial),
      cmocka_unit_test(test_bits),
      cmocka_unit_test(test_small_ops),
      cmocka_unit_test(test_causal_convolution),
      cmocka_unit_test(test_linear_attention),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
